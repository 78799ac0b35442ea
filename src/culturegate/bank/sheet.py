"""The review sheet: a table that a reader fills in with a spreadsheet, and what comes back of it.

The sheet does not show the key: a reader answers first, and only an answer that agrees is a
signature. It carries the hash of each item's content, so that nobody signs what was changed since.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from culturegate.bank.bank import Bank
from culturegate.bank.files import read_bytes
from culturegate.bank.items import MythItem, Review
from culturegate.bank.spreadsheet import LARGEST, MARK, table_line, table_rows
from culturegate.bank.wording import folded
from culturegate.errors import CulturegateError, InputError, Problem
from culturegate.text import one_line

FILLED_IN = ("your_answer", "verdict", "reviewer", "date", "note")
NEEDED = ("item", "content", *FILLED_IN)
VERDICTS = ("ok", "change", "drop")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Signature:
    """One reader's signature under one item."""

    item: MythItem
    review: Review


def write_sheet(bank: Bank, file: Path) -> int:
    """Write the sheet, in which no cell is a formula, and return its number of rows."""
    langs = sorted({lang for item in bank.myth for lang in item.langs})
    labels = sorted({label for item in bank.myth for label in item.options})
    texts = [f"{part}_{lang}" for lang in langs for part in ("question", *labels)]
    columns = ["item", "content", "culture", "kind", "episode", "source", *texts, *FILLED_IN]
    try:
        with file.open("w", encoding="utf-8", newline="") as stream:
            stream.write(MARK + table_line(columns))
            for item in bank.myth:
                row = _row(item)
                stream.write(table_line(row.get(name, "") for name in columns))
    except OSError as error:
        raise CulturegateError(f"{file}: cannot be written: {error.strerror}") from None
    return len(bank.myth)


def _row(item: MythItem) -> dict[str, str]:
    row = {
        "item": item.id,
        "content": content_hash(item),
        "culture": item.culture,
        "kind": item.kind,
        "episode": item.cluster,
        "source": f"{item.source.work}, {item.source.section}" if item.source else "",
    }
    for lang in item.langs:
        row[f"question_{lang}"] = item.question[lang]
        for label, option in item.options.items():
            row[f"{label}_{lang}"] = option.text[lang]
    return row


def content_hash(item: MythItem) -> str:
    """Return a short hash of everything that a reader of the item judges."""
    content: list[Any] = [item.content()]
    if item.source:
        content.append([item.source.work, item.source.section])
    text = json.dumps(content, ensure_ascii=False, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def read_sheet(bank: Bank, file: Path) -> tuple[list[Signature], list[Problem]]:
    """Return the signatures of a filled-in sheet, and what keeps other rows from being one.

    Rows that nobody filled in are passed over. Raises `InputError` where it is no such sheet.
    """
    items = {item.id: item for item in bank.myth}
    signed: dict[str, list[Review]] = {item.id: list(item.reviews) for item in bank.myth}
    signatures: list[Signature] = []
    problems: list[Problem] = []
    data = read_bytes(file, LARGEST)
    try:
        for line, cells in table_rows(data, NEEDED, NEEDED):
            if not any(cells[name] for name in FILLED_IN):
                continue
            item = items.get(cells["item"])
            faults = list(_faults(cells, item, signed.get(cells["item"], [])))
            name = one_line(cells["item"], 80)
            problems += [Problem(file, fault, line, name) for fault in faults]
            if item is not None and not faults:
                review = Review(cells["reviewer"], cells["date"], cells["note"])
                signed[item.id].append(review)
                signatures.append(Signature(item, review))
    except ValueError as error:
        message = f"{error}; lint --review-sheet writes a sheet"
        raise InputError([Problem(file, message)], "review sheet") from None
    return signatures, problems


def _faults(
    cells: Mapping[str, str], item: MythItem | None, reviews: Sequence[Review]
) -> Iterator[str]:
    """Say why a row that was filled in signs nothing."""
    if item is None:
        yield "no such item in the bank"
        return
    if cells["content"] != content_hash(item):
        yield "the item was changed since the sheet was written; read it again in a new sheet"
        return
    for name in ("reviewer", "date", "your_answer"):
        if not cells[name]:
            yield f"{name} is empty"
    if cells["date"] and not _DATE.fullmatch(cells["date"]):
        yield f"date {one_line(cells['date'], 30)!r}; write it like 2024-05-01"
    verdict = cells["verdict"].casefold()
    if verdict not in VERDICTS:
        yield f"verdict {one_line(cells['verdict'], 30)!r}; one of {', '.join(VERDICTS)}"
    elif verdict != "ok":
        yield f"the reader asks to {verdict} it: {one_line(cells['note']) or 'no note'}"
    answer = cells["your_answer"].casefold()
    if answer and answer not in item.options:
        yield f"your_answer {one_line(answer, 30)!r}; one of {', '.join(item.options)}"
    elif answer and answer != item.answer:
        yield f"answered {answer.upper()}, the key is {item.answer.upper()}; mend or drop the item"
    reviewer = folded(cells["reviewer"])
    if reviewer in {folded(author) for author in item.authors}:
        yield f"{one_line(cells['reviewer'], 60)} is an author and can't review it"
    if reviewer in {folded(review.reviewer) for review in reviews}:
        yield f"{one_line(cells['reviewer'], 60)} has signed it; two reviews need two people"
