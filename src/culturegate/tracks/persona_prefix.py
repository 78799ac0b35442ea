"""Few histories in work at once, and of each the first request alone, so that it is read once.

A server that keeps prefixes keeps them from requests that it has read, and only as long as it has
room: several requests at once with one long history, or many histories at once, would have each
read anew.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

HISTORIES = 4
"""Histories in work at once; the embedded model has room for about ten."""


@dataclass(slots=True)
class _Slot:
    """One history in work."""

    users: int = 0
    held: bool = False
    through: asyncio.Event = field(default_factory=asyncio.Event)


class Turns:
    """Turns of all requests that begin with a history."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._free = asyncio.Semaphore(HISTORIES)
        self._slots: dict[str, _Slot] = {}

    @asynccontextmanager
    async def turn(self, history: str) -> AsyncIterator[None]:
        """Wait for the history's turn; its others wait until the first is through, or failed."""
        loop = asyncio.get_running_loop()
        if self._loop is not loop:
            # Another session in this process asks anew, in a loop of its own.
            self._loop, self._free, self._slots = loop, asyncio.Semaphore(HISTORIES), {}
        free, slots = self._free, self._slots
        slot = slots.setdefault(history, _Slot())
        slot.users += 1
        try:
            if slot.users == 1:
                try:
                    await free.acquire()
                    slot.held = True
                    yield
                finally:
                    slot.through.set()
            else:
                await slot.through.wait()
                yield
        finally:
            slot.users -= 1
            if slot.users == 0:
                del slots[history]
                if slot.held:
                    free.release()
