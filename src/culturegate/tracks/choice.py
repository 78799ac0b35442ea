"""Asking for one of a few options that stand in lettered lines, and reading which was chosen."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from culturegate.errors import CallError
from culturegate.models.base import Prompt
from culturegate.scoring import noted_language, read_choice
from culturegate.tracks.base import Ask, Trial

SHOWN = "ABCDEFGHIJ"


@dataclass(frozen=True, slots=True)
class Lettered:
    """Options in the order in which one trial shows them."""

    order: Sequence[str]
    """The item's own labels, one character each."""
    texts: Mapping[str, str]
    """By the item's own label."""

    @property
    def shown(self) -> dict[str, str]:
        """Return letter → text, in order."""
        return {SHOWN[place]: self.texts[label] for place, label in enumerate(self.order)}

    @property
    def lines(self) -> str:
        """Return the options as a prompt has them, one a line."""
        return "\n".join(f"{letter}. {text}" for letter, text in self.shown.items())

    def label(self, letter: str) -> str:
        """Return the item's own label of a letter that was shown."""
        return self.order[SHOWN.index(letter)]


def rotated(labels: Sequence[str], key: str, place: int) -> tuple[str, ...]:
    """Return the labels turned so that the key stands at `place`, counted round from 0.

    A rotation, so that neighbours stay neighbours.
    """
    start = (labels.index(key) - place) % len(labels)
    return (*labels[start:], *labels[:start])


class LetteredCase(ABC):
    """What every case with lettered options shares: a person can read its trials (`Decidable`)."""

    __slots__ = ()

    @property
    @abstractmethod
    def choices(self) -> Mapping[str, str]:
        """The options' texts by the item's own label; empty where the case is no choice."""

    @abstractmethod
    def answered(self, trial: Trial) -> Trial:
        """Return the trial judged on the label that it answers, if any; a failed call as it is."""

    @property
    def letters(self) -> Sequence[str]:
        """The letters that options are shown under, in order."""
        return SHOWN[: len(self.choices)]

    def as_shown(self, trial: Trial) -> Mapping[str, str]:
        """Return letter → text of the options as the trial showed them."""
        return Lettered(trial.option_order or "", self.choices).shown

    def decided(self, trial: Trial, letter: str | None) -> Trial:
        """Return the trial as answered with this letter, or abstained where it is None."""
        status = "abstained" if letter is None else "answered"
        options = Lettered(trial.option_order or "", self.choices)
        label = None if letter is None else options.label(letter)
        return self.answered(replace(trial, status=status, value=label))


async def ask_choice(
    ask: Ask, prompt: Prompt, options: Lettered, lang: str, template: str, sample: int = 0
) -> Trial:
    """Ask, and return the trial as it was read: `value` is the item's own label, `correct` is open.

    A failed call gives a trial with the status `error`. A reply from elsewhere is read by the order
    that its asker showed.
    """
    option_order = "".join(options.order)
    try:
        reply = await ask(prompt)
    except CallError as error:
        return Trial(
            template=template,
            sample=sample,
            status="error",
            reason=error.kind,
            detail=str(error),
            option_order=option_order,
        )
    if reply.option_order:
        options = Lettered(reply.option_order, options.texts)
        option_order = reply.option_order
    reading = read_choice(
        reply.text, options=options.shown, lang=lang, finish_reason=reply.finish_reason
    )
    reading = noted_language(reading, reply.text, lang)
    return Trial(
        template=template,
        sample=sample,
        status=reading.status,
        value=None if reading.value is None else options.label(reading.value),
        rule=reading.rule,
        detail=reading.detail,
        confidence=reading.confidence,
        option_order=option_order,
        reply_key=reply.key,
        language=reading.language,
    )
