"""Conditions under codes: who reads the records of a run does not see which condition was which.

In memory a case knows its condition. Its id carries the code, and so do the records on disk; the
key stands in run.json, and whoever reads a run back opens it with that key.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from culturegate.tracks.base import Record
from culturegate.tracks.protocol import stable_order

CONDITIONS = ("control", "unaware-high", "unaware-low", "aware-high", "aware-low")
"""The control without any framing, and eval-awareness × capability framing."""
KEY = "blinding"
"""Where run.json holds the key: code → condition."""


def codes(seed: int) -> dict[str, str]:
    """Return condition → code, `c1` to `c5`, permuted by the seed."""
    return {name: f"c{place}" for place, name in enumerate(stable_order(CONDITIONS, seed), 1)}


def key(seed: int) -> dict[str, str]:
    """Return code → condition, which opens what `codes` of the same seed closed."""
    return {code: name for name, code in sorted(codes(seed).items(), key=lambda pair: pair[1])}


def blinded(record: Record, opening: Mapping[str, str]) -> Record:
    """Return a record with its condition under its code; one without a coded condition as it is.

    Args:
        record: Of any track.
        opening: The key, code → condition.
    """
    found = {name: code for code, name in opening.items()}.get(record.facts.condition or "")
    return _with_condition(record, found) if record.facts.track == "framing" and found else record


def opened(record: Record, opening: Mapping[str, str]) -> Record:
    """Return a record with its condition's code opened by the key; others as they are."""
    found = opening.get(record.facts.condition or "")
    return _with_condition(record, found) if record.facts.track == "framing" and found else record


def _with_condition(record: Record, condition: str) -> Record:
    return replace(record, facts=replace(record.facts, condition=condition))
