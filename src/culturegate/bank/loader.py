"""Folders of files to one validated bank, with every problem of every file at once."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from culturegate.bank.bank import Bank
from culturegate.bank.entries import FileReader
from culturegate.bank.files import SUFFIXES
from culturegate.bank.framing_reading import load_framing
from culturegate.bank.items import MythItem
from culturegate.bank.mirror_reading import load_mirror
from culturegate.bank.names import load_names
from culturegate.bank.persona_reading import load_persona
from culturegate.bank.safety_reading import load_safety
from culturegate.errors import InputError, Problem
from culturegate.text import one_line

OTHER_TRACKS = frozenset({"mirror", "persona", "framing", "safety", "names"})
"""Folders of a bank whose files other tracks read, and the one of the names."""


def load_bank(directories: Sequence[Path]) -> Bank:
    """Read every file of `directories` and return the bank.

    An item of a later directory replaces one of the same id in an earlier one; within one directory
    an id stands once. A single file is taken for a directory of its own. Raises `InputError` with
    every problem of every file.
    """
    problems: list[Problem] = []
    items: dict[str, MythItem] = {}
    files: list[Path] = []
    titles: dict[str, Mapping[str, str]] = {}
    canaries: dict[Path, str | None] = {}
    for directory in dict.fromkeys(directories):
        found = bank_files(directory)
        if not found and not any((directory / track).is_dir() for track in OTHER_TRACKS):
            problems.append(_nothing(directory))
        reader = FileReader()
        for file in found:
            reader.read(file)
        problems += reader.problems
        problems += _twice(reader.items)
        items |= {item.id: item for item in reader.items}
        titles |= reader.titles
        canaries |= reader.canaries
        files += found
    problems += _variant_faults(items, complete=not problems)
    framing, faults = load_framing(directories)
    problems += faults
    mirror, faults = load_mirror(directories)
    problems += faults
    titles |= mirror.titles
    persona, faults = load_persona(directories)
    problems += faults
    safety, faults = load_safety(directories)
    problems += faults
    names, faults = load_names(directories)
    problems += faults
    titles |= {culture.slug: culture.title for culture in persona.by_culture.values()}
    if problems:
        raise InputError(problems, "bank")
    return Bank(
        myth=tuple(sorted(items.values(), key=lambda item: item.id)),
        files=tuple(files),
        titles=titles,
        canaries=canaries,
        framing=framing,
        mirror=mirror,
        persona=persona,
        safety=safety,
        names=names,
    )


def bank_files(directory: Path) -> list[Path]:
    """Return the myth files under `directory`, in an order that no file system decides."""
    if directory.is_file():
        return [directory]
    found = []
    for folder, subfolders, names in os.walk(directory):
        here = Path(folder)
        hidden_or_other = OTHER_TRACKS if here == directory else frozenset()
        subfolders[:] = [
            name
            for name in subfolders
            if not name.startswith((".", "_")) and name not in hidden_or_other
        ]
        found += [
            here / name
            for name in names
            if Path(name).suffix.lower() in SUFFIXES
            and not name.startswith(".")
            and not name.endswith(".schema.json")
        ]
    return sorted(found, key=lambda file: file.relative_to(directory).as_posix())


def _nothing(directory: Path) -> Problem:
    if directory.exists():
        kinds = ", ".join(sorted(SUFFIXES))
        return Problem(directory, f"no items found; files that are read end in {kinds}")
    return Problem(directory, "no such folder")


def _twice(items: Iterable[MythItem]) -> Iterator[Problem]:
    """Name ids that stand twice in one directory."""
    first: dict[str, MythItem] = {}
    for item in items:
        other = first.setdefault(item.id, item)
        if other is item:
            continue
        shown = one_line(item.original_id or item.id, 80)
        place = f"{other.file}:{other.line}" if other.line else str(other.file)
        differs = "differs" if other.content() != item.content() else "is the same"
        yield Problem(
            item.file,
            f"id {shown} is also at {place}, content {differs}; an id stands once in a directory",
            item.line,
            shown,
        )


def _variant_faults(items: Mapping[str, MythItem], *, complete: bool) -> Iterator[Problem]:
    """Check each `variant_of` against the whole bank."""
    for item in items.values():
        if item.variant_of is None:
            continue
        target = items.get(item.variant_of)
        if target is None:
            if not complete:
                continue  # the item named may be one that could not be read
            message = f"there is no item {one_line(item.variant_of, 80)}"
        elif target is item:
            message = "an item is no variant of itself"
        elif target.cluster != item.cluster or target.kind != item.kind:
            message = f"{target.id} is of another episode or kind"
        elif target.variant_of is not None:
            message = f"{target.id} is itself a variant; name the first wording"
        else:
            continue
        yield Problem(item.file, f"variant_of: {message}", item.line, item.id)
