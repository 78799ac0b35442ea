"""Myth: a question on one episode, naming a fact (`recall`) or using it (`decode`)."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from culturegate.bank import MythItem
from culturegate.models.base import Message, Prompt
from culturegate.prompts import Template, templates
from culturegate.tracks.base import Ask, CaseFacts, Record, Trial
from culturegate.tracks.choice import Lettered, LetteredCase, ask_choice, rotated
from culturegate.tracks.outcome import record
from culturegate.tracks.protocol import MythProtocol, sample_clusters, stable_order


@dataclass(frozen=True, slots=True)
class MythCase(LetteredCase):
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

        The key stands one place further each trial.
        """
        return rotated(tuple(self.item.options), self.item.answer, self.key_position + trial)

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
        options = Lettered(order, self.choices)
        text = wording.render({"question": self.question, "options": options.lines})
        prompt = Prompt(
            messages=(Message("user", text),),
            temperature=self.protocol.temperature,
            top_p=self.protocol.top_p,
            max_tokens=self.protocol.max_tokens,
            sample=sample,
        )
        trial = await ask_choice(ask, prompt, options, self.lang, wording.id, sample)
        return self.answered(replace(trial, key=self.item.answer))

    def answered(self, trial: Trial) -> Trial:
        """Return the trial judged on the label that it answers, with the tag of a wrong one."""
        if trial.status == "error":
            return trial
        tag = None if trial.value is None else self.item.options[trial.value].tag
        return replace(trial, correct=trial.value == self.item.answer, reason=tag)


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
