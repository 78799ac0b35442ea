"""What the bank holds once it is read: items, flat, with everything a track needs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

Kind = Literal["recall", "decode"]
Form = Literal["metaphor", "analogy", "proverb", "allusion", "pattern-break", "analogy-holds"]
Tag = Literal["surface", "neighbour", "western", "literal", "reversed", "invented"]


@dataclass(frozen=True, slots=True)
class Source:
    """Where a fact can be looked up."""

    work: str
    section: str
    checked: bool = False
    """Whether somebody has seen the text at that place."""


@dataclass(frozen=True, slots=True)
class Review:
    """A person's signature under an item."""

    reviewer: str
    date: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Option:
    """One choice of an item."""

    text: Mapping[str, str]
    """By language."""
    tag: str | None = None
    """What tempts in a distractor; None for the key."""


@dataclass(frozen=True, slots=True)
class MythItem:
    """A question on one episode, with its options, in every language it is written in."""

    id: str
    """ASCII slug `[a-z0-9-]`, unique in the bank."""
    kind: Kind
    culture: str
    cluster: str
    """The episode's id; an item without an episode is its own cluster."""
    question: Mapping[str, str]
    options: Mapping[str, Option]
    """By label, `a` onwards, in the authors' order."""
    answer: str
    """Label of the key."""
    file: Path
    line: int | None
    form: str | None = None
    difficulty: int | None = None
    public: bool = True
    source: Source | None = None
    authors: tuple[str, ...] = ()
    reviews: tuple[Review, ...] = ()
    variant_of: str | None = None
    """Id of the item that this one words anew."""
    title: Mapping[str, str] | None = None
    """The episode's title, by language."""
    original_id: str | None = None
    """The id as the file has it, where that is no slug."""
    track: Literal["myth"] = "myth"

    @property
    def langs(self) -> tuple[str, ...]:
        """Languages that the item is written in, in the file's order."""
        return tuple(self.question)

    def content(self) -> dict[str, Any]:
        """Return what replies and metrics depend on, as plain data: no place, no signatures."""
        return {
            "id": self.id,
            "kind": self.kind,
            "culture": self.culture,
            "cluster": self.cluster,
            "question": dict(self.question),
            "options": {
                label: [dict(option.text), option.tag] for label, option in self.options.items()
            },
            "answer": self.answer,
            "form": self.form,
            "difficulty": self.difficulty,
            "public": self.public,
            "variant_of": self.variant_of,
        }
