"""What a metric is: its name, its meaning, what it contrasts and which values are possible."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from culturegate.metrics.measured import Measured
from culturegate.metrics.table import View

Simple = Callable[[View, float], Measured]
Sides = Callable[[View, View, tuple[str, str], float], Measured]
Fills = tuple[float | None, float | None]
"""How errors are scored on the first and the second side of a contrast; None leaves them out."""


@dataclass(frozen=True, slots=True)
class Contrast:
    """The fact whose two values a metric compares."""

    fact: str
    first: str
    second: str | None
    """None where the group names it: `where: {arm: literal}` compares literal with original."""


@dataclass(frozen=True, slots=True)
class Metric:
    """One metric: what a line of thresholds.yaml may name."""

    name: str
    meaning: str
    better: Literal["higher", "lower"]
    low: float
    high: float
    """The least and the greatest value that can occur."""
    unit: Literal["cases", "trials"] = "cases"
    simple: Simple | None = None
    sides: Sides | None = None
    contrast: Contrast | None = None
    interval: bool = True
    pipeline: bool = False
    """It measures the asking itself, so validity limits, which do too, have no say in it."""
    track: str | None = None
    """The only track that it is about; a bank without that track has nothing to judge by it."""
    of_form: bool = False
    """It measures whether replies can be read, so that those which can't do not speak against it;
    replies that were cut off do."""
    least_clusters: int = 1
    """Clusters below which a line on it is unverified, whatever the line says."""
    within: tuple[tuple[str, str], ...] = ()
    """Facts and values that a group has where it names no others."""

    @property
    def scenarios(self) -> tuple[Fills, ...]:
        """What errors could have been: all right, all wrong, and for a contrast each side apart."""
        if self.contrast is None:
            return ((0.0, 0.0), (1.0, 1.0))
        return ((0.0, 0.0), (1.0, 1.0), (0.0, 1.0), (1.0, 0.0))
