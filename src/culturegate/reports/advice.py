"""What to do about the gap between recall and decode: over all and by culture, with its cases."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from culturegate.metrics.ability import accuracy, at_chance, difference
from culturegate.metrics.estimate import Estimate
from culturegate.metrics.table import Table, View
from culturegate.reports.run import Run
from culturegate.reports.section import Section, SectionTable
from culturegate.reports.summary import in_points, limits, percent, points
from culturegate.text import one_line
from culturegate.tracks.base import Record

Level = Literal["high", "low", "open"]
"""Certainly at or above the limit, certainly below it, or neither."""

UNUSED = "known, not used"
UNKNOWN = "not known"
SOUND = "sound"
REVERSED = "used, not known"
AT_CHANCE = "not above chance"
NOISE = "reversed by chance"
OPEN = "nothing certain"

ADVICE = {
    UNUSED: "Tune on use, not on more corpus: the knowledge is there and is not used. It lacks "
    "instructions or preferences in which a story is applied to a new scene.",
    UNKNOWN: "Add texts that tell these stories to the corpus: tuning on use has nothing to use "
    "yet.",
    SOUND: "Nothing to do: both hold.",
    REVERSED: "Review the items: decode is certainly better than recall, which nobody can be who "
    "has to know a story to use it. Recall may ask for a detail that does not matter, and decode "
    "may show its answer without the story (--diagnose tells).",
    NOISE: "Read nothing into it: decode is ahead of recall by no more than chance explains at "
    "this n.",
    AT_CHANCE: "Nothing can be advised on use: recall is not shown above chance, so what is known "
    "can't be told from guessing and there is no gap to state. Ask more episodes, or see first "
    "whether the model knows these stories at all.",
    OPEN: "Ask more episodes: the intervals leave it open. More samples do not help, since an "
    "episode counts as one draw.",
}
"""What to do, by pattern."""
_ORDER = (UNUSED, UNKNOWN, REVERSED, NOISE, SOUND, AT_CHANCE, OPEN)
LEAST_CLUSTERS = 6
"""Episodes below which nothing is certain, whatever the interval: two of two is no knowledge."""
_NO_USE = (
    "recall is not shown above chance, so what is known can't be told from guessing and there is "
    "no gap to state"
)
_MOST = 6
"""Cases named in a row."""


@dataclass(frozen=True, slots=True)
class Advice:
    """One group's pattern, the numbers that it rests on and the cases that show it."""

    group: str | None
    """A culture; None over all."""
    pattern: str
    recall: Estimate
    decode: Estimate
    gap: Estimate
    """Undefined where recall is not shown above chance, as the metric of that name is."""
    cases: tuple[str, ...]

    @property
    def advice(self) -> str:
        """What to do about it."""
        return ADVICE[self.pattern]


def gap_advice(
    records: Iterable[Record], limit: Callable[[str, float], float], confidence: float = 0.95
) -> list[Advice]:
    """Return what the gap suggests, over all and then by culture; empty unless both kinds ran.

    A kind is high where its whole interval is at or above its limit and single trials are certainly
    above chance, low where its whole interval is below the limit, open otherwise. Both high is
    sound, both low is not known. Recall high and decode low is known and not used; so is a gap
    whose whole interval is above 0, where recall is above chance and not low, and decode not high.
    A gap whose whole interval is below 0 is reversed. Fewer than six episodes leave it open. Where
    recall is not shown above chance, and neither holds, nothing is said of use. The
    cultures' gaps share the error of one (Bonferroni), so their intervals are wider.

    Args:
        records: Of any track; the myth track's count.
        limit: Limit of a kind, from its name and the chance of its cases.
        confidence: Of the intervals, two-sided.
    """
    table = Table(record for record in records if record.facts.track == "myth")
    if not len(table) or not {"recall", "decode"} <= set(table.values("kind")):
        return []
    whole = table.view()
    cultures = table.values("culture")
    views: list[tuple[str | None, View]] = [(None, whole)]
    if len(cultures) > 1:
        views += [(culture, whole.where("culture", culture)) for culture in cultures]
    # As many gaps are looked at as there are cultures; one of them must not stand out by chance.
    shared = 1 - (1 - confidence) / len(cultures)
    found = (
        _advice(group, view, limit, confidence, confidence if group is None else shared)
        for group, view in views
    )
    return [one for one in found if one is not None]


def _advice(
    group: str | None,
    view: View,
    limit: Callable[[str, float], float],
    confidence: float,
    of_gap: float,
) -> Advice | None:
    recall, decode = view.where("kind", "recall"), view.where("kind", "decode")
    shares = [
        accuracy(side, confidence).at("accuracy", (("kind", kind),), confidence)
        for kind, side in (("recall", recall), ("decode", decode))
    ]
    gap = difference(recall, decode, ("recall", "decode"), of_gap).at("gap", (), of_gap)
    if gap.value is None:
        return None
    levels = [
        _level(side, kind, share, limit, confidence)
        for kind, side, share in zip(("recall", "decode"), (recall, decode), shares, strict=True)
    ]
    chance = at_chance(recall, "recall", confidence)
    pattern = _pattern(levels[0], levels[1], gap, known=chance is None)
    if chance is not None:
        gap = replace(gap, value=None, low=None, high=None, undefined=chance)
    records = [view.table.records[row] for row in np.flatnonzero(view.mask)]
    return Advice(group, pattern, shares[0], shares[1], gap, _cases(pattern, records))


def _level(
    side: View,
    kind: str,
    share: Estimate,
    limit: Callable[[str, float], float],
    confidence: float,
) -> Level:
    chances = side.table.chance[side.mask]
    least = limit(kind, float(np.nan_to_num(chances).mean()))
    assert share.low is not None
    assert share.high is not None
    if share.high < least:
        return "low"
    certain = at_chance(side, kind, confidence) is None
    return "high" if share.low >= least and certain else "open"


def _pattern(recall: Level, decode: Level, gap: Estimate, *, known: bool) -> str:
    """Return the pattern; `known` says whether recall is certainly above chance."""
    assert gap.value is not None
    if gap.clusters < LEAST_CLUSTERS:
        return OPEN
    if gap.high is not None and gap.high < 0:
        return REVERSED
    if recall == decode == "high":
        return SOUND
    if recall == decode == "low":
        return UNKNOWN
    apart = known and gap.low is not None and gap.low > 0
    if (recall, decode) == ("high", "low") or (apart and recall != "low" and decode != "high"):
        return UNUSED
    if not known:
        return AT_CHANCE
    return NOISE if gap.value < 0 else OPEN


def _cases(pattern: str, records: Sequence[Record]) -> tuple[str, ...]:
    """Return the cases that show a pattern, sorted."""
    recalled: defaultdict[str, list[bool]] = defaultdict(list)
    for record in records:
        if record.facts.kind == "recall":
            recalled[record.facts.cluster].append(record.passed is True)
    known = {cluster for cluster, passed in recalled.items() if all(passed)}
    if pattern == UNKNOWN:
        chosen = [r for r in records if r.facts.kind == "recall" and r.passed is False]
    else:
        wanted, at_known = {
            UNUSED: (False, True),
            SOUND: (True, True),
            REVERSED: (True, False),
            NOISE: (True, False),
            AT_CHANCE: (False, True),
            OPEN: (False, True),
        }[pattern]
        chosen = [
            r
            for r in records
            if r.facts.kind == "decode"
            and r.passed is wanted
            and (r.facts.cluster in known) is at_known
        ]
    return tuple(sorted(record.facts.case for record in chosen))


def advice_section(run: Run) -> Section | None:
    """Return the section, None where not both kinds of the myth track were asked and judged."""
    confidence = float(run.metrics.get("confidence", 0.95))
    lines = _lines(run)

    def limit(kind: str, chance: float) -> float:
        return lines.get(kind, (1 + chance) / 2)

    found = gap_advice(run.records, limit, confidence)
    if not found:
        return None
    shown = [one for one in found if one.pattern not in (OPEN, AT_CHANCE)]
    # All cultures first, then what asks most to be done; a short report cuts the end.
    shown.sort(key=lambda one: (one.group is not None, _ORDER.index(one.pattern)))
    notes = [_how(lines, percent(confidence))]
    for pattern in _ORDER:
        groups = [_title(run, one) for one in found if one.pattern == pattern]
        if groups:
            notes.append(f"{pattern.capitalize()} ({', '.join(groups)}): {ADVICE[pattern]}")
    unstated = [one for one in shown if one.gap.value is None]
    if unstated:
        groups = [_title(run, one) for one in unstated]
        notes.append(f"No gap is stated ({', '.join(groups)}): {_NO_USE}.")
    table = SectionTable(
        "Over all and by culture, with the cases that show it",
        ("group", "pattern", "recall", "decode", "gap, points", "cases"),
        tuple(_row(run, one) for one in shown),
    )
    return Section("What to do about it", _headline(found), tuple(notes), (table,) if shown else ())


def _headline(found: Sequence[Advice]) -> str:
    whole = next((one for one in found if one.group is None), None)
    if whole is None or whole.pattern == OPEN:
        return ""
    if whole.pattern == AT_CHANCE:
        return f"What to do: nothing can be advised on use, since {_NO_USE}."
    first = whole.advice.partition(". ")[0].rstrip(".")
    first = f"{first[:1].lower()}{first[1:]}"
    if whole.gap.value is None:
        if whole.pattern == UNKNOWN:
            first = first.partition(":")[0]  # What follows is about use.
        return f"What to do ({whole.pattern}): {first}. Nothing can be advised on use: {_NO_USE}."
    return (
        f"What to do ({whole.pattern}; gap {in_points(whole.gap.value)}, {limits(whole.gap)}): "
        f"{first}."
    )


def _lines(run: Run) -> dict[str, float]:
    """Return the least accuracy that the gate's lines ask of each kind over all cases."""
    found = {}
    for verdict in run.gate.verdicts if run.gate is not None else ():
        if verdict.metric != "accuracy" or not verdict.limit.startswith("≥ "):
            continue
        for kind in ("recall", "decode"):
            if verdict.group == (("kind", kind),):
                found[kind] = float(verdict.limit.removeprefix("≥ "))
    return found


def _how(lines: dict[str, float], level: str) -> str:
    limits_told = [
        f"{percent(lines[kind])} for {kind} (its line)"
        if kind in lines
        else f"half-way between chance and all right for {kind} (it has no line)"
        for kind in ("recall", "decode")
    ]
    return (
        f"Judged by {level} intervals, not by values. High is an interval wholly at or above the "
        f"limit, and trials certainly better than chance; low is one wholly below it. The limits: "
        f"{', '.join(limits_told)}. A gap counts where its interval leaves out 0; the "
        "cultures' are wider, so that all of them together err no more often than one."
    )


def _title(run: Run, one: Advice) -> str:
    if one.group is None:
        return "all cultures" if len({r.facts.culture for r in run.records}) > 1 else "all"
    return one_line(run.title(one.group), 40)


def _row(run: Run, one: Advice) -> tuple[str, ...]:
    named = ", ".join(one.cases[:_MOST])
    more = len(one.cases) - _MOST
    return (
        _title(run, one),
        one.pattern,
        _share(one.recall),
        _share(one.decode),
        "undefined" if one.gap.value is None else f"{points(one.gap.value)} ({limits(one.gap)})",
        (f"{named} and {more} more" if more > 0 else named) or "–",
    )


def _share(found: Estimate) -> str:
    return f"{percent(found.value)} ({limits(found)}, n = {found.n})"
