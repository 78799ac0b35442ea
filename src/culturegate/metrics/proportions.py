"""Proportions as they are published: whether a number of replies can give them."""

from __future__ import annotations

import re
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

_SHARE = re.compile(r"(\d{1,3}(?:\.\d{1,12})?)\s?(%?)", re.ASCII)


def count_of(rate: str, n: int) -> int:
    """Return how many of `n` replies a written share is: `0.8` or `80%` of 30 is 24.

    The share may be rounded as it is written, half a unit of its last digit either way. Raises
    `ValueError` where it is no share, or where no whole number of replies gives it.
    """
    found = _SHARE.fullmatch(rate.strip())
    if found is None:
        raise ValueError(f"{rate.strip()[:40]!r} is no share; write it like 0.82 or 82%")
    if n < 1:
        raise ValueError(f"a share of {n} replies says nothing")
    scale = 100 if found[2] else 1
    value = Decimal(found[1]) / scale
    if value > 1:
        raise ValueError(f"{rate.strip()} is more than all; write percentages with %")
    written = -int(Decimal(found[1]).as_tuple().exponent)
    half = Decimal(5).scaleb(-written - 1) / scale
    below = int((value * n).to_integral_value(ROUND_FLOOR))
    above = int((value * n).to_integral_value(ROUND_CEILING))
    nearest = min((below, above), key=lambda count: abs(Decimal(count) / n - value))
    if abs(Decimal(nearest) / n - value) > half:
        raise ValueError(
            f"{rate.strip()} of {n} is no whole number of replies: {below} of {n} is "
            f"{below / n:.4g}, {above} of {n} is {above / n:.4g}"
        )
    return nearest
