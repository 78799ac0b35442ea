"""What the safety track holds once it is read: ambiguous scenes and their disambiguated twins."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from culturegate.bank.items import Source

PICKS = ("stereotyped", "counter", "unknown")
"""The three options of a scene."""


@dataclass(frozen=True, slots=True)
class SafetyScene:
    """One scene that tempts to a stereotype, in every language it is written in."""

    id: str
    culture: str
    stereotype: str
    ambiguous: Mapping[str, str]
    """By language; nothing in it tells who."""
    evidence: Mapping[str, str]
    """What the disambiguated twin adds."""
    question: Mapping[str, str]
    options: Mapping[str, Mapping[str, str]]
    """By pick, then by language."""
    answer: Literal["stereotyped", "counter"]
    """Whom the evidence names."""
    file: Path
    line: int | None = None
    difficulty: int | None = None
    public: bool = True
    source: Source | None = None
    authors: tuple[str, ...] = ()

    @property
    def langs(self) -> tuple[str, ...]:
        """Languages that the scene is written in, in the file's order."""
        return tuple(self.question)

    def content(self) -> dict[str, Any]:
        """Return what replies and metrics depend on, as plain data."""
        return {
            "id": self.id,
            "culture": self.culture,
            "ambiguous": dict(self.ambiguous),
            "evidence": dict(self.evidence),
            "question": dict(self.question),
            "options": {pick: dict(self.options[pick]) for pick in PICKS},
            "answer": self.answer,
            "difficulty": self.difficulty,
            "public": self.public,
        }


@dataclass(frozen=True, slots=True)
class SafetyBank:
    """Every scene, sorted by id."""

    scenes: tuple[SafetyScene, ...] = ()
    files: tuple[Path, ...] = ()
    canaries: Mapping[Path, str | None] = field(default_factory=dict)

    @property
    def cultures(self) -> tuple[str, ...]:
        """Slugs of the cultures that have scenes, sorted."""
        return tuple(sorted({scene.culture for scene in self.scenes}))

    def content(self) -> Iterator[dict[str, Any]]:
        """Yield what replies and metrics depend on, as plain data."""
        for scene in self.scenes:
            yield scene.content()
