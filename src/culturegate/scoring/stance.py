"""Where a reply stands to being asked: refused, unsure, how confident it says it is."""

from __future__ import annotations


def stated_confidence(text: str, lang: str) -> float | None:
    """Return the confidence that a plain text states, 0 to 1, or None."""
    return None
