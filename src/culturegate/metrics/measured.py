"""A metric computed once, with limits at any confidence."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from culturegate.metrics.estimate import Estimate
from culturegate.metrics.intervals import Limits
from culturegate.metrics.table import Floats


@dataclass(frozen=True, slots=True)
class Measured:
    """A value, its limits as a function of the confidence, and what it rests on."""

    n: int
    clusters: int
    value: float | None = None
    limits: Callable[[float], Limits] | None = None
    undefined: str | None = None
    method: str | None = None
    influence: Floats = field(default_factory=lambda: np.zeros(0))
    """How far each of the table's clusters moves the value; what correlates two metrics."""

    def at(self, metric: str, where: tuple[tuple[str, str], ...], confidence: float) -> Estimate:
        """Return the estimate with two-sided limits at `confidence`; an infinite one is None."""
        low: float | None = None
        high: float | None = None
        method = self.method
        if self.limits is not None and self.value is not None:
            low, high = self.limits(confidence)
            if math.isinf(high):
                high, method = None, f"{method}; no upper limit"
        return Estimate(
            metric, where, self.n, self.clusters, self.value, low, high, self.undefined, method
        )


def nothing(n: int, clusters: int, why: str) -> Measured:
    """Return an undefined metric."""
    return Measured(n, clusters, undefined=why)


LEAST_SHARED = 6
"""Clusters from which a correlation is estimated; below, it would be noise that narrows."""
LOST = 2
"""What is taken from a positive correlation, over the number of shared clusters."""


def correlation(a: Floats, b: Floats) -> float:
    """Return how two values move together over the table's clusters, from their influences.

    −1 to 1, and 0 where fewer than six clusters move both. A positive one is estimated as 1 where
    no cluster happens to tell the two apart, which would leave an interval without any width; so
    it is taken for less, as Newcombe (1998, method 10) does: by his continuity correction at
    shares of one half, which is 2 over the number of clusters.
    """
    shared = int(((np.abs(a) > 1e-12) & (np.abs(b) > 1e-12)).sum())
    if shared < LEAST_SHARED:
        return 0.0
    scale = math.sqrt(float((a**2).sum()) * float((b**2).sum()))
    found = float((a * b).sum()) / scale if scale > 0 else 0.0
    return max(0.0, found - LOST / shared) if found > 0 else found
