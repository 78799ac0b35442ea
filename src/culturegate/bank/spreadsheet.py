"""Tables that go to a person's spreadsheet and come back from it, whatever it made of them.

Tables of items or results from elsewhere are read more strictly: `files.read_table`.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence

from culturegate.text import clean

LARGEST = 256 * 1024 * 1024
"""Bytes of a table that is read back."""
MARK = "\ufeff"
"""Begins a table, since spreadsheets ask for it."""

# A cell that begins like a formula is run as one, also where a spreadsheet that parts columns by
# semicolons or tabs sees a cell begin inside of ours.
_FORMULA = re.compile(r"(^|[;\t\n])(?=[ \"']{0,40}[=+\-@＝＋－＠])")


def table_line(cells: Iterable[str]) -> str:
    """Return a row as CSV with every cell quoted, clean and no formula."""
    stream = io.StringIO()
    safe = [_FORMULA.sub(r"\1'", clean(cell)) for cell in cells]
    csv.writer(stream, quoting=csv.QUOTE_ALL, lineterminator="\n").writerow(safe)
    return stream.getvalue()


def table_rows(
    data: bytes, needed: Sequence[str], columns: Sequence[str]
) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield each row of a table with the number of its first line.

    Commas, semicolons or tabs may part the columns, which may be moved, added, and but for `needed`
    left out; their names are in lower case. Cells come without white space around them and without
    the apostrophe that `table_line` or a spreadsheet put before a formula. Raises `ValueError` with
    a sentence for a person.
    """
    if len(data) > LARGEST:
        message = f"the file has more than {LARGEST} bytes"
        raise ValueError(message)
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        message = "not UTF-8; save it from the spreadsheet as “CSV UTF-8”"
        raise ValueError(message) from error
    head = text.partition("\n")[0]
    delimiter = max(",;\t", key=head.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    names: list[str] | None = None
    first = 1
    try:
        for row in reader:
            line, first = first, reader.line_num + 1
            if not any(cell.strip() for cell in row):
                continue
            if names is None:
                names = [cell.strip().lower() for cell in row]
                missing = [name for name in needed if name not in names]
                if missing:
                    message = f"the first row lacks the columns {', '.join(missing)}"
                    raise ValueError(message)
                twice = [name for name in needed if names.count(name) > 1]
                if twice:
                    message = f"columns that stand twice: {', '.join(twice)}"
                    raise ValueError(message)
            elif any(cell.strip() for cell in row[len(names) :]):
                message = f"line {line} has more cells than columns; quote cells with commas"
                raise ValueError(message)
            else:
                # A spreadsheet may leave out the empty cells at a row's end.
                cells = [cell.strip().removeprefix("'") for cell in row]
                cells += [""] * (len(names) - len(cells))
                yield line, dict(zip(names, cells, strict=False))
    except csv.Error as error:
        message = f"line {reader.line_num} is no CSV: {error}"
        raise ValueError(message) from error
    if names is None:
        message = f"there is no row in it; its columns are {', '.join(columns)}"
        raise ValueError(message)
