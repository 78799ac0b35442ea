"""A metric's value with what it is worth."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Estimate:
    """A metric over one group of records: value, interval, n and clusters, or undefined and why."""

    metric: str
    where: tuple[tuple[str, str], ...]
    """The group, as sorted pairs of fact and value; empty for all records."""
    n: int
    """Cases (trials, for a metric over trials) that the value rests on."""
    clusters: int
    value: float | None = None
    low: float | None = None
    high: float | None = None
    """Two-sided limits at the confidence asked for; None where the metric has no interval."""
    undefined: str | None = None
    """Why there is no value; None where there is one."""
    method: str | None = None
    """How the interval was made, such as `wilson, n/deff, t`."""

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON data."""
        return asdict(self) | {"where": dict(self.where)}
