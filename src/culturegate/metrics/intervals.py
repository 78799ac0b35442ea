"""Interval arithmetic on plain numbers: shares, differences, ratios, weighted sums."""

from __future__ import annotations

import math
from collections.abc import Sequence

Limits = tuple[float, float]


def quantile(confidence: float, df: float = math.inf) -> float:
    """Return the two-sided quantile of Student's t with `df` degrees of freedom, normal at ∞."""
    from scipy.special import ndtri, stdtrit  # 0.2 s that a worker, which judges nothing, saves

    tail = 0.5 + confidence / 2
    return float(ndtri(tail) if math.isinf(df) else stdtrit(df, tail))


def wilson(passed: float, n: float, confidence: float = 0.95, df: float = math.inf) -> Limits:
    """Return Wilson's score limits of a share, always within [0, 1].

    `n` may be an effective sample size and `passed` its share of it, so neither need be whole.
    Source: Wilson (1927); with a design effect and a t quantile as Franco, Little, Louis and
    Slud (2019) compare them. Raises `ValueError` without a sample.
    """
    if not n > 0 or not 0 <= passed <= n:
        raise ValueError(f"a share needs 0 ≤ passed ≤ n and n > 0, not {passed!r} of {n!r}")
    share = passed / n
    square = quantile(confidence, df) ** 2 / n
    if math.isinf(square):
        return 0.0, 1.0
    centre = (share + square / 2) / (1 + square)
    half = math.sqrt(square * share * (1 - share) + square * square / 4) / (1 + square)
    # At the ends the limit is the end itself, which rounding would miss by a hair.
    low = 0.0 if share == 0 else max(0.0, centre - half)
    high = 1.0 if share == 1 else min(1.0, centre + half)
    return min(low, share), max(high, share)


def mover_sum(
    values: Sequence[float], limits: Sequence[Limits], weights: Sequence[float]
) -> Limits:
    """Return limits of Σ weight × value for independent values, weights ≥ 0.

    Source: Zou, Huang and Zhang (2009), the method of variance estimates recovery (MOVER).
    """
    total = math.fsum(w * v for w, v in zip(weights, values, strict=True))
    parts = list(zip(weights, values, limits, strict=True))
    below = math.sqrt(math.fsum((w * (v - low)) ** 2 for w, v, (low, _) in parts))
    above = math.sqrt(math.fsum((w * (high - v)) ** 2 for w, v, (_, high) in parts))
    return total - below, total + above


def mover_difference(
    a: float, a_limits: Limits, b: float, b_limits: Limits, correlation: float = 0.0
) -> Limits:
    """Return limits of a − b from the limits of each.

    With Wilson limits and no correlation this is Newcombe's (1998) method 10; with a correlation
    it is Zou's (2007) MOVER for dependent estimates.
    """
    below = _dependent(a - a_limits[0], b_limits[1] - b, correlation)
    above = _dependent(a_limits[1] - a, b - b_limits[0], correlation)
    return a - b - below, a - b + above


def _dependent(x: float, y: float, correlation: float) -> float:
    return math.sqrt(max(0.0, x * x + y * y - 2 * correlation * x * y))


def mover_ratio(
    a: float, a_limits: Limits, b: float, b_limits: Limits, correlation: float = 0.0
) -> Limits:
    """Return limits of a / b for a ≥ 0 and b > 0; the upper one is ∞ where b may be 0.

    Source: Donner and Zou (2012), MOVER-R. Each limit is the θ at which the MOVER limit of
    a − θ·b is 0; the lower one is written so that it stays finite where b's upper limit is 2b.
    """
    if not b > 0:
        raise ValueError(f"a ratio needs a denominator above 0, not {b!r}")
    (a_low, a_high), (b_low, b_high) = a_limits, b_limits
    product = a * b - correlation * (a - a_low) * (b_high - b)
    numerator = a_low * (2 * a - a_low)
    root = math.sqrt(max(0.0, product**2 - numerator * b_high * (2 * b - b_high)))
    low = 0.0 if numerator <= 0 else numerator / (product + root)
    product = a * b - correlation * (a_high - a) * (b - b_low)
    denominator = b_low * (2 * b - b_low)
    if denominator <= 0:
        return low, math.inf
    root = math.sqrt(max(0.0, product**2 - a_high * (2 * a - a_high) * denominator))
    return low, (product + root) / denominator
