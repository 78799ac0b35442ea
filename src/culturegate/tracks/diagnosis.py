"""Diagnosis: the myth track's cases asked once more, changed in one respect each.

What a score owes to the options alone, to their order, to names and to the exact wording, and
whether the bank's own texts come back from memory. Asked only with `--diagnose`; these cases stand
in no accuracy, no composite and no line.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from culturegate.bank import Bank
from culturegate.bank.wording import content_words, folded
from culturegate.errors import CallError
from culturegate.models.base import Message, Prompt, Reply
from culturegate.prompts import Template, languages, templates
from culturegate.scoring.reasoning import without_reasoning
from culturegate.tracks.base import Ask, Case, CaseFacts, Record, Trial
from culturegate.tracks.choice import Lettered, ask_choice
from culturegate.tracks.diagnosis_variants import (
    described,
    edited,
    halves,
    letters,
    named,
    reproduced,
)
from culturegate.tracks.myth import MythCase, myth_cases
from culturegate.tracks.outcome import record
from culturegate.tracks.protocol import DiagnosisProtocol, Protocol, own_sample

TRACK = "diagnosis"
QUESTION_REMOVED = "question-removed"
KEY_REMOVED = "key-removed"
REORDERED = "reordered"
NAMES_DESCRIBED = "names-described"
EDITED = "edited"
COMPLETION = "completion"
CANARY = "canary"
VARIANTS = (QUESTION_REMOVED, KEY_REMOVED, REORDERED, NAMES_DESCRIBED, EDITED)
"""Conditions in which a case of the myth track is asked again as a choice."""
PROBES = (COMPLETION, CANARY)
"""Conditions in which a text is to be completed."""
EXACT = 0.8
"""Share of a second half from which it counts as reproduced."""
NO_CULTURE = "none"


@dataclass(frozen=True, slots=True)
class VariantCase:
    """One myth case in its first wording, changed in one respect."""

    base: MythCase
    condition: str
    asked: str
    """The question as it is asked; empty where it is removed."""
    choices: Mapping[str, str]
    """The options' texts as they are shown, by the item's own label."""
    order: tuple[str, ...]
    wording: Template
    protocol: DiagnosisProtocol
    facts: CaseFacts = field(init=False, compare=False)
    """What is known before asking."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "facts", _facts(self.base.facts, self.condition))

    @property
    def requests(self) -> int:
        """Number of prompts sent."""
        return 1

    @property
    def question(self) -> str:
        """The question as it is asked, or what stands in its place."""
        return self.asked or "(the question is not shown)"

    @property
    def expected(self) -> str:
        """The key's text as it is shown."""
        return self.choices[self.base.item.answer]

    async def run(self, ask: Ask) -> Record:
        """Ask once and judge it."""
        options = Lettered(self.order, self.choices)
        text = self.wording.render({"question": self.asked, "options": options.lines})
        prompt = Prompt(
            messages=(Message("user", text),),
            temperature=self.protocol.temperature,
            top_p=self.protocol.top_p,
            max_tokens=self.protocol.max_tokens,
            sample=own_sample(self.facts.case, 0),
        )
        trial = await ask_choice(ask, prompt, options, self.base.lang, self.wording.id)
        return record(self.facts, [self.base.answered(replace(trial, key=self.base.item.answer))])


@dataclass(frozen=True, slots=True)
class ProbeCase:
    """A text of the bank's own whose second half the model is to complete; it passes if it can't.

    A trial's value is the share of the second half that came back, 0 to 1. A reply that is empty,
    filtered or cut off before it says anything passes too, and tells nothing: its status says so.
    """

    facts: CaseFacts
    start: str
    rest: str
    wording: Template
    protocol: DiagnosisProtocol

    @property
    def requests(self) -> int:
        """Number of prompts sent."""
        return 1

    @property
    def question(self) -> str:
        """The first half."""
        return self.start

    @property
    def expected(self) -> str:
        """What the reply is not to be."""
        return f"anything but the text's own second half: {self.rest}"

    @property
    def choices(self) -> Mapping[str, str]:
        """No options: the text is to be completed."""
        return {}

    async def run(self, ask: Ask) -> Record:
        """Ask once and compare the reply with the second half."""
        prompt = Prompt(
            messages=(Message("user", self.wording.render({"start": self.start})),),
            temperature=self.protocol.temperature,
            top_p=self.protocol.top_p,
            # A model that thinks before it answers was given room for that.
            max_tokens=max(self.protocol.completion_tokens, self.protocol.max_tokens),
            sample=own_sample(self.facts.case, 0),  # Two questions may begin alike.
        )
        template = self.wording.id
        try:
            reply = await ask(prompt)
        except CallError as error:
            failed = Trial(template, 0, "error", reason=error.kind, detail=str(error))
            return record(self.facts, [failed])
        text, _ = without_reasoning(reply.text or "")
        share = reproduced(self.rest, text, self.facts.lang)
        trial = Trial(
            template=template,
            sample=0,
            status=_status(reply, text),
            value=f"{share:.2f}",
            correct=share < EXACT,
            rule="reproduced" if share >= EXACT else None,
            reply_key=reply.key,
        )
        return record(self.facts, [trial])


def _status(reply: Reply, text: str) -> str:
    if reply.finish_reason == "content_filter":
        return "filtered"
    if text.strip():
        return "answered"
    return "truncated" if reply.finish_reason == "length" else "empty"


def diagnosis_cases(bank: Bank, protocol: Protocol, seed: int) -> tuple[Case, ...]:
    """Return the diagnosis of every case of the myth track that the protocol names.

    In English and Chinese, by condition and then in the order of the myth track. A condition that
    would leave a case as it is, or that can't be made of it, leaves the case out.

    Args:
        bank: Items, names and canaries.
        protocol: How much of the myth track is asked, and how the diagnosis is.
        seed: The bank seed: it draws the edits.
    """
    asked = [
        case for case in myth_cases(bank.myth, protocol.myth, seed) if case.lang in languages(TRACK)
    ]
    own = protocol.diagnosis
    found: dict[str, list[Case]] = {condition: [] for condition in (*VARIANTS, *PROBES)}
    for base in asked:
        names = bank.names.by_culture.get(base.item.culture, {})
        for case in _variants(base, names, own, seed):
            found[case.condition].append(case)
        cut = halves(base.question, base.lang)
        if cut is not None:
            facts = _facts(base.facts, COMPLETION)
            found[COMPLETION].append(ProbeCase(facts, *cut, wording(COMPLETION, base.lang), own))
    found[CANARY] += _canaries(bank, own) if asked else ()
    return tuple(case for cases in found.values() for case in cases)


def wording(part: str, lang: str) -> Template:
    """Return the diagnosis's own wording of `question-removed`, `completion`, `canary` or `none`.

    `none` is the option that stands in the key's place.
    """
    return next(one for one in templates(TRACK, lang) if one.id.rpartition("-")[0] == part)


def diagnosis_wordings(protocol: Protocol) -> Iterator[tuple[str, str]]:
    """Yield id and text of every wording of the diagnosis's own that is in use."""
    for lang in sorted(set(protocol.myth.langs) & set(languages(TRACK))):
        for template in templates(TRACK, lang):
            yield f"diagnosis/{lang}/{template.id}", template.text


def _variants(
    base: MythCase, names: Mapping[str, str], protocol: DiagnosisProtocol, seed: int
) -> Iterator[VariantCase]:
    item, lang = base.item, base.lang
    first = templates(item.track, lang)[0]
    order, key = base.order(0), item.answer
    question, choices = base.question, base.choices

    def case(
        condition: str,
        asked: str = question,
        shown: Mapping[str, str] = choices,
        place: tuple[str, ...] = order,
        template: Template = first,
    ) -> VariantCase:
        return VariantCase(base, condition, asked, shown, place, template, protocol)

    yield case(QUESTION_REMOVED, asked="", template=wording(QUESTION_REMOVED, lang))
    none = choices | {key: wording("none", lang).text}
    if none[key] not in choices.values():
        rest = tuple(label for label in order if label != key)
        yield case(KEY_REMOVED, shown=none, place=(*rest, key))
    yield case(REORDERED, place=_reordered(order, key))
    found = {name: names[name] for name in named((question, *choices.values()), names, lang)}
    if found and not _gives_away(base, found):
        yield case(
            NAMES_DESCRIBED,
            asked=described(question, found),
            shown={label: described(text, found) for label, text in choices.items()},
        )
    yield case(EDITED, asked=edited(question, lang, f"{seed}:{base.facts.case}"))


def _reordered(order: tuple[str, ...], key: str) -> tuple[str, ...]:
    """Return the options in reverse, turned so that the key comes two places on (one of two)."""
    count = len(order)
    place = (order.index(key) + (2 if count > 2 else 1)) % count
    back = order[::-1]
    start = (back.index(key) - place) % count
    return back[start:] + back[:start]


def _gives_away(base: MythCase, names: Mapping[str, str]) -> bool:
    """Return whether descriptions would ask something else than names.

    So they do where a name is what is asked for, and where one says what the key says.
    """
    if {folded(text) for text in base.choices.values()} & {folded(name) for name in names}:
        return True
    key = content_words(base.expected, base.lang)
    return any(key & content_words(told, base.lang) for told in names.values())


def _facts(base: CaseFacts, condition: str) -> CaseFacts:
    name = f"{base.item}-{condition}-{base.lang}"
    chance = None if condition == COMPLETION else base.chance
    return replace(base, case=name, track=TRACK, condition=condition, chance=chance)


def _canaries(bank: Bank, protocol: DiagnosisProtocol) -> Iterator[ProbeCase]:
    """Yield one case for each canary of the bank."""
    found = [bank.canaries, *(part.canaries for part in bank.tracks)]
    marks = {mark for canaries in found for mark in canaries.values() if mark}
    for mark in sorted(marks):
        middle = (len(mark) + 1) // 2
        if len(letters(mark[middle:])) < 8:
            continue  # Too short to tell memory from luck.
        name = f"{CANARY}-{hashlib.sha256(mark.encode()).hexdigest()[:8]}"
        facts = CaseFacts(
            case=name,
            track=TRACK,
            kind=CANARY,
            item=name,
            cluster=name,
            culture=NO_CULTURE,
            lang="en",
            condition=CANARY,
        )
        yield ProbeCase(facts, mark[:middle], mark[middle:], wording(CANARY, "en"), protocol)
