"""The session's connections: every call of every case passes here, and every reply is kept here."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from culturegate.errors import CallError
from culturegate.models.base import Model, ModelInfo, Prompt, Reply
from culturegate.models.budget import Budget
from culturegate.models.store import ReplyStore


class Connections:
    """Lets so many calls through at once, within the budget; lives on the engine's loop."""

    def __init__(
        self, model: Model, most: int, store: ReplyStore | None, *, resume: bool, budget: Budget
    ) -> None:
        self._model = model
        self._slots = asyncio.Semaphore(most)
        self._store = store
        self._resume = resume
        self._budget = budget
        self.answered = 0
        """Replies that the model gave."""
        self.reused = 0
        """Replies taken from the store instead."""
        self.failed = 0
        """Calls that gave no reply, after their retries."""
        self.in_flight = 0
        """Calls that the model is at work on."""

    async def ask(self, prompt: Prompt, info: ModelInfo) -> Reply:
        """Return the reply to one prompt, from the store where the run is resumed.

        Raises:
            CallError: Where this call failed, or the budget is spent.
            CulturegateError: Where every further call would fail, or the reply cannot be kept.
        """
        key = prompt.key(info.name)
        if self._resume and self._store is not None:
            stored = self._store.get(key, info.base_url)
            if stored is not None:
                self.reused += 1
                return stored
        async with self._slots:
            try:
                reply = await self._call(prompt)
            except CallError as error:
                self.failed += error.kind != "unrecorded"
                raise
            # From here to the store nothing may wait: a reply that is here must not get lost.
            self.answered += 1
            if reply.key != key:
                reply = replace(reply, key=key)
            if self._store is not None:
                self._store.put(prompt, reply, info)
            self._budget.count(prompt, reply.usage)
        return reply

    async def _call(self, prompt: Prompt) -> Reply:
        if (spent := self._budget.check()) is not None:
            raise CallError("budget", spent)
        self.in_flight += 1
        seconds = self._budget.seconds_left
        try:
            if seconds is None:
                return await self._model.ask(prompt)
            async with asyncio.timeout(seconds):
                return await self._model.ask(prompt)
        except TimeoutError:
            if self._budget.seconds_left != 0.0:
                raise
            raise CallError("budget", self._budget.check() or "the time limit is over") from None
        except asyncio.CancelledError:
            if being_cancelled():
                raise
            # A cancellation from within the client is a failed call; let through, it would end
            # the engine's consumer.
            raise CallError("cancelled", "the call was cancelled by the client") from None
        finally:
            self.in_flight -= 1


def being_cancelled() -> bool:
    """Return whether someone asked the current task to end."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
