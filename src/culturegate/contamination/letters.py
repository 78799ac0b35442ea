"""Text as letters and digits: what is left of a text when layout and punctuation are taken away."""

from __future__ import annotations

import sys
import unicodedata
from functools import cache

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.uint32]

_KEPT = ("L", "N", "M")
"""Categories that stay. Marks are letters' parts in Devanagari, Arabic or Thai."""


@cache
def _is_kept() -> NDArray[np.bool_]:
    return np.fromiter(
        (unicodedata.category(chr(code))[0] in _KEPT for code in range(sys.maxunicode + 1)),
        dtype=bool,
        count=sys.maxunicode + 1,
    )


def letters(text: str) -> Codes:
    """Return the code points of a text's letters and digits, lower-cased, in one width (NFKC)."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
    raw = np.frombuffer(text.lower().encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    kept: Codes = raw[_is_kept()[raw]]
    return kept


def grams(codes: Codes, size: int) -> NDArray[np.uint64]:
    """Return a 64-bit hash of each stretch of `size` code points, in order.

    Two different stretches share a hash with probability 2⁻⁶⁴ or so: a polynomial in the odd
    multiplier of Steele and Vigna (2021), mixed by the finaliser of splitmix64.
    """
    if len(codes) < size:
        return np.empty(0, dtype=np.uint64)
    multiplier = np.uint64(0xD1342543DE82EF95)
    wide = codes.astype(np.uint64)
    count = len(codes) - size + 1
    found = np.zeros(count, dtype=np.uint64)
    for offset in range(size):
        found *= multiplier
        found += wide[offset : offset + count]
    found ^= found >> np.uint64(30)
    found *= np.uint64(0xBF58476D1CE4E5B9)
    found ^= found >> np.uint64(27)
    return found
