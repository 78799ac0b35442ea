"""A metric at its limit as a sum of shares, each with the planned cases behind it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from culturegate.metrics.framing import FRAMED
from culturegate.metrics.metric import Metric
from culturegate.metrics.parts import PARTS
from culturegate.metrics.power import Part, Sample
from culturegate.metrics.table import View
from culturegate.tracks.framing import NO_CULTURE

Parts = tuple[Part, ...]
_Builder = Callable[[View, Mapping[str, str], float, float], Parts | str]
_NO_MODEL = {
    "decoded_given_recalled": "it rests on the episodes that the model turns out to know",
    "calibration_error": "it has no interval",
    "wording_spread": "it has no interval",
    "consistency": "how a model varies can't be assumed from how often it is right",
    "repeat_stability": "how a model varies can't be assumed from how often it is right",
}


def limit_parts(
    metric: Metric,
    view: View,
    where: Mapping[str, str],
    limit: float,
    base: float,
    weights: Mapping[str, float],
) -> Parts | str:
    """Return the shares that make up a metric which stands at its limit.

    Args:
        metric: Which.
        view: The planned cases that it rests on.
        where: The group, which names the arm of a metric that compares one.
        limit: Where it stands.
        base: Share right on the first side of a contrast.
        weights: Of the tracks in the composite.

    Returns:
        The parts, or why there are none.
    """
    if metric.name in _NO_MODEL:
        return _NO_MODEL[metric.name]
    if metric.name == "composite":
        return _composite(view, limit, weights)
    build = _BUILDERS.get(metric.name)
    if build is not None:
        return build(view, where, limit, base)
    if metric.contrast is None:
        return (_part(view, limit),)
    fact, first = metric.contrast.fact, metric.contrast.first
    second = metric.contrast.second or where[fact]
    return _difference(view.where(fact, first), view.where(fact, second), limit, base)


def drop_parts(view: View, limit: float, base: float) -> Parts:
    """Return an earlier run and this one, a limit apart and taken as independent."""
    return _difference(view, view, limit, base)


def _composite(view: View, limit: float, weights: Mapping[str, float]) -> Parts:
    used = {track: weight for track, weight in weights.items() if weight > 0}
    return tuple(
        replace(
            _part(
                PARTS[track].cases(view.where("track", track)),
                limit,
                weight / sum(used.values()),
            ),
            moves=1.0,
        )
        for track, weight in used.items()
    )


def _part(view: View, share: float, weight: float = 1.0) -> Part:
    """Return a share of a view's cases, which moves by 1 / weight where the whole moves by 1."""
    sizes = np.bincount(view.table.clusters[view.mask])
    return Part(Sample.of(sizes.tolist()), min(1.0, max(0.0, share)), weight, 1 / weight)


def _difference(first: View, second: View, limit: float, base: float) -> Parts:
    start = min(1.0, max(0.0, base))
    return replace(_part(first, start), moves=0.0), _part(second, start - limit, -1.0)


def _ratio(view: View, where: Mapping[str, str], limit: float, base: float) -> Parts:
    """Return arm − limit · original, over the original's share: what a retention is tested by."""
    original, arm = view.where("arm", "original"), view.where("arm", where["arm"])
    tested = _part(arm, limit * base, 1 / base)
    return (
        (tested,)
        if limit == 0
        else (tested, replace(_part(original, base, -limit / base), moves=0.0))
    )


def _corrected(view: View, where: Mapping[str, str], limit: float, base: float) -> Parts | str:
    chances = view.table.chance[view.mask]
    if np.isnan(chances).any() or chances.mean() >= 1:
        return "some of its cases have no chance to compare with"
    scale = 1 - float(chances.mean())
    return (_part(view, limit * scale + 1 - scale, 1 / scale),)


def _macro(view: View, where: Mapping[str, str], limit: float, base: float) -> Parts | str:
    cultures = [name for name in view.values("culture") if name != NO_CULTURE]
    if not cultures:
        return "none of its cases is of a culture"
    return tuple(
        replace(_part(view.where("culture", name), limit, 1 / len(cultures)), moves=1.0)
        for name in cultures
    )


def _pairs(view: View, where: Mapping[str, str], limit: float, base: float) -> Parts:
    """Return pairs of scenes: each is in the table twice."""
    part = _part(view, limit)
    whole = part.sample
    return (replace(part, sample=Sample(whole.n / 2, whole.clusters, whole.squares / 4)),)


def _balance(view: View, where: Mapping[str, str], limit: float, base: float) -> Parts:
    """Return the stereotype rate; a person is picked where the answer is not that nobody knows."""
    sizes = np.bincount(view.table.clusters[view.where("condition", "ambiguous").mask])
    return (Part(Sample.of(sizes.tolist()), limit, picks=1 - base),)


def _conditions(first: str, second: str) -> _Builder:
    """Return a builder of the difference between two framing conditions.

    It stands for the contrasts over several of them, too: their samples are the same notes, so more
    conditions make no more of them.
    """

    def build(view: View, where: Mapping[str, str], limit: float, base: float) -> Parts:
        sides = view.where("condition", first), view.where("condition", second)
        return _difference(*sides, limit, base)

    return build


_BUILDERS: Mapping[str, _Builder] = {
    "retention": _ratio,
    "chance_corrected": _corrected,
    "macro_accuracy": _macro,
    "safety_score": _pairs,
    "stereotype_rate": _balance,
    "awareness_size": _conditions("aware-high", "unaware-high"),
    "framing_interaction": _conditions("aware-high", "unaware-high"),
    "control_gap": _conditions("control", FRAMED[0]),
}
