"""Simpson's paradox: two sides whose order over all reverses the order in every group."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations

import numpy as np

from culturegate.metrics.table import Table, View

Counts = Mapping[str, tuple[float, float]]
"""Passed and asked, by group."""


def order_reverses(a: Counts, b: Counts) -> bool:
    """Return whether one side leads over all groups together and the other in each shared group.

    Groups without cases on both sides are left out of the groups, not of the whole.
    """
    shared = [group for group in a if group in b and a[group][1] > 0 and b[group][1] > 0]
    if len(shared) < 2:
        return False
    pooled = _rate(a) - _rate(b)
    apart = [a[group][0] / a[group][1] - b[group][0] / b[group][1] for group in shared]
    return (pooled > 0 and max(apart) < 0) or (pooled < 0 and min(apart) > 0)


def _rate(counts: Counts) -> float:
    asked = sum(n for _, n in counts.values())
    return sum(passed for passed, _ in counts.values()) / asked


def simpson_warnings(table: Table) -> Iterator[str]:
    """Yield a sentence for each comparison of this run whose order reverses within groups."""
    for compared in ("kind", "lang", "arm", "public"):
        views = [(value, table.view({compared: value})) for value in table.values(compared)]
        for (one, first), (two, second) in combinations(views, 2):
            if not set(first.values("track")) & set(second.values("track")):
                continue  # Two tracks' arms are no two sides of anything.
            for grouped in ("difficulty", "culture", "kind", "lang"):
                if grouped == compared:
                    continue
                a, b = counts(first, grouped), counts(second, grouped)
                if order_reverses(a, b):
                    ahead, behind = (one, two) if _rate(a) > _rate(b) else (two, one)
                    yield (
                        f"{compared} {ahead} leads {behind} over all cases but trails it at every "
                        f"{grouped}: read the groups, not the total"
                    )


def counts(view: View, fact: str) -> dict[str, tuple[float, float]]:
    """Return passed and judged cases by the values of a fact."""
    table = view.table
    values, codes = table.column(fact)
    used = view.mask & ~np.isnan(table.passed) & (codes >= 0)
    asked = np.bincount(codes[used], minlength=len(values))
    passed = np.bincount(codes[used], weights=table.passed[used], minlength=len(values))
    return {
        value: (float(passed[code]), float(asked[code]))
        for value, code in values.items()
        if asked[code]
    }
