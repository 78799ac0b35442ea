"""disputed.csv: the readings that the rules left open, and a person's decisions about them.

A run writes one row for each ambiguous or unparsed reading. A person fills in `decision`, with the
letter of an option as that row shows it or with `none` where the reply names no option, and
`signed`, with their name. The same file is then what `--adjudicated` reads. Columns may be left
out, moved or added, but for those in `NEEDED`; a spreadsheet may have parted them by semicolons.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from culturegate.bank.spreadsheet import LARGEST, MARK, table_line, table_rows
from culturegate.errors import InputError, Problem
from culturegate.reports.files import mended, write_text
from culturegate.reports.shown import bounded
from culturegate.text import clean, one_line
from culturegate.tracks import Decision, Trial, hash_reply

DISPUTED_FILE = "disputed.csv"
MOST_ROWS = 20_000
"""Rows written; a run with more in dispute needs another model or protocol, not a person."""
CELL_COST = 20_000
"""Bytes that a long text may take; a spreadsheet's cell holds 32,767 characters."""
LONGEST_NAME = 100

COLUMNS = ("case", "template", "sample", "reading", "question", "options", "reply", "decision",
           "signed", "reply_key", "reply_hash")  # fmt: skip
NEEDED = ("case", "template", "sample", "decision", "signed", "reply_key", "reply_hash")

_CONTROLS = re.compile(r"[\x00-\x1f\x7f]")


@dataclass(frozen=True, slots=True)
class Disputed:
    """One reading in dispute, with what a person needs to decide it."""

    case: str
    trial: Trial
    question: str
    options: Mapping[str, str]
    """Letter → text, as the trial showed them."""
    reply: str


def write_disputed(path: Path, readings: Iterable[Disputed]) -> None:
    """Write disputed.csv: UTF-8 with a byte-order mark, `MOST_ROWS` rows at most, no formula.

    Raises `ReportError` where the file cannot be written.
    """
    write_text(path, _lines(islice(readings, MOST_ROWS)))


def _lines(readings: Iterable[Disputed]) -> Iterator[str]:
    yield MARK + table_line(COLUMNS)
    for one in readings:
        options = "\n".join(f"{letter}. {text}" for letter, text in one.options.items())
        cells = (
            one.case,
            one.trial.template,
            str(one.trial.sample),
            one.trial.status,
            bounded(one.question, CELL_COST),
            bounded(options, CELL_COST),
            bounded(one.reply, CELL_COST),
            "",
            "",
            one.trial.reply_key or "",
            hash_reply(one.reply),
        )
        yield table_line(cells)


@dataclass(frozen=True, slots=True)
class Decisions:
    """The decisions of one file, in its order."""

    file: str
    """The file's name."""
    sha256: str
    each: tuple[Decision, ...]


def read_decisions(path: Path, letters: Callable[[str], Collection[str] | None]) -> Decisions:
    """Return the decisions of a file; rows that nobody decided yet give none.

    Args:
        path: A disputed.csv, decided and signed.
        letters: Gives the letters that a case's options are shown under; None where it is no case
            of this run, whose decision may then name any letter.

    Raises:
        ReportError: Where the file cannot be read.
        InputError: With every row that cannot be used, by its line.
    """
    with mended("read", path), path.open("rb") as stream:
        data = stream.read(LARGEST + 1)
    problems: list[Problem] = []
    found: dict[tuple[str, str, int], Decision] = {}
    try:
        rows = table_rows(data, NEEDED, COLUMNS)
        for line, row in rows:
            try:
                decision = _decision(row, letters)
                if decision is None:
                    continue
                place = (decision.case, decision.template, decision.sample)
                if found.setdefault(place, decision) is not decision:
                    message = "a second decision about this trial; leave one of them"
                    raise ValueError(message)
            except ValueError as error:
                case = one_line(row["case"], 80)
                problems.append(Problem(path, str(error), line, case or None))
    except ValueError as error:
        problems.append(Problem(path, str(error)))
    if problems:
        raise InputError(problems, "decisions")
    return Decisions(path.name, hashlib.sha256(data).hexdigest(), tuple(found.values()))


def _decision(
    row: Mapping[str, str], letters: Callable[[str], Collection[str] | None]
) -> Decision | None:
    case, choice, signed = row["case"], row["decision"], row["signed"]
    if not choice and not signed:
        return None
    faults = []
    empty = [name for name in ("case", "template", "reply_key", "reply_hash") if not row[name]]
    if empty:
        faults.append(f"{', '.join(empty)}: empty; leave what the run wrote there")
    if not re.fullmatch(r"\d{1,6}", row["sample"], re.ASCII):
        faults.append(f"sample: {one_line(row['sample'], 40)!r} is no number")
    known = letters(case)
    if not choice:
        faults.append("signed, but decision is empty")
    elif choice.casefold() != "none" and (
        choice.upper() not in known
        if known is not None
        else not re.fullmatch("[A-Z]", choice.upper())
    ):
        valid = ", ".join(known) if known is not None else "a letter"
        faults.append(f"decision: {one_line(choice, 40)!r} is not one of {valid} or none")
    if not signed:
        faults.append("signed: empty; a decision needs the name of who made it")
    elif len(signed) > LONGEST_NAME or _CONTROLS.search(signed):
        faults.append(f"signed: one line of at most {LONGEST_NAME} characters is needed")
    if faults:
        raise ValueError("; ".join(faults))
    return Decision(
        case=case,
        template=row["template"],
        sample=int(row["sample"]),
        reply_key=row["reply_key"],
        reply_hash=row["reply_hash"],
        letter=None if choice.casefold() == "none" else choice.upper(),
        signed=clean(signed),
    )
