"""Names of the myth track's stories with what may stand in their place, for `--diagnose`.

A folder's `names/*.yaml` hold `cultures`: a culture's slug, and under it each name as the questions
write it with its description, in the same language: `Kronos: the Titan who ruled before his son`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from culturegate.bank import yaml12
from culturegate.bank.faults import explain
from culturegate.bank.files import read_text
from culturegate.bank.layout import Slug, Text
from culturegate.errors import InputError, Problem

FOLDER = "names"


class _Entries(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    canary: Text | None = None
    authors: list[Text] = []
    cultures: dict[Slug, dict[Text, Text]]


@dataclass(frozen=True)
class NamesBank:
    """Every name that has a description, read and validated."""

    by_culture: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Culture → name → what may stand in its place."""
    files: tuple[Path, ...] = ()
    canaries: Mapping[Path, str | None] = field(default_factory=dict)
    """Each file's canary."""

    @property
    def cultures(self) -> tuple[str, ...]:
        """Slugs of cultures; names alone make no culture that can be asked about."""
        return ()

    def content(self) -> Iterator[dict[str, Any]]:
        """Yield what replies depend on, for the bank's hash."""
        for culture, names in sorted(self.by_culture.items()):
            yield {"culture": culture, "names": dict(names)}


def load_names(directories: Sequence[Path]) -> tuple[NamesBank, list[Problem]]:
    """Read `<directory>/names/*.yaml` of every directory, in order.

    A name of a later file replaces the same name of the same culture.

    Returns:
        The names that could be read, and every problem of every file.
    """
    by_culture: dict[str, dict[str, str]] = {}
    files: list[Path] = []
    canaries: dict[Path, str | None] = {}
    problems: list[Problem] = []
    for file in _files(directories):
        files.append(file)
        canaries[file] = None
        try:
            document = yaml12.load(read_text(file), file, "text")
        except InputError as error:
            problems += error.problems
            continue
        try:
            found = _Entries.model_validate(document.data)
        except ValidationError as error:
            for fault in error.errors(include_url=False):
                steps = tuple(step for step in fault["loc"] if step != "[key]")
                problems.append(document.problem(explain(fault, steps, _Entries), steps))
            continue
        canaries[file] = found.canary
        for culture, names in found.cultures.items():
            by_culture.setdefault(culture, {}).update(names)
    return NamesBank(by_culture, tuple(files), canaries), problems


def _files(directories: Sequence[Path]) -> Iterator[Path]:
    for directory in dict.fromkeys(directories):
        folder = directory / FOLDER
        found = (path for pattern in ("*.yaml", "*.yml") for path in folder.glob(pattern))
        yield from sorted(path for path in found if not path.name.startswith("."))
