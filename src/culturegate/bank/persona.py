"""What the persona track holds once it is read: cultures with values and norms, and requests."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from culturegate.bank.items import Source

State = Literal["follow", "avoid"]
STATES: tuple[State, State] = ("follow", "avoid")
ROLES = ("follow", "avoid", "postcard", "generic")
"""The four replies of a cell."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """One turn of the user and the assistant's reply."""

    user: str
    assistant: str


@dataclass(frozen=True, slots=True)
class Value:
    """Something that people of the culture may hold dear, or not."""

    id: str
    text: str
    source: Source


@dataclass(frozen=True, slots=True)
class Cell:
    """A request where a norm matters: the four replies and what a fitting one does."""

    request: str
    """Id of the request."""
    replies: Mapping[str, str]
    """By role: `follow`, `avoid`, `postcard`, `generic`."""
    checklist: Mapping[str, tuple[str, ...]]
    """By state."""
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Norm:
    """A habit that some keep and some do not."""

    id: str
    type: Literal["practice", "communication"]
    text: str
    values: tuple[str, ...]
    source: Source
    chats: Mapping[str, tuple[Exchange, ...]]
    """By state."""
    cells: tuple[Cell, ...]
    line: int | None = None


@dataclass(frozen=True, slots=True)
class PersonaCulture:
    """One culture's values and norms, and the words that would give it away."""

    slug: str
    title: Mapping[str, str]
    authors: tuple[str, ...]
    reveals: tuple[str, ...]
    values: tuple[Value, ...]
    norms: tuple[Norm, ...]
    file: Path


@dataclass(frozen=True, slots=True)
class Request:
    """A health question that anybody might ask."""

    id: str
    topic: str
    text: str
    file: Path
    line: int | None = None


@dataclass(frozen=True, slots=True)
class PersonaBank:
    """Everything that the persona track can ask, read and validated."""

    by_culture: Mapping[str, PersonaCulture] = field(default_factory=dict)
    """By slug, sorted."""
    topics: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Each topic's title by language."""
    requests: Mapping[str, Request] = field(default_factory=dict)
    neutral: tuple[Exchange, ...] = ()
    neutral_file: Path | None = None
    files: tuple[Path, ...] = ()
    canaries: Mapping[Path, str | None] = field(default_factory=dict)

    @property
    def cultures(self) -> tuple[str, ...]:
        """Slugs of the cultures that have norms, sorted."""
        return tuple(self.by_culture)

    @property
    def size(self) -> int:
        """Number of cells: a norm's request with its four replies."""
        return sum(
            len(norm.cells) for culture in self.by_culture.values() for norm in culture.norms
        )

    def content(self) -> Iterator[dict[str, Any]]:
        """Yield what replies and metrics depend on, as plain data: no place, no source."""
        for culture in self.by_culture.values():
            yield {
                "culture": culture.slug,
                "values": [value.id for value in culture.values],
                "norms": [_norm(norm) for norm in culture.norms],
            }
        for request in self.requests.values():
            yield {"request": request.id, "topic": request.topic, "text": request.text}
        if self.neutral:
            yield {"neutral": _exchanges(self.neutral)}


def _norm(norm: Norm) -> dict[str, Any]:
    return {
        "id": norm.id,
        "type": norm.type,
        "text": norm.text,
        "values": list(norm.values),
        "chats": {state: _exchanges(norm.chats[state]) for state in STATES},
        "cells": [
            [
                cell.request,
                dict(cell.replies),
                {state: list(points) for state, points in cell.checklist.items()},
            ]
            for cell in norm.cells
        ],
    }


def _exchanges(exchanges: Iterable[Exchange]) -> list[list[str]]:
    return [[each.user, each.assistant] for each in exchanges]
