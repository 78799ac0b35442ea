"""A part of a file held against its model: the entry, or what is wrong and where."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeVar, get_args

from pydantic import BaseModel, ValidationError

from culturegate.bank.faults import Steps, explain
from culturegate.bank.files import Located
from culturegate.errors import Problem

Model = TypeVar("Model", bound=BaseModel)


def checked(
    model: type[Model],
    raw: Any,
    place: Located,
    problems: list[Problem],
    path: Steps = (),
    item: str | None = None,
) -> Model | None:
    """Return `raw` as `model` has it, or None, with every fault added to `problems`.

    Args:
        model: What an author may write there.
        raw: The part, as it was read.
        place: The document that it stands in.
        problems: Where faults are gathered.
        path: Way to the part in the document.
        item: Name that a fault is told under.
    """
    try:
        return model.model_validate(raw)
    except ValidationError as error:
        for fault in error.errors(include_url=False):
            steps = tuple(step for step in fault["loc"] if step != "[key]")
            message = explain(fault, steps, _owner(model, steps))
            problems.append(Problem(place.file, message, place.line((*path, *steps)), item))
        return None


def _owner(model: type[BaseModel], steps: Sequence[str | int]) -> type[BaseModel]:
    """Return the innermost model on the way to a fault, whose fields are the ones to name."""
    for step in steps[:-1]:
        field = model.model_fields.get(str(step))
        inner = next(_models(field.annotation), None) if field else None
        model = inner or model
    return model


def _models(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in get_args(annotation):
        yield from _models(part)
