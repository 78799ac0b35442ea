"""The worst culture, beside how bad the worst of equal cultures would look by chance."""

from __future__ import annotations

from typing import Any

import numpy as np

from culturegate.metrics.table import Table, View

PERMUTATIONS = 2_000


def worst_culture(view: View, seed: int, confidence: float = 0.95) -> dict[str, Any]:
    """Return the culture with the lowest accuracy, and what chance gives for equal cultures.

    Episodes (clusters) are dealt out to the cultures anew, each culture keeping its number of
    them, and the lowest accuracy is noted each time. `p` is the share of deals, this one counted,
    whose lowest is at most the one observed; `expected` their mean lowest; `unlikely_below` their
    (1 − confidence) quantile. Errors are left out. `undefined` says why there is none.
    """
    table = view.table
    cultures, codes = table.column("culture")
    names = list(cultures)
    used = view.mask & ~np.isnan(table.passed) & (codes >= 0)
    n = int(used.sum())
    # A cluster lies in one culture; a pair keeps it so even where a bank breaks the rule.
    pairs = codes[used] * len(table.cluster_names) + table.clusters[used]
    found, index = np.unique(pairs, return_inverse=True)
    culture_of = found // len(table.cluster_names)
    present = np.unique(culture_of)
    facts: dict[str, Any] = {"n": n, "clusters": len(found), "cultures": len(present)}
    if len(present) < 2:
        return {**facts, "undefined": f"{len(present)} cultures have judged cases; two are needed"}
    passed = np.bincount(index, weights=table.passed[used])
    sizes = np.bincount(index).astype(float)
    starts = np.searchsorted(culture_of, present)
    accuracies = np.add.reduceat(passed, starts) / np.add.reduceat(sizes, starts)
    lowest = float(accuracies.min())
    rng = np.random.default_rng(seed)
    dealt = np.empty(PERMUTATIONS)
    for number in range(PERMUTATIONS):
        order = rng.permutation(len(found))
        sums = np.add.reduceat(passed[order], starts) / np.add.reduceat(sizes[order], starts)
        dealt[number] = sums.min()
    at_most = int((dealt <= lowest + 1e-12).sum())
    return {
        **facts,
        "worst": [names[present[i]] for i in np.flatnonzero(accuracies <= lowest + 1e-12)],
        "value": lowest,
        "expected": float(dealt.mean()),
        "unlikely_below": float(np.quantile(dealt, 1 - confidence)),
        "p": (at_most + 1) / (PERMUTATIONS + 1),
        "permutations": PERMUTATIONS,
        "seed": seed,
        "method": "episodes permuted over cultures",
    }


def worst_cultures(table: Table, seed: int, confidence: float) -> dict[str, dict[str, Any]]:
    """Return the worst culture of each kind."""
    return {
        kind: worst_culture(table.view({"kind": kind}), seed, confidence)
        for kind in table.values("kind")
    }
