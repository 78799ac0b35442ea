"""How fast an endpoint is asked: requests in flight, requests a minute, tokens a minute."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from culturegate.models.retry import Clock


@dataclass(slots=True)
class Counters:
    """What asking took, for the progress line and the summary."""

    requests: int = 0
    """Requests sent, retries included."""
    replies: int = 0
    retries: int = 0
    rate_limited: int = 0
    """Answers of 429."""
    timeouts: int = 0
    waits: int = 0
    """How often a request was held back: by a 429, a failure, or `--rpm` and `--tpm`."""
    waited: float = 0.0
    """Seconds held back, summed over requests."""


class AdaptiveLimit:
    """Requests in flight: halved when the server says 429, grown by one a round of successes.

    A burst of 429s to requests that were all sent before the last shrinking halves the limit once,
    not once each.
    """

    def __init__(self, most: int, clock: Clock) -> None:
        if most < 1:
            raise ValueError(f"most must be at least 1, got {most}")
        self.most = most
        self.limit = most
        self.in_flight = 0
        self._clock = clock
        self._shrunk_at = float("-inf")
        self._successes = 0
        self._resume_at = float("-inf")
        self._waiting: deque[asyncio.Future[None]] = deque()

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[float]:
        """Hold one place in flight; gives the time when it was taken."""
        await self._take()
        try:
            yield self._clock.now()
        finally:
            self.in_flight -= 1
            self._wake()

    def succeeded(self) -> None:
        """Count a success; a limit's worth of them in a row lets one more in."""
        self._successes += 1
        if self._successes >= self.limit and self.limit < self.most:
            self.limit += 1
            self._successes = 0
            self._wake()

    def refused(self, sent_at: float, wait: float | None) -> None:
        """Shrink after a 429 to a request sent at `sent_at`; hold all others `wait` seconds."""
        if wait is not None:
            self._resume_at = max(self._resume_at, self._clock.now() + wait)
        self._successes = 0
        if sent_at > self._shrunk_at:
            self.limit = max(1, self.limit // 2)
            self._shrunk_at = self._clock.now()

    async def _take(self) -> None:
        while True:
            pause = self._resume_at - self._clock.now()
            if pause > 0:
                await self._clock.sleep(pause)
            elif self.in_flight < self.limit:
                break
            else:
                await self._queue()
        self.in_flight += 1

    async def _queue(self) -> None:
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            # A turn given to a caller who has left must not be lost.
            if turn.done() and not turn.cancelled():
                self._wake()
            raise

    def _wake(self) -> None:
        free = self.limit - self.in_flight
        while self._waiting and free > 0:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                free -= 1


class Pace:
    """A rate a minute, spread evenly: no burst, so that no window of the server's is overrun."""

    def __init__(self, per_minute: float, clock: Clock) -> None:
        if not per_minute > 0:
            raise ValueError(f"a rate must be above 0 a minute, got {per_minute}")
        self._seconds_each = 60.0 / per_minute
        self._clock = clock
        self._next = float("-inf")

    def reserve(self, amount: float) -> float:
        """Book `amount` and return the seconds to wait before using it."""
        now = self._clock.now()
        start = max(self._next, now)
        self._next = start + amount * self._seconds_each
        return start - now

    def settle(self, reserved: float, used: float) -> None:
        """Correct a booking once the true amount is known."""
        self._next += (used - reserved) * self._seconds_each
