"""When a limit is certainly passed, for one line and for many judged together."""

from __future__ import annotations

import math
from collections.abc import Sequence

from culturegate.gate.thresholds import Line
from culturegate.gate.verdict import VerdictStatus
from culturegate.metrics import Measured

TOLERANCE = 1e-9
"""What rounding may add: 0.75 − 0.60 is a hair above 0.15 in binary."""

_LEAST = 1e-9
"""The smallest p-value told apart; quantiles beyond it say more of the formula than of the data."""


def side(value: float, limit: float, upper: bool) -> bool:
    """Return whether a value is on the wrong side of an upper (or lower) limit."""
    return value > limit + TOLERANCE if upper else value < limit - TOLERANCE


def alone(line: Line, found: Measured, confidence: float) -> VerdictStatus:
    """Judge a `point` or `pass_certain` line by itself; unverified where nothing is defined."""
    if found.undefined is not None:
        return "unverified"
    upper = line.bound != "min"
    if line.judge == "point":
        return point(found, line.limit, upper)
    return pass_certain(found, line.limit, upper, confidence)


def point(found: Measured, limit: float, upper: bool) -> VerdictStatus:
    """Judge a value by itself."""
    assert found.value is not None
    return "breached" if side(found.value, limit, upper) else "met"


def pass_certain(found: Measured, limit: float, upper: bool, confidence: float) -> VerdictStatus:
    """Judge by the whole interval: met on the right side, breached on the wrong, or unverified."""
    assert found.limits is not None
    low, high = found.limits(confidence)
    near, far = (low, high) if upper else (high, low)
    if side(near, limit, upper):
        return "breached"
    return "unverified" if side(far, limit, upper) else "met"


def breach_p(found: Measured, limit: float, upper: bool) -> float:
    """Return the smallest α at which the two-sided interval lies wholly on the wrong side.

    1 where the value itself does not. Found by halving, since every interval here narrows as α
    grows.
    """
    assert found.limits is not None
    assert found.value is not None
    if not side(found.value, limit, upper):
        return 1.0
    low, high = math.log(_LEAST), 0.0
    for _ in range(40):
        middle = (low + high) / 2
        if _excluded(found, limit, upper, math.exp(middle)):
            high = middle
        else:
            low = middle
    return math.exp(high)


def _excluded(found: Measured, limit: float, upper: bool, alpha: float) -> bool:
    assert found.limits is not None
    low, high = found.limits(1 - alpha)
    return side(low if upper else high, limit, upper)


def step_down(p: Sequence[float], alpha: float) -> list[tuple[bool, float]]:
    """Return for each p-value whether Holm's procedure rejects, and the α of its interval.

    A rejected one keeps the α of its step; the others share that of the step at which it stopped.
    So an interval at 1 − α excludes the limit exactly where its line is rejected.
    """
    order = sorted(range(len(p)), key=p.__getitem__)
    found = [(False, alpha)] * len(p)
    rejected = 0
    for rank, index in enumerate(order):
        level = alpha / (len(p) - rank)
        if p[index] > level:
            break
        found[index] = (True, level)
        rejected += 1
    if rejected < len(p):
        level = alpha / (len(p) - rejected)
        for index in order[rejected:]:
            found[index] = (False, level)
    return found
