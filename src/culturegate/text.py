"""Untrusted text at the border: bounded, printable, valid UTF-8."""

from __future__ import annotations

import re

# C0 and C1 controls except tab and newline; line and paragraph separators; bidi overrides, which
# can make a terminal or a report show something other than what is there; lone surrogates, which
# no UTF-8 writer accepts.
_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)


def clean(text: str, limit: int | None = None) -> str:
    """Return `text` with unsafe characters as U+FFFD, cut to `limit` characters with `…`."""
    safe = _UNSAFE.sub("\ufffd", text.replace("\r\n", "\n"))
    if limit is not None and len(safe) > limit:
        return safe[: max(limit - 1, 0)] + "…"
    return safe


def one_line(text: str, limit: int = 200) -> str:
    """Return `text` cleaned, with white space folded to single spaces, for a table or a message."""
    # Cut first: folding a megabyte only to show two hundred characters would cost a pass over it.
    head = text[: limit * 8]
    return clean(" ".join(head.split()) + ("…" if len(text) > len(head) else ""), limit)
