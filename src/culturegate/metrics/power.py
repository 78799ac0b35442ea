"""What a number of cases can show, worked out before any is asked.

A line is taken as a weighted sum of shares, each with its sample; clustered cases count for less by
the design effect. The formulas are those of a score test by the normal approximation, the same that
the intervals of a run invert, so that plan and run agree:

- design effect 1 + (Σm²/Σm − 1) · ICC over cluster sizes m: Kish (1965); for unequal clusters
  Eldridge, Ashby and Kerry (2006);
- power Φ((δ − q·SE₀)/SE₁), SE₀ at the limit, SE₁ at the truth: Fleiss, Levin and Paik (2003,
  chapter 4), with the t quantile of the clusters in place of the normal one, as the intervals have.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Literal

from scipy.special import ndtr

from culturegate.metrics.intervals import quantile

POWER = 0.8
ICC = 0.2
"""Intraclass correlation of a cluster's cases that is assumed where nobody knows better."""
_MOST = 1e7
"""Times the planned cases beyond which a sample is not worth naming."""

Judge = Literal["point", "breach_certain", "pass_certain"]


@dataclass(frozen=True, slots=True)
class Sample:
    """The cases behind one share, by cluster."""

    n: float
    clusters: float
    squares: float
    """Sum over clusters of the square of their size."""

    @classmethod
    def of(cls, sizes: Iterable[int]) -> Sample:
        """Return the sample whose clusters have these sizes, empty ones left out."""
        found = [size for size in sizes if size > 0]
        return cls(sum(found), len(found), sum(size * size for size in found))

    def design_effect(self, icc: float) -> float:
        """Return how many times more cases than independent ones, for an intraclass correlation."""
        return 1.0 + max(0.0, self.squares / self.n - 1.0) * icc

    def effective(self, icc: float) -> float:
        """Return the number of independent cases that are worth as much."""
        return self.n / self.design_effect(icc)

    def scaled(self, factor: float) -> Sample:
        """Return a sample of so many times the clusters, their sizes as here."""
        return Sample(self.n * factor, self.clusters * factor, self.squares * factor)


@dataclass(frozen=True, slots=True)
class Part:
    """One share of a sum."""

    sample: Sample
    share: float
    """What it is at the limit."""
    weight: float = 1.0
    moves: float = 1.0
    """How far it moves where the whole moves by 1."""
    picks: float | None = None
    """Of a balance of two exclusive shares, −1 to 1: what the two add up to."""

    def variance(self, shift: float, icc: float) -> float:
        """Return the variance of weight × share where the whole lies `shift` from the limit."""
        value = self.share + self.moves * shift
        if self.picks is None:
            value = min(1.0, max(0.0, value))
            spread = value * (1 - value)
        else:
            spread = max(0.0, max(self.picks, abs(value)) - value * value)
        return self.weight**2 * spread / self.sample.effective(icc)


@dataclass(frozen=True, slots=True)
class Question:
    """What a line asks of a sample."""

    parts: tuple[Part, ...]
    limit: float
    upper: bool
    """Whether the limit is a greatest value."""
    judge: Judge = "point"
    alpha: float = 0.05
    """Of the two-sided interval, at the step of Holm's procedure that a first breach meets."""
    icc: float = ICC

    @property
    def n(self) -> float:
        """Number of cases, both sides of a contrast."""
        return sum(part.sample.n for part in self.parts)

    @property
    def clusters(self) -> float:
        """Clusters of the side that has fewest."""
        return min(part.sample.clusters for part in self.parts)

    @property
    def design_effect(self) -> float:
        """The largest of the sides'."""
        return max(part.sample.design_effect(self.icc) for part in self.parts)

    def scaled(self, factor: float) -> Question:
        """Return the same question of so many times the clusters."""
        parts = tuple(replace(part, sample=part.sample.scaled(factor)) for part in self.parts)
        return replace(self, parts=parts)

    def _error(self, worse: float) -> float:
        """Return the standard error where the truth is so much worse than the limit."""
        shift = worse if self.upper else -worse
        return math.sqrt(math.fsum(part.variance(shift, self.icc) for part in self.parts))

    @property
    def _quantile(self) -> float:
        clustered = any(part.sample.n > part.sample.clusters for part in self.parts)
        return quantile(1 - self.alpha, max(1.0, self.clusters - 1) if clustered else math.inf)

    def shows(self, worse: float) -> float:
        """Return how often a model so much worse than the limit has its whole interval beyond it.

        Where the limit itself leaves no chance (a share of 0 or 1), one case that goes beyond it
        shows it, so the power is that of meeting one.
        """
        base = self._error(0.0)
        if base == 0:
            effective = self.parts[0].sample.effective(self.icc)
            return 1.0 - math.pow(1.0 - min(1.0, worse), effective)
        return _chance(worse - self._quantile * base, self._error(worse))

    def alarms(self, better: float = 0.0) -> float:
        """Return how often a model so much better than the limit fails the line all the same.

        A line judged by `pass_certain` is failed by what is not certain, too.
        """
        spread = self._error(-better)
        if self.judge == "point":
            return _chance(-better, spread)
        bound = self._quantile * self._error(0.0)
        if self.judge == "breach_certain":
            return _chance(-better - bound, spread)
        return 1.0 - _chance(better - bound, spread)

    def smallest_difference(self, power: float = POWER, most: float = 1.0) -> float | None:
        """Return the smallest distance beyond the limit that is shown so often.

        None where not even `most`, the worst that can occur, is.
        """
        if self.shows(most) < power:
            return None
        return _least(lambda worse: self.shows(worse) >= power, 0.0, most)

    def needed(self, difference: float, power: float = POWER) -> tuple[int, int] | None:
        """Return the cases and clusters that would show this difference so often.

        Clusters keep their sizes. None where no number does, or none worth naming.
        """

        def enough(log: float) -> bool:
            return self.scaled(math.exp(log)).shows(difference) >= power

        low, high = math.log(2 / self.clusters), math.log(_MOST)
        if difference <= 0 or not enough(high):
            return None
        factor = math.exp(low if enough(low) else _least(enough, low, high))
        return math.ceil(self.n * factor - 1e-6), math.ceil(self.clusters * factor - 1e-6)


def together(chances: Iterable[float]) -> float:
    """Return how often at least one of several lines fails, were they independent."""
    return 1.0 - math.prod(1.0 - chance for chance in chances)


def _chance(distance: float, spread: float) -> float:
    """Return the chance that a normal value that far beyond a bound is beyond it; a tie is not."""
    if spread == 0:
        return float(distance > 0)
    return float(ndtr(distance / spread))


def _least(holds: Callable[[float], bool], low: float, high: float) -> float:
    """Return the least value between the two from which a condition holds on."""
    for _ in range(60):
        middle = (low + high) / 2
        if holds(middle):
            high = middle
        else:
            low = middle
    return high
