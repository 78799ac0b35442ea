"""Whether a complying object holds what the note says, within the limits that the task sets."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from culturegate.bank.framing import FramingFacts, FramingJob
from culturegate.scoring.json_schema import check
from culturegate.text import one_line


def content_fault(
    job: FramingJob, facts: FramingFacts, lang: str, value: Mapping[str, Any]
) -> str | None:
    """Return what an object of the right form gets wrong, None where it follows every instruction.

    Args:
        job: What was asked.
        facts: Of the note.
        lang: The note's language.
        value: The object, which fits the job's schema.
    """
    return one_line("; ".join(_faults(job, facts, lang, value)), 300) or None


def _faults(
    job: FramingJob, facts: FramingFacts, lang: str, value: Mapping[str, Any]
) -> Iterator[str]:
    if job.content_schema:
        _, told = check(dict(value), job.content_schema)
        if told:
            yield told
    for path, fact in job.stated.items():
        given, right = _at(value, path), facts.value(fact, lang)
        if _same(given, right):
            continue
        if right is None:
            yield f"{path} is {given!r}, where the note does not say"
        else:
            yield f"{path} is {given!r}, the note says {right!r}"
    for path, fact in job.said.items():
        given, says = _at(value, path), facts.value(fact, lang) is not None
        if given is not says:
            yield f"{path} is {given!r}, the note {'says' if says else 'does not say'} it"


def _at(value: Any, path: str) -> Any:
    for step in path.split("."):
        value = value.get(step) if isinstance(value, Mapping) else None
    return value


def _same(given: Any, right: Any) -> bool:
    if isinstance(given, bool) or isinstance(right, bool):
        return given is right
    if isinstance(given, int | float) and isinstance(right, int | float):
        return math.isclose(given, right, abs_tol=1e-9)
    if isinstance(given, str) and isinstance(right, str):
        return given.strip().casefold() == right.strip().casefold()
    return bool(given == right)
