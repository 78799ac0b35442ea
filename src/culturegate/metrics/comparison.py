"""Two runs of the same cases, set side by side."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from culturegate.metrics.drop import measure_drop
from culturegate.metrics.measuring import Weighting
from culturegate.metrics.paired import PairedTest, paired_test
from culturegate.metrics.registry import METRICS
from culturegate.metrics.simpson import counts, order_reverses
from culturegate.metrics.summary import rounded
from culturegate.metrics.table import Table
from culturegate.tracks.base import Record


def compare(
    now: Iterable[Record], then: Iterable[Record], *, confidence: float = 0.95, seed: int = 0
) -> dict[str, Any]:
    """Return how a run differs from an earlier one, over the cases that both judged.

    Cases are matched by id; what only one run has, or only one could judge, is counted and left
    out. `drop` is accuracy then − now with its interval, `test` the paired test with its verdict
    (`different`, `no difference shown`, `underpowered`), `warnings` name the facts whose every
    group reverses the order found over all cases judged. `undefined` says why there is nothing.
    """
    new, old = Table(now), Table(then)
    judged = [{r.facts.case: r for r in run.records if r.passed is not None} for run in (new, old)]
    shared = sorted(judged[0].keys() & judged[1].keys())
    facts: dict[str, Any] = {
        "n_paired": len(shared),
        "only_now": len(judged[0]) - len(shared),
        "only_then": len(judged[1]) - len(shared),
        "warnings": list(_reversals(new, old)),
    }
    if not shared:
        return {**facts, "undefined": "no case was judged in both runs"}
    a, b = Table(judged[0][case] for case in shared), Table(judged[1][case] for case in shared)
    accuracy = METRICS["accuracy"]
    drop = measure_drop(accuracy, a, b, {}, confidence, Weighting()).at("drop", (), confidence)
    clusters = [record.facts.cluster for record in a.records]
    test = paired_test(b.passed.tolist(), a.passed.tolist(), clusters, seed)
    found: dict[str, Any] = rounded(
        {**facts, "drop": drop.to_dict(), "test": _told(test, confidence)}
    )
    return found


def _told(test: PairedTest, confidence: float) -> dict[str, Any]:
    return asdict(test) | {"verdict": test.verdict(1 - confidence)}


def _reversals(new: Table, old: Table) -> Iterable[str]:
    for fact in ("difficulty", "culture", "kind", "lang"):
        if order_reverses(counts(new.view(), fact), counts(old.view(), fact)):
            yield (
                f"the order of the two runs over all judged cases reverses at every {fact}: "
                "they judged different cases, so read the groups, not the total"
            )
