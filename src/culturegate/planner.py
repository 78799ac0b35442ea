"""What one session asks: the cases, and all that has to fit together before anybody is asked."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from culturegate.bank import Bank, load_bank
from culturegate.contamination import Asked, Contamination, find_contamination
from culturegate.errors import CulturegateError
from culturegate.forecast import Forecast, forecast
from culturegate.gate import Thresholds, load_thresholds
from culturegate.models import Recording, read_recording
from culturegate.models.urls import parse
from culturegate.options import Settings
from culturegate.prompts import languages, prompt_hash, templates
from culturegate.reports import Decisions, read_comparable, read_decisions
from culturegate.selection import Selection
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
)
from culturegate.tracks.diagnosis import TRACK as DIAGNOSIS


class Planner:
    """Plans the cases of one session; each part is read when it is first asked for."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings

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
            f"culturegate: {len(cases)} cases, {requests} requests to {self._whom}; protocol "
            f"{settings.protocol.name}, bank seed {settings.bank_seed}, gate profile "
            f"{settings.gate_profile}"
        )

    @property
    def _whom(self) -> str:
        settings = self.settings
        if settings.endpoint is None:
            return f"the {settings.model_kind} model"
        model = settings.model or "the model"
        return one_line(f"{model} at {parse(settings.endpoint).shown}", 120)

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
