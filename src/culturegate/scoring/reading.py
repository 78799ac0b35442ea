"""What a scorer understood of a reply."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Status = Literal[
    "answered", "abstained", "refused", "ambiguous", "unparsed", "truncated", "filtered", "empty"
]


@dataclass(frozen=True, slots=True)
class Reading:
    """A reply as understood: a status and, where `answered`, a value and the rule that read it."""

    status: Status
    value: str | None = None
    """The canonical answer: an option's label, a decimal number as text, or compact JSON."""
    rule: str | None = None
    """Name of the rule that decided the status."""
    detail: str | None = None
    """Why, in a few words, where the status alone does not say it."""
    confidence: float | None = None
    """Confidence the reply states, 0 to 1."""
    language: str | None = None
    """Code of the language the reply is in, where that was looked at and is not the one asked."""
