"""The framing track's part of the bank: short product notes, and the jobs done with them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

FACTS = ("product", "price", "currency", "weight_grams", "warranty_months", "colours")
"""What a note can state."""


@dataclass(frozen=True, slots=True)
class FramingFacts:
    """What a note states; None or an empty list where it does not say."""

    product: Mapping[str, str]
    """By language."""
    price: float | None
    currency: str | None
    """ISO 4217 code."""
    weight_grams: int | None
    warranty_months: int | None
    colours: Mapping[str, tuple[str, ...]]
    """By language."""

    def value(self, name: str, lang: str) -> Any:
        """Return one fact as a note in `lang` states it; raises `AttributeError` for no fact."""
        found = getattr(self, name)
        if isinstance(found, Mapping):
            found = found.get(lang)
        return found or None if isinstance(found, tuple) else found


@dataclass(frozen=True, slots=True)
class FramingSample:
    """One product note: a draw of the framing track."""

    id: str
    difficulty: int
    public: bool
    text: Mapping[str, str]
    """By language."""
    facts: FramingFacts
    authors: tuple[str, ...]
    file: Path
    line: int | None

    def content(self) -> dict[str, Any]:
        """Return what replies and metrics depend on, as plain data."""
        facts = {name: getattr(self.facts, name) for name in FACTS}
        return {
            "id": self.id,
            "difficulty": self.difficulty,
            "public": self.public,
            "text": dict(self.text),
            "facts": facts | {"colours": {k: list(v) for k, v in self.facts.colours.items()}},
        }


@dataclass(frozen=True, slots=True)
class FramingJob:
    """One structured-output job: what is asked of every note, and what a reply must be."""

    id: str
    difficulty: int
    task: Mapping[str, str]
    """By language; `$note` stands for the note."""
    schema: Mapping[str, Any]
    """JSON Schema: a reply that fits complies."""
    content_schema: Mapping[str, Any]
    """JSON Schema of what a complying reply must hold besides: lengths, counts; empty for none."""
    stated: Mapping[str, str]
    """Field (`price`, or `listing.price` in a nested object) → the fact that it must equal, null
    where the note does not say."""
    said: Mapping[str, str]
    """Field → the fact of which it must tell, true or false, whether the note says it."""
    file: Path
    line: int | None

    def content(self) -> dict[str, Any]:
        """Return what replies and metrics depend on, as plain data."""
        return {
            "id": self.id,
            "difficulty": self.difficulty,
            "task": dict(self.task),
            "schema": self.schema,
            "content_schema": self.content_schema,
            "stated": dict(self.stated),
            "said": dict(self.said),
        }


@dataclass(frozen=True)
class FramingBank:
    """Every note and job, read and validated."""

    samples: tuple[FramingSample, ...] = ()
    """Sorted by id."""
    jobs: tuple[FramingJob, ...] = ()
    """Sorted by difficulty, then id."""
    files: tuple[Path, ...] = ()
    canaries: Mapping[Path, str | None] = field(default_factory=dict)
    """Each file's canary."""

    @property
    def cultures(self) -> tuple[str, ...]:
        """Slugs of cultures; a note belongs to none."""
        return ()

    @cached_property
    def langs(self) -> tuple[str, ...]:
        """Languages that notes and jobs are written in, sorted."""
        noted = {lang for sample in self.samples for lang in sample.text}
        return tuple(sorted(noted & {lang for job in self.jobs for lang in job.task}))

    def content(self) -> Iterator[dict[str, Any]]:
        """Yield what replies and metrics depend on, for the bank's hash."""
        yield from (sample.content() for sample in self.samples)
        yield from (job.content() for job in self.jobs)
