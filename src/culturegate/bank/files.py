"""Files to plain data with the line of every part: YAML, JSON, JSON Lines, CSV and TSV.

Everything that could be text is left as text, as written: `NA`, `null` in a CSV cell, `1.10`.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from culturegate.bank import yaml12
from culturegate.errors import InputError, Problem
from culturegate.text import one_line

MEGABYTE = 1 << 20
MAX_DOCUMENT = 32 * MEGABYTE
"""Largest YAML or JSON file; it is held in memory whole."""
MAX_TABLE = 512 * MEGABYTE
"""Largest JSON Lines, CSV or TSV file."""
TABLES = frozenset({".jsonl", ".csv", ".tsv"})
SUFFIXES = frozenset({".yaml", ".yml", ".json"}) | TABLES

_SURROGATE = re.compile(r"\\u[dD][89a-fA-F][0-9a-fA-F]{2}")

# A spreadsheet writes the canary as a row of two cells, a person as a comment.
_CANARY_ROW = re.compile(r"#? ?canary:? (\S+(?: \S+)?)", re.IGNORECASE)


class Located(Protocol):
    """Plain data that knows where its parts stand."""

    @property
    def data(self) -> Any:
        """The data."""
        ...

    @property
    def file(self) -> Path:
        """Where it was read."""
        ...

    def line(self, path: Sequence[str | int] = ()) -> int | None:
        """Return the line of the part at `path`."""
        ...


@dataclass(frozen=True, slots=True)
class Row:
    """One record of a table file."""

    data: Any
    file: Path
    start: int

    def line(self, path: Sequence[str | int] = ()) -> int:
        """Return the line on which the record starts."""
        return self.start


@dataclass(frozen=True, slots=True)
class JsonDocument:
    """One JSON document; lines come from reading it once more as the YAML that it also is."""

    data: Any
    file: Path
    places: yaml12.Document | None

    def line(self, path: Sequence[str | int] = ()) -> int | None:
        """Return the line of the part at `path`; None where only JSON could read the file."""
        return self.places.line(path) if self.places else None


def read_bytes(file: Path, limit: int) -> bytes:
    """Return a file's bytes; raises `InputError` where it can't be read or has over `limit`."""
    try:
        if not file.is_file():
            what = "a folder" if file.is_dir() else "no such file"
            raise InputError([Problem(file, f"{what}; name a file")], "files")
        size = file.stat().st_size
        if size > limit:
            message = (
                f"{size / MEGABYTE:.0f} MB; at most {limit // MEGABYTE} MB are read; "
                "split it, or write the items as JSON Lines"
            )
            raise InputError([Problem(file, message)], "files")
        return file.read_bytes()
    except OSError as error:
        raise InputError([Problem(file, f"cannot be read: {error.strerror}")], "files") from None


def read_text(file: Path, limit: int = MAX_DOCUMENT) -> str:
    """Return a file's text, without a byte-order mark and with plain line ends.

    Raises `InputError` where the file is missing, larger than `limit` bytes or not UTF-8.
    """
    raw = read_bytes(file, limit)
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise InputError([Problem(file, "UTF-16; save it as UTF-8")], "files")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        message = f"not UTF-8 (byte 0x{raw[error.start]:02x}); save it as UTF-8"
        raise InputError([Problem(file, message, line)], "files") from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def read_document(file: Path) -> Located:
    """Read a YAML or JSON file; raises `InputError` with everything wrong in it."""
    text = read_text(file)
    return _json(text, file) if file.suffix.lower() == ".json" else yaml12.load(text, file, "text")


def read_table(file: Path, *, header: bool = True) -> tuple[str | None, Iterator[Row | Problem]]:
    """Read a JSON Lines, CSV or TSV file: its canary, and its rows or what is wrong with them.

    Without a `header` a table's columns are named by their numbers, from 1.
    """
    text = read_text(file, MAX_TABLE)
    rows = (
        _json_lines(text, file) if file.suffix.lower() == ".jsonl" else _cells(text, file, header)
    )
    first = next(rows, None)
    if first is None:
        return None, rows
    if isinstance(first, Row) and set(first.data) == {"canary"}:
        return str(first.data["canary"]), rows
    return None, _put_back(first, rows)


def _put_back(first: Row | Problem, rest: Iterator[Row | Problem]) -> Iterator[Row | Problem]:
    yield first
    yield from rest


def _decode(text: str) -> tuple[Any, list[str]]:
    """Decode JSON with every number left as text; the keys that stand twice come beside it."""
    twice: list[str] = []

    def pairs(found: list[tuple[str, Any]]) -> dict[str, Any]:
        data = dict(found)
        if len(data) < len(found):
            counts = Counter(key for key, _ in found)
            twice.extend(key for key, count in counts.items() if count > 1)
        return data

    data = json.loads(
        text, object_pairs_hook=pairs, parse_int=str, parse_float=str, parse_constant=str
    )
    return data, twice


def _json(text: str, file: Path) -> Located:
    try:
        data, twice = _decode(text)
    except json.JSONDecodeError as error:
        raise InputError([Problem(file, f"not JSON: {error.msg}", error.lineno)], "JSON") from None
    except RecursionError:
        raise InputError([Problem(file, "not read: nested too deep")], "JSON") from None
    places = None
    try:
        places = yaml12.load(_SURROGATE.sub(r"\\u0020", text), file)
    except InputError as error:
        if twice and all("duplicate key" in problem.message for problem in error.problems):
            raise
    if twice:
        raise InputError([_duplicate(file, key, None) for key in twice], "JSON")
    return JsonDocument(data, file, places)


def _duplicate(file: Path, key: str, line: int | None) -> Problem:
    return Problem(file, f"duplicate key {one_line(key, 60)!r}; keep one of them", line)


def _json_lines(text: str, file: Path) -> Iterator[Row | Problem]:
    # Only \n ends a record: U+2028 and its like may stand inside a JSON string.
    for number, line in enumerate(text.split("\n"), 1):
        record = line.strip().lstrip("\ufeff")  # files joined by a tool carry marks inside
        if not record:
            continue
        try:
            data, twice = _decode(record)
        except json.JSONDecodeError as error:
            yield Problem(file, f"not JSON: {error.msg} (column {error.colno})", number)
        except RecursionError:
            yield Problem(file, "not read: nested too deep", number)
        else:
            if twice:
                yield _duplicate(file, twice[0], number)
            elif isinstance(data, dict):
                yield Row(data, file, number)
            else:
                yield Problem(file, f"an object was expected, got {one_line(record, 40)!r}", number)


def _cells(text: str, file: Path, named: bool) -> Iterator[Row | Problem]:
    head = text.split("\n", 1)[0]
    delimiter = "\t" if file.suffix.lower() == ".tsv" else ";" if _semicolons(head) else ","
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    header: list[str] | None = None
    start = 1
    try:
        for cells in reader:
            line, start = start, reader.line_num + 1
            if not any(cell.strip() for cell in cells):
                continue
            if header is None and (mark := _CANARY_ROW.fullmatch(" ".join(cells).strip())):
                yield Row({"canary": mark[1]}, file, line)
            elif header is None and not named:
                header = [str(number) for number in range(1, len(cells) + 1)]
                yield Row(dict(zip(header, cells, strict=True)), file, line)
            elif header is None:
                header = [cell.strip() for cell in cells]
                twice = sorted({name for name in header if header.count(name) > 1})
                if twice:
                    yield Problem(file, f"columns that stand twice: {', '.join(twice)}", line)
                    return
            elif len(cells) != len(header):
                message = f"{len(cells)} cells under {len(header)} columns; quote cells with commas"
                yield Problem(file, message, line)
            else:
                yield Row(dict(zip(header, cells, strict=True)), file, line)
    except csv.Error as error:
        yield Problem(file, f"not CSV: {error}", start)


def _semicolons(head: str) -> bool:
    return head.count(";") > head.count(",")
