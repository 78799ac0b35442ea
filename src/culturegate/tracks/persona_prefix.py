"""One request with a history goes first, so that a server has read it when the others come."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class FirstAlone:
    """Lets the first who comes go alone, and all others once that one is through.

    A server that keeps prefixes keeps them from requests that it has read: several at once with
    one long history would each have it read anew.
    """

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._through = asyncio.Event()

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Wait until the first is through, or be the first; a first that fails is through too."""
        loop = asyncio.get_running_loop()
        if self._loop is loop:
            await self._through.wait()
            yield
            return
        # Another session in this process asks anew, in a loop of its own.
        self._loop, self._through = loop, asyncio.Event()
        through = self._through
        try:
            yield
        finally:
            through.set()
