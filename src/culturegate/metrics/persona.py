"""Whether a model acts on the norms that a persona's chats show.

A case's score is 1 or 0 by the reply it chose, or the share of its checklist points met where a
judge scored a reply that the model wrote; an unscored point is left out. Clusters are personas.
Source of the contrast of followed and avoided norms: the published persona framework that
docs/persona.md sets beside ours.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

import numpy as np

from culturegate.metrics.intervals import Limits, mover_difference
from culturegate.metrics.measured import Measured, correlation, nothing
from culturegate.metrics.shares import Share, case_share, trial_share
from culturegate.metrics.table import Floats, Table, View
from culturegate.tracks.base import Record, Trial
from culturegate.tracks.persona_judging import verdicts

POSTCARD = "postcard"
"""Reason of a trial that chose the culture's postcard."""
GAINS = ("hint_gain", "explicit_gain", "history_gain")
NOT_ASKED = "no case of the persona track was asked and judged"


def adherence(view: View, confidence: float) -> Measured:
    """Mean score of the cases: how far replies fit the norm states shown."""
    found = case_share(view, scores(view))
    return found.measured() if found else nothing(0, 0, NOT_ASKED)


def adherence_difference(
    first: View, second: View, names: tuple[str, str], confidence: float
) -> Measured:
    """First side's adherence − the second's; MOVER for dependent estimates."""
    a, b = (case_share(side, scores(side)) for side in (first, second))
    if a is None or b is None:
        found = a or b
        missing = names[0] if a is None else names[1]
        return nothing(
            found.n if found else 0,
            found.clusters if found else 0,
            f"no {missing} case of the persona track was asked and judged",
        )
    return share_difference(a, b)


def share_difference(a: Share, b: Share) -> Measured:
    """Return a − b of two shares over the same clusters, with MOVER limits (Zou 2007)."""
    together = correlation(a.influence, b.influence)
    clusters = int((a.present | b.present).sum())

    def limits(confidence: float) -> Limits:
        df = clusters - 1.0 if together else math.inf
        one, two = a.limits(confidence, df), b.limits(confidence, df)
        return mover_difference(a.value, one, b.value, two, together)

    return Measured(
        a.n + b.n,
        clusters,
        a.value - b.value,
        limits,
        None,
        f"mover, correlation {together:.2f}",
        a.influence - b.influence,
    )


def postcard_rate(view: View, confidence: float) -> Measured:
    """Replies that chose the postcard / replies, over trials that show one."""
    trials = view.table.trials
    picks: Floats = (trials.reason == POSTCARD).astype(np.float64)
    picks[np.isnan(trials.correct)] = np.nan
    # A reply that the model wrote shows no options, whether or not a judge got to see it.
    chosen = [bool(r.trials) and r.trials[0].option_order is not None for r in view.table.records]
    found = trial_share(view, picks, np.array(chosen, dtype=bool)[trials.row])
    return found.measured() if found else nothing(0, 0, "no reply was chosen among four")


def scores(view: View) -> Floats:
    """Return each of the table's cases' score, NaN where an error leaves it open."""
    found: Floats = view.table.passed.copy()
    for row in np.flatnonzero(view.mask):
        record = view.table.records[row]
        if record.judgements:
            found[row] = _points(record, view.fill)
    return found


def unscored(record: Record) -> bool:
    """Return whether a point of the case's checklist has no verdict that stands."""
    return record.facts.track == "persona" and None in verdicts(record.judgements).values()


def _points(record: Record, fill: float | None) -> float:
    """Return the share of points met over the replies of one case.

    What has no verdict is left out, or scored as `fill`.
    """
    standing = verdicts(record.judgements)
    shares = []
    for trial in record.trials:
        points = [
            verdict
            for (template, sample, _), verdict in standing.items()
            if (template, sample) == (trial.template, trial.sample)
        ]
        known = [
            fill if verdict is None else float(verdict == "met")
            for verdict in (points or [_verdict(trial)])
        ]
        scored = [each for each in known if each is not None]
        if scored:
            shares.append(sum(scored) / len(scored))
    return float(np.mean(shares)) if shares else math.nan


def _verdict(trial: Trial) -> str | None:
    """Return what stands for a reply that no judge saw as for one point."""
    return None if trial.correct is None else "met" if trial.correct else "not met"


def judge_agreement(records: Iterable[Record]) -> tuple[int, int]:
    """Return on how many points the two independent calls agree, and how many both could read."""
    same = both = 0
    for record in records:
        calls: dict[tuple[str, int, str], dict[int, str]] = {}
        for each in record.judgements:
            if each.score is not None and each.detail is not None and each.call < 2:
                key = (each.template, each.sample, each.aspect)
                calls.setdefault(key, {})[each.call] = each.detail
        read = [found for found in calls.values() if len(found) == 2]
        same += sum(found[0] == found[1] for found in read)
        both += len(read)
    return same, both


def persona_groups(table: Table) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the persona metrics with every group that a report shows."""
    mine = table.view({"track": "persona"})
    cultures = mine.values("culture")
    for arm in mine.values("arm"):
        for name in ("adherence", "asymmetry", "postcard_rate"):
            yield name, {"arm": arm}
        for state in mine.values("condition"):
            yield "adherence", {"arm": arm, "condition": state}
        for form in mine.values("form"):
            yield "adherence", {"arm": arm, "form": form}
        for culture in cultures:
            yield "adherence", {"arm": arm, "culture": culture}
    for culture in cultures:
        where = {"culture": culture}
        yield from ((name, where) for name in ("asymmetry", "postcard_rate", *GAINS))
        for state in mine.values("condition"):
            yield "adherence", {"arm": "implicit", "condition": state, **where}
        for form in mine.values("form"):
            yield "adherence", {"arm": "implicit", "form": form, **where}
    for topic in mine.values("task"):
        yield "adherence", {"arm": "implicit", "task": topic}
