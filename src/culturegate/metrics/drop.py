"""How much worse a metric is than in an earlier run of the same cases."""

from __future__ import annotations

from collections.abc import Mapping

from culturegate.metrics.intervals import Limits, mover_difference
from culturegate.metrics.measured import Measured, correlation, nothing
from culturegate.metrics.measuring import NO_FILLS, Weighting, measure
from culturegate.metrics.metric import Fills, Metric
from culturegate.metrics.table import Table


def measure_drop(
    metric: Metric,
    now: Table,
    then: Table,
    where: Mapping[str, str],
    confidence: float,
    weighting: Weighting,
    fills: tuple[Fills, Fills] = (NO_FILLS, NO_FILLS),
) -> Measured:
    """Return how far a metric moved in its worse direction from `then` to `now`.

    Both tables hold the same cases. The interval is MOVER for dependent estimates (Zou 2007), the
    correlation being that of what each cluster does to the two values.
    """
    new = measure(metric, now, where, confidence, weighting, fills[0])
    old = measure(metric, then, where, confidence, weighting, fills[1])
    for run, name in ((new, "this run"), (old, "the baseline")):
        if run.undefined is not None:
            return nothing(new.n, new.clusters, f"{name}: {run.undefined}")
    first, second = (old, new) if metric.better == "higher" else (new, old)
    assert first.value is not None
    assert second.value is not None
    a, b = first.value, second.value
    together = (
        correlation(first.influence, second.influence)
        if now.cluster_names == then.cluster_names
        else 0.0
    )

    def limits(confidence: float) -> Limits:
        assert first.limits is not None
        assert second.limits is not None
        return mover_difference(a, first.limits(confidence), b, second.limits(confidence), together)

    bounded = first.limits is not None and second.limits is not None
    return Measured(
        new.n,
        new.clusters,
        a - b,
        limits if bounded else None,
        None,
        f"mover, correlation {together:.2f}; {new.method}" if bounded else new.method,
    )
