"""A corpus on disk as a stream of documents, in bounded memory: text, JSON Lines, gzip, folders."""

from __future__ import annotations

import gzip
import io
import json
import os
import re
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn, TextIO

from culturegate.errors import CulturegateError
from culturegate.text import one_line

BLOCK = 1 << 20
"""Characters of one piece of a text."""
LONGEST = 1 << 26
"""Characters of a JSON line; a longer one is read as plain text."""
_LINES = frozenset({".jsonl", ".ndjson"})
_GZIP = b"\x1f\x8b"
_FOREIGN = {
    b"\x28\xb5\x2f\xfd": "zstd", b"BZh": "bzip2", b"\xfd7zXZ": "xz", b"PK\x03\x04": "zip",
    b"7z\xbc\xaf": "7z", b"PAR1": "Parquet", b"ARROW1": "Arrow", b"SQLite format": "SQLite",
}  # fmt: skip
"""How a file begins whose text does not stand in it as it is: read as text it would be clean."""
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_LONGEST_ESCAPE = 6


def documents(paths: Sequence[Path]) -> Iterator[tuple[str, Iterator[str]]]:
    """Yield each document's name and its pieces, which follow one another without a gap.

    A line of a `.jsonl` or `.ndjson` file is a document, every string in it, at any depth, a part;
    any other file is one document, a `.json` file with its escapes resolved. Gzip is unpacked on
    the way; hidden files, and pipes and devices in a folder, are passed over; a folder is read
    once, also where links lead to it again. A document's pieces must be used up before the next
    document is asked for.

    Raises:
        CulturegateError: Where a path is missing, unreadable, damaged, packed otherwise, or holds
            no file.
    """
    for path in paths:
        found = False
        for file in _files(path):
            found = True
            yield from _documents(file)
        if not found:
            message = f"--corpus {path}: there is no file to read in it"
            raise CulturegateError(message)


def _files(path: Path) -> Iterator[Path]:
    if not path.is_dir():
        yield path
        return
    seen: set[tuple[int, int]] = set()
    for folder, below, names in os.walk(path, onerror=_refuse, followlinks=True):
        status = Path(folder).stat()
        place = (status.st_dev, status.st_ino)
        if place in seen:
            below.clear()
            continue
        seen.add(place)
        below[:] = sorted(name for name in below if not name.startswith("."))
        for name in sorted(names):
            file = Path(folder, name)
            # A link to nothing is a file that is missing; a pipe would be waited for without end.
            if not name.startswith(".") and (file.is_file() or not file.exists()):
                yield file


def _refuse(error: OSError) -> NoReturn:
    message = f"--corpus {error.filename}: cannot be read: {error.strerror}"
    raise CulturegateError(message) from error


def _documents(file: Path) -> Iterator[tuple[str, Iterator[str]]]:
    suffix = file.suffix.lower()
    kind = Path(file.stem).suffix.lower() if suffix == ".gz" else suffix
    with _named(file), file.open("rb") as stored:
        packed = suffix == ".gz" or stored.peek(len(_GZIP)).startswith(_GZIP)
        raw = gzip.GzipFile(fileobj=stored) if packed else stored
        head = raw.peek(16)
        for mark, name in _FOREIGN.items():
            if head.startswith(mark):
                message = f"--corpus {file}: holds {name}, not text; unpack or convert it first"
                raise CulturegateError(message)
        encoding = "utf-16" if head.startswith(_UTF_16) else "utf-8-sig"
        text = io.TextIOWrapper(raw, encoding=encoding, errors="replace")
        if kind in _LINES:
            yield from _lines(text, file)
        elif kind == ".json":
            yield str(file), _resolved(_pieces(text, file))
        else:
            yield str(file), _pieces(text, file)


@contextmanager
def _named(file: Path) -> Iterator[None]:
    """Tell what can't be read, and why."""
    try:
        yield
    except (OSError, EOFError, zlib.error) as error:
        why = getattr(error, "strerror", None) or one_line(str(error), 120)
        message = f"--corpus {file}: cannot be read: {why}"
        raise CulturegateError(message) from error


def _pieces(text: TextIO, file: Path) -> Iterator[str]:
    with _named(file):
        while piece := text.read(BLOCK):
            yield piece


def _resolved(pieces: Iterator[str]) -> Iterator[str]:
    """Yield the pieces of a JSON text with the escapes of its strings resolved."""
    held = ""
    for piece in pieces:
        text = held + piece
        cut = text.find("\\", max(0, len(text) - _LONGEST_ESCAPE + 1))
        text, held = (text, "") if cut < 0 else (text[:cut], text[cut:])
        yield _ESCAPE.sub(_meant, text)
    yield _ESCAPE.sub(_meant, held)


def _meant(escape: re.Match[str]) -> str:
    if escape[1]:
        return chr(int(escape[1], 16))
    return " " if escape[2] in "nrtbf" else escape[2]


def _lines(text: TextIO, file: Path) -> Iterator[tuple[str, Iterator[str]]]:
    number = 0
    while line := text.readline(LONGEST):
        number += 1
        yield f"{file}:{number}", _strings(line)


def _strings(line: str) -> Iterator[str]:
    """Yield the strings of a JSON line; a line that is no JSON is text like any other."""
    try:
        data = json.loads(line)
    except (ValueError, RecursionError):
        yield from _parts(line)
        return
    # A stack of its own: a hostile line may be nested deeper than Python's.
    stack: list[Any] = [data]
    while stack:
        value = stack.pop()
        if isinstance(value, str):
            yield from _parts(value)
        elif isinstance(value, dict):
            stack.extend(reversed(list(value.values())))
        elif isinstance(value, list):
            stack.extend(reversed(value))


def _parts(text: str) -> Iterator[str]:
    return (text[start : start + BLOCK] for start in range(0, len(text), BLOCK))
