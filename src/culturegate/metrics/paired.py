"""Tests of one set of items asked twice, and what many tests at once do to a p-value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

RESAMPLES = 9_999


@dataclass(frozen=True, slots=True)
class PairedTest:
    """A test of no difference, beside the size of the difference."""

    method: str
    p: float
    """Two-sided."""
    effect: float
    """Mean difference, first minus second."""
    pairs: int
    clusters: int
    smallest_p: float
    """The smallest p-value that a sample of this size can give."""

    def verdict(self, alpha: float = 0.05) -> str:
        """Return `different`, `no difference shown`, or `underpowered`: no data could show one."""
        if self.smallest_p > alpha:
            return "underpowered"
        return "different" if self.p <= alpha else "no difference shown"


def mcnemar_exact(only_a: int, only_b: int) -> float:
    """Return the two-sided exact p-value of McNemar's test from the two discordant counts."""
    from scipy.stats import binomtest

    discordant = only_a + only_b
    return float(binomtest(only_a, discordant).pvalue) if discordant else 1.0


def sign_flip(differences: Sequence[float], seed: int = 0) -> float:
    """Return the two-sided p-value that the differences, one a cluster, are centred on zero.

    Every cluster's sign is flipped; all ways where there are at most 9,999, else that many drawn
    from `seed`. Source: Fisher's (1935) randomisation test for pairs.
    """
    from scipy.stats import permutation_test

    moved = np.array([d for d in differences if d != 0], dtype=float)
    # A cluster without a difference is the same whatever its sign.
    if moved.size < 2:
        return 1.0
    result = permutation_test(
        (moved,),
        lambda x, axis: np.sum(x, axis=axis),
        vectorized=True,
        permutation_type="samples",
        n_resamples=RESAMPLES,
        rng=np.random.default_rng(seed),
    )
    return min(1.0, float(result.pvalue))


def paired_test(
    a: Sequence[float], b: Sequence[float], clusters: Sequence[str], seed: int = 0
) -> PairedTest:
    """Test whether two outcomes of the same cases, 0 or 1 in step with `clusters`, differ.

    Exact McNemar where each cluster gives one pair, else a sign-flip test of the clusters' sums.
    Raises `ValueError` without pairs.
    """
    if not len(a):
        raise ValueError("a paired test needs at least one pair")
    difference = np.asarray(a, dtype=float) - np.asarray(b, dtype=float)
    names, codes = np.unique(np.asarray(clusters), return_inverse=True)
    effect = float(difference.mean())
    if len(names) == len(difference):
        p = mcnemar_exact(int((difference > 0).sum()), int((difference < 0).sum()))
        method = "exact McNemar"
    else:
        p = sign_flip(np.bincount(codes, weights=difference).tolist(), seed)
        method = "sign-flip by cluster"
    smallest = min(1.0, 2.0 ** (1 - len(names)))
    return PairedTest(method, p, effect, len(difference), len(names), smallest)


def holm(p: Sequence[float]) -> list[float]:
    """Return the p-values adjusted together, in the order given. Source: Holm (1979)."""
    adjusted = [1.0] * len(p)
    running = 0.0
    for rank, index in enumerate(sorted(range(len(p)), key=p.__getitem__)):
        running = max(running, min(1.0, p[index] * (len(p) - rank)))
        adjusted[index] = running
    return adjusted
