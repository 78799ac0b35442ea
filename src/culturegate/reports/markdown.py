"""summary.md: the run in short, fit for a pull-request comment and for a CI job's page."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from culturegate.metrics.estimate import Estimate
from culturegate.reports.escaping import escape
from culturegate.reports.files import mended, valid_unicode, write_text
from culturegate.reports.gate_rows import GateRow
from culturegate.reports.human import HUMAN_LOOK
from culturegate.reports.provenance import LABELS, fact_text
from culturegate.reports.run import Run
from culturegate.reports.shortcuts import shortcut_texts
from culturegate.reports.summary import (
    ALL,
    Row,
    Summary,
    limits,
    percent,
    points,
)
from culturegate.reports.tables import left_out, markdown_table
from culturegate.text import one_line

SUMMARY = "summary.md"
STEP_SUMMARY = "GITHUB_STEP_SUMMARY"
LIMIT = 60_000
"""Bytes; a comment on a pull request holds 65,536 characters."""

_SIGNS = {"breached": "❌", "unverified": "⚠️", "warned": "🔶", "met": "✅", "skipped": "⏭️"}
_MOST_RULES = 12
_MOST_TABLES = 2
_MOST_CULTURES = 60
_KEYS = ("model", "model_returned", "framework", "protocol", "temperature", "samples", "rounds",
         "bank_hash", "thresholds_hash", "git_commit", "git_dirty", "started")  # fmt: skip


def markdown(run: Run) -> str:
    """Return summary.md: below 60,000 bytes, every untrusted character inert.

    Verdicts come worst first; where they would not fit, the last ones are counted only.
    """
    summary = Summary(run)
    top = [f"### culturegate: {_headline(run)}", ""]
    for told in summary.headlines:
        top += [escape(told), ""]
    for caveat in summary.caveats:
        top += [f"> {escape(caveat)}", ">"]
    if summary.caveats:
        top += [""]
    below = [*_table(summary), *_sections(run), *_cases(summary), *_shortcuts(run)]
    below += [*_provenance(run), *HUMAN_LOOK.markdown(run.directory, run.info)]
    room = LIMIT - sum(len(line.encode("utf-8", "replace")) + 1 for line in [*top, *below]) - 200
    return "\n".join([*top, *_lines(summary, room), *below]) + "\n"


def write_summary(run: Run) -> Path:
    """Write summary.md into the run's directory and return its path. Raises `ReportError`."""
    path = run.directory / SUMMARY
    write_text(path, (markdown(run),))
    return path


def publish(run: Run, env: Mapping[str, str] = os.environ) -> Path | None:
    """Append summary.md to the file that `$GITHUB_STEP_SUMMARY` names and return its path.

    None where the variable is not set. Raises `ReportError`, which is no reason to fail a run.
    """
    if not env.get(STEP_SUMMARY):
        return None
    path = Path(env[STEP_SUMMARY])
    with mended("append the summary to", path), path.open("a", encoding="utf-8") as file:
        file.write(f"{valid_unicode(markdown(run))}\n")
    return path


def _headline(run: Run) -> str:
    if run.gate is not None:
        return escape(run.gate.sentence, 300)
    return "cut short, not judged" if run.cut is not None else "not judged"


def _lines(summary: Summary, room: int) -> list[str]:
    if not summary.gate_rows:
        return []
    lines = ["| | line | value | limit | why |", "| --- | --- | --- | --- | --- |"]
    for shown, row in enumerate(summary.gate_rows):
        line = _line(row)
        room -= len(line.encode("utf-8", "replace")) + 1
        if room < 0:
            left = len(summary.gate_rows) - shown
            told = "1 more line" if left == 1 else f"{left} more lines"
            return [*lines, "", f"{told} did not fit; report.html has all.", ""]
        lines.append(line)
    return [*lines, ""]


def _line(row: GateRow) -> str:
    cells = (
        f"{_SIGNS[row.status]} {row.status}",
        escape(row.name, 400),
        escape(row.value),
        escape(row.limit, 60),
        escape(row.reason, 300),
    )
    return f"| {' | '.join(cells)} |"


def _table(summary: Summary) -> list[str]:
    if not summary.has_values:
        return []
    level = summary.estimates.level
    heads = ["", *(f"{escape(kind, 40)} ({level})" for kind in summary.kinds)]
    heads += ["gap, points"] if summary.has_gap else []
    lines = [f"| {' | '.join(heads)} |", f"|{' --- |' * len(heads)}"]
    for row in summary.rows[:_MOST_CULTURES]:
        cells = [_name(row), *map(_share, row.accuracy.values())]
        cells += [_points(row.gap)] if summary.has_gap else []
        lines.append(f"| {' | '.join(cells)} |")
    return [*lines, "", *left_out([row.title for row in summary.rows[_MOST_CULTURES:]])]


def _name(row: Row) -> str:
    return "**all cultures**" if row.name == ALL else escape(row.title)


def _share(found: Estimate | None) -> str:
    if found is None or found.value is None:
        return "–"
    return f"**{escape(percent(found.value))}** ({limits(found)}) n={found.n}"


def _points(found: Estimate | None) -> str:
    if found is None or found.value is None:
        return "undefined"
    return f"**{points(found.value)}** ({limits(found)})"


def _sections(run: Run) -> list[str]:
    """Lay out each track's first tables, folded, since a comment has little room."""
    lines: list[str] = []
    for section in run.sections:
        tables = section.tables[:_MOST_TABLES]
        if not tables:
            continue
        lines += [f"<details><summary>{escape(section.title)}</summary>", ""]
        for table in tables:
            lines += markdown_table(table)
        for place in section.places:
            lines += [*place.markdown(run.directory, run.info), ""]
        lines += ["</details>", ""]
    return lines


def _cases(summary: Summary) -> list[str]:
    replies = escape(summary.replies) or "none"
    lines = [f"{summary.totals}. Replies: {replies}. {summary.reviewed}.", ""]
    rules = ", ".join(f"{count} {rule}" for rule, count in summary.rules[:_MOST_RULES])
    more = len(summary.rules) - _MOST_RULES
    rules = f"Read by the rules {rules}{f' and {more} more' if more > 0 else ''}." if rules else ""
    if told := " ".join(filter(None, [*summary.remarks, rules])):
        lines += [escape(told), ""]
    if summary.run.rerun_command and summary.run.wrong + summary.run.errors:
        command = one_line(summary.run.rerun_command, 2000)
        fence = "`" * max(3, 1 + max(map(len, re.findall("`+", command)), default=0))
        lines += ["Ask the wrong cases again:", "", fence, command, fence, ""]
    return lines


def _shortcuts(run: Run) -> list[str]:
    """Set the model beside guessers that read for no meaning."""
    lines = []
    for found in run.shortcuts:
        n, model, longest, shared, letter, chance = shortcut_texts(found)
        lines += [
            f"- {escape(found.kind)}, {escape(found.lang)} ({n} items): {model} of the model's "
            "single trials are right; always "
            f"the longest option {longest}, most words shared with the question {shared}, one "
            f"letter {letter}, chance {chance}"
        ]
    return [*lines, ""] if lines else []


def _provenance(run: Run) -> list[str]:
    known: Sequence[str] = [key for key in _KEYS if run.info.get(key) is not None]
    if not known:
        return []
    facts = [f"{LABELS[key]} {escape(_short(key, run.info[key]))}" for key in known]
    return [f"<sub>{', '.join(facts)}</sub>"]


def _short(key: str, value: object) -> str:
    text = fact_text(value)
    return text[:12] if key.endswith(("_hash", "_commit")) else text[:100]
