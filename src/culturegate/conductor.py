"""One session of the benchmark, from bank to verdicts; pytest only turns the pages.

In one process the conductor plans, asks and judges. Under xdist each worker's conductor plans and
asks its shard, the records travel on the test reports, and the controller's conductor, which asks
nothing, collects and judges them.
"""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from culturegate.connect import connect
from culturegate.errors import CallError, CulturegateError
from culturegate.models import (
    Budget,
    Engine,
    Limits,
    ModelInfo,
    Prompt,
    Reply,
    ReplyStore,
    Snapshot,
)
from culturegate.models.store import NAME as STORE
from culturegate.options import Settings
from culturegate.outcome import Outcome, UnaskedCase
from culturegate.planner import Planner
from culturegate.reports import claim
from culturegate.reports.evidence import ASKED, begin_asking, check_resumable
from culturegate.shards import share
from culturegate.text import one_line
from culturegate.tracks import (
    Case,
    Decidable,
    Record,
    adjudicate,
)

MANY = 1000
"""Cases from which on the garbage collector no longer looks at what is there before asking: it
stays to the end, and every look would take longer the larger the bank is."""


SELDOM = 10_000
"""Objects made between two looks of the garbage collector while so many cases are asked: at its
own pace of 700 it takes a seventh of the session."""


class Conductor(Planner):
    """Plans, asks and collects the cases of one session."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self.selected: tuple[str, ...] = ()
        """Ids of the cases that this session set out to ask."""
        self.records: dict[str, Record] = {}
        self.efficiency: dict[str, dict[str, Any]] = {}
        self.info: ModelInfo | None = None
        self.started = datetime.now(UTC)
        self.stopped: str | None = None
        """Why nobody can be asked any more; None while somebody can."""
        self._thresholds_of_gc = gc.get_threshold()
        self._made: Sequence[Path] = ()
        self._snapshots: dict[str, Snapshot] = {}
        self._engine: Engine[Record] | None = None
        self._store: ReplyStore | None = None

    def expect(self, cases: Sequence[Case]) -> None:
        """Get ready to judge these cases.

        Raises:
            CulturegateError: Where the run's directory can't be written or holds a run.
        """
        _ = self.contamination  # A corpus that can't be read ends the run before the first case.
        self.selected = tuple(case.facts.case for case in cases)
        directory = self.settings.run_dir
        made = [] if directory.exists() else [directory]
        claim(directory)
        store = directory / STORE
        way = self.way | {
            "model": self.settings.model or self.settings.model_kind,
            "judge_model": self.settings.judge_model,
            "bank_hash": self.bank.sha256,
        }
        if self.settings.resume:
            check_resumable(directory, way)
            return
        if store.exists() or (directory / "records.jsonl").exists():
            message = (
                f"{directory} holds a run already; give another --run-dir, or --resume to go on "
                "with this one"
            )
            raise CulturegateError(message)
        begin_asking(directory, way)
        self._made = [
            directory / ASKED,
            *(Path(f"{store}{end}") for end in ("", "-wal", "-shm")),
            *made,
        ]

    def withdraw(self) -> None:
        """Take `expect` back, where nobody could be asked: what would be left is no run."""
        self.end()
        self.selected = ()
        for path in self._made:
            with suppress(OSError):
                path.rmdir() if path.is_dir() else path.unlink()

    def reach(self) -> None:
        """See on the controller that the model can be asked, before workers ask it.

        Raises:
            CulturegateError: Where it can't; the message says why.
        """

        async def check() -> ModelInfo:
            model = connect(self.settings, self.recording, (0, 1))
            try:
                return await model.check()
            finally:
                await model.aclose()

        self.info = asyncio.run(check())

    def warm_up(self) -> None:
        """Import the client of an endpoint, where one will be asked: it takes half a second."""
        if self.settings.endpoint is not None and self.settings.replay is None:
            import openai  # noqa: F401

    def begin(self, cases: Sequence[Case], *, worker: tuple[int, int] = (0, 1)) -> None:
        """Start asking, in this order.

        Args:
            cases: What this process asks ahead.
            worker: Index and number of the processes that share the session's limits.

        Raises:
            CulturegateError: Where the model can't be reached or the store can't be written.
        """
        settings = self.settings
        if len(cases) >= MANY:
            gc.freeze()
            gc.set_threshold(SELDOM, *self._thresholds_of_gc[1:])
        self._store = ReplyStore(settings.run_dir / STORE)
        limits = Limits(settings.max_cost, settings.max_tokens_total, settings.max_minutes)
        self._engine = Engine(
            connect(settings, self.recording, worker),
            cases,
            max_connections=share(settings.max_connections, *worker),
            store=self._store,
            resume=settings.resume,
            budget=Budget(
                limits.share(*worker),
                settings.price,
                judged=settings.judge_model is not None,
                judge=settings.judge_price,
            ),
        )
        self.info = self._engine.start()

    def outcome(self, case: Case) -> Outcome:
        """Return what became of a case, waiting for it where it has to be.

        Raises:
            UnaskedCase: Where failed calls leave the case without an outcome.
        """
        replies: list[tuple[Prompt, Reply]] = []
        try:
            if self._engine is None:
                raise CallError("cancelled", self.stopped or "nobody was asked in this session")
            record = self._engine.outcome(case)
            replies = self._engine.replies(case.facts.case)
            decided = self._decided.get(case.facts.case)
            if decided and isinstance(case, Decidable):
                texts = {reply.key: reply.text or "" for _, reply in replies}
                record = adjudicate(case, record, texts, decided)
        except (CulturegateError, CallError) as error:
            if isinstance(error, CulturegateError):
                self.stopped = str(error)
            record = Record(case.facts, (), passed=None, error=one_line(str(error), 500))
        outcome = Outcome(case, record, replies)
        if record.error is not None:
            raise UnaskedCase(outcome)
        return outcome

    def snapshot(self) -> Snapshot:
        """Return how far the session is: this process's engine, or all workers' together."""
        if self._engine is not None:
            return self._engine.snapshot()
        workers = Snapshot.total_of(list(self._snapshots.values()))
        return replace(workers, total=len(self.selected))

    def collect(self, outcome: Outcome) -> Record:
        """Take one outcome of this process, and return its record."""
        return self._keep(outcome.record, outcome.efficiency)

    def receive(self, payload: Mapping[str, Any], worker: str) -> Record:
        """Take the plain data of one outcome of a worker, and return its record."""
        self._snapshots[worker] = Snapshot(**payload["progress"])
        return self._keep(Record.from_dict(payload["record"]), payload["efficiency"])

    def _keep(self, record: Record, efficiency: dict[str, Any]) -> Record:
        # Here, where all records pass, so that no worker has to read the corpus.
        if self.contamination is not None:
            record = replace(record, facts=self._tagged(record.facts))
        self.records[record.facts.case] = record
        self.efficiency[record.facts.case] = efficiency
        return record

    def harvest(self) -> None:
        """Collect the cases that were answered ahead of an interrupted session's last test."""
        for name in self.selected:
            if self._engine is None or name in self.records or not self._engine.is_ready(name):
                continue
            try:
                outcome = self.outcome(self._by_id[name])
            except UnaskedCase as unasked:
                outcome = unasked.outcome
            self.collect(outcome)

    def end(self) -> None:
        """Stop asking; what was answered is kept."""
        if gc.get_threshold() != self._thresholds_of_gc:
            gc.freeze()  # pytest collects five times when it ends, each time over all it keeps.
            gc.set_threshold(*self._thresholds_of_gc)
        if self._engine is not None:
            self._engine.close()
            fault = self._engine.fault
            self.stopped = str(fault) if fault else self._engine.budget_spent or self.stopped
        if self._store is not None:
            self._store.close()
