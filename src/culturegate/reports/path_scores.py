"""path_scores.csv: the judge's scores of the reasoning, and a person's in the same shape.

Columns: `case`, `template`, `sample`, `aspect` (`path` or `culture`), `score` (0, 1 or 2) and
`reasonable_nonstandard`. A person who scores without seeing the judge's scores fills in a copy
whose `score` cells are empty; rows left empty give no score.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from culturegate.bank.files import read_bytes
from culturegate.bank.spreadsheet import LARGEST, MARK, table_line, table_rows
from culturegate.errors import InputError, Problem
from culturegate.metrics.mirror_paths import BEST, PathKey, path_key
from culturegate.reports.files import write_text
from culturegate.text import one_line
from culturegate.tracks.base import Record
from culturegate.tracks.mirror_judging import ASPECTS, path_scores

FILE = "path_scores.csv"
COLUMNS = ("case", "template", "sample", "aspect", "score", "reasonable_nonstandard")
NEEDED = COLUMNS[:5]


def write_path_scores(directory: Path, records: Iterable[Record]) -> Path | None:
    """Write path_scores.csv into a run's directory and return its path; None without a judge.

    Raises `ReportError` where it can't be written.
    """
    judged = [each for each in records if each.judgements and each.facts.track == "mirror"]
    if not judged:
        return None
    path = directory / FILE
    write_text(path, _lines(judged))
    return path


def _lines(records: Iterable[Record]) -> Iterator[str]:
    yield MARK + table_line(COLUMNS)
    for record in sorted(records, key=lambda record: record.facts.case):
        for score in path_scores(record.judgements):
            shown = "" if score.score is None else f"{score.score:g}"
            case, template, sample, aspect = path_key(record, score)
            marked = "true" if score.nonstandard else "false"
            yield table_line((case, template, str(sample), aspect, shown, marked))


def read_path_scores(path: Path) -> dict[PathKey, float]:
    """Return the scores of a path_scores.csv that a person filled in, by what they are about.

    Raises `InputError` with every row that cannot be used, by its line.
    """
    found: dict[PathKey, float] = {}
    problems: list[Problem] = []
    try:
        for line, cells in table_rows(read_bytes(path, LARGEST), NEEDED, COLUMNS):
            if not cells["score"]:
                continue
            fault = _fault(cells)
            key = (cells["case"], cells["template"], _whole(cells["sample"]), cells["aspect"])
            if fault is None and key in found:
                fault = "scored twice; keep one row"
            if fault is not None:
                problems.append(Problem(path, fault, line, one_line(cells["case"], 80) or None))
                continue
            found[key] = float(cells["score"])
    except ValueError as error:
        problems.append(Problem(path, str(error)))
    if problems:
        raise InputError(problems, "path scores")
    return found


def comparison_lines(rows: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Yield a line for each row of `compare_scorers`: how the judge agrees with a person."""
    for row in rows:
        where = ", ".join(row["where"].values()) or "all"
        told = f"{row['aspect']}, {where}: "
        if not row["pairs"]:
            yield f"{told}{row['undefined']}"
            continue
        kappa = row["undefined"] if row["kappa"] is None else f"kappa {row['kappa']:.2f}"
        yield (
            f"{told}{row['pairs']} replies scored by both, {row['equal']:.0%} alike, the judge "
            f"{row['difference']:+.2f} points, {kappa}"
        )


def _fault(cells: dict[str, str]) -> str | None:
    if not cells["case"] or not cells["template"]:
        return "case and template say which reply is meant; fill them in"
    if _whole(cells["sample"]) < 0:
        return f"sample: a whole number was expected, got {one_line(cells['sample'], 20)!r}"
    if cells["aspect"] not in ASPECTS:
        shown = one_line(cells["aspect"], 40)
        return f"aspect: one of {', '.join(ASPECTS)} was expected, got {shown!r}"
    allowed = {f"{half / 2:g}" for half in range(2 * BEST + 1)}
    if cells["score"] not in allowed:
        shown = one_line(cells["score"], 20)
        return f"score: 0, 1 or 2 was expected, got {shown!r}"
    return None


def _whole(cell: str) -> int:
    return int(cell) if cell.isascii() and cell.isdigit() and len(cell) < 7 else -1
