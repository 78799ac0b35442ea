"""Lines and estimates to verdicts."""

from culturegate.gate.judging import judge
from culturegate.gate.parsing import load_thresholds, parse_thresholds
from culturegate.gate.thresholds import Line, Profile, Thresholds, Validity
from culturegate.gate.verdict import (
    EXIT_BREACHED,
    EXIT_MET,
    EXIT_UNVERIFIED,
    GateResult,
    Verdict,
    VerdictStatus,
)

__all__ = [
    "EXIT_BREACHED",
    "EXIT_MET",
    "EXIT_UNVERIFIED",
    "GateResult",
    "Line",
    "Profile",
    "Thresholds",
    "Validity",
    "Verdict",
    "VerdictStatus",
    "judge",
    "load_thresholds",
    "parse_thresholds",
]
