"""What a model can do: accuracy, and what a contrast loses."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from culturegate.metrics.intervals import Limits, mover_difference, mover_ratio, mover_sum
from culturegate.metrics.measured import Measured, correlation, nothing
from culturegate.metrics.shares import Share, case_share, trial_share
from culturegate.metrics.table import View
from culturegate.tracks.framing import NO_CULTURE

UNPAIRED = "native"
"""The arm that shares a family with the original and not its content."""

NO_CASES = "no case of this group was asked and judged"


def accuracy(view: View, confidence: float) -> Measured:
    """Passed cases / cases, every case counted once (micro)."""
    found = case_share(view, view.table.passed)
    return found.measured() if found else nothing(0, 0, NO_CASES)


def macro_accuracy(view: View, confidence: float) -> Measured:
    """Mean of the cultures' accuracies; a culture without a judged case is left out.

    So are cases that are of no culture, such as the framing track's.
    """
    shares = {
        culture: case_share(view.where("culture", culture), view.table.passed)
        for culture in view.values("culture")
        if culture != NO_CULTURE
    }
    found = [one for one in shares.values() if one is not None]
    if not found:
        return nothing(0, 0, "no case of a culture was asked and judged")
    weights = [1 / len(found)] * len(found)
    skipped = len(shares) - len(found)
    method = f"mover of {len(found)} cultures" + (f", {skipped} skipped" if skipped else "")
    return weighted_mean(found, weights, method)


def chance_corrected(view: View, confidence: float) -> Measured:
    """(accuracy − chance) / (1 − chance) over single trials, since a majority moves chance."""
    found = trial_share(view, view.table.trials.correct)
    if found is None:
        return nothing(0, 0, NO_CASES)
    chance = _chance(view)
    if isinstance(chance, str):
        return nothing(found.n, found.clusters, chance)
    if chance >= 1:
        return nothing(found.n, found.clusters, "a guess always passes these cases")
    scale = 1 - chance

    def limits(confidence: float) -> Limits:
        low, high = found.limits(confidence)
        return (low - chance) / scale, (high - chance) / scale

    return Measured(
        found.n,
        found.clusters,
        (found.value - chance) / scale,
        limits,
        None,
        f"{found.method}; chance {chance:.4g}",
        found.influence / scale,
    )


def _chance(view: View) -> float | str:
    """Return what guessing gives over the view's trials, or why that is not known."""
    trials = view.table.trials
    counted = view.trial_mask
    if view.fill is None:
        counted = counted & ~np.isnan(trials.correct)
    chances = view.table.chance[trials.row[counted]]
    if np.isnan(chances).any():
        return f"{int(np.isnan(chances).sum())} trials have no chance recorded to compare with"
    return float(chances.mean())


def at_chance(view: View, name: str, confidence: float) -> str | None:
    """Return why a view is not certainly above chance, None where it is."""
    found = trial_share(view, view.table.trials.correct)
    if found is None:
        return f"no {name} case was asked and judged"
    chance = _chance(view)
    if isinstance(chance, str):
        return f"{name}: {chance}"
    low, _ = found.limits(confidence)
    if low > chance:
        return None
    return (
        f"{name} is not certainly above chance: {found.value:.3f} of single trials are right, "
        f"at least {low:.3f}, where guessing gives {chance:.3f}"
    )


def difference(first: View, second: View, names: tuple[str, str], confidence: float) -> Measured:
    """First side's accuracy minus the second's; MOVER from the two sides' limits."""
    sides = _sides(first, second, names)
    if isinstance(sides, Measured):
        return sides
    a, b = sides.first, sides.second

    def limits(confidence: float) -> Limits:
        one, two = sides.limits(confidence)
        return mover_difference(a.value, one, b.value, two, sides.correlation)

    influence = a.influence - b.influence
    method = f"mover, {sides.method}"
    return Measured(sides.n, sides.clusters, a.value - b.value, limits, None, method, influence)


def gap(first: View, second: View, names: tuple[str, str], confidence: float) -> Measured:
    """First side − second, undefined unless the first is certainly above chance."""
    found = difference(first, second, names, confidence)
    chance = at_chance(first, names[0], confidence) if found.undefined is None else None
    return found if chance is None else nothing(found.n, found.clusters, chance)


def retention(first: View, second: View, names: tuple[str, str], confidence: float) -> Measured:
    """Second side / first, undefined unless the first is certainly above chance; MOVER-R."""
    sides = _sides(first, second, names)
    if isinstance(sides, Measured):
        return sides
    a, b = sides.first, sides.second
    chance = at_chance(first, names[0], confidence)
    if chance is not None:
        return nothing(sides.n, sides.clusters, chance)
    value = ratio(a.value, b.value)
    if value is None:
        return nothing(sides.n, sides.clusters, f"{names[0]} has no passed case to retain")

    def limits(confidence: float) -> Limits:
        one, two = sides.limits(confidence)
        return mover_ratio(b.value, two, a.value, one, sides.correlation)

    influence = b.influence / a.value - a.influence * b.value / a.value**2
    method = f"mover-r, {sides.method}"
    return Measured(sides.n, sides.clusters, value, limits, None, method, influence)


def ratio(base: float, new: float) -> float | None:
    """Return new / base, None where the base is zero or as good as zero."""
    return new / base if base > 1e-9 else None


def decoded_given_recalled(
    recall: View, decode: View, names: tuple[str, str], confidence: float
) -> Measured:
    """Share of decode cases that pass, over episodes whose recall cases all pass."""
    table = recall.table
    size = len(table.cluster_names)
    passed = table.passed if recall.fill is None else np.nan_to_num(table.passed, nan=recall.fill)
    # A NaN makes the minimum NaN: an episode with an unjudged recall case is not known to be known.
    worst = np.full(size, np.inf)
    with np.errstate(invalid="ignore"):
        np.minimum.at(worst, table.clusters[recall.mask], passed[recall.mask])
    known = worst[table.clusters] == 1
    found = case_share(decode, table.passed, known)
    if found is None:
        asked = len(np.unique(table.clusters[recall.mask]))
        return nothing(
            0, 0, f"none of {asked} episodes has all its recall cases passed and a decode case"
        )
    return found.measured()


def weighted_mean(shares: Sequence[Share], weights: Sequence[float], method: str) -> Measured:
    """Return Σ weight × share of shares that no cluster joins; weights add up to 1."""

    def limits(confidence: float) -> Limits:
        return mover_sum([s.value for s in shares], [s.limits(confidence) for s in shares], weights)

    influence = np.sum([w * s.influence for w, s in zip(weights, shares, strict=True)], axis=0)
    value = math.fsum(w * s.value for w, s in zip(weights, shares, strict=True))
    return Measured(
        sum(s.n for s in shares), _clusters(shares), value, limits, None, method, influence
    )


def _clusters(shares: Sequence[Share]) -> int:
    if not shares:
        return 0
    return int(np.any([s.present for s in shares], axis=0).sum())


@dataclass(frozen=True, slots=True)
class _Sides:
    """Two sides of a contrast that were both asked."""

    first: Share
    second: Share
    names: tuple[str, str]
    correlation: float

    @property
    def n(self) -> int:
        return self.first.n + self.second.n

    @property
    def clusters(self) -> int:
        return _clusters([self.first, self.second])

    def limits(self, confidence: float) -> tuple[Limits, Limits]:
        """Return each side's limits; a correlation is estimated, so it asks for a t quantile."""
        df = self.clusters - 1.0 if self.correlation else math.inf
        return self.first.limits(confidence, df), self.second.limits(confidence, df)

    @property
    def method(self) -> str:
        sides = zip(self.names, (self.first, self.second), strict=True)
        told = "; ".join(f"{name}: {side.method}" for name, side in sides)
        return f"correlation {self.correlation:.2f}; {told}"


def _sides(first: View, second: View, names: tuple[str, str]) -> _Sides | Measured:
    a = case_share(first, first.table.passed)
    b = case_share(second, second.table.passed)
    if a is None or b is None:
        found = [side for side in (a, b) if side is not None]
        why = f"no {names[a is not None]} case was asked and judged"
        return nothing(sum(side.n for side in found), _clusters(found), why)
    # A native problem has other content than its family's original, so the two are no pair.
    together = 0.0 if UNPAIRED in names else correlation(a.influence, b.influence)
    return _Sides(a, b, names, together)
