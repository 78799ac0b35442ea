"""A table that a person filled in with verdicts and a name, read back row by row."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from culturegate.bank.spreadsheet import LARGEST, table_rows
from culturegate.errors import InputError, Problem
from culturegate.reports.files import mended
from culturegate.text import one_line

LONGEST_NAME = 100
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class SignedTable(Generic[T]):
    """What the rows of one kind of table are about, and what a verdict in it may be."""

    kind: str
    """What messages call the table."""
    thing: str
    """What a row is about, in a word."""
    columns: tuple[str, ...]
    """With `verdict`, `signed` and `note` among them."""
    needed: tuple[str, ...]
    """Columns that may not be left out, those that name a row's thing first."""
    names: int
    """How many columns name it."""
    allowed: tuple[str, ...]
    """The verdicts, in lower case."""
    allowed_told: str
    """The verdicts as a message about a wrong one lists them."""
    advice: str
    """The verdicts as a message about a table without any names them."""

    def read(
        self,
        path: Path,
        known: Mapping[tuple[str, ...], T],
        faults: Callable[[Mapping[str, str], T | None], Iterable[str]],
        kept: Callable[[Mapping[str, str], T], dict[str, Any]],
    ) -> dict[str, Any]:
        """Return what a table says: `file`, `sha256`, `signed_by`, `open` and `verdicts`.

        `signed_by` counts each name's verdicts, `open` the rows without one.

        Args:
            path: The table.
            known: What rows can be about, by the columns that name it.
            faults: What is wrong with a row's thing; the verdict and the name are looked at here.
            kept: What stays of a sound row, to which `signed` and `note` are added.

        Raises:
            ReportError: Where the file can't be read.
            InputError: With every row that can't be used, by its line.
        """
        with mended("read", path), path.open("rb") as stream:
            data = stream.read(LARGEST + 1)
        problems: list[Problem] = []
        found: dict[tuple[str, ...], dict[str, Any]] = {}
        left = 0
        try:
            for line, row in table_rows(data, self.needed, self.columns):
                cells = {name: row.get(name, "") for name in self.columns}
                if not cells["verdict"] and not cells["signed"]:
                    left += 1
                    continue
                place = tuple(cells[name] for name in self.needed[: self.names])
                thing = known.get(place)
                wrong = [*faults(cells, thing), *self._faults(cells)]
                if place in found:
                    wrong.append(f"a second verdict about this {self.thing}; leave one of them")
                problems += [Problem(path, fault, line, one_line(place[0], 80)) for fault in wrong]
                if thing is not None and not wrong:
                    signed = one_line(cells["signed"], LONGEST_NAME)
                    note = one_line(cells["note"], 500)
                    found[place] = kept(cells, thing) | {"signed": signed, "note": note}
        except ValueError as error:
            problems.append(Problem(path, str(error)))
        if not problems and not found:
            message = f"no row has a verdict; write {self.advice}, and sign"
            problems.append(Problem(path, message))
        if problems:
            raise InputError(problems, self.kind)
        verdicts = [found[place] for place in sorted(found)]
        signers = [one["signed"] for one in verdicts]
        return {
            "file": path.name,
            "sha256": hashlib.sha256(data).hexdigest(),
            "signed_by": {name: signers.count(name) for name in sorted(set(signers))},
            "open": left,
            "verdicts": verdicts,
        }

    def _faults(self, cells: Mapping[str, str]) -> Iterator[str]:
        if cells["verdict"].casefold() not in self.allowed:
            yield f"verdict: {one_line(cells['verdict'], 40)!r} is not one of {self.allowed_told}"
        if not cells["signed"]:
            yield "signed: empty; a verdict needs the name of who gave it"
        elif len(cells["signed"]) > LONGEST_NAME:
            yield f"signed: at most {LONGEST_NAME} characters"
