"""The format of a mirror file as pydantic models, and the schema of it."""

from __future__ import annotations

import re
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    WithJsonSchema,
)

from culturegate.bank.layout import (
    Difficulty,
    LangCode,
    LocalText,
    ReviewEntry,
    Slug,
    Text,
    Truth,
)
from culturegate.bank.mirror import AnswerType, Element, Task

MAX_STEPS = 20
_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
_NUMBER = re.compile(r"-?[0-9]{1,15}(?:\.[0-9]{1,6}|/[1-9][0-9]{0,8})?")


def _name(value: str) -> str:
    if not _NAME.fullmatch(value):
        raise ValueError(f"{value[:60]!r} is no name: small letters, digits and underscores")
    return value


def _number(value: str) -> str:
    if not _NUMBER.fullmatch(value):
        raise ValueError(f"a number was expected (18, 0.5 or 1/3), got {value[:60]!r}")
    return value


def _plain_number(value: Any) -> Any:
    return str(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else value


Name = Annotated[
    Text,
    AfterValidator(_name),
    WithJsonSchema({"type": "string", "pattern": f"^{_NAME.pattern}$"}),
]
Number = Annotated[
    Text,
    AfterValidator(_number),
    BeforeValidator(_plain_number),
    WithJsonSchema({"type": ["number", "string"], "pattern": f"^{_NUMBER.pattern}$"}),
]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class StepEntry(_Model):
    """One intermediate result."""

    name: Name
    formula: Text


class SkeletonEntry(_Model):
    """Conditions and steps, or premises and the inference."""

    conditions: dict[Name, Text] = {}
    steps: Annotated[list[StepEntry], Field(max_length=MAX_STEPS)] = []
    premises: dict[Name, Text] = {}
    inference: Text | None = None


class AcceptedEntry(_Model):
    """A further right answer."""

    answer: Text
    reason: Text


class ArmEntry(_Model):
    """One wording of the problem."""

    text: Text
    skeleton: SkeletonEntry | None = None
    values: dict[Name, Number] = {}
    results: dict[Name, Number] = {}
    unit: Text | None = None
    premises: dict[Name, Text] = {}
    options: dict[Name, Text] = {}
    answer: Text | None = None
    accepted: list[AcceptedEntry] = []
    entities: dict[Name, Text] = {}


class ArmsEntry(_Model):
    """The four arms of a family."""

    original: ArmEntry
    literal: ArmEntry
    localized: ArmEntry
    native: ArmEntry


class FamilyHead(_Model):
    """What a family says of itself, its skeleton and arms apart."""

    id: Slug
    task: Task
    element: Element
    difficulty: Difficulty
    public: Truth = True
    answer_type: AnswerType
    authors: Annotated[list[Text], Field(min_length=1)] | None = None
    reviews: Annotated[list[ReviewEntry], BeforeValidator(lambda value: value or [])] = []


class FamilyEntry(FamilyHead):
    """One problem in four arms."""

    skeleton: SkeletonEntry
    arms: ArmsEntry


class MirrorHead(_Model):
    """The region of a file and what its families share."""

    canary: Text | None = None
    region: Slug
    title: LocalText
    lang: LangCode
    authors: Annotated[list[Text], Field(min_length=1)]


class MirrorFile(MirrorHead):
    """A file of the mirror bank: one region's families."""

    families: Annotated[list[FamilyEntry], Field(min_length=1)]


def mirror_schema() -> dict[str, Any]:
    """Return the JSON Schema of a mirror file, for editors."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **MirrorFile.model_json_schema(),
    }
