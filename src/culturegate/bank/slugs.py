"""Ids that pytest, a shell and a file system take as they are."""

from __future__ import annotations

import hashlib
import re
import unicodedata

MAX_SLUG = 100
"""Leaves room for a language and a suffix in a file name of 120 characters."""

_SLUG = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_OTHER = re.compile(r"[^a-z0-9]+")


def is_slug(text: str) -> bool:
    """Say whether `text` is words of `a-z0-9` joined by single hyphens, and short enough."""
    return len(text) <= MAX_SLUG and _SLUG.fullmatch(text) is not None


def slug(text: str) -> str:
    """Return `text` in ASCII as far as that goes: `Māori` is `maori`, `春节` is empty."""
    folded = unicodedata.normalize("NFKD", text[: MAX_SLUG * 4]).casefold()
    plain = "".join(char for char in folded if not unicodedata.combining(char))
    return _OTHER.sub("-", plain).strip("-")[:MAX_SLUG].rstrip("-")


def unique_slug(text: str) -> str:
    """Return `text` if it is a slug, else a slug with a hash of `text`.

    Two texts give two slugs even where they fold to the same letters.
    """
    if is_slug(text):
        return text
    digest = hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()[:8]
    stem = slug(text)[: MAX_SLUG - 9].rstrip("-")
    return f"{stem}-{digest}" if stem else f"id-{digest}"
