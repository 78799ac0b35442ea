"""A corpus on disk as a stream of documents, in bounded memory: text, JSON Lines, gzip, folders."""

from __future__ import annotations

import gzip
import io
import json
import os
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

from culturegate.errors import CulturegateError
from culturegate.text import one_line

BLOCK = 1 << 20
"""Characters of one piece of a text."""
LONGEST = 1 << 26
"""Characters of a JSON line; a longer one is read as plain text."""
_LINES = frozenset({".jsonl", ".ndjson"})


def documents(paths: Sequence[Path]) -> Iterator[tuple[str, Iterator[str]]]:
    """Yield each document's name and its pieces, which follow one another without a gap.

    A line of a `.jsonl` or `.ndjson` file is a document, every string in it, at any depth, a part;
    any other file is one document. `.gz` files are unpacked on the way; hidden files are passed
    over. A document's pieces must be used up before the next document is asked for.

    Raises:
        CulturegateError: Where a path is missing, unreadable, damaged, or holds no file.
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
    for folder, below, names in os.walk(path):
        below[:] = sorted(name for name in below if not name.startswith("."))
        yield from (Path(folder, name) for name in sorted(names) if not name.startswith("."))


def _documents(file: Path) -> Iterator[tuple[str, Iterator[str]]]:
    packed = file.suffix.lower() == ".gz"
    kind = Path(file.stem).suffix.lower() if packed else file.suffix.lower()
    with _named(file), (gzip.open if packed else open)(file, "rb") as raw:
        text = io.TextIOWrapper(raw, encoding="utf-8-sig", errors="replace")
        if kind in _LINES:
            yield from _lines(text, file)
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
        yield line
        return
    # A stack of its own: a hostile line may be nested deeper than Python's.
    stack: list[Any] = [data]
    while stack:
        value = stack.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            stack.extend(reversed(list(value.values())))
        elif isinstance(value, list):
            stack.extend(reversed(value))
