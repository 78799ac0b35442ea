"""The gate's verdicts as a reader sees them: warnings by a word of their own, and the groups of a
line that all have nothing to show in one row.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from culturegate.gate.verdict import Verdict
from culturegate.text import one_line

SHOWN = ("breached", "unverified", "warned", "met", "skipped")
"""What a reader is told of a line, worst first; `warned` is a breach that fails no run."""

_MOST_NAMES = 12
"""Groups named in a folded row; the rest is counted."""


@dataclass(frozen=True, slots=True)
class GateRow:
    """One line, one of its groups, or several groups that are alike."""

    status: str
    """One of `SHOWN`."""
    name: str
    value: str
    limit: str
    reason: str
    groups: tuple[tuple[str, str], ...] = ()
    """Each group of a folded row with its own reason; empty where they all have the same."""


def gate_rows(verdicts: Iterable[Verdict]) -> list[GateRow]:
    """Return the rows, worst first, those of a status in the file's order.

    Groups of one line are folded where they have the same status, no value, and reasons that differ
    in numbers only. Breached ones always stand apart.
    """
    found = list(verdicts)
    by = _facts(found)
    folded: dict[tuple[str, ...], list[Verdict]] = {}
    for place, one in enumerate(found):
        alike = by.get(one.line) is not None and _is_empty(one)
        kind = re.sub(r"\d[\d.]*", "#", _stem(one.reason)) if alike else str(place)
        folded.setdefault((one.line, one.limit, one.status, kind), []).append(one)
    ordered = sorted(folded.values(), key=lambda ones: (_rank(ones[0]), ones[0].warn))
    return [_row(ones, by.get(ones[0].line)) for ones in ordered]


def shown_status(verdict: Verdict) -> str:
    """Return a verdict's status, `warned` for a breach that only warns."""
    return "warned" if verdict.warn and verdict.status == "breached" else verdict.status


def _rank(verdict: Verdict) -> int:
    return SHOWN.index(shown_status(verdict))


def _is_empty(one: Verdict) -> bool:
    value = None if one.estimate is None else one.estimate.value
    return one.status in ("unverified", "skipped") and value is None


def _facts(verdicts: Iterable[Verdict]) -> dict[str, str | None]:
    """Return the fact that parts a line's groups, by the line; None where none does."""
    values: dict[str, dict[str, set[str]]] = {}
    for one in verdicts:
        of_line = values.setdefault(one.line, {})
        for fact, value in one.group:
            of_line.setdefault(fact, set()).add(value)
    return {
        line: next((fact for fact, several in facts.items() if len(several) > 1), None)
        for line, facts in values.items()
    }


def _stem(reason: str) -> str:
    return reason.partition(": ")[0]


def _row(ones: Sequence[Verdict], by: str | None) -> GateRow:
    first = ones[0]
    facts = (shown_status(first), line_name(first), measured(first), first.limit, first.reason)
    if len(ones) == 1 or by is None:
        return GateRow(*facts)
    status, _, value, limit, reason = facts
    groups = tuple((dict(one.group).get(by, ""), one.reason) for one in ones)
    if all(one.reason == reason for one in ones):
        groups_told: tuple[tuple[str, str], ...] = ()
    else:
        groups_told = groups
        alike = all(_stem(one.reason) == _stem(reason) for one in ones)
        reason = _stem(reason) if alike else f"each like {groups[0][0]}: {reason}"
    return GateRow(status, _folded_name(first, by, groups), value, limit, reason, groups_told)


def _folded_name(first: Verdict, by: str, groups: Sequence[tuple[str, str]]) -> str:
    names = ", ".join(one_line(name, 40) for name, _ in groups[:_MOST_NAMES])
    more = len(groups) - _MOST_NAMES
    fact = f"{by.removesuffix('y')}ies" if by.endswith("y") else f"{by}s"
    told = f"{len(groups)} {fact}: {names}{f' and {more} more' if more > 0 else ''}"
    rest = [f"{fact} {value}" for fact, value in first.group if fact != by]
    return f"{one_line(first.line, 80)} [{', '.join([told, *rest, *_marks(first)])}]"


def _marks(verdict: Verdict) -> list[str]:
    marks = (("red line", verdict.redline), ("warns", verdict.warn))
    return [mark for mark, on in marks if on]


def line_name(verdict: Verdict) -> str:
    """Return a line's name with the group of its `by`, and what kind of line it is."""
    extra = ", ".join([*(f"{fact} {value}" for fact, value in verdict.group), *_marks(verdict)])
    name = one_line(verdict.line, 80)
    return f"{name} [{one_line(extra, 80)}]" if extra else name


def measured(verdict: Verdict) -> str:
    """Return a verdict's value with its interval, in the units of thresholds.yaml."""
    estimate = verdict.estimate
    if estimate is None:
        return "not computed"
    value = number(estimate.value)
    if estimate.value is None or estimate.low is None or estimate.high is None:
        return value
    return f"{value} ({number(estimate.low)} to {number(estimate.high)})"


def number(value: float | None) -> str:
    """Return a value in the units of thresholds.yaml, three decimals or two digits."""
    if value is None:
        return "undefined"
    if 0 < value < 0.0005:
        return f"{value:.2g}"
    text = f"{value:.3f}".rstrip("0").rstrip(".")
    return "0" if text in ("-0", "0") else text.replace("-", "−")
