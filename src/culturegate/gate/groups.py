"""A line on one group: which cases it rests on, what was measured, and what stands in its way."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product

import numpy as np

from culturegate.gate import certainty
from culturegate.gate.thresholds import Line, Thresholds, Validity
from culturegate.gate.verdict import VerdictStatus
from culturegate.metrics import (
    EFFICIENCY,
    Efficiency,
    Measured,
    Metric,
    Table,
    group_view,
    measure,
)
from culturegate.metrics.answers import status_rate
from culturegate.metrics.drop import measure_drop
from culturegate.metrics.persona import unscored
from culturegate.metrics.table import View
from culturegate.tracks.base import CaseFacts, Record
from culturegate.tracks.outcome import record as outcome

UNREADABLE = ("unparsed", "empty", "truncated")
"""Statuses that may say more of the set-up than of the model."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """One line on one group, before it is judged."""

    line: Line
    group: tuple[tuple[str, str], ...]
    found: Measured | None = None
    """Errors left out; None where nothing was computed."""
    scenarios: tuple[Measured, ...] = ()
    """The same with the errors scored every way that could matter; empty without errors."""
    errors: int = 0
    cases: int = 0
    blocked: tuple[VerdictStatus, str] | None = None
    """The verdict and its reason where there is nothing to judge."""
    remark: str = ""


class Evidence:
    """The planned cases, what ran of them, and the baseline."""

    def __init__(
        self,
        thresholds: Thresholds,
        records: Sequence[Record],
        planned: Sequence[CaseFacts],
        baseline: Sequence[Record] | None,
        efficiency: Efficiency | None = None,
    ) -> None:
        self.thresholds = thresholds
        ran = {record.facts.case for record in records}
        self.planned = Table(Record(facts, (), None) for facts in planned)
        self.ran = np.array([r.facts.case in ran for r in self.planned.records], dtype=bool)
        named = {facts.case for facts in planned}
        self.table = Table(record for record in records if record.facts.case in named)
        self.baseline = baseline
        self.efficiency = efficiency

    def candidates(self, line: Line, validity: Validity) -> Iterator[Candidate]:
        """Yield a line once for each of its groups, or once where it has none."""
        where = dict(line.where)
        if line.by is None:
            yield self._candidate(line, where, validity)
            return
        groups = self._values(line, where)
        if not groups:
            reason = f"no case that the protocol names has a {line.by}"
            yield Candidate(line, line.where, blocked=("unverified", reason))
        for value in groups:
            yield self._candidate(line, {**where, line.by: value}, validity)

    def _view(self, metric: Metric, table: Table, where: Mapping[str, str]) -> View:
        return group_view(metric, table, where, self.thresholds.weighting)

    def _values(self, line: Line, where: Mapping[str, str]) -> list[str]:
        assert line.by is not None
        metric, contrast = line.metric, line.metric.contrast
        if contrast is not None and contrast.fact == line.by:
            view = self.planned.view(where)
            view = view if metric.track is None else view.where("track", metric.track)
            return [value for value in view.values(line.by) if value != contrast.first]
        # Split by a fact, a metric no longer keeps to the one value that it takes unasked.
        open_to_all = tuple(pair for pair in metric.within if pair[0] != line.by)
        return self._view(replace(metric, within=open_to_all), self.planned, where).values(line.by)

    def _candidate(self, line: Line, where: Mapping[str, str], validity: Validity) -> Candidate:
        group = tuple(sorted(where.items()))
        planned = self._view(line.metric, self.planned, where)
        cases = planned.cases
        if line.track is not None and line.track not in self.planned.values("track"):
            reason = f"there is no {line.track} track in the bank"
            return Candidate(line, group, blocked=("skipped", reason))
        if cases == 0:
            reason = "no case that the protocol names is in this group"
            return Candidate(line, group, blocked=("unverified", reason))
        ran = int((planned.mask & self.ran).sum())
        if ran < cases:
            reason = f"{ran} of {cases} cases ran"
            return Candidate(line, group, cases=cases, blocked=("skipped", reason))
        if line.metric.name in EFFICIENCY:
            return self._timed(line, where, group, cases)
        if line.bound == "max_drop":
            return self._against_baseline(line, where, group, validity)
        confidence, weighting = self.thresholds.confidence, self.thresholds.weighting
        found = measure(line.metric, self.table, where, confidence, weighting)
        errors = self._errors(line.metric, self.table, where)
        scenarios = tuple(
            measure(line.metric, self.table, where, confidence, weighting, fills)
            for fills in (line.metric.scenarios if errors else ())
        )
        blocked = self._obstacle(line, found, where, validity)
        remark = ""
        if blocked is None and not line.metric.pipeline:
            invalid = self._invalid(line.metric, where, validity)
            remark = f"so it is if all of them were right: {invalid}" if invalid else ""
        return Candidate(line, group, found, scenarios, errors, cases, blocked, remark)

    def _timed(
        self, line: Line, where: Mapping[str, str], group: tuple[tuple[str, str], ...], cases: int
    ) -> Candidate:
        """Return a line on times or tokens; a failed call may have been the slowest of all."""
        if self.efficiency is None:
            reason = "no times and tokens were recorded"
            return Candidate(line, group, cases=cases, blocked=("unverified", reason))
        found = self.efficiency.measure(line.metric, where)
        failed = self.efficiency.failed(line.metric, where)
        slowest = self.efficiency.measure(line.metric, where, failed_slow=True)
        blocked: tuple[VerdictStatus, str] | None = None
        if found.undefined is not None:
            blocked = "unverified", found.undefined
        elif found.clusters < (line.min_clusters or 1) or found.n < line.min_n:
            told = f"{line.metric.unit}: {found.n}, clusters: {found.clusters}"
            wanted = f"{line.min_n} and {line.min_clusters or 1}"
            blocked = "unverified", f"{told}; at least {wanted} needed"
        scenarios = (slowest,) if failed else ()
        return Candidate(line, group, found, scenarios, min(failed, cases), cases, blocked)

    def _against_baseline(
        self,
        line: Line,
        where: Mapping[str, str],
        group: tuple[tuple[str, str], ...],
        validity: Validity,
    ) -> Candidate:
        cases = self._view(line.metric, self.planned, where).cases
        if self.baseline is None:
            return Candidate(line, group, cases=cases, blocked=("skipped", "there is no baseline"))
        shared = {r.facts.case for r in self.baseline} & {r.facts.case for r in self.table.records}
        now = Table(r for r in self.table.records if r.facts.case in shared)
        then = Table(r for r in self.baseline if r.facts.case in shared)
        common = self._view(line.metric, now, where).cases
        if common == 0:
            reason = "the baseline has none of these cases"
            return Candidate(line, group, cases=cases, blocked=("unverified", reason))
        settings = (self.thresholds.confidence, self.thresholds.weighting)
        found = measure_drop(line.metric, now, then, where, *settings)
        errors = self._errors(line.metric, now, where) + self._errors(line.metric, then, where)
        possible = line.metric.scenarios if errors else ()
        scenarios = tuple(
            measure_drop(line.metric, now, then, where, *settings, (new, old))
            for new, old in product(possible, possible)
        )
        blocked = self._obstacle(line, found, where, validity)
        remark = "" if common == cases else f"over the {common} of {cases} cases both runs have"
        return Candidate(line, group, found, scenarios, errors, cases, blocked, remark)

    def _errors(self, metric: Metric, table: Table, where: Mapping[str, str]) -> int:
        """Return how many of a group's cases hold something that an error left open."""
        if metric.name == "error_rate":
            return 0
        view = self._view(metric, table, where)
        trials = table.trials
        rows = set(trials.row[view.trial_mask & np.isnan(trials.correct)].tolist())
        rows |= set(np.flatnonzero(view.mask & np.isnan(table.passed)).tolist())
        if metric.track == "persona" or metric.name == "composite":
            rows |= {row for row in np.flatnonzero(view.mask) if unscored(table.records[row])}
        return len(rows)

    def _obstacle(
        self, line: Line, found: Measured, where: Mapping[str, str], validity: Validity
    ) -> tuple[VerdictStatus, str] | None:
        """Return why a measured line can't be judged, None where it can."""
        if not line.metric.pipeline:
            invalid = self._invalid(line.metric, where, validity)
            if invalid and not self._breached_anyway(line, where):
                return "unverified", invalid
        if found.undefined is not None:
            return "unverified", found.undefined
        clusters = max(line.min_clusters or validity.min_clusters, line.metric.least_clusters)
        if found.clusters < clusters:
            return "unverified", f"clusters: {found.clusters}, at least {clusters} needed"
        if found.n < line.min_n:
            return "unverified", f"{line.metric.unit}: {found.n}, at least {line.min_n} needed"
        return None

    def _breached_anyway(self, line: Line, where: Mapping[str, str]) -> bool:
        """Return whether a line is breached however the unreadable replies would have been read.

        Validity keeps a set-up's fault from passing for the model's; it must not hide a breach
        that no reading could mend.
        """
        if line.judge == "breach_certain" or line.bound == "max_drop":
            return False
        confidence, weighting = self.thresholds.confidence, self.thresholds.weighting
        possible = [
            measure(line.metric, self._readable, where, confidence, weighting, fills)
            for fills in line.metric.scenarios
        ]
        return bool(possible) and all(
            certainty.alone(line, found, confidence) == "breached" for found in possible
        )

    @cached_property
    def _readable(self) -> Table:
        """The records with every unreadable reply left open, as a failed call would be."""
        return Table(
            outcome(
                record.facts,
                [
                    replace(trial, correct=None) if trial.status in UNREADABLE else trial
                    for trial in record.trials
                ],
            )
            if any(trial.status in UNREADABLE for trial in record.trials)
            else record
            for record in self.table.records
        )

    def _invalid(self, metric: Metric, where: Mapping[str, str], validity: Validity) -> str | None:
        view = self._view(metric, self.table, where)
        for statuses, limit, told in (
            # In a reply without text there is nothing to parse either.
            (("unparsed", "empty"), validity.max_unparsed_rate, "could not be parsed"),
            (("truncated",), validity.max_truncated_rate, "were truncated"),
        ):
            if metric.of_form and "truncated" not in statuses:
                continue
            rate = status_rate(view, statuses).value
            if rate is not None and rate > limit + 1e-9:
                return f"{rate:.1%} of its replies {told}; at most {limit:.1%} may be"
        return None
