"""When to ask again: how long a server wants us to wait, and how long we wait unasked."""

from __future__ import annotations

import asyncio
import random
import re
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime

FIRST_WAIT = 0.5
LONGEST_WAIT = 20.0
_NUMBER = re.compile(r"\s*\d{1,9}(\.\d{1,9})?\s*")


class Clock:
    """The time and the waiting; tests put their own in its place."""

    def now(self) -> float:
        """Return seconds on a clock that never jumps."""
        return time.monotonic()

    def wall(self) -> float:
        """Return seconds since 1970."""
        return time.time()

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        await asyncio.sleep(seconds)


def retry_after(headers: Mapping[str, str], wall: float) -> float | None:
    """Return the seconds that a reply's headers ask to wait, or None where they do not say.

    `Retry-After` is seconds or an HTTP date (RFC 9110, section 10.2.3); `Retry-After-Ms` goes
    before it. Anything else, a negative number or a date gone by, counts as not said.
    """
    milliseconds = headers.get("retry-after-ms", "")
    if _NUMBER.fullmatch(milliseconds):
        return float(milliseconds) / 1000
    value = headers.get("retry-after", "")
    if _NUMBER.fullmatch(value):
        return float(value)
    if len(value) > 64:
        return None
    try:
        wait = parsedate_to_datetime(value).timestamp() - wall
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    return wait if wait >= 0 else None


def backoff(attempt: int) -> float:
    """Return the seconds to wait before retry `attempt` (from 0): doubling, with full jitter.

    At least half of the step is always waited, so that a crowd of callers spreads out and still
    gives the server time.
    """
    step = min(FIRST_WAIT * 2.0 ** min(attempt, 16), LONGEST_WAIT)
    return step * random.uniform(0.5, 1.0)
