"""The share that most metrics are: a mean of scores in [0, 1] over clusters, with Wilson limits."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from culturegate.metrics.intervals import Limits, wilson
from culturegate.metrics.measured import Measured
from culturegate.metrics.table import Bools, Floats, Ints, View


@dataclass(frozen=True, slots=True)
class Share:
    """A mean of scores in [0, 1] over clusters, and how much the clusters make it worth."""

    value: float
    n: int
    n_effective: float
    df: float
    """Degrees of freedom of the quantile; ∞ where each cluster gives one score."""
    influence: Floats
    present: Bools
    """Which of the table's clusters the scores come from."""

    @property
    def clusters(self) -> int:
        """Number of clusters."""
        return int(self.present.sum())

    def limits(self, confidence: float, df: float = math.inf) -> Limits:
        """Return Wilson's limits on the effective sample size, by at most `df` degrees of freedom.

        No result is surer than a perfect one: where all scores agree there is no variance to see
        and each cluster counts once, so a single dissenting score must not make the limit better.
        """
        df = min(df, self.df)
        low, high = wilson(self.value * self.n_effective, self.n_effective, confidence, df)
        if math.isinf(self.df):
            return low, high
        perfect, _ = wilson(self.clusters, self.clusters, confidence, df)
        return min(low, perfect), max(high, 1 - perfect)

    @property
    def design_effect(self) -> float:
        """How many times more scores than independent ones; at least 1."""
        return self.n / self.n_effective

    @property
    def method(self) -> str:
        """How the interval was made."""
        if math.isinf(self.df):
            return "wilson" if self.clusters == self.n else "wilson, n/deff (one cluster)"
        return f"wilson, n/deff {self.design_effect:.2f}, t({self.df:.0f})"

    def measured(self) -> Measured:
        """Return the share as a metric."""
        return Measured(
            self.n, self.clusters, self.value, self.limits, None, self.method, self.influence
        )


def share(
    scores: Floats, clusters: Ints, weights: Floats | None = None, size: int | None = None
) -> Share | None:
    """Return the weighted mean of the scores with its effective sample size, None without any.

    The design effect is the cluster-robust variance over the variance of as many independent
    scores, at least 1; where all scores agree it is the mean cluster size. One cluster alone counts
    as one draw. Where every cluster gives one score there is no design effect to estimate, so the
    quantile is the normal one.

    The variance is the CR0 sandwich of Liang and Zeger (1986), without a small-sample factor:
    Σ(sum of a cluster's residuals)² / n², which is the sum of the squared `influence`.

    Args:
        scores: In [0, 1], NaN-free.
        clusters: The code of each score's cluster, in step.
        weights: Of each score, all 1 where None.
        size: Number of the table's clusters, the length of the influence.
    """
    n = len(scores)
    if n == 0:
        return None
    w = np.ones(n) if weights is None else weights
    total = float(w.sum())
    value = min(1.0, max(0.0, float((w * scores).sum()) / total))
    kish = total**2 / float((w**2).sum())
    length = max(size or 0, int(clusters.max()) + 1)
    influence = np.bincount(clusters, weights=w * (scores - value), minlength=length) / total
    present = np.bincount(clusters, minlength=length) > 0
    count = int(present.sum())
    if count == n:
        return Share(value, n, kish, math.inf, influence, present)
    if count == 1:
        return Share(value, n, 1.0, math.inf, influence, present)
    variance = float((influence**2).sum())
    independent = value * (1 - value) / kish
    effect = variance / independent if independent > 0 else kish / count
    n_effective = kish / max(1.0, effect)
    return Share(value, n, max(1.0, n_effective), count - 1.0, influence, present)


def case_share(view: View, scores: Floats, use: Bools | None = None) -> Share | None:
    """Return the share over a view's cases of `scores`, NaN where an error left a case open."""
    mask = view.mask if use is None else view.mask & use
    return _filled_share(view, scores[mask], view.table.clusters[mask])


def trial_share(view: View, scores: Floats, use: Bools | None = None) -> Share | None:
    """Return the share over a view's trials of `scores`, NaN where an error left a trial open."""
    mask = view.trial_mask if use is None else view.trial_mask & use
    return _filled_share(view, scores[mask], view.table.clusters[view.table.trials.row[mask]])


def _filled_share(view: View, scores: Floats, clusters: Ints) -> Share | None:
    if view.fill is None:
        known = ~np.isnan(scores)
        scores, clusters = scores[known], clusters[known]
    else:
        scores = np.where(np.isnan(scores), view.fill, scores)
    return share(scores, clusters, size=len(view.table.cluster_names))
