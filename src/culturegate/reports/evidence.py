"""The files of a run for machines: run.json, records.jsonl, efficiency.jsonl, metrics.json."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

from culturegate.errors import InputError, Problem
from culturegate.reports.contaminated import contamination_rows
from culturegate.reports.files import ReportError, mended, write_json, write_lines, write_text
from culturegate.reports.run import Run
from culturegate.text import one_line
from culturegate.tracks.base import CaseFacts, Record
from culturegate.tracks.blinding import KEY, blinded, opened

RECORDS = "records.jsonl"
EFFICIENCY = "efficiency.jsonl"
EFFICIENCY_SUMMARY = "efficiency.json"
METRICS = "metrics.json"
RUN = "run.json"
CONTAMINATION = "contamination.jsonl"

ASKED = "asked.json"
"""How the run is asked, written before the first reply."""
_NEEDED = (
    *(field.name for field in fields(CaseFacts) if field.default is MISSING),
    *(field.name for field in fields(Record) if field.name not in ("facts", "judgements")),
)


def write_evidence(run: Run) -> tuple[Path, ...]:
    """Write the files for machines into the run's directory and return their paths.

    records.jsonl comes first, being dearest. A file that cannot be written does not keep the
    others back; raises one `ReportError` for all that could not. Conditions stand in the records
    under their codes, where run.json holds the key.
    """
    key = _key(run.info)
    writers: tuple[tuple[str, Callable[[Path], None]], ...] = (
        (
            RECORDS,
            lambda path: write_lines(path, (blinded(r, key).to_dict() for r in _sorted(run))),
        ),
        (RUN, lambda path: write_json(path, run.info)),
        (METRICS, lambda path: write_json(path, run.metrics)),
        (EFFICIENCY, lambda path: write_lines(path, sorted(run.efficiency, key=_case))),
        *_efficiency(run),
        *_contamination(run),
    )
    failures = []
    for name, write in writers:
        try:
            write(run.directory / name)
        except ReportError as error:
            failures.append(str(error))
    try:
        _drop_stale(run)
    except ReportError as error:
        failures.append(str(error))
    if failures:
        raise ReportError("\n".join(failures))
    return tuple(run.directory / name for name, _ in writers)


def _efficiency(run: Run) -> Iterator[tuple[str, Callable[[Path], None]]]:
    found = run.efficiency_summary
    if found is not None:
        yield EFFICIENCY_SUMMARY, lambda path: write_json(path, found)


def _contamination(run: Run) -> Iterator[tuple[str, Callable[[Path], None]]]:
    found = run.contamination
    if found is not None:
        yield CONTAMINATION, lambda path: write_lines(path, contamination_rows(found))


def _drop_stale(run: Run) -> None:
    """Remove what an earlier session of this run found in a corpus that this one did not read."""
    path = run.directory / CONTAMINATION
    if run.contamination is None:
        with mended("remove", path):
            path.unlink(missing_ok=True)


def read_run(directory: Path) -> tuple[dict[str, Any], list[Record]]:
    """Read back run.json and records.jsonl, the records sorted by case, their conditions opened.

    Raises:
        ReportError: Where a file is missing or cannot be read.
        InputError: Where lines are not JSON, not a record, or repeat a case; all of them at once.
    """
    info = _read_info(directory / RUN)
    key = _key(info)
    return info, [opened(record, key) for record in _read_records(directory / RECORDS)]


def _key(info: Mapping[str, Any]) -> dict[str, str]:
    """Return the key that opens the conditions of a run, code → condition; empty without one."""
    found = info.get(KEY)
    return {str(k): str(v) for k, v in found.items()} if isinstance(found, dict) else {}


def read_comparable(directory: Path, own: Mapping[str, Any]) -> list[Record]:
    """Return the records of a run that was asked as this session asks.

    Args:
        directory: The run's.
        own: What run.json would say of this session, for all that must be alike.

    Raises:
        ReportError: Where the run can't be read, or was asked otherwise; the message says in what.
        InputError: As `read_run` does.
    """
    info, records = read_run(directory)
    other = _differences(info, own)
    if other:
        message = f"--baseline {directory} was asked differently and can't be compared: {other}"
        raise ReportError(message)
    return records


def begin_asking(directory: Path, own: Mapping[str, Any]) -> None:
    """Note how a run is asked, so that nobody goes on with it otherwise. Raises `ReportError`."""
    write_text(directory / ASKED, (json.dumps(own, ensure_ascii=False, indent=1), "\n"))


def check_resumable(directory: Path, own: Mapping[str, Any]) -> None:
    """See that a session would ask as the run that it goes on with was asked.

    Raises:
        ReportError: Where it would not, naming each difference.
        InputError: Where the run's note can't be read.
    """
    path = directory / ASKED
    if not path.exists():
        return  # A run of an earlier version.
    other = _differences(_read_info(path), own)
    if other:
        message = (
            f"--resume: {directory} was asked differently: {other}; give the options it was begun "
            "with, or start a new run"
        )
        raise ReportError(message)


def _differences(info: Mapping[str, Any], own: Mapping[str, Any]) -> str:
    plain = json.loads(json.dumps(own))
    return "; ".join(
        f"{key} {one_line(repr(info.get(key)), 80)}, not {one_line(repr(mine), 80)}"
        for key, mine in plain.items()
        if info.get(key) != mine
    )


def _read_info(path: Path) -> dict[str, Any]:
    with mended("read", path):
        data = path.read_bytes()
    try:
        info = json.loads(data)
    except (ValueError, RecursionError) as error:
        problem = Problem(path, f"not valid JSON: {error}", getattr(error, "lineno", None))
        raise InputError([problem], "run") from error
    if not isinstance(info, dict):
        problem = Problem(path, f"an object is needed, not {type(info).__name__}")
        raise InputError([problem], "run")
    return info


def _read_records(path: Path) -> list[Record]:
    records: dict[str, Record] = {}
    problems: list[Problem] = []
    with mended("read", path), path.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                record = _record(json.loads(line))
            except (ValueError, RecursionError) as error:
                problems.append(Problem(path, f"not a record: {error}", number))
                continue
            case = record.facts.case
            if case in records:
                problems.append(Problem(path, "a second record of this case", number, case))
            records[case] = record
    if problems:
        raise InputError(problems, "run")
    return [records[case] for case in sorted(records)]


def _record(data: Any) -> Record:
    if not isinstance(data, dict):
        message = f"an object is needed, not {type(data).__name__}"
        raise ValueError(message)
    missing = [key for key in _NEEDED if key not in data]
    if missing:
        message = f"missing: {', '.join(missing)}"
        raise ValueError(message)
    try:
        found = Record.from_dict(data)
    except (TypeError, AttributeError) as error:
        message = "the trials are not a list of objects with a template, a sample and a status"
        raise ValueError(message) from error
    strange = [name for name, value, types in _typed(found) if not isinstance(value, types)]
    if strange:
        message = f"of the wrong type: {', '.join(dict.fromkeys(strange))}"
        raise ValueError(message)
    return found


def _typed(record: Record) -> Iterator[tuple[str, Any, Any]]:
    """Yield name, value and types of what others take for granted: ids, groups and keys."""
    maybe = str | None
    for name in ("case", "track", "kind", "item", "cluster", "culture", "lang"):
        yield name, getattr(record.facts, name), str
    for name in ("arm", "condition", "form", "element", "task"):
        yield name, getattr(record.facts, name), maybe
    yield "passed", record.passed, bool | None
    for trial in record.trials:
        yield "template", trial.template, str
        yield "sample", trial.sample, int
        yield "status", trial.status, str
        yield "correct", trial.correct, bool | None
        for name in ("value", "reason", "option_order", "reply_key"):
            yield name, getattr(trial, name), maybe


def _sorted(run: Run) -> list[Record]:
    return sorted(run.records, key=lambda record: record.facts.case)


def _case(row: Mapping[str, Any]) -> str:
    return str(row["case"])
