"""Single families and cases of the mirror track that a reader should look at."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from culturegate.metrics.answers import LOW_AGREEMENT, SURE, agreement
from culturegate.tracks.base import Record

MOST = 3
"""Families named at either end of a task type."""


@dataclass(frozen=True, slots=True)
class Affected:
    """How much one family loses between two arms, over its samples."""

    family: str
    culture: str
    task: str
    first: float
    """Share of judged samples right in the arm compared with."""
    second: float
    """In the localized arm."""

    @property
    def loss(self) -> float:
        """First − second."""
        return self.first - self.second


def affected(
    records: Iterable[Record], first: str = "original", second: str = "localized"
) -> list[Affected]:
    """Return every family that both arms were judged of, the largest loss first."""
    sides: defaultdict[str, dict[str, tuple[Record, float]]] = defaultdict(dict)
    for record in records:
        right = _right(record)
        arm = record.facts.arm
        if record.facts.track == "mirror" and arm in (first, second) and right is not None:
            sides[record.facts.cluster][arm] = record, right
    found = [
        Affected(
            family, arms[first][0].facts.culture, str(arms[first][0].facts.task),
            arms[first][1], arms[second][1],
        )
        for family, arms in sides.items()
        if len(arms) == 2
    ]  # fmt: skip
    return sorted(found, key=lambda each: (-each.loss, each.family))


def _right(record: Record) -> float | None:
    known = [trial.correct for trial in record.trials if trial.correct is not None]
    return sum(known) / len(known) if known else None


def ends(found: Sequence[Affected]) -> tuple[list[Affected], list[Affected]]:
    """Return the families that lose most, and those that lose least; none stands in both."""
    most = [each for each in found[:MOST] if each.loss > 0]
    rest = [each for each in found if each not in most]
    return most, rest[::-1][:MOST]


def unsteady(records: Iterable[Record]) -> list[tuple[str, float]]:
    """Return the cases whose samples agree to less than 60 %, with that share, the least first."""
    found = [
        (record.facts.case, agreement(record))
        for record in records
        if record.facts.track == "mirror" and agreement(record) < LOW_AGREEMENT - 1e-9
    ]
    return sorted(found, key=lambda pair: (pair[1], pair[0]))


def confidently_wrong(records: Iterable[Record]) -> dict[str, list[str]]:
    """Return, by region, the cases with a wrong answer that was stated with more than 80 %."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for record in sorted(records, key=lambda record: record.facts.case):
        if record.facts.track == "mirror" and any(
            trial.status == "answered"
            and trial.correct is False
            and trial.confidence is not None
            and trial.confidence > SURE + 1e-9
            for trial in record.trials
        ):
            found[record.facts.culture].append(record.facts.case)
    return dict(sorted(found.items()))
