"""Texts as they are compared: what a reader would take for the same."""

from __future__ import annotations

import unicodedata


def folded(text: str) -> str:
    """Return `text` composed, case-folded, with white space as single spaces, marks unseen gone."""
    composed = unicodedata.normalize("NFC", text).casefold()
    if not composed.isascii():
        composed = "".join(char for char in composed if unicodedata.category(char) != "Cf")
    return unicodedata.normalize("NFC", " ".join(composed.split()))
