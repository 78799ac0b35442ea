"""What a model can do: accuracy, what a contrast loses, and the composite."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from culturegate.metrics.intervals import Limits, mover_difference, mover_ratio, mover_sum
from culturegate.metrics.measured import Measured, nothing
from culturegate.metrics.shares import Share, case_share, share, trial_share
from culturegate.metrics.table import View

NO_CASES = "no case of this group was asked and judged"


def accuracy(view: View, confidence: float) -> Measured:
    """Passed cases / cases, every case counted once (micro)."""
    found = case_share(view, view.table.passed)
    return found.measured() if found else nothing(0, 0, NO_CASES)


def macro_accuracy(view: View, confidence: float) -> Measured:
    """Mean of the cultures' accuracies; a culture without a judged case is left out."""
    shares = {
        culture: case_share(view.where("culture", culture), view.table.passed)
        for culture in view.values("culture")
    }
    found = [one for one in shares.values() if one is not None]
    if not found:
        return nothing(0, 0, NO_CASES)
    weights = [1 / len(found)] * len(found)
    skipped = len(shares) - len(found)
    method = f"mover of {len(found)} cultures" + (f", {skipped} skipped" if skipped else "")
    return _weighted(found, weights, method)


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
    a, b, n, clusters = sides

    def limits(confidence: float) -> Limits:
        return mover_difference(a.value, a.limits(confidence), b.value, b.limits(confidence))

    return Measured(
        n,
        clusters,
        a.value - b.value,
        limits,
        None,
        f"mover; {names[0]}: {a.method}; {names[1]}: {b.method}",
        a.influence - b.influence,
    )


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
    a, b, n, clusters = sides
    chance = at_chance(first, names[0], confidence)
    if chance is not None:
        return nothing(n, clusters, chance)
    value = ratio(a.value, b.value)
    if value is None:
        return nothing(n, clusters, f"{names[0]} has no passed case to retain")

    def limits(confidence: float) -> Limits:
        return mover_ratio(b.value, b.limits(confidence), a.value, a.limits(confidence))

    return Measured(
        n,
        clusters,
        value,
        limits,
        None,
        f"mover-r; {names[0]}: {a.method}; {names[1]}: {b.method}",
        b.influence / a.value - a.influence * b.value / a.value**2,
    )


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


def composite(
    view: View, confidence: float, weights: Mapping[str, float], contaminated_weight: float
) -> Measured:
    """Weighted mean over tracks of each track's accuracy, contaminated cases at lower weight."""
    used = {track: weight for track, weight in weights.items() if weight > 0}
    shares: list[Share] = []
    missing: list[str] = []
    for track in used:
        found = _weighted_share(view.where("track", track), contaminated_weight)
        if found is None:
            missing.append(track)
        else:
            shares.append(found)
    if missing or not used:
        n, clusters = sum(s.n for s in shares), _clusters(shares)
        return nothing(n, clusters, f"no judged case of {', '.join(missing) or 'any track'}")
    total = math.fsum(used.values())
    parts = [weight / total for weight in used.values()]
    return _weighted(shares, parts, f"mover of {len(parts)} tracks")


def _weighted_share(view: View, contaminated_weight: float) -> Share | None:
    values, codes = view.table.column("contaminated")
    scores = view.table.passed
    mask = view.mask if view.fill is not None else view.mask & ~np.isnan(scores)
    weights = np.where(codes[mask] == values.get("true", -2), contaminated_weight, 1.0)
    if not weights.sum() > 0:
        return None
    filled = np.nan_to_num(scores[mask], nan=view.fill or 0.0)
    return share(filled, view.table.clusters[mask], weights, len(view.table.cluster_names))


def _weighted(shares: Sequence[Share], weights: Sequence[float], method: str) -> Measured:
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


def _sides(
    first: View, second: View, names: tuple[str, str]
) -> tuple[Share, Share, int, int] | Measured:
    a = case_share(first, first.table.passed)
    b = case_share(second, second.table.passed)
    n = sum(side.n for side in (a, b) if side is not None)
    clusters = _clusters([side for side in (a, b) if side is not None])
    if a is None or b is None:
        return nothing(n, clusters, f"no {names[a is not None]} case was asked and judged")
    return a, b, n, clusters
