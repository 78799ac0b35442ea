"""Asking for one of a few options that stand in lettered lines, and reading which was chosen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

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
