"""What a run says in a terminal: plain lines, readable at 80 columns and in any encoding."""

from __future__ import annotations

import textwrap
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from culturegate.metrics.estimate import Estimate
from culturegate.reports.gate_rows import SHOWN, GateRow
from culturegate.reports.run import Run
from culturegate.reports.summary import (
    Summary,
    limits,
    percent,
    points,
)
from culturegate.text import clean, one_line

_ASCII = str.maketrans(
    {"≤": "<=", "≥": ">=", "−": "-", "–": "-", "—": "-", "…": "...", "×": "x", "“": '"', "”": '"'}
)
_MANY = 40
"""Verdicts of one status beyond which the rest is only counted; breached lines are all shown."""

_GLUE = "\0"
"""A space that does not wrap; `clean` leaves no NUL in a text, so it stands for nothing else."""

Plain = Callable[[str], str]


def terminal_lines(
    run: Run, width: int = 80, encoding: str = "utf-8", paths: Iterable[Path] = ()
) -> list[str]:
    """Return the terminal summary.

    Args:
        run: The run at its end.
        width: Columns of the terminal; lines are laid out for 60 at least.
        encoding: The stream's; characters that it lacks are spelled in ASCII.
        paths: Files to name at the end, the first being the one to open.
    """
    width = max(width, 60)
    summary = Summary(run)

    def plain(text: str) -> str:
        safe = clean(text).replace("\n", " ").replace("\t", " ")
        try:
            safe.encode(encoding)
        except (UnicodeEncodeError, LookupError):
            return safe.translate(_ASCII).encode("ascii", "backslashreplace").decode("ascii")
        return safe

    lines = [line for told in summary.headlines for line in _wrapped(plain(told), width)]
    for caveat in summary.caveats:
        lines += _wrapped(plain(f"! {caveat}"), width, "  ")
    if summary.has_values:
        lines += ["", *_table(summary, width, plain)]
    if run.records:
        lines += [""]
        lines += _wrapped(plain(f"Cases: {summary.totals}. {summary.reviewed}."), width)
        lines += _wrapped(plain(f"Replies: {summary.replies or 'none'}."), width, "  ")
        for remark in summary.remarks:
            lines += _wrapped(plain(remark), width, "  ")
    if run.gate is not None:
        lines += ["", *_wrapped(plain(run.gate.sentence), width)]
        lines += _verdicts(summary.gate_rows, width, plain)
    if run.rerun_command and run.wrong + run.errors:
        # Not wrapped: a command that is cut in two can't be copied.
        lines += ["", "Ask the wrong cases again:", plain(f"  {run.rerun_command}")]
    named = [str(path) for path in paths] or [str(run.directory)]
    return [*lines, "", *(plain(path) for path in named)]


def _table(summary: Summary, width: int, plain: Plain) -> list[str]:
    """Lay out culture × kind; columns that do not fit go into a second table below."""
    level = summary.estimates.level
    columns = [
        [f"{kind} ({level})", *(_share(row.accuracy[kind]) for row in summary.rows)]
        for kind in summary.kinds
    ]
    if summary.has_gap:
        columns.append(["gap, points", *(_points(row.gap) for row in summary.rows)])
    columns = [[plain(cell) for cell in column] for column in columns]
    names = [plain(name) for name in ["", *(row.title for row in summary.rows)]]
    lines: list[str] = []
    while columns:
        block, used = [names, columns.pop(0)], _widest(names) + 2
        used += _widest(block[1])
        while columns and used + 2 + _widest(columns[0]) <= width:
            used += 2 + _widest(columns[0])
            block.append(columns.pop(0))
        lines += [""] * bool(lines) + _laid_out(block)
    return lines


def _share(estimate: Estimate | None) -> str:
    if estimate is None or estimate.value is None:
        return "-"
    return f"{percent(estimate.value)} ({limits(estimate)}) n={estimate.n}"


def _points(estimate: Estimate | None) -> str:
    if estimate is None or estimate.value is None:
        return "undefined"
    return f"{points(estimate.value)} ({limits(estimate)})"


def _laid_out(columns: Sequence[Sequence[str]]) -> list[str]:
    widths = [_widest(column) for column in columns]
    lines = []
    for cells in zip(*columns, strict=True):
        padded = (
            cell + " " * (width - columns_of(cell))
            for cell, width in zip(cells, widths, strict=True)
        )
        lines.append("  ".join(padded).rstrip())
    return lines


def _verdicts(rows: Sequence[GateRow], width: int, plain: Plain) -> list[str]:
    lines: list[str] = []
    for status in SHOWN:
        same = [row for row in rows if row.status == status]
        shown = same if status == "breached" else same[:_MANY]
        for row in shown:
            word = status.upper() if status in ("breached", "unverified") else status
            limit = plain(f"limit {one_line(row.limit, 40)}").replace(" ", _GLUE)
            head = plain(f"  {word:<10}  {row.name}: {row.value}, ") + limit
            lines += _wrapped(head, width, " " * 14)
            if row.reason:
                lines += _wrapped(plain(" " * 14 + row.reason), width, " " * 14)
        if len(shown) < len(same):
            lines.append(f"  {status:<10}  {len(same) - len(shown)} more, all in summary.md")
    return lines


def columns_of(text: str) -> int:
    """Return how many terminal columns a text takes: two for wide characters, none for marks."""
    return sum(
        0
        if unicodedata.category(char) in ("Mn", "Me", "Cf")
        else 2
        if unicodedata.east_asian_width(char) in ("W", "F")
        else 1
        for char in text
    )


def _widest(column: Sequence[str]) -> int:
    return max(map(columns_of, column))


def _wrapped(text: str, width: int, indent: str = "") -> list[str]:
    """Wrap at spaces; a text of wide characters is folded at half the width."""
    wide = columns_of(text) - len(text)
    if wide > len(text) // 4:
        width = max(width * len(text) // (len(text) + wide), 20)
    lines = textwrap.wrap(
        text, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )
    return [line.replace(_GLUE, " ") for line in lines]
