"""The engine: asks the planned cases ahead of pytest, on one background event loop.

`start` reaches the model and lets K consumers loose on one iterator over the cases, in pytest's
order. Each consumer runs one case at a time; a case sends its prompts through an `ask` that waits
for one of the session's connections. A window bounds how far the consumers run ahead of the case
that pytest has come to. `outcome` hands over one case's result and waits where it is not there
yet; a case that no consumer has reached by then is started at once, whatever the window says, so
that no order of tests can lock up. `close` cancels what is in flight.

All state belongs to the loop's thread but for what `outcome` reads and for the position, each a
single step under the interpreter's lock; a lock of our own is taken only to wait.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, Generic, NoReturn, TypeVar

from culturegate.errors import CallError, CulturegateError
from culturegate.models.base import Model, ModelInfo, Prompt, Reply
from culturegate.models.budget import Budget
from culturegate.models.case import CaseLike
from culturegate.models.connections import Connections, being_cancelled
from culturegate.models.progress import Snapshot
from culturegate.models.store import ReplyStore

R = TypeVar("R")

KEPT = 64
"""Fetched cases whose result and replies stay at hand."""
POLL = 0.2
"""Seconds between looks at the engine's health while a thread waits for it."""
GRACE = 1.0
"""Seconds that cancelled calls, and then the model, get to end."""


@dataclass(slots=True)
class _Run(Generic[R]):
    """One case under way, then its result."""

    case: str
    replies: list[tuple[Prompt, Reply]] = field(default_factory=list)
    asked: int = 0
    result: R | None = None
    error: BaseException | None = None


class Engine(Generic[R]):
    """Asks cases ahead of the thread that fetches their results; one `start`, one `close`."""

    def __init__(
        self,
        model: Model,
        cases: Sequence[CaseLike[R]],
        *,
        max_connections: int,
        store: ReplyStore | None = None,
        resume: bool = False,
        window: int | None = None,
        budget: Budget | None = None,
    ) -> None:
        """Plan a session.

        Args:
            model: Who is asked; closed by the engine.
            cases: What to ask ahead, in the order in which it will be fetched.
            max_connections: Most calls in flight.
            store: Where every reply goes as it arrives; flushed, not closed, by the engine.
            resume: Whether a reply that the store holds already is taken from there.
            window: How many cases beyond the last one fetched may be under way or waiting.
            budget: What may be spent.
        """
        self._model = model
        self._cases = cases
        self._place = {case.facts.case: place for place, case in enumerate(cases)}
        self._consumers = min(max_connections, len(cases))
        self._store = store
        self._window = window or max(256, 4 * max_connections)
        self._budget = budget or Budget()
        self._line = Connections(model, max_connections, store, resume=resume, budget=self._budget)

        self._next = 0
        self._position = 0
        self._taken = bytearray(len(cases))
        self._running: set[str] = set()
        self._finished: dict[str, _Run[R]] = {}
        self._kept: dict[str, _Run[R]] = {}
        self._awaited: set[str] = set()
        self._arrived = threading.Condition()
        self._paused = False
        self._stop: BaseException | None = None
        self._closing = False
        self._info: ModelInfo | None = None

        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._room: asyncio.Event
        self._end: asyncio.Event
        self._tasks: set[asyncio.Task[None]] = set()

        self.done = 0
        """Cases with a result."""

    @property
    def budget_spent(self) -> str | None:
        """Which budget is spent, in a sentence; None while none is."""
        return self._budget.spent

    @property
    def fault(self) -> CulturegateError | None:
        """Why the run had to stop, or could not store all replies; None if all is well."""
        return self._stop if isinstance(self._stop, CulturegateError) else None

    def snapshot(self) -> Snapshot:
        """Return how far the session is; any thread may ask."""
        counters = getattr(self._model, "counters", None)
        return Snapshot(
            total=len(self._cases),
            done=self.done,
            in_flight=self._line.in_flight,
            answered=self._line.answered,
            reused=self._line.reused,
            failed=self._line.failed,
            retries=getattr(counters, "retries", 0),
            rate_limited=getattr(counters, "rate_limited", 0),
            waits=getattr(counters, "waits", 0),
            waited=getattr(counters, "waited", 0.0),
        )

    def start(self) -> ModelInfo:
        """Reach the model, begin to ask, and return who answers.

        Raises:
            CulturegateError: Where nobody can be asked (`ModelUnavailable`), or the store fails.
        """
        self._thread = threading.Thread(target=self._live, name="culturegate-engine", daemon=True)
        self._thread.start()
        with self._arrived:
            while self._info is None and self._thread.is_alive():
                self._arrived.wait(POLL)
        if self._info is None:
            self._give_up()
        return self._info

    def outcome(self, case: CaseLike[R]) -> R:
        """Return the case's result, waiting for it where it has to be.

        Raises:
            CulturegateError: Where the whole run must stop.
            CallError: Of kind `cancelled`, where the engine was closed first.
            Exception: Whatever the case's `run` raised.
        """
        name = case.facts.case
        run = self._kept.get(name) or self._finished.get(name)
        if run is None:
            run = self._wait(case, name)
        self._fetched(name, run)
        if run.error is not None:
            raise run.error
        return run.result  # type: ignore[return-value]  # R may itself include None

    def is_ready(self, case: str) -> bool:
        """Return whether a case has a result, so that `outcome` returns or raises at once."""
        return case in self._kept or case in self._finished

    def replies(self, case: str) -> list[tuple[Prompt, Reply]]:
        """Return what a fetched case asked and got, in order of arrival.

        Only the last cases fetched are kept; an older one gives an empty list.
        """
        run = self._kept.get(case)
        return [] if run is None else list(run.replies)

    def close(self) -> None:
        """Cancel what is in flight and release the model; replies that arrived stay stored.

        Takes a few seconds at most, whatever the model does; may be called more than once. Raises
        nothing: `fault` then says what could not be stored.
        """
        self._closing = True
        if self._thread is not None and self._thread.is_alive():
            self._tell(lambda: self._end.set())
            self._thread.join(3 * GRACE)
        if self._store is not None:
            try:
                self._store.flush()
            except CulturegateError as error:
                self._stop = self._stop or error

    # The fetching thread's side.

    def _fetched(self, name: str, run: _Run[R]) -> None:
        self._finished.pop(name, None)
        self._kept[name] = run
        while len(self._kept) > KEPT:
            del self._kept[next(iter(self._kept))]
        self._move_on(name, 1)

    def _move_on(self, name: str, step: int) -> None:
        position = self._place.get(name, -1) + step
        if position <= self._position:
            return
        self._position = position
        # Consumers wake for a quarter of a window rather than for each case fetched.
        room = position + self._window - self._next
        if self._paused and room >= max(1, self._window // 4):
            self._paused = False
            self._tell(lambda: self._room.set())

    def _wait(self, case: CaseLike[R], name: str) -> _Run[R]:
        if self._stop is not None or self._closing or self._thread is None:
            self._give_up()
        self._move_on(name, 0)
        with self._arrived:
            self._awaited.add(name)
            try:
                if name not in self._running:
                    self._tell(lambda: self._demand(case, name))
                while (run := self._finished.get(name)) is None:
                    if self._stop is not None or not self._thread.is_alive():
                        self._give_up()
                    # A bounded wait: Ctrl-C interrupts it everywhere, and a dead loop is noticed.
                    self._arrived.wait(POLL)
            finally:
                self._awaited.discard(name)
        return run

    def _give_up(self) -> NoReturn:
        if isinstance(self._stop, CulturegateError):
            raise self._stop
        if self._stop is not None:
            raise RuntimeError("the engine broke down") from self._stop
        raise CallError("cancelled", "the run was stopped before this case was answered")

    def _tell(self, callback: Callable[[], object]) -> None:
        if self._loop is not None:
            try:
                self._loop.call_soon_threadsafe(callback)
            except RuntimeError:
                return  # The loop has closed; whoever waits sees that for itself.

    # The loop's side.

    def _live(self) -> None:
        try:
            asyncio.run(self._session())
        except BaseException as error:
            self._halt(error)
        finally:
            self._wake_all()

    async def _session(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._room, self._end = asyncio.Event(), asyncio.Event()
        try:
            if self._closing:
                return
            ended = asyncio.ensure_future(self._end.wait())
            check = asyncio.ensure_future(self._model.check())
            await asyncio.wait({ended, check}, return_when=asyncio.FIRST_COMPLETED)
            if not check.done():
                check.cancel()
                return
            self._info = check.result()
            for _ in range(self._consumers):
                self._spawn(self._consume())
            self._wake_all()
            await ended
        finally:
            for task in self._tasks:
                task.cancel()
            if self._tasks:
                await asyncio.wait(self._tasks, timeout=GRACE)
            with suppress(Exception):  # Everything is stored; nothing is left to go wrong.
                async with asyncio.timeout(GRACE):
                    await self._model.aclose()

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _consume(self) -> None:
        while self._stop is None and (place := await self._take()) is not None:
            case = self._cases[place]
            await self._run(case, case.facts.case)

    async def _take(self) -> int | None:
        """Return the next place in the plan, once the window lets it in; None at the end."""
        while self._next < len(self._cases):
            if self._next >= self._position + self._window:
                self._room.clear()
                self._paused = True
                # Looked at again, since the position may have moved just before the flag was up.
                if self._next >= self._position + self._window:
                    await self._room.wait()
                continue
            place, self._next = self._next, self._next + 1
            if not self._taken[place]:
                self._taken[place] = True
                return place
        return None

    def _demand(self, case: CaseLike[R], name: str) -> None:
        # In this order: a result is taken away only after its name has left `_awaited`, so a case
        # that was answered while this call was on its way is not asked again.
        if name in self._running or name in self._finished or name not in self._awaited:
            return
        if (place := self._place.get(name)) is not None:
            self._taken[place] = True
        self._spawn(self._run(case, name))

    async def _run(self, case: CaseLike[R], name: str) -> None:
        run: _Run[R] = _Run(name)
        self._running.add(name)
        try:
            run.result = await case.run(lambda prompt: self._ask(run, prompt))
        except CulturegateError as error:
            self._halt(error)
            return
        except asyncio.CancelledError as error:
            if being_cancelled():
                raise
            run.error = CallError("cancelled", f"the case cancelled itself: {error!r}")
        except BaseException as error:
            run.error = error
        finally:
            self._running.discard(name)
        self._finished[name] = run
        self.done += 1
        if name in self._awaited:
            self._wake_all()

    async def _ask(self, run: _Run[R], prompt: Prompt) -> Reply:
        assert self._info is not None  # No case runs before the model was reached.
        trial = run.asked if prompt.trial is None else prompt.trial
        prompt = replace(prompt, case=run.case, trial=trial)
        run.asked += 1
        try:
            reply = await self._line.ask(prompt, self._info)
        except CulturegateError as error:
            self._halt(error)
            raise
        run.replies.append((prompt, reply))
        return reply

    def _halt(self, error: BaseException) -> None:
        """Stop the run for good, for a reason that every further case would meet."""
        if self._stop is None:
            self._stop = error
        for task in self._tasks:
            task.cancel()
        self._wake_all()

    def _wake_all(self) -> None:
        with self._arrived:
            self._arrived.notify_all()
