"""One session of the benchmark, from bank to verdicts; pytest only turns the pages.

In one process the conductor plans, asks and judges. Under xdist each worker's conductor plans and
asks its shard, the records travel on the test reports, and the controller's conductor, which asks
nothing, collects and judges them.
"""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from culturegate.bank import Bank, load_bank
from culturegate.contamination import Asked, Contamination, find_contamination
from culturegate.errors import CallError, CulturegateError
from culturegate.forecast import Forecast, forecast
from culturegate.gate import Thresholds, load_thresholds
from culturegate.models import (
    Budget,
    EndpointConfig,
    EndpointModel,
    Engine,
    Fetching,
    Judged,
    Limits,
    Model,
    ModelInfo,
    Prompt,
    Recording,
    ReplayModel,
    Reply,
    ReplyStore,
    Snapshot,
    read_recording,
)
from culturegate.models.store import NAME as STORE
from culturegate.options import Settings
from culturegate.outcome import Outcome, UnaskedCase
from culturegate.prompts import languages, prompt_hash, templates
from culturegate.reports import Decisions, claim, read_comparable, read_decisions
from culturegate.reports.evidence import ASKED, begin_asking, check_resumable
from culturegate.selection import Selection
from culturegate.shards import share
from culturegate.text import one_line
from culturegate.tracks import (
    TRACKS,
    Case,
    CaseFacts,
    Decidable,
    Decision,
    Plan,
    Protocol,
    Record,
    adjudicate,
)
from culturegate.tracks.diagnosis import TRACK as DIAGNOSIS

MANY = 1000
"""Cases from which on the garbage collector no longer looks at what is there before asking: it
stays to the end, and every look would take longer the larger the bank is."""


SELDOM = 10_000
"""Objects made between two looks of the garbage collector while so many cases are asked: at its
own pace of 700 it takes a seventh of the session."""


class Conductor:
    """Plans, asks and collects the cases of one session."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
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

    @cached_property
    def bank(self) -> Bank:
        """The items, validated; raises `InputError` with every problem of every file."""
        return load_bank(self.settings.items)

    @cached_property
    def plan(self) -> Plan:
        """What decides which cases there are."""
        return self._plan(self.settings.protocol)

    def _plan(self, protocol: Protocol) -> Plan:
        settings = self.settings
        return Plan(
            self.bank,
            protocol,
            settings.bank_seed,
            judged=settings.judge_model is not None,
            home=settings.home,
            awareness_position=settings.awareness_position,
            diagnose=settings.diagnose,
        )

    @cached_property
    def planned(self) -> dict[str, tuple[Case, ...]]:
        """Every case that the protocol names, by track, whatever this session leaves out."""
        return {name: track.cases(self.plan) for name, track in TRACKS.items()}

    @cached_property
    def thresholds(self) -> Thresholds:
        """The lines, checked against the cases they are to judge, where they are to judge any."""
        thresholds = load_thresholds(self.settings.thresholds)
        if self.settings.gate != "off":
            thresholds.check(self.settings.gate_profile, self.facts)
        return thresholds

    @cached_property
    def decisions(self) -> Decisions | None:
        """A person's decisions, checked against the cases; None where no file was named."""
        if self.settings.adjudicated is None:
            return None

        def letters(name: str) -> Sequence[str] | None:
            case = self.decidable(name)
            return None if case is None else case.letters

        return read_decisions(self.settings.adjudicated, letters)

    @cached_property
    def _decided(self) -> dict[str, list[Decision]]:
        by_case: dict[str, list[Decision]] = {}
        for decision in self.decisions.each if self.decisions else ():
            by_case.setdefault(decision.case, []).append(decision)
        return by_case

    def decidable(self, name: str) -> Decidable | None:
        """Return the planned case of this id, if it is one whose replies a person can read."""
        case = self._by_id.get(name)
        return case if isinstance(case, Decidable) else None

    @cached_property
    def prompts(self) -> str:
        """SHA-256 (hex) of every wording that this session asks in, but for the diagnosis's own.

        No line counts those, so a run with them can be compared with one without.
        """
        return prompt_hash(
            (f"{name}/{wording}", text)
            for name, track in TRACKS.items()
            if name != DIAGNOSIS
            for wording, text in track.wordings(self.plan)
        )

    @cached_property
    def baseline(self) -> list[Record] | None:
        """The records of the run to compare with, None where there is none.

        Raises:
            CulturegateError: Where it can't be read, or was asked under another protocol.
        """
        settings = self.settings
        return None if settings.baseline is None else read_comparable(settings.baseline, self.way)

    @property
    def way(self) -> dict[str, Any]:
        """How this session asks, as run.json says it: what runs must share to be compared."""
        settings = self.settings
        return {
            "protocol": settings.protocol.name,
            "protocol_overrides": dict(settings.protocol_overrides),
            "bank_seed": settings.bank_seed,
            "prompt_hash": self.prompts,
            "home": settings.home,
            "awareness_position": settings.awareness_position,
        }

    @cached_property
    def contamination(self) -> Contamination | None:
        """What the corpus holds of the cases; None where no corpus was named.

        Raises:
            CulturegateError: Where it can't be read.
        """
        settings = self.settings
        if not settings.corpus:
            return None
        asked = (
            # A question may be shown with more than the item's own text, which is its passage.
            Asked(case.facts.case, getattr(case, "passage", case.question), case.expected)
            for track, cases in self.planned.items()
            if track != DIAGNOSIS
            for case in cases
        )
        return find_contamination(
            asked, settings.corpus, settings.corpus_ngram, settings.corpus_overlap
        )

    @cached_property
    def recording(self) -> Recording | None:
        """What another tool recorded of the cases; None where no such file is replayed.

        Raises:
            CulturegateError: Where it can't be read, with every bad line.
        """
        if self.settings.replay is None:
            return None
        return read_recording(
            self.settings.replay, self.facts, lambda name: self._by_id[name].choices
        )

    @cached_property
    def facts(self) -> tuple[CaseFacts, ...]:
        """Facts of every planned case."""
        return tuple(case.facts for cases in self.planned.values() for case in cases)

    @property
    def judged_facts(self) -> list[CaseFacts]:
        """Facts of every planned case, with what the corpus adds to them."""
        return [self._tagged(facts) for facts in self.facts]

    def _tagged(self, facts: CaseFacts) -> CaseFacts:
        if self.contamination is None or not self.contamination.is_contaminated(facts.case):
            return facts
        return replace(facts, contaminated=True)

    def select(self, selection: Selection) -> tuple[Case, ...]:
        """Return the cases of a test function, narrowed to the cultures asked for.

        Where another tool's recording is replayed, only cases that it has replies of.

        Raises:
            CulturegateError: Where the bank, thresholds.yaml or the options have problems.
        """
        self.check()
        settings = self.settings
        return tuple(
            case
            for case in self.planned[selection.track]
            if selection.kind in (None, case.facts.kind)
            and (not settings.cultures or case.facts.culture in settings.cultures)
            and (self.recording is None or case.facts.case in self.recording.replies)
        )

    def check(self) -> None:
        """See that the bank, thresholds.yaml and the options fit together.

        Raises:
            CulturegateError: With every problem of what is at fault.
        """
        settings = self.settings
        strange = sorted(set(settings.protocol.myth.langs) - set(languages()))
        if strange:
            message = f"--lang {', '.join(strange)}: there are: {', '.join(languages())}"
            raise CulturegateError(message)
        asked = settings.protocol.myth
        most = min(len(templates("myth", lang)) for lang in asked.langs)
        if asked.templates > most:
            message = f"--templates {asked.templates}: there are {most} wordings"
            raise CulturegateError(message)
        unknown = sorted(set(settings.cultures) - set(self.cultures))
        if unknown:
            message = (
                f"--culture {', '.join(unknown)}: no such culture in the bank; "
                f"there are: {', '.join(self.cultures)}"
            )
            raise CulturegateError(message)
        _ = self.thresholds, self.decisions, self.baseline, self.recording

    def nothing(self, tracks: Collection[str] = ()) -> str:
        """Return why no case of these tracks is left to ask, and what there is."""
        if set(tracks) == {DIAGNOSIS} and not self.settings.diagnose:
            return "0 cases selected: the diagnosis is asked with --diagnose"
        if self.recording is not None and not self.recording.replies:
            return f"0 cases selected by --replay: {self.recording.warnings[0]}"
        langs = sorted({lang for item in self.bank.myth for lang in item.langs})
        return (
            f"0 cases selected by --culture {', '.join(self.settings.cultures) or 'any'} and "
            f"--lang {', '.join(self.settings.protocol.myth.langs)}; the bank has "
            f"{len(self.bank.myth)} items, cultures {', '.join(self.cultures)}, "
            f"languages {', '.join(langs)}"
        )

    @cached_property
    def cultures(self) -> tuple[str, ...]:
        """Cultures that there are cases of under this protocol, or items of, sorted."""
        return tuple(sorted({fact.culture for fact in self.facts} | set(self.bank.cultures)))

    @cached_property
    def _by_id(self) -> dict[str, Case]:
        return {case.facts.case: case for cases in self.planned.values() for case in cases}

    def case_of(self, nodeid: str) -> Case | None:
        """Return the planned case that a node id names in its brackets, None where there is none.

        A bank that can't be read has no cases; `check` says why.
        """
        name = nodeid.rpartition("[")[2].removesuffix("]")
        if name == nodeid:
            return None
        try:
            return self._by_id.get(name)
        except CulturegateError:
            return None

    def is_lost(self, nodeid: str, when: str | None) -> bool:
        """Return whether a failed report stands for a case whose worker died while running it."""
        # xdist reports what a crashed worker was running under this phase.
        return when == "???" and self.case_of(nodeid) is not None

    def announce(self, cases: Sequence[Case]) -> str:
        """Return one line that says what is about to be asked of whom."""
        settings = self.settings
        requests = sum(case.requests for case in cases)
        return (
            f"culturegate: {len(cases)} cases, {requests} requests to the {settings.model_kind} "
            f"model; protocol {settings.protocol.name}, bank seed {settings.bank_seed}, "
            f"gate profile {settings.gate_profile}"
        )

    def forecasts(self, cases: Sequence[Case]) -> list[Forecast]:
        """Return what each protocol would ask of the same kinds and cultures as these cases."""
        settings = self.settings
        groups = {(case.facts.track, case.facts.kind, case.facts.culture) for case in cases}
        found = []
        for protocol in settings.protocols:
            plan = self._plan(protocol)
            asked = [
                case
                for name in sorted({track for track, _, _ in groups})
                for case in TRACKS[name].cases(plan)
                if (case.facts.track, case.facts.kind, case.facts.culture) in groups
            ]
            found.append(
                forecast(
                    protocol.name,
                    asked,
                    price=settings.price,
                    max_connections=settings.max_connections,
                    rpm=settings.rpm,
                    tpm=settings.tpm,
                )
            )
        return found

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
            model = self._model()
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
            self._model(worker),
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

    def _model(self, worker: tuple[int, int] = (0, 1)) -> Model:
        """Return who answers: the model under test, and beside it the judge where one is named."""
        settings = self.settings
        model = self._connect(worker)
        if settings.judge_model is None or settings.replay is not None:
            return model
        _, workers = worker
        judge = EndpointModel(
            EndpointConfig(
                base_url=settings.judge_endpoint,
                model=settings.judge_model,
                api_key=settings.judge_key,
                key_variable="CULTUREGATE_JUDGE_API_KEY",
                timeout=settings.request_timeout,
                max_connections=share(settings.max_connections, *worker),
                rpm=settings.rpm and settings.rpm / workers,
                tpm=settings.tpm and settings.tpm / workers,
            )
        )
        return Judged(model, judge)

    def _connect(self, worker: tuple[int, int]) -> Model:
        settings = self.settings
        if settings.replay is not None:
            return ReplayModel(settings.replay, self.recording)
        if settings.endpoint is None:
            from culturegate.models.embedded import EmbeddedConfig, EmbeddedModel

            return EmbeddedModel(EmbeddedConfig(progress=Fetching()))
        _, workers = worker
        return EndpointModel(
            EndpointConfig(
                base_url=settings.endpoint,
                model=settings.model,
                api_key=settings.api_key,
                timeout=settings.request_timeout,
                stream=settings.stream,
                max_connections=share(settings.max_connections, *worker),
                rpm=settings.rpm and settings.rpm / workers,
                tpm=settings.tpm and settings.tpm / workers,
            )
        )

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
