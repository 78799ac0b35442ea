"""thresholds.yaml as read: profiles, their validity limits and their lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Literal

from culturegate.errors import CulturegateError, InputError, Problem
from culturegate.metrics import Metric, Weighting, fact_text
from culturegate.tracks import TRACKS
from culturegate.tracks.base import CaseFacts

Judge = Literal["point", "breach_certain", "pass_certain"]
Bound = Literal["min", "max", "max_drop"]
JUDGES: tuple[Judge, ...] = ("point", "breach_certain", "pass_certain")


@dataclass(frozen=True, slots=True)
class Validity:
    """What must hold of the replies before a line may rest on them."""

    max_unparsed_rate: float = 0.05
    max_truncated_rate: float = 0.02
    min_clusters: int = 1


@dataclass(frozen=True, slots=True)
class Line:
    """One acceptance line."""

    name: str
    metric: Metric
    limit: float
    """The value of `min`, `max` or `max_drop`."""
    bound: Bound
    where: tuple[tuple[str, str], ...] = ()
    by: str | None = None
    judge: Judge = "point"
    min_n: int = 1
    min_clusters: int | None = None
    """None takes the profile's."""
    redline: bool = False
    warn: bool = False
    place: int | None = None
    """Where it starts in the file, from 1."""

    @property
    def track(self) -> str | None:
        """The one track that the line is about, by its metric or its group; None for any."""
        named = dict(self.where).get("track")
        return self.metric.track or (named if named in TRACKS else None)

    @property
    def shown(self) -> str:
        """The limit as a reader sees it."""
        if self.bound == "max_drop":
            return f"≤ {self.limit:g} worse than the baseline"
        return f"{'≥' if self.bound == 'min' else '≤'} {self.limit:g}"


@dataclass(frozen=True, slots=True)
class Profile:
    """A named set of lines that a run is judged by."""

    name: str
    validity: Validity
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Thresholds:
    """A thresholds.yaml, valid in itself."""

    file: Path
    sha256: str
    confidence: float
    weighting: Weighting
    profiles: Mapping[str, Profile]

    @property
    def weights(self) -> Mapping[str, float]:
        """What each track counts in the composite."""
        return self.weighting.tracks

    def profile(self, name: str) -> Profile:
        """Return a profile; raises `CulturegateError` that lists those there are."""
        if name not in self.profiles:
            raise CulturegateError(
                f"no gate profile {name!r} in {self.file}; there are: {', '.join(self.profiles)}"
            )
        return self.profiles[name]

    def check(self, profile: str, planned: Sequence[CaseFacts]) -> None:
        """Check a profile against the cases it is to judge, before any model call.

        Raises:
            CulturegateError: The profile does not exist.
            InputError: A line names a group that no planned case is in.
        """
        problems = []
        known: dict[str, set[str]] = {}
        tracks = {facts.track for facts in planned}
        for line in self.profile(profile).lines:
            if line.track is not None and line.track not in tracks:
                continue  # Nothing to judge, and nothing to say of its groups.
            facts = dict(line.where)
            for fact in [*facts, *([line.by] if line.by else [])]:
                values = known.setdefault(
                    fact,
                    {text for facts in planned if (text := fact_text(getattr(facts, fact)))},
                )
                message = _unknown_group(fact, facts.get(fact), values)
                if message:
                    problems.append(Problem(self.file, message, line.place, line.name))
        if problems:
            raise InputError(problems, "thresholds")


def _unknown_group(fact: str, value: str | None, values: set[str]) -> str | None:
    """Return what is wrong with a group, None where planned cases are in it.

    A language that the protocol leaves out is no mistake; its line has nothing to judge.
    """
    if value is None:
        return None if values else f"by {fact}: no planned case has that fact"
    if value in values or fact == "lang":
        return None
    close = get_close_matches(value, sorted(values), 1)
    meant = f"; did you mean {close[0]!r}?" if close else ""
    listed = ", ".join(sorted(values)[:30]) or "none"
    return f"no planned case has {fact} {value!r}{meant} (there are: {listed})"
