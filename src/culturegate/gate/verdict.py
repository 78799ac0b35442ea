"""What the gate says of each line, and of the run."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

from culturegate.metrics.estimate import Estimate

VerdictStatus = Literal["met", "breached", "unverified", "skipped"]

EXIT_MET = 0
EXIT_BREACHED = 10
EXIT_UNVERIFIED = 11


@dataclass(frozen=True, slots=True)
class Verdict:
    """One line judged on one group."""

    line: str
    """The line's name in thresholds.yaml."""
    metric: str
    group: tuple[tuple[str, str], ...]
    """The `where` of the line with the group of its `by`, as sorted pairs."""
    limit: str
    """The limit as a reader sees it, such as `≤ 0.15`."""
    judge: str
    status: VerdictStatus
    reason: str
    """One plain sentence: why this status."""
    estimate: Estimate | None = None
    """None where nothing was computed, as on a skipped line. Holds the adjusted interval."""
    warn: bool = False
    redline: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON data."""
        estimate = None if self.estimate is None else self.estimate.to_dict()
        return asdict(self) | {"group": dict(self.group), "estimate": estimate}


@dataclass(frozen=True, slots=True)
class GateResult:
    """Every verdict of a run and the exit code they add up to."""

    profile: str
    verdicts: tuple[Verdict, ...]
    exit_code: int
    """0, 10 or 11; what pytest's own codes do to it is the plugin's business."""
    sentence: str
    """One sentence for the end of the run, such as `Gate release: breached (2 of 9 lines)`."""
    notes: tuple[str, ...] = ()
    """Reasons for exit 11 that belong to no line: a worker lost, a budget spent."""
