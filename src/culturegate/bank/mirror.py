"""Mirror families: one logical skeleton in four arms, and where each part stands in its file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from culturegate.bank.items import Review

Task = Literal["arithmetic", "commonsense", "deduction", "decision"]
Element = Literal["scene", "knowledge", "norm"]
AnswerType = Literal["number", "choice", "text"]
ArmName = Literal["original", "literal", "localized", "native"]

TASKS: tuple[Task, ...] = ("arithmetic", "commonsense", "deduction", "decision")
ELEMENTS: tuple[Element, ...] = ("scene", "knowledge", "norm")
ARMS: tuple[ArmName, ...] = ("original", "literal", "localized", "native")
MAX_ANSWER = 80
"""Characters of a short answer that a reply is read for."""
ORIGINAL_LANG = "en"
"""Language of the original arm."""


@dataclass(frozen=True, slots=True)
class Step:
    """One intermediate result of a numeric skeleton; the last one is named `answer`."""

    name: str
    formula: str


@dataclass(frozen=True, slots=True)
class Skeleton:
    """What the arms of a family share: conditions and steps, or premises and an inference."""

    conditions: Mapping[str, str]
    """What each condition means, by its name; empty where the answer is no number."""
    steps: tuple[Step, ...]
    premises: Mapping[str, str]
    """Empty where the answer is a number."""
    inference: str | None
    lines: Mapping[str, int]
    """Line of each condition, step and premise, by its name."""

    def content(self) -> dict[str, Any]:
        """Return the skeleton as plain data, without its place."""
        return {
            "conditions": dict(self.conditions),
            "steps": [[step.name, step.formula] for step in self.steps],
            "premises": dict(self.premises),
            "inference": self.inference,
        }


@dataclass(frozen=True, slots=True)
class Accepted:
    """A further right answer, and why it is right."""

    answer: str
    reason: str


@dataclass(frozen=True, slots=True)
class Arm:
    """One wording of a family's problem."""

    name: ArmName
    lang: str
    text: str
    answer: str
    """The number as text, the key's label, or the short answer."""
    unit: str | None
    """What a number counts, in the arm's language."""
    accepted: tuple[Accepted, ...]
    options: Mapping[str, str]
    """By label; empty where the answer is no choice."""
    values: Mapping[str, Fraction]
    """Of the conditions; empty where the answer is no number."""
    results: Mapping[str, Fraction]
    """Of the steps."""
    premises: Mapping[str, str]
    """The words of the text that state each premise."""
    entities: Mapping[str, str]
    """Names and places of the text that the culture changes."""
    skeleton: Skeleton
    """The family's, or the arm's own."""
    lines: Mapping[str, int]
    """Line of each field that the arm has; `arm` is its first."""

    def content(self) -> dict[str, Any]:
        """Return what replies depend on, as plain data."""
        return {
            "lang": self.lang,
            "text": self.text,
            "answer": self.answer,
            "unit": self.unit,
            "accepted": [each.answer for each in self.accepted],
            "options": dict(self.options),
            "skeleton": self.skeleton.content(),
        }


@dataclass(frozen=True, slots=True)
class Family:
    """One problem in its four arms."""

    id: str
    """ASCII slug, starts with the region; the cluster of all its cases."""
    region: str
    lang: str
    """Of every arm but the original."""
    task: Task
    element: Element
    """What the culture changes."""
    difficulty: int
    public: bool
    answer_type: AnswerType
    skeleton: Skeleton
    arms: Mapping[ArmName, Arm]
    authors: tuple[str, ...]
    reviews: tuple[Review, ...]
    file: Path
    line: int | None

    def content(self) -> dict[str, Any]:
        """Return what replies and metrics depend on, as plain data: no place, no signatures."""
        return {
            "id": self.id,
            "region": self.region,
            "task": self.task,
            "element": self.element,
            "difficulty": self.difficulty,
            "public": self.public,
            "answer_type": self.answer_type,
            "arms": {name: arm.content() for name, arm in self.arms.items()},
        }


@dataclass(frozen=True)
class MirrorBank:
    """Every mirror family, read and validated."""

    families: tuple[Family, ...] = ()
    """Sorted by id."""
    files: tuple[Path, ...] = ()
    titles: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Each region's title by language."""
    canaries: Mapping[Path, str | None] = field(default_factory=dict)
    """Each file's canary."""

    @cached_property
    def cultures(self) -> tuple[str, ...]:
        """Slugs of the regions that have families, sorted."""
        return tuple(sorted({family.region for family in self.families}))

    @cached_property
    def signed(self) -> int:
        """Number of families that at least one person has signed."""
        return sum(bool(family.reviews) for family in self.families)

    def content(self) -> Iterable[dict[str, Any]]:
        """Yield each family's content, for the bank's hash."""
        return (family.content() for family in self.families)
