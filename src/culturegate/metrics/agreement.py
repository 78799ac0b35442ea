"""How far two judges of the same replies agree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from culturegate.metrics.intervals import wilson


@dataclass(frozen=True, slots=True)
class Agreement:
    """Two judges of the same replies, each saying right or wrong."""

    n: int
    agreed: int
    share: float
    low: float
    high: float
    kappa: float | None
    """Cohen's (1960) kappa; None where either judge calls all replies the same."""
    first_right: int
    """Replies that the first judge calls right, and the second wrong."""
    second_right: int
    """Replies that the second judge calls right, and the first wrong."""

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON data."""
        return asdict(self)


def cohen_kappa(
    first: Sequence[int], second: Sequence[int], weights: Literal["quadratic"] | None = None
) -> float:
    """Return Cohen's kappa of two scorers in step: 1 where they agree, 0 as chance would.

    Undefined, and not to be asked for, where the two together gave one score only.

    Source: Cohen (1960), with quadratic weights Cohen (1968), as scikit-learn computes them.
    """
    # It takes a second and a half to import, which only a run with a second judge should pay.
    from sklearn.metrics import cohen_kappa_score  # type: ignore[import-untyped]

    steps = range(min(*first, *second), max(*first, *second) + 1)
    return float(cohen_kappa_score(first, second, labels=steps, weights=weights))


def agreement(pairs: Sequence[tuple[bool, bool]], confidence: float = 0.95) -> Agreement:
    """Return how far two judges agree, with Wilson limits; raises `ValueError` without replies."""
    n = len(pairs)
    if not n:
        raise ValueError("agreement needs at least one reply that both judged")
    agreed = sum(a is b for a, b in pairs)
    low, high = wilson(agreed, n, confidence)
    first, second = sum(a for a, _ in pairs) / n, sum(b for _, b in pairs) / n
    varied = 0 < first < 1 and 0 < second < 1
    kappa = cohen_kappa([int(a) for a, _ in pairs], [int(b) for _, b in pairs]) if varied else None
    return Agreement(
        n,
        agreed,
        agreed / n,
        low,
        high,
        kappa,
        sum(a and not b for a, b in pairs),
        sum(b and not a for a, b in pairs),
    )
