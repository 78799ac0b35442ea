"""Writing a run's files: each whole or not at all; a full disk is a message, no traceback."""

from __future__ import annotations

import contextlib
import errno
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from secrets import token_hex
from typing import Any

from culturegate.errors import CulturegateError

_CAUSES = {
    errno.ENOSPC: "the disk is full; make room and run again with --resume, replies are kept",
    errno.EDQUOT: "the disk quota is used up; make room and run again with --resume",
    errno.EACCES: "permission denied; choose another folder with --run-dir",
    errno.EPERM: "permission denied; choose another folder with --run-dir",
    errno.EROFS: "the file system is read-only; choose another folder with --run-dir",
    errno.ENOTDIR: "a file stands where a folder is needed; choose another with --run-dir",
    errno.ENAMETOOLONG: "the path is too long; choose a shorter one with --run-dir",
}


class ReportError(CulturegateError):
    """A file of the run that could not be written or read; the message names it and the cause."""


@contextlib.contextmanager
def mended(action: str, path: Path) -> Iterator[None]:
    """Turn an `OSError` of the block into a `ReportError`: what was tried, where, what to do."""
    try:
        yield
    except OSError as error:
        cause = _CAUSES.get(error.errno or 0, error.strerror or str(error))
        message = f"cannot {action} {path}: {cause}"
        raise ReportError(message) from error


def valid_unicode(text: str) -> str:
    """Return `text` with pairs of surrogates joined and lone ones as U+FFFD, fit for UTF-8."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def write_text(path: Path, chunks: Iterable[str]) -> None:
    """Write a file whole or not at all, as UTF-8 with `\\n` line ends.

    The text goes to a new file beside `path`, which then takes its place, so that a reader never
    sees half a file and a failed write leaves the old one. Raises `ReportError`.
    """
    beside = path.with_name(f".{path.name}.{token_hex(4)}")
    with mended("write", path):
        try:
            with beside.open("x", encoding="utf-8", newline="\n") as file:
                file.writelines(valid_unicode(chunk) for chunk in chunks)
                file.flush()
                os.fsync(file.fileno())
            beside.replace(path)
        except BaseException:
            with contextlib.suppress(OSError):
                beside.unlink(missing_ok=True)
            raise


def write_json(path: Path, data: Mapping[str, Any]) -> None:
    """Write one JSON document: sorted keys, two spaces, trailing newline; the same bytes for the
    same data. Raises `ReportError`, and `ValueError` on a number that JSON does not have.
    """
    text = json.dumps(data, ensure_ascii=False, sort_keys=True, indent=2, allow_nan=False)
    write_text(path, (text, "\n"))


def write_lines(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write one compact JSON document a line, in the order given. Raises as `write_json` does."""
    write_text(path, (json_line(row) for row in rows))


def json_line(row: Mapping[str, Any]) -> str:
    """Return compact JSON and a newline."""
    text = json.dumps(row, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    # JSON allows these two inside a string, but many tools that split lines split at them.
    return text.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029") + "\n"
