"""checklist.csv: each point that a judge decided, for a person to decide too, and what came back.

A run with a judge writes one row a point: the request, the reply, what a fitting reply does, and
last the judge's verdict. Rows stand in a drawn order, the points of a reply together, so that those
at the front are a sample. In a copy a person fills in `verdict` (met, not met or cannot tell) and
`signed`. What comes back is kept in the run's folder as checklist.json.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from culturegate.bank.spreadsheet import MARK, table_line
from culturegate.metrics.persona_judge import calibrations
from culturegate.reports.files import write_json, write_text
from culturegate.reports.persona_chats import FACTS
from culturegate.reports.place import Place, Told
from culturegate.reports.section import SectionTable
from culturegate.reports.shown import bounded
from culturegate.reports.signed_table import SignedTable
from culturegate.text import one_line
from culturegate.tracks import hash_reply
from culturegate.tracks.base import Record
from culturegate.tracks.persona_judging import VERDICTS, verdicts

CHECKLIST = "checklist.csv"
CALIBRATION = "checklist.json"
CELL_COST = 20_000
COLUMNS = ("case", "template", "sample", "aspect", "request", "reply", "point", "verdict", "signed",
           "note", "judge", "reply_hash")  # fmt: skip
NEEDED = ("case", "template", "sample", "aspect", "verdict", "signed", "reply_hash")
*_MOST, _LAST = VERDICTS.values()
_NAMED = f"{', '.join(_MOST)} or {_LAST}"
_TABLE: SignedTable[dict[str, Any]] = SignedTable(
    "checklist", "point", COLUMNS, NEEDED, 4, tuple(VERDICTS.values()), _NAMED, _NAMED
)
_HEADS = ("culture", "alike", "kappa", "points", "met by the judge only", "by the person only",
          "unscored")  # fmt: skip


@dataclass(frozen=True, slots=True)
class JudgedPoint:
    """One point of one reply's checklist, with what a person needs to decide it."""

    case: str
    template: str
    sample: int
    aspect: str
    request: str
    reply: str
    point: str
    judge: str | None
    """The judge's verdict that stands; None where the point is unscored."""


def write_checklist(path: Path, points: Iterable[JudgedPoint]) -> None:
    """Write checklist.csv. Raises `ReportError` where it can't be written."""
    write_text(path, _lines(points))


def _lines(points: Iterable[JudgedPoint]) -> Iterator[str]:
    yield MARK + table_line(COLUMNS)
    for one in points:
        texts = (bounded(text, CELL_COST) for text in (one.request, one.reply, one.point))
        place = (one.case, one.template, str(one.sample), one.aspect)
        yield table_line(
            (*place, *texts, "", "", "", one.judge or "unscored", hash_reply(one.reply))
        )


def read_checklist(
    path: Path, records: Iterable[Record], reply: Callable[[str], str]
) -> dict[str, Any]:
    """Return the content of checklist.json from a table that a person has filled in.

    Keys: `file`, `sha256`, `signed_by` (name → verdicts), `open` (rows without a verdict),
    `verdicts` (a list: `case`, `culture`, `template`, `sample`, `aspect`, `judge`, `person`,
    `signed`, `note`) and `agreement` (culture, or `all` → as `Calibration`).

    Args:
        path: The table.
        records: Of the run that wrote it.
        reply: A reply's text by its key.

    Raises:
        ReportError: Where the file can't be read.
        InputError: With every row that can't be used, by its line.
    """
    points: dict[tuple[str, ...], dict[str, Any]] = {
        (each["case"], each["template"], str(each["sample"]), each["aspect"]): each
        for each in _judged(records)
    }
    found = _TABLE.read(path, points, lambda cells, point: _faults(cells, point, reply), _verdict)
    return found | {"agreement": calibrations(found["verdicts"])}


def _verdict(cells: Mapping[str, str], point: Mapping[str, Any]) -> dict[str, Any]:
    kept = {name: value for name, value in point.items() if name != "reply_key"}
    return kept | {"person": cells["verdict"].casefold()}


def _judged(records: Iterable[Record]) -> Iterator[dict[str, Any]]:
    """Yield each point that a run's judge was asked about, with the key of the reply."""
    for record in records:
        if record.facts.track != "persona" or not record.judgements:
            continue
        keys = {(trial.template, trial.sample): trial.reply_key for trial in record.trials}
        for (template, sample, aspect), verdict in verdicts(record.judgements).items():
            yield {
                "case": record.facts.case,
                "culture": record.facts.culture,
                "template": template,
                "sample": sample,
                "aspect": aspect,
                "judge": verdict,
                "reply_key": keys.get((template, sample)),
            }


def _faults(
    cells: Mapping[str, str], point: Mapping[str, Any] | None, reply: Callable[[str], str]
) -> Iterator[str]:
    if point is None:
        yield "the run's judge decided no such point; read the table with the run that wrote it"
    elif cells["reply_hash"] != hash_reply(reply(point["reply_key"] or "")):
        yield "the reply is another one; read the table with the run that wrote it"


def keep_checklist(directory: Path, found: Mapping[str, Any]) -> Path:
    """Write checklist.json into a run's folder and return its path. Raises `ReportError`."""
    path = directory / CALIBRATION
    write_json(path, found)
    return path


def calibration_told(directory: Path, info: Mapping[str, Any]) -> Told:
    """Return what a run's checklist.json says of its judge, or that nobody has looked yet.

    What can't be read is none: a report must not fail for it.
    """
    try:
        found = json.loads((directory / CALIBRATION).read_bytes())
        names = ", ".join(f"{one_line(name, 60)} ({n})" for name, n in found["signed_by"].items())
        titles = {name: str(one["title"]) for name, one in info[FACTS]["cultures"].items()}
        rows = tuple(_row(titles.get(name, name), one) for name, one in found["agreement"].items())
        note = (
            f"Points of the checklist were decided by {names} too. Beside the judge: the share of "
            "points with the same verdict, and Cohen's kappa over met, not met and cannot tell."
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        note = (
            "No person has decided points of the checklist for this run, so the judge is not "
            f"calibrated: fill in a copy of {CHECKLIST} and give it to "
            "`culturegate checklist RUN FILE.csv`."
        )
        return Told((note,))
    return Told((note,), SectionTable("The judge beside a person", _HEADS, rows))


def _row(title: str, one: Mapping[str, Any]) -> tuple[str, ...]:
    title = one_line(title, 60)
    unscored = str(int(one["unscored"]))
    if one["share"] is None:
        return (title, f"undefined: {one['undefined']}", "", "0", "", "", unscored)
    kappa = f"{one['kappa']:.2f}" if one["kappa"] is not None else f"undefined: {one['undefined']}"
    return (
        title,
        f"{one['share']:.0%} ({one['low']:.0%} to {one['high']:.0%})",
        kappa,
        str(int(one["points"])),
        str(int(one["judge_met"])),
        str(int(one["person_met"])),
        unscored,
    )


JUDGE = Place("checklist", calibration_told)
