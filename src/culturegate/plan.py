"""What a run could show, line by line, before anybody is asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from culturegate.bank import load_bank
from culturegate.errors import CulturegateError
from culturegate.gate import Line, Profile, Thresholds, load_thresholds
from culturegate.gate.groups import Evidence
from culturegate.metrics import EFFICIENCY, Table, group_view
from culturegate.metrics.power import ICC, POWER, Question, together
from culturegate.metrics.power_parts import drop_parts, limit_parts
from culturegate.text import one_line
from culturegate.tracks import PROTOCOLS, TRACKS, CaseFacts, Plan

BASE = 0.7
"""Share right that is assumed of the first side of a contrast."""
MARGIN = 0.05
"""How much better than its limits an unchanged model is taken to be, beside not at all."""
_GUESSABLE = ("accuracy", "macro_accuracy", "adherence")
_NAME = 34


@dataclass(frozen=True, slots=True)
class Assumptions:
    """What is taken for granted, for want of a run."""

    icc: float = ICC
    power: float = POWER
    base: float = BASE
    margin: float = MARGIN


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the profile, on the group of its that has fewest clusters."""

    line: Line
    groups: int
    question: Question | None
    why: str
    """Why there is no question; else why the line will be unverified, or nothing."""
    difference: float | None = None
    room: float = 0.0
    """From the limit to a perfect or a guessing model, whichever is nearer."""
    landmark: str = ""
    needed: tuple[int, int] | None = None
    alarms: tuple[float, float] = (0.0, 0.0)
    """Of an unchanged model at the limit, and at the margin: in any of the line's groups."""


def plan_lines(
    directories: Sequence[Path],
    thresholds: Path,
    *,
    profile: str,
    protocol: str,
    seed: int = 0,
    assumed: Assumptions = Assumptions(),
) -> list[str]:
    """Return the plan of one profile as a table and what it rests on.

    Raises:
        CulturegateError: Where the bank, thresholds.yaml or the profile has problems.
    """
    bank = load_bank(directories)
    lines = load_thresholds(thresholds)
    asked = Plan(bank, PROTOCOLS[protocol], seed)
    facts = [case.facts for track in TRACKS.values() for case in track.cases(asked)]
    if not facts:
        message = f"{', '.join(map(str, directories))}: no case to plan with under {protocol}"
        raise CulturegateError(message)
    lines.check(profile, facts)
    rows = plan(lines, lines.profile(profile), facts, assumed)
    head = f"profile {profile}, protocol {protocol}, {len(facts)} cases"
    return [head, "", *_told(rows, lines, assumed)]


def plan(
    thresholds: Thresholds,
    profile: Profile,
    facts: Sequence[CaseFacts],
    assumed: Assumptions = Assumptions(),
) -> list[Row]:
    """Return what each line of a profile could show of these cases."""
    evidence = Evidence(thresholds, (), facts, None)
    groups = {
        line.name: [
            (dict(each.group), each)
            for each in evidence.candidates(line, profile.validity)
            if each.cases
        ]
        for line in profile.lines
    }
    families = {
        warn: sum(
            len(groups[line.name])
            for line in profile.lines
            if line.judge == "breach_certain" and line.warn is warn
        )
        for warn in (False, True)
    }
    rows = []
    for line in profile.lines:
        alpha = 1 - thresholds.confidence
        if line.judge == "breach_certain":
            alpha /= max(1, families[line.warn])
        questions = []
        why = f"no case of the {line.track} track" if line.track else "no case in its group"
        for where, _ in groups[line.name]:
            found = question(line, where, evidence.planned, thresholds, assumed)
            if isinstance(found, str):
                why = found
            else:
                questions.append(replace(found, alpha=alpha))
        rows.append(_row(line, questions, why, profile, evidence.planned, assumed))
    return rows


def _row(
    line: Line,
    questions: Sequence[Question],
    why: str,
    profile: Profile,
    planned: Table,
    assumed: Assumptions,
) -> Row:
    if not questions:
        return Row(line, 0, None, why)
    # The group that can show least speaks for the line.
    one = min(questions, key=lambda each: (each.clusters, each.n))
    least = max(line.min_clusters or profile.validity.min_clusters, line.metric.least_clusters)
    short = f"unverified: {one.clusters:.0f} clusters, {least} needed"
    room, landmark = _room(line, planned)
    better = min(assumed.margin, _to_best(line))
    judged = [each for each in questions if each.clusters >= least]
    return Row(
        line,
        len(questions),
        one,
        short if one.clusters < least else "",
        one.smallest_difference(assumed.power, _worst(line)),
        room,
        landmark,
        one.needed(room, assumed.power),
        (
            together(each.alarms() for each in judged),
            together(each.alarms(better) for each in judged),
        ),
    )


def question(
    line: Line,
    where: Mapping[str, str],
    planned: Table,
    thresholds: Thresholds,
    assumed: Assumptions = Assumptions(),
) -> Question | str:
    """Return what a line asks of the planned cases of one group, or why that can't be said."""
    if line.metric.name in EFFICIENCY:
        return "times and tokens have no sampling model"
    view = group_view(line.metric, planned, where, thresholds.weighting)
    parts = (
        drop_parts(view, line.limit, assumed.base)
        if line.bound == "max_drop"
        else limit_parts(
            line.metric, view, where, line.limit, assumed.base, thresholds.weighting.tracks
        )
    )
    if isinstance(parts, str):
        return parts
    if any(part.sample.n == 0 for part in parts):
        return "a side of it has no case"
    return Question(parts, line.limit, line.bound != "min", line.judge, icc=assumed.icc)


def _best(line: Line) -> float:
    """Return what a model would show that has nothing to lose, or no effect where that is meant."""
    metric = line.metric
    if line.bound == "max_drop" or (metric.contrast is not None and metric.low < 0):
        return 0.0
    if line.bound == "max":
        return max(0.0, metric.low)
    return 1.0


def _to_best(line: Line) -> float:
    best = _best(line)
    return max(0.0, line.limit - best if line.bound != "min" else best - line.limit)


def _worst(line: Line) -> float:
    """Return how far beyond its limit a line's metric can be."""
    low, high = max(line.metric.low, -1.0), min(line.metric.high, 1.0)
    return high - line.limit if line.bound != "min" else line.limit - low


def _room(line: Line, planned: Table) -> tuple[float, str]:
    """Return how far the limit is from the nearer of a perfect and a guessing model."""
    best = _to_best(line)
    if line.bound != "min" or line.metric.name not in _GUESSABLE:
        return best, "none lost" if _best(line) == 0 else "perfect"
    chances = planned.chance[group_view(line.metric, planned, dict(line.where)).mask]
    guess = line.limit - float(chances.mean()) if len(chances) else -1.0
    if 0 < guess < best:
        return guess, "a guess"
    return best, "perfect"


def _told(rows: Sequence[Row], thresholds: Thresholds, assumed: Assumptions) -> list[str]:
    head = (
        "line", "limit", "cases", "clusters", "deff", "shows", "needs", "for",
        "fails at limit", f"{100 * assumed.margin:g} better",
    )  # fmt: skip
    table = [head, *(_cells(row) for row in rows)]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    lines = [
        "  ".join(
            cell.ljust(width) if place == 0 else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(cells, widths, strict=True))
        ).rstrip()
        for cells in table
    ]
    notes = [f"{row.line.name}: {row.why}" for row in rows if row.why]
    return [*lines, "", *notes, *([""] if notes else []), *_explained(rows, thresholds, assumed)]


def _cells(row: Row) -> tuple[str, ...]:
    name = one_line(row.line.name, _NAME)
    name += f" [{row.groups} groups]" if row.line.by and row.groups else ""
    name += " (warns)" if row.line.warn else ""
    asked = row.question
    if asked is None:
        return (name, row.line.shown, *["–"] * 8)
    needed = "–" if row.needed is None else f"{row.needed[0]:,} ({row.needed[1]:,})"
    return (
        name,
        row.line.shown,
        f"{asked.n:,.0f}",
        f"{asked.clusters:,.0f}",
        f"{asked.design_effect:.2f}",
        "nothing" if row.difference is None else _points(row.difference),
        needed,
        f"{_points(row.room)} to {row.landmark}" if row.room > 0 else "–",
        *(_percent(alarm) for alarm in row.alarms),
    )


def _explained(rows: Sequence[Row], thresholds: Thresholds, assumed: Assumptions) -> list[str]:
    judged = [row for row in rows if row.question is not None and not row.line.warn]
    at, better = (together(row.alarms[place] for row in judged) for place in (0, 1))
    return [
        f"The gate fails an unchanged model in {_percent(at)} of runs where it stands exactly at "
        f"every limit, in {_percent(better)} where it is {100 * assumed.margin:g} points better "
        f"than each (lines that can be planned: {len(judged)}, taken as independent; warnings "
        "never fail, and a line that is unverified ends in exit 11 and not in a breach).",
        f"shows: points beyond the limit that {assumed.power:.0%} of runs would show by a "
        f"{thresholds.confidence:.0%} interval wholly beyond it; of breach_certain lines by the "
        "interval at Holm's first step.",
        "needs: cases (clusters) for that to be the distance from the limit to a perfect or a "
        "guessing model, whichever is nearer.",
        f"deff: design effect 1 + (Σm²/Σm − 1) · {assumed.icc:g} over clusters of m cases; "
        f"{assumed.icc:g} is an assumption (--icc). Further trials of a case count as none.",
        f"Contrasts assume {assumed.base:.0%} right on their first side (--base), and sides that "
        "do not move together: where they do, a run shows more.",
        "Of a line with groups the one with fewest clusters is shown; it fails where any group "
        "does. Nobody was asked. docs/power.md has the formulas.",
    ]


def _points(share: float) -> str:
    return f"{100 * share:.1f}"


def _percent(share: float) -> str:
    if 0 < share < 0.001:
        return "<0.1%"
    return f"{100 * share:.1f}%" if 0 < share < 0.1 else f"{share:.0%}"
