"""From records and a group to an estimate of any metric."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from culturegate.metrics import parts
from culturegate.metrics.estimate import Estimate
from culturegate.metrics.measured import Measured
from culturegate.metrics.metric import Fills, Metric
from culturegate.metrics.registry import METRICS
from culturegate.metrics.table import Bools, Table, View, check_where
from culturegate.tracks.base import Record
from culturegate.tracks.diagnosis import TRACK as DIAGNOSIS

NO_FILLS: Fills = (None, None)
NO_GROUP: Mapping[str, str] = {}


@dataclass(frozen=True, slots=True)
class Weighting:
    """What each track counts in the composite, and what a contaminated case counts in its track."""

    tracks: Mapping[str, float] = field(
        default_factory=lambda: {"myth": 0.3, "mirror": 0.3, "persona": 0.2, "framing": 0.2}
    )
    contaminated: float = 0.5


DEFAULT_WEIGHTING = Weighting()


def metric_named(name: str) -> Metric:
    """Return a metric; raises `ValueError` that lists the names there are."""
    if name not in METRICS:
        raise ValueError(f"unknown metric {name!r}; the metrics are {', '.join(sorted(METRICS))}")
    return METRICS[name]


def estimate(
    metric: str,
    records: Iterable[Record] | Table,
    where: Mapping[str, str] = NO_GROUP,
    confidence: float = 0.95,
    *,
    weighting: Weighting = DEFAULT_WEIGHTING,
) -> Estimate:
    """Estimate a metric over the records of one group.

    Args:
        metric: A name in `METRICS`.
        records: Records, or the table of them where many groups are asked of the same records.
        where: The group, as fact and value, compared as text (`{"public": "true"}`). For a metric
            that contrasts arms, `arm` names the arm that is compared with the original.
        confidence: Of the two-sided interval. The rule that a gap at chance is undefined uses it
            too.
        weighting: For the composite.

    Raises:
        ValueError: An unknown metric or fact, or a group that fixes what the metric contrasts.
    """
    table = records if isinstance(records, Table) else Table(records)
    found = measure(metric_named(metric), table, where, confidence, weighting)
    return found.at(metric, tuple(sorted(where.items())), confidence)


def measure(
    metric: Metric,
    table: Table,
    where: Mapping[str, str],
    confidence: float,
    weighting: Weighting = DEFAULT_WEIGHTING,
    fills: Fills = NO_FILLS,
) -> Measured:
    """Compute a metric over a group, with errors left out or scored as `fills` says.

    Raises `ValueError` as `estimate` does.
    """
    group = group_view(metric, table, where, weighting)
    if metric.contrast is None:
        group = group.filled(fills[0])
        if metric.simple is not None:
            return metric.simple(group, confidence)
        return parts.composite(group, confidence, weighting.tracks, weighting.contaminated)
    assert metric.sides is not None
    fact, first = metric.contrast.fact, metric.contrast.first
    second = metric.contrast.second or where[fact]
    one = group.where(fact, first).filled(fills[0])
    two = group.where(fact, second).filled(fills[1])
    names = (first, second) if fact != "public" else ("public", "unpublished")
    return metric.sides(one, two, names, confidence)


def group_view(
    metric: Metric,
    table: Table,
    where: Mapping[str, str],
    weighting: Weighting = DEFAULT_WEIGHTING,
) -> View:
    """Return every row that a metric over a group rests on, both sides of a contrast.

    Safety stands apart: an ability metric takes its cases only where the group names the track. So
    does the diagnosis, for every metric. The composite rests on the parts of the tracks that have
    a weight.
    """
    check_where(where)
    check_contrast(metric, where)
    contrast = metric.contrast
    view = table.view({k: v for k, v in where.items() if contrast is None or k != contrast.fact})
    if metric.track is not None:
        view = view.where("track", metric.track)
    elif "track" not in where:
        view = view.without("track", DIAGNOSIS)
        if not metric.pipeline:
            view = view.without("track", "safety")
    for fact, value in metric.within:
        if fact not in where:
            view = view.where(fact, value)
    if contrast is None:
        return parts.used(view, weighting.tracks) if metric.name == "composite" else view
    second = contrast.second or where[contrast.fact]
    sides: Bools = (
        view.where(contrast.fact, contrast.first).mask | view.where(contrast.fact, second).mask
    )
    return replace(view, mask=sides)


def check_contrast(metric: Metric, facts: Mapping[str, str] | tuple[str, ...]) -> None:
    """Raise `ValueError` where a group fixes what a metric compares, or does not name the arm."""
    contrast = metric.contrast
    if contrast is None:
        return
    if contrast.second is None:
        if contrast.fact not in facts:
            raise ValueError(
                f"{metric.name} compares one {contrast.fact} with {contrast.first!r}; "
                f"name it by where: {{{contrast.fact}: …}} or by: {contrast.fact}"
            )
        if isinstance(facts, Mapping) and facts[contrast.fact] == contrast.first:
            raise ValueError(f"{metric.name} can't compare {contrast.first!r} with itself")
    elif contrast.fact in facts:
        raise ValueError(
            f"{metric.name} compares {contrast.first!r} with {contrast.second!r}, "
            f"so no group may fix {contrast.fact}"
        )
