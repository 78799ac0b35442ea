"""Records indexed once, so that a metric over any group of them is a few array operations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from culturegate.tracks.base import CaseFacts, Record

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]
Bools = NDArray[np.bool_]

FACTS = tuple(field.name for field in fields(CaseFacts))
UNJUDGED = ("error", "unscored")
"""Statuses of a trial that says nothing about the model."""


def fact_text(value: object) -> str | None:
    """Return a fact as thresholds.yaml and reports write it: `true`, `2`, `greek`; None stays."""
    if value is None:
        return None
    return str(value).lower() if isinstance(value, bool) else str(value)


def check_where(where: Mapping[str, str]) -> None:
    """Raise `ValueError` where a group names a fact that no case has."""
    for fact in where:
        if fact not in FACTS:
            raise ValueError(f"unknown fact {fact!r}; the facts are {', '.join(FACTS)}")


class Table:
    """Records as columns, sorted by case id so that nothing depends on their order of arrival.

    Cases are rows; trials stand in columns of their own, each with the row of its case. Raises
    `ValueError` where two records share a case id.
    """

    def __init__(self, records: Iterable[Record]) -> None:
        self.records = sorted(records, key=lambda record: record.facts.case)
        for one, two in zip(self.records, self.records[1:], strict=False):
            if one.facts.case == two.facts.case:
                raise ValueError(f"two records of the case {one.facts.case!r}")
        self._columns: dict[str, tuple[dict[str, int], Ints]] = {}
        names, codes = self.column("cluster")
        self.cluster_names = list(names)
        self.clusters = codes
        self.passed = _floats(record.passed for record in self.records)
        self.error = np.isnan(self.passed)
        self.chance = _floats(record.facts.chance for record in self.records)
        self.agreement = _floats(record.agreement for record in self.records)

    def __len__(self) -> int:
        return len(self.records)

    def column(self, fact: str) -> tuple[dict[str, int], Ints]:
        """Return a fact's values, sorted, each with its code, and the code of every row.

        A case without the fact has the code −1.
        """
        found = self._columns.get(fact)
        if found is None:
            texts = [fact_text(getattr(record.facts, fact)) for record in self.records]
            values = sorted({text for text in texts if text is not None})
            codes: dict[str | None, int] = {text: code for code, text in enumerate(values)}
            codes[None] = -1
            found = (
                {text: code for code, text in enumerate(values)},
                np.array([codes[text] for text in texts], dtype=np.intp),
            )
            self._columns[fact] = found
        return found

    def values(self, fact: str) -> list[str]:
        """Return the values that a fact takes, sorted."""
        return list(self.column(fact)[0])

    def view(self, where: Mapping[str, str] | None = None) -> View:
        """Return the rows of a group. Raises `ValueError` on a fact that no case has."""
        check_where(where or {})
        rows = View(self, np.ones(len(self), dtype=bool))
        for fact, value in (where or {}).items():
            rows = rows.where(fact, value)
        return rows

    @cached_property
    def trials(self) -> Trials:
        """Every trial of every case, in order of case, template and sample."""
        rows: list[int] = []
        flat: list[Any] = []
        for row, record in enumerate(self.records):
            ordered = sorted(record.trials, key=lambda trial: (trial.template, trial.sample))
            flat.extend(ordered)
            rows.extend([row] * len(ordered))
        return Trials(
            row=np.array(rows, dtype=np.intp),
            template=np.array([trial.template for trial in flat], dtype=object),
            status=np.array([trial.status for trial in flat], dtype=object),
            reason=np.array([trial.reason for trial in flat], dtype=object),
            judged=np.array([trial.status not in UNJUDGED for trial in flat], dtype=bool),
            correct=_floats(trial.correct for trial in flat),
            confidence=_floats(trial.confidence for trial in flat),
        )


@dataclass(frozen=True, slots=True)
class Trials:
    """The trials of a table as columns; `row` is the row of a trial's case."""

    row: Ints
    template: NDArray[np.object_]
    status: NDArray[np.object_]
    reason: NDArray[np.object_]
    judged: Bools
    """False where the call failed or the verdict could not be read."""
    correct: Floats
    confidence: Floats


@dataclass(frozen=True, slots=True)
class View:
    """Some rows of a table, and what is put in the place of what an error left open."""

    table: Table
    mask: Bools
    fill: float | None = None
    """None leaves errors out; 0 or 1 scores each so, to see whether they could matter."""

    def where(self, fact: str, value: str) -> View:
        """Return the rows of this view whose fact has the value."""
        values, codes = self.table.column(fact)
        return replace(self, mask=self.mask & (codes == values.get(value, -2)))

    def without(self, fact: str, value: str) -> View:
        """Return the rows of this view whose fact has another value or none."""
        values, codes = self.table.column(fact)
        return replace(self, mask=self.mask & (codes != values.get(value, -2)))

    def filled(self, fill: float | None) -> View:
        """Return the same rows with errors scored as `fill`."""
        return replace(self, fill=fill)

    def values(self, fact: str) -> list[str]:
        """Return the values that a fact takes in these rows, sorted."""
        values, codes = self.table.column(fact)
        present = set(np.unique(codes[self.mask]).tolist())
        return [text for text, code in values.items() if code in present]

    @property
    def cases(self) -> int:
        """Number of rows, errors too."""
        return int(self.mask.sum())

    @property
    def trial_mask(self) -> Bools:
        """Which of the table's trials belong to these rows."""
        return self.mask[self.table.trials.row]


def _floats(values: Iterable[float | bool | None]) -> Floats:
    return np.array([np.nan if v is None else float(v) for v in values], dtype=np.float64)
