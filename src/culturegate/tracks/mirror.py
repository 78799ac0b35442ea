"""Mirror: one reasoning problem in four arms, so that language and culture can be told apart."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from culturegate.bank.mirror import Arm, ArmName, Family, MirrorBank
from culturegate.errors import CallError, CulturegateError
from culturegate.models.base import Message, Prompt, Reply
from culturegate.prompts import Template, languages, templates
from culturegate.scoring import noted_language
from culturegate.tracks.base import Ask, CaseFacts, Judgement, Record, Trial
from culturegate.tracks.choice import SHOWN, LetteredCase, rotated
from culturegate.tracks.mirror_judging import SECTION, judged_paths
from culturegate.tracks.mirror_reading import read_answer
from culturegate.tracks.outcome import record
from culturegate.tracks.protocol import MirrorProtocol, stable_order

TRACK = "mirror"
BASELINE = "original"
"""The arm that others are compared with, in the facts of a case."""
FOREIGN = "localized"
ORIGINAL_REGION = "north-america"
"""Where the original arms are set, as far as another region is at home."""


@dataclass(frozen=True, slots=True)
class MirrorCase(LetteredCase):
    """One arm of a family, in the arm's own language."""

    family: Family
    arm: Arm
    protocol: MirrorProtocol
    key_position: int = 0
    """Where the first sample shows the key of a choice; later samples move it on."""
    judged: bool = False
    """Whether a judge model scores the reasoning."""
    home: str | None = None
    """Region whose arms are the baseline; None for the original arms."""
    facts: CaseFacts = field(init=False, compare=False)
    """What is known before asking."""

    def __post_init__(self) -> None:
        family = self.family
        role, culture = _role(family, self.arm.name, self.home)
        facts = CaseFacts(
            case=f"{family.id}-{self.arm.name}",
            track=TRACK,
            kind=TRACK,
            item=family.id,
            cluster=family.id,
            culture=culture,
            lang=self.arm.lang,
            arm=role,
            element=family.element,
            task=family.task,
            difficulty=family.difficulty,
            public=family.public,
            chance=1 / len(self.arm.options) if self.arm.options else 0.0,
        )
        object.__setattr__(self, "facts", facts)

    @property
    def requests(self) -> int:
        """Number of prompts sent, the judge's apart."""
        return self.protocol.samples

    @property
    def question(self) -> str:
        """The problem as the arm words it."""
        return self.arm.text

    @property
    def expected(self) -> str:
        """The key: an option's text, a number with what it counts, or the short answer."""
        if self.arm.options:
            return self.arm.options[self.arm.answer]
        return f"{self.arm.answer} {self.arm.unit}" if self.arm.unit else self.arm.answer

    @property
    def choices(self) -> dict[str, str]:
        """The options by the item's own label; empty where the answer is no choice."""
        return dict(self.arm.options)

    def order(self, sample: int) -> tuple[str, ...]:
        """Return the option labels in the order in which a sample shows them, none without options.

        The key stands one place further each sample.
        """
        labels = tuple(self.arm.options)
        if not labels:
            return ()
        return rotated(labels, self.arm.answer, self.key_position + sample)

    async def run(self, ask: Ask) -> Record:
        """Ask every sample at once, judge them together, and have their reasoning scored."""
        wording = _part("solve", self.arm.lang)
        asked = [
            self._trial(ask, wording, sample, self.order(sample))
            for sample in range(self.protocol.samples)
        ]
        pairs = [await asked[0]] if len(asked) == 1 else await asyncio.gather(*asked)
        found = record(self.facts, [trial for trial, _ in pairs])
        return replace(found, judgements=await self._judgements(ask, pairs))

    async def _trial(
        self, ask: Ask, wording: Template, sample: int, order: Sequence[str]
    ) -> tuple[Trial, Reply | None]:
        trial = Trial(wording.id, sample, "error", option_order="".join(order) or None)
        prompt = Prompt(
            messages=(Message("user", self._text(wording, self.as_shown(trial))),),
            temperature=self.protocol.temperature,
            top_p=self.protocol.top_p,
            max_tokens=self.protocol.max_tokens,
            sample=sample,
        )
        try:
            reply = await ask(prompt)
        except CallError as error:
            return replace(trial, reason=error.kind, detail=str(error)), None
        if order and reply.option_order:
            order = reply.option_order
            trial = replace(trial, option_order=reply.option_order)
        shown = self.as_shown(trial)
        key = SHOWN[order.index(self.arm.answer)] if order else ""
        found = read_answer(
            reply.text, self.arm, self.family.answer_type, shown, key, reply.finish_reason
        )
        reading = noted_language(found.reading, reply.text, self.arm.lang)
        value = reading.value
        if order and value is not None:
            value = order[SHOWN.index(value)]
        trial = replace(
            trial,
            status=reading.status,
            value=value,
            correct=found.correct,
            rule=reading.rule,
            detail=reading.detail,
            confidence=found.confidence,
            language=reading.language,
            reply_key=reply.key,
        )
        return trial, reply

    async def _judgements(
        self, ask: Ask, pairs: Iterable[tuple[Trial, Reply | None]]
    ) -> tuple[Judgement, ...]:
        if not self.judged:
            return ()
        found: list[Judgement] = []
        for trial, reply in pairs:
            if trial.sample < self.protocol.judged_samples and reply is not None and reply.text:
                threshold = self.protocol.judge_threshold
                found += await judged_paths(
                    ask, self.arm.lang, self._asked(trial), trial, reply.text, threshold
                )
        return tuple(found)

    def _asked(self, trial: Trial) -> str:
        return _with_options(self.arm.text, self.as_shown(trial))

    def _text(self, wording: Template, shown: Mapping[str, str]) -> str:
        form = _part(self.family.answer_type, self.arm.lang).text
        return wording.render({"question": _with_options(self.arm.text, shown), "form": form})

    def answered(self, trial: Trial) -> Trial:
        """Return the trial judged on the option's label that it answers, if any."""
        right = trial.value is not None and trial.value == self.arm.answer
        return replace(trial, correct=right, reason=None)


def _part(part: str, lang: str) -> Template:
    return next(one for one in templates(TRACK, lang) if one.id.startswith(f"{part}-"))


def _with_options(text: str, shown: Mapping[str, str]) -> str:
    return "\n".join([text, *(f"{letter}. {option}" for letter, option in shown.items())])


def _role(family: Family, arm: ArmName, home: str | None) -> tuple[str, str]:
    """Return what an arm is in a comparison, and whose culture it is.

    With a home, that region's localized and native arms are the baseline, and North America, where
    the originals are set, is a foreign region like the others.
    """
    if home is None:
        return arm, family.region
    if arm == "original":
        return FOREIGN, ORIGINAL_REGION
    return (BASELINE, family.region) if family.region == home else (arm, family.region)


def mirror_cases(
    bank: MirrorBank,
    protocol: MirrorProtocol,
    seed: int,
    *,
    judged: bool = False,
    home: str | None = None,
) -> tuple[MirrorCase, ...]:
    """Return every case that the protocol names, ordered by case id.

    A protocol that asks fewer families takes from each region's task types in turn. The key's
    first position goes round evenly within a region and number of options, in an order drawn from
    `seed`; all arms of a family share it. With a home no literal arm is asked, since none of them
    parts language from culture then.

    Raises `CulturegateError` where no family is of the home region, or a language has no prompts.
    """
    _check(bank, home)
    chosen = [family for region in bank.cultures for family in _drawn(bank, region, protocol, seed)]
    groups: defaultdict[tuple[str, int], list[str]] = defaultdict(list)
    for family in chosen:
        options = len(family.arms["original"].options)
        if options:
            groups[family.region, options].append(family.id)
    position = {
        name: rank % options
        for (_, options), names in groups.items()
        for rank, name in enumerate(stable_order(names, seed))
    }
    cases = [
        MirrorCase(family, arm, protocol, position.get(family.id, 0), judged, home)
        for family in chosen
        for name, arm in family.arms.items()
        if home is None or name != "literal"
    ]
    return tuple(sorted(cases, key=lambda case: case.facts.case))


def _check(bank: MirrorBank, home: str | None) -> None:
    if home is not None and bank.families and home not in bank.cultures:
        regions = ", ".join(bank.cultures)
        message = f"no mirror family is at home in {home!r}; the regions are {regions}"
        raise CulturegateError(message)
    for family in bank.families:
        if family.lang not in languages(TRACK):
            there_are = ", ".join(languages(TRACK))
            message = f"no {TRACK} prompts in language {family.lang!r}; there are: {there_are}"
            raise CulturegateError(f"{family.file}:{family.line or 1}: {family.id}: {message}")


def _drawn(bank: MirrorBank, region: str, protocol: MirrorProtocol, seed: int) -> Iterator[Family]:
    members = {family.id: family for family in bank.families if family.region == region}
    count = protocol.families_per_region
    if count is None:
        yield from members.values()
        return
    by_task: dict[str, list[str]] = {}
    for name, family in members.items():
        by_task.setdefault(family.task, []).append(name)
    ranked = [
        (rank, task, name)
        for task, names in sorted(by_task.items())
        for rank, name in enumerate(stable_order(names, seed))
    ]
    for _, _, name in sorted(ranked)[:count]:
        yield members[name]


def mirror_wordings(bank: MirrorBank, *, judged: bool = False) -> Iterator[tuple[str, str]]:
    """Yield the id and text of every wording that the bank's languages use."""
    langs = {arm.lang for family in bank.families for arm in family.arms.values()}
    for section in (TRACK, SECTION) if judged else (TRACK,):
        for lang in sorted(langs & set(languages(section))):
            for template in templates(section, lang):
                yield f"{lang}/{section}/{template.id}", template.text
