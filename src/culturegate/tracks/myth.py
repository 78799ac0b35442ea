"""Myth: a question on one episode, naming a fact (`recall`) or using it (`decode`)."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from culturegate.bank import MythItem
from culturegate.errors import CallError
from culturegate.models.base import Message, Prompt
from culturegate.prompts import Template, templates
from culturegate.scoring import noted_language, read_choice
from culturegate.tracks.base import Ask, CaseFacts, Record, Trial
from culturegate.tracks.outcome import record
from culturegate.tracks.protocol import MythProtocol, sample_clusters, stable_order

SHOWN = "ABCDEFGHIJ"


@dataclass(frozen=True, slots=True)
class MythCase:
    """One myth item in one language."""

    item: MythItem
    lang: str
    key_position: int
    """Where the first trial shows the key, 0 for the first option; later trials move it on."""
    protocol: MythProtocol
    facts: CaseFacts = field(init=False, compare=False)
    """What is known before asking."""

    def __post_init__(self) -> None:
        item = self.item
        facts = CaseFacts(
            case=f"{item.id}-{self.lang}",
            track=item.track,
            kind=item.kind,
            item=item.id,
            cluster=item.cluster,
            culture=item.culture,
            lang=self.lang,
            form=item.form,
            difficulty=item.difficulty,
            public=item.public,
            chance=1 / len(item.options),
        )
        object.__setattr__(self, "facts", facts)

    @property
    def requests(self) -> int:
        """Number of prompts sent: templates × samples."""
        return self.protocol.templates * self.protocol.samples

    @property
    def question(self) -> str:
        """The item's question in the language asked."""
        return self.item.question[self.lang]

    @property
    def expected(self) -> str:
        """The key's text in the language asked."""
        return self.choices[self.item.answer]

    @property
    def choices(self) -> dict[str, str]:
        """The options' texts in the language asked, by the item's own label."""
        return {label: option.text[self.lang] for label, option in self.item.options.items()}

    def order(self, trial: int) -> tuple[str, ...]:
        """Return the item's option labels in the order in which trial number `trial` shows them.

        A rotation, so that neighbours stay neighbours, with the key one place further each trial.
        """
        labels = tuple(self.item.options)
        place = (self.key_position + trial) % len(labels)
        start = (labels.index(self.item.answer) - place) % len(labels)
        return labels[start:] + labels[:start]

    async def run(self, ask: Ask) -> Record:
        """Ask every template and sample at once and judge them together."""
        wordings = templates(self.item.track, self.lang)[: self.protocol.templates]
        numbered = enumerate((w, s) for w in wordings for s in range(self.protocol.samples))
        asked = [
            self._trial(ask, wording, sample, self.order(n)) for n, (wording, sample) in numbered
        ]
        # A task of its own for a single trial would only cost.
        trials = [await asked[0]] if len(asked) == 1 else await asyncio.gather(*asked)
        return record(self.facts, trials)

    async def _trial(self, ask: Ask, wording: Template, sample: int, order: Sequence[str]) -> Trial:
        prompt = Prompt(
            messages=(Message("user", self._text(wording, self._shown(order))),),
            temperature=self.protocol.temperature,
            top_p=self.protocol.top_p,
            max_tokens=self.protocol.max_tokens,
            sample=sample,
        )
        option_order = "".join(order)
        try:
            reply = await ask(prompt)
        except CallError as error:
            return Trial(
                template=wording.id,
                sample=sample,
                status="error",
                reason=error.kind,
                detail=str(error),
                option_order=option_order,
                key=self.item.answer,
            )
        option_order = reply.option_order or option_order
        shown = self._shown(option_order)
        reading = read_choice(
            reply.text, options=shown, lang=self.lang, finish_reason=reply.finish_reason
        )
        reading = noted_language(reading, reply.text, self.lang)
        trial = Trial(
            template=wording.id,
            sample=sample,
            status=reading.status,
            rule=reading.rule,
            detail=reading.detail,
            confidence=reading.confidence,
            language=reading.language,
            option_order=option_order,
            reply_key=reply.key,
            key=self.item.answer,
        )
        return self._answered(trial, reading.value)

    @property
    def letters(self) -> Sequence[str]:
        """The letters that options are shown under, in order."""
        return SHOWN[: len(self.item.options)]

    def as_shown(self, trial: Trial) -> dict[str, str]:
        """Return letter → text of the options as the trial showed them."""
        return self._shown(trial.option_order or "")

    def _shown(self, order: Sequence[str]) -> dict[str, str]:
        options, lang = self.item.options, self.lang
        return {SHOWN[n]: options[label].text[lang] for n, label in enumerate(order)}

    def decided(self, trial: Trial, letter: str | None) -> Trial:
        """Return the trial as answered with this letter, or abstained where it is None."""
        status = "abstained" if letter is None else "answered"
        return self._answered(replace(trial, status=status), letter)

    def _answered(self, trial: Trial, letter: str | None) -> Trial:
        """Return the trial judged on the letter that it answers, if any."""
        label = None if letter is None else (trial.option_order or "")[SHOWN.index(letter)]
        return replace(
            trial,
            value=label,
            correct=label == self.item.answer,
            reason=None if label is None else self.item.options[label].tag,
        )

    def _text(self, wording: Template, shown: dict[str, str]) -> str:
        options = "\n".join(f"{letter}. {text}" for letter, text in shown.items())
        return wording.render({"question": self.question, "options": options})


def myth_cases(
    items: Iterable[MythItem], protocol: MythProtocol, seed: int
) -> tuple[MythCase, ...]:
    """Return every case that the protocol names, ordered by kind and case id.

    Within each culture, kind and number of options the key's first position goes round evenly,
    in an order drawn from `seed`; both languages of an item share it.
    """
    asked = [item for item in items if any(lang in protocol.langs for lang in item.langs)]
    drawn = sample_clusters(
        (((item.culture, item.kind), item.cluster) for item in asked),
        protocol.clusters_per_culture,
        seed,
    )
    chosen = [item for item in asked if ((item.culture, item.kind), item.cluster) in drawn]
    groups: defaultdict[tuple[str, str, int], list[str]] = defaultdict(list)
    for item in chosen:
        groups[item.culture, item.kind, len(item.options)].append(item.id)
    position = {
        item_id: rank % options
        for (_, _, options), ids in groups.items()
        for rank, item_id in enumerate(stable_order(ids, seed))
    }
    cases = [
        MythCase(item, lang, position[item.id], protocol)
        for item in chosen
        for lang in item.langs
        if lang in protocol.langs
    ]
    return tuple(sorted(cases, key=lambda case: (case.item.kind != "recall", case.facts.case)))
