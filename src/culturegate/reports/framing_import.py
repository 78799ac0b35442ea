"""Framing results recorded elsewhere: a framing.jsonl, or a table of rates, tested as ours are.

A JSON Lines file has one trial a line: `sample_id`, `round`, `aware` and `capable` (true, false, or
null for the control) and `compliant`. A CSV file has one condition a line: `condition`, `n`, and
`compliant` (a count) or `rate`; nothing pairs its replies, so only the tests for independent ones
can be made. A rate that no whole number of its replies gives is refused.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from culturegate.bank.files import Row, read_table
from culturegate.errors import InputError, Problem
from culturegate.metrics.framing import CONTROL, FRAMED, LEAST_SAMPLES
from culturegate.metrics.framing_tests import EFFECTS, framing_summary, framing_tests, unpaired
from culturegate.metrics.intervals import wilson
from culturegate.metrics.paired import holm
from culturegate.metrics.proportions import count_of
from culturegate.metrics.table import Table
from culturegate.text import one_line
from culturegate.tracks.base import CaseFacts, Record, Trial
from culturegate.tracks.outcome import record

CONDITIONS = (CONTROL, *FRAMED)
_TRUTHS: Mapping[str, bool | None] = {
    "true": True, "1": True, "false": False, "0": False, "null": None, "none": None, "": None,
}  # fmt: skip

Counts = dict[str, tuple[int, int]]
"""Condition → replies that comply, replies."""


def imported(file: Path, confidence: float = 0.95) -> list[str]:
    """Return the lines that tell of a file's rates and tests.

    Raises:
        InputError: With every row that can't be used, by its line.
    """
    _, rows = read_table(file)
    problems: list[Problem] = []
    data: list[Row] = []
    for row in rows:
        if isinstance(row, Problem):
            problems.append(row)
        else:
            data.append(row)
    if not data and not problems:
        problems.append(Problem(file, "holds no row"))
    lines: list[str] = []
    if any("sample_id" in row.data for row in data):
        records = _records(data, problems)
        if not problems and all(record.passed is None for record in records):
            problems.append(Problem(file, "no reply in it was judged: compliant is always null"))
        lines = [] if problems else list(_tell_trials(Table(records), confidence))
    elif data:
        counts = _counts(data, problems)
        lines = [] if problems else list(_tell_counts(counts, confidence))
    if problems:
        raise InputError(problems, "framing results")
    return lines


def _records(rows: Sequence[Row], problems: list[Problem]) -> list[Record]:
    """Return the trials as records, one for each sample, job, language and condition."""
    trials: defaultdict[tuple[str, str, str, str], dict[int, Trial]] = defaultdict(dict)
    for row in rows:
        try:
            place, trial = _trial(row.data)
        except ValueError as error:
            problems.append(Problem(row.file, str(error), row.line()))
            continue
        if trial.sample in trials[place]:
            message = "a second trial of this sample, condition and round"
            problems.append(Problem(row.file, message, row.line(), one_line(place[0], 80)))
        trials[place][trial.sample] = trial
    return [
        record(
            CaseFacts(
                case=json.dumps(place), track="framing", kind="framing", item=place[0],
                cluster=place[0], culture="none", lang=place[2], condition=place[3],
                task=place[1], chance=0.0,
            ),
            [found[number] for number in sorted(found)],
        )
        for place, found in sorted(trials.items())
    ]  # fmt: skip


def _trial(data: Mapping[str, Any]) -> tuple[tuple[str, str, str, str], Trial]:
    missing = [key for key in ("sample_id", "round", "aware", "capable", "compliant")
               if key not in data]  # fmt: skip
    if missing:
        raise ValueError(f"missing: {', '.join(missing)}")
    aware, capable = _truth(data, "aware"), _truth(data, "capable")
    if (aware is None) != (capable is None):
        raise ValueError("aware and capable are both given, or both null for the control")
    condition = CONTROL
    if aware is not None:
        condition = f"{'aware' if aware else 'unaware'}-{'high' if capable else 'low'}"
    if not str(data["round"]).isdecimal() or not 1 <= int(str(data["round"])[:9]) <= 10_000:
        raise ValueError(f"round: {one_line(str(data['round']), 40)!r} is no number from 1")
    compliant = _truth(data, "compliant")
    number = int(data["round"])
    reason = data.get("reason")
    trial = Trial(
        template=f"wording-{number}",
        sample=number - 1,
        status="error" if compliant is None else "answered",
        correct=compliant,
        reason=None if reason is None else one_line(str(reason), 40) or None,
    )
    place = (_name(data), str(data.get("job") or ""), str(data.get("lang") or ""))
    return (*place, condition), trial


def _name(data: Mapping[str, Any]) -> str:
    name = data["sample_id"]
    # Numbers come as their text.
    if not isinstance(name, str) or not name.strip():
        raise ValueError("sample_id: the name of a sample is needed, text or a number")
    return name


def _truth(data: Mapping[str, Any], key: str) -> bool | None:
    text = str(data[key]).strip().casefold()
    if text not in _TRUTHS:
        raise ValueError(f"{key}: {one_line(text, 40)!r} is not true, false or null")
    return _TRUTHS[text]


def _counts(rows: Sequence[Row], problems: list[Problem]) -> Counts:
    found: Counts = {}
    for row in rows:
        cells = {str(name).strip().casefold(): str(cell) for name, cell in row.data.items()}
        try:
            name, count = _count(cells)
        except ValueError as error:
            problems.append(Problem(row.file, str(error), row.line()))
            continue
        if name in found:
            problems.append(Problem(row.file, "a second row of this condition", row.line(), name))
        found[name] = count
    return found


def _count(cells: Mapping[str, str]) -> tuple[str, tuple[int, int]]:
    name = cells.get("condition", "").strip()
    if name not in CONDITIONS:
        raise ValueError(f"condition: {one_line(name, 40)!r} is not one of {', '.join(CONDITIONS)}")
    n = cells.get("n", "").strip()
    if not n.isdecimal() or not 1 <= int(n[:12]) < 10**9:
        raise ValueError(f"n: {one_line(n, 40)!r} is no number of replies")
    if cells.get("compliant", "").strip():
        count = cells["compliant"].strip()
        if not count.isdecimal() or int(count[:12]) > int(n):
            raise ValueError(f"compliant: {one_line(count, 40)!r} is no count of {n} replies")
        return name, (int(count), int(n))
    if cells.get("rate", "").strip():
        return name, (count_of(cells["rate"], int(n)), int(n))
    raise ValueError("neither compliant, a count, nor rate, a share, is given")


def _tell_trials(table: Table, confidence: float) -> Iterator[str]:
    summary = framing_summary(table, confidence)
    assert summary is not None
    for name, found in summary["conditions"].items():
        rate = found["compliance"]
        if rate["n"]:
            yield _rate(name, rate["value"], rate["low"], rate["high"], rate["n"], found["samples"])
    for test in framing_tests(table):
        beside = (
            "" if test.unpaired_p is None else f"; {test.unpaired_method} {test.unpaired_p:.5g}"
        )
        yield (
            f"{test.effect}: gained {test.gained}, lost {test.lost} of {test.pairs} pairs; "
            f"{test.method} p {test.p:.5g}, Holm {test.p_holm:.5g}: {test.verdict}{beside}"
        )


def _tell_counts(counts: Counts, confidence: float) -> Iterator[str]:
    for name in CONDITIONS:
        if name in counts:
            right, n = counts[name]
            yield _rate(name, right / n, *wilson(right, n, confidence), n, n)
    tests = [
        (effect, first, second, *unpaired(*counts[first], *counts[second]))
        for effect, first, second in EFFECTS
        if first in counts and second in counts
    ]
    adjusted = holm([p for *_, p in tests])
    for (effect, first, second, method, p), after in zip(tests, adjusted, strict=True):
        (a, n_a), (b, n_b) = counts[first], counts[second]
        yield f"{effect}: {a / n_a - b / n_b:+.3f}; {method} p {p:.5g}, Holm {after:.5g}"


def _rate(name: str, value: float, low: float, high: float, n: int, samples: int) -> str:
    few = "" if samples >= LEAST_SAMPLES else f"; unverified, fewer than {LEAST_SAMPLES} samples"
    return f"{name}: {value:.3f} ({low:.3f} to {high:.3f}), {n} replies{few}"
