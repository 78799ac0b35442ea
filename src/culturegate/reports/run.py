"""A run: everything that a session leaves behind, as the reports take it.

`info` is the content of run.json, plain JSON data. `culturegate.reports.provenance.LABELS` names
the keys that a reader sees by a label of their own; any other key is shown as it is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from culturegate.contamination import Contamination
from culturegate.gate.verdict import GateResult
from culturegate.reports.shortcuts import Shortcut
from culturegate.tracks.adjudication import DISPUTED
from culturegate.tracks.adjudication import RULE as ADJUDICATED
from culturegate.tracks.base import Record

if TYPE_CHECKING:
    from culturegate.reports.sections import Section


@dataclass(frozen=True, slots=True)
class Run:
    """One session at its end: its evidence and what the gate made of it."""

    directory: Path
    """Where the run's files land; made by `directory.claim`."""
    info: Mapping[str, Any]
    """Content of run.json: who was asked what, with which versions and hashes; no secrets."""
    records: Sequence[Record]
    metrics: Mapping[str, Any]
    """Content of metrics.json, as `culturegate.metrics.summarise` gives it."""
    gate: GateResult | None = None
    """None where nothing was judged: the gate is off, or the run was cut short."""
    efficiency: Sequence[Mapping[str, Any]] = ()
    """One mapping a case, with the key `case`."""
    efficiency_summary: Mapping[str, Any] | None = None
    """Content of efficiency.json; None where no times and tokens were kept."""
    items: int = 0
    """Items of the bank that this run could ask."""
    signed_items: int = 0
    """How many of them a person has reviewed and signed."""
    selected: int = 0
    """Cases that the session set out to ask."""
    shortcuts: Sequence[Shortcut] = ()
    """What guessers that read for no meaning would have scored on the same items."""
    titles: Mapping[str, str] = field(default_factory=dict)
    """The cultures' names by their id, where the bank gives one."""
    rerun_command: str = ""
    """What to type to ask the wrong cases again."""
    resume_command: str = ""
    """What to type to go on with the run where it was cut short."""
    contamination: Contamination | None = None
    """What a corpus holds of the cases; None where none was named."""
    sections: Sequence[Section] = ()
    """What single tracks have to say beside the common tables."""
    cut: str | None = None
    """Why the session ended before every selected case was asked; None where it did not."""

    def title(self, culture: str) -> str:
        """Return a culture's name: the bank's, else its id as a name, `North American`."""
        return self.titles.get(culture) or culture.replace("-", " ").title()

    @property
    def right(self) -> int:
        """Number of cases passed."""
        return sum(record.passed is True for record in self.records)

    @property
    def wrong(self) -> int:
        """Number of cases answered and not passed."""
        return sum(record.passed is False for record in self.records)

    @property
    def errors(self) -> int:
        """Number of cases that could not be judged."""
        return sum(record.passed is None for record in self.records)

    @property
    def statuses(self) -> Counter[str]:
        """Number of trials by the status of their reading; a failed call by its kind."""
        return Counter(
            f"failed ({trial.reason or 'unknown'})" if trial.status == "error" else trial.status
            for record in self.records
            for trial in record.trials
        )

    @property
    def disputed(self) -> int:
        """Number of readings that the rules left open, for a person to decide.

        A format that was missed, which is what framing asks for, leaves nothing open.
        """
        return sum(
            trial.status in DISPUTED
            for record in self.records
            if record.facts.track != "framing"
            for trial in record.trials
        )

    @property
    def adjudicated(self) -> int:
        """Number of readings that a person decided."""
        return sum(trial.rule == ADJUDICATED for record in self.records for trial in record.trials)

    @property
    def other_language(self) -> int:
        """Number of replies in another language than the case's."""
        return sum(trial.language is not None for record in self.records for trial in record.trials)

    @property
    def unasked(self) -> int:
        """Cases that were selected and left no record."""
        return max(self.selected - len(self.records), 0)

    @property
    def model(self) -> str:
        """Name of the model as a reader knows it: the one asked for, else the one that answered."""
        return str(self.info.get("model") or self.info.get("model_returned") or "the model")
