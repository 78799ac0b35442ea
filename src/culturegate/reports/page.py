"""The top of report.html: raw HTML for the `prefix` of pytest_html_results_summary."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import resources
from typing import Any

from markupsafe import Markup, escape

from culturegate.metrics.estimate import Estimate
from culturegate.reports.figures import Figure, figures
from culturegate.reports.gate_rows import GateRow
from culturegate.reports.human import HUMAN_LOOK
from culturegate.reports.provenance import LABELS, fact_text
from culturegate.reports.rows import RowBudget
from culturegate.reports.run import Run
from culturegate.reports.section import Section
from culturegate.reports.shortcuts import shortcut_texts
from culturegate.reports.splits import difficulty_table, lures_table
from culturegate.reports.summary import (
    ALL,
    Row,
    Summary,
    limits,
    percent,
    points,
)
from culturegate.reports.tables import cells, grid, section_table, titled
from culturegate.text import clean, one_line

OPEN_TABLES = 2
"""Tables of a track that are open; the others are folded, for the reader with a phone."""

OPEN_ROWS = 15
"""Rows of a track's table beyond which it is folded too."""

_RULE_HEAD = ("Rule", "Readings", "Share")
_GATE_HEAD = ("Verdict", "Line", "Value", "Limit", "Why")


def html_summary_prefix(run: Run, rows: RowBudget | None = None) -> list[str]:
    """Return pieces of safe HTML, in order, style sheet first.

    `rows` says how many of the cases below have a row; None says nothing of rows.
    """
    summary = Summary(run)
    style = resources.files("culturegate.reports").joinpath("report.css").read_text("utf-8")
    pieces = [
        # pytest-html's page has none of its own; without it a phone lays out 980 pixels.
        Markup('<meta name="viewport" content="width=device-width, initial-scale=1">'),
        Markup("<style>{}</style>").format(Markup(style)),
        Markup('<section class="cg" lang="en">'),
        *_opening(summary),
        _figures(summary),
        _gate(summary),
        _table(summary),
        difficulty_table(summary),
        lures_table(summary),
        _shortcuts(run),
        *(_section(run, section) for section in run.sections),
        HUMAN_LOOK.html(run.directory, run.info),
        _cases(summary, rows),
        _rules(summary),
        _provenance(run.info),
        Markup("</section>"),
    ]
    return [str(piece) for piece in pieces if piece]


def _opening(summary: Summary) -> list[Markup]:
    gate = summary.run.gate
    found = []
    if gate is not None:
        word = {0: "met", 10: "breached"}.get(gate.exit_code, "unverified")
        found.append(
            Markup('<p class="cg-gate cg-{}">{}</p>').format(word, one_line(gate.sentence, 300))
        )
    found += [
        Markup('<p class="cg-sentence">{}</p>').format(clean(told, 1000))
        for told in summary.headlines
    ]
    found += [Markup('<p class="cg-caveat">{}</p>').format(caveat) for caveat in summary.caveats]
    return found


def _figures(summary: Summary) -> Markup:
    return _drawn(figures(summary))


def _drawn(shown: Sequence[Figure]) -> Markup:
    found = [
        Markup("<figure><figcaption>{}</figcaption>{}{}</figure>").format(
            figure.title,
            Markup(figure.svg),
            Markup('<p class="cg-note">{}</p>').format(figure.note) if figure.note else "",
        )
        for figure in shown
    ]
    return Markup('<div class="cg-figures">{}</div>').format(Markup("").join(found))


def _section(run: Run, section: Section) -> Markup:
    """Lay out what a track adds."""
    notes = [Markup("<p>{}</p>").format(clean(note, 2000)) for note in section.notes]
    figures_shown = [_drawn(section.figures)] if section.figures else []
    places = [place.html(run.directory, run.info) for place in section.places]
    shown: list[Markup] = []
    folded: list[Markup] = []
    for place, table in enumerate(section.tables):
        is_open = place < OPEN_TABLES and len(table.rows) <= OPEN_ROWS
        (shown if is_open else folded).append(section_table(table))
    if folded:
        shown.append(
            Markup("<details><summary>{}: {}</summary>{}</details>").format(
                "1 more table" if len(folded) == 1 else f"{len(folded)} more tables",
                section.title,
                Markup("").join(folded),
            )
        )
    return titled(section.title, Markup("").join([*notes, *figures_shown, *shown, *places]))


def _gate(summary: Summary) -> Markup:
    if not summary.gate_rows:
        return Markup("")
    body = [
        Markup('<tr class="cg-{}"><td class="cg-verdict">{}</td>{}</tr>').format(
            row.status,
            row.status,
            cells(_GATE_HEAD[1:], (row.name, row.value, one_line(row.limit, 60), _why(row))),
        )
        for row in summary.gate_rows
    ]
    return titled("The gate's lines", grid("cg-lines", _GATE_HEAD, body))


def _why(row: GateRow) -> Markup:
    """Return the reason, and folded below it that of each group where they are not the same."""
    if not row.groups:
        return escape(one_line(row.reason, 400))
    told = [
        Markup("<div>{}: {}</div>").format(one_line(name, 60), one_line(reason, 400))
        for name, reason in row.groups
    ]
    return Markup("{}<details><summary>each</summary>{}</details>").format(
        one_line(row.reason, 400), Markup("").join(told)
    )


def _table(summary: Summary) -> Markup:
    if not summary.has_values:
        return Markup("")
    heads = [f"{kind}, {summary.estimates.level} interval, n" for kind in summary.kinds]
    heads += ["gap, points"] if summary.has_gap else []
    body = [
        Markup('<tr{}><th scope="row">{}</th>{}</tr>').format(
            Markup(' class="cg-all"') if row.name == ALL else "",
            row.title,
            cells(heads, [*map(_share, row.accuracy.values()), *_gap(summary, row)]),
        )
        for row in summary.rows
    ]
    return titled("By culture", grid("cg-cultures", ["", *heads], body))


def _share(found: Estimate | None) -> Markup:
    if found is None or found.value is None:
        return escape("–" if found is None else f"undefined: {one_line(found.undefined or '')}")
    return Markup("<b>{}</b> <span>{} · {}</span>").format(
        percent(found.value), limits(found), found.n
    )


def _gap(summary: Summary, row: Row) -> list[Markup]:
    if not summary.has_gap:
        return []
    if row.gap is None or row.gap.value is None:
        why = one_line(row.gap.undefined or "", 200) if row.gap is not None else ""
        return [Markup('<span title="{}">undefined</span>').format(why)]
    return [Markup("<b>{}</b> <span>{}</span>").format(points(row.gap.value), limits(row.gap))]


def _shortcuts(run: Run) -> Markup:
    """Set the model beside guessers that read for no meaning."""
    if not run.shortcuts:
        return Markup("")
    heads = (
        "items",
        "the model, single trials",
        "longest option",
        "most shared words",
        "one letter",
        "chance",
    )
    body = [
        Markup('<tr><th scope="row">{}</th>{}</tr>').format(
            f"{found.kind}, {found.lang}", cells(heads, shortcut_texts(found))
        )
        for found in run.shortcuts
    ]
    return titled("What shortcuts would score", grid("cg-shortcuts", ["", *heads], body))


def _cases(summary: Summary, rows: RowBudget | None) -> Markup:
    told = [f"{summary.totals}.", f"Replies: {summary.replies or 'none'}.", *summary.remarks]
    told.append(f"{summary.reviewed}.")
    if rows is not None:
        total = len(summary.run.records)
        told.append(
            f"{rows.kept} of {total} cases have a row below, wrong ones first to be kept "
            f"({rows.left_out} wrong ones have none); all are in records.jsonl."
            if rows.kept < total
            else f"All {total} cases have a row below."
        )
    told.append("“Failed” is a wrong answer, “Error” a case that could not be judged.")
    parts = [Markup("<p>{}</p>").format(" ".join(told))]
    if summary.run.rerun_command and summary.run.wrong + summary.run.errors:
        command = one_line(summary.run.rerun_command, 1000)
        parts.append(Markup("<p>Ask the wrong cases again:</p><pre>{}</pre>").format(command))
    return titled("Cases", Markup("").join(parts))


def _rules(summary: Summary) -> Markup:
    """Return the uses of each rule, folded."""
    if not summary.rules:
        return Markup("")
    total = sum(count for _, count in summary.rules)
    body = [
        Markup('<tr><th scope="row">{}</th>{}</tr>').format(
            one_line(rule, 60), cells(_RULE_HEAD[1:], (str(count), percent(count / total)))
        )
        for rule, count in summary.rules
    ]
    return Markup(
        "<details><summary>How the replies were read, by rule</summary>{}</details>"
    ).format(grid("cg-rules", _RULE_HEAD, body))


def _provenance(info: Mapping[str, Any]) -> Markup:
    """Return every fact of run.json, the known ones first and by their labels."""
    keys = [key for key in LABELS if key in info] + sorted(info.keys() - LABELS.keys())
    facts = [
        Markup("<dt>{}</dt><dd>{}</dd>").format(
            LABELS.get(key, one_line(key, 60)), fact_text(value)
        )
        for key in keys
        if (value := info[key]) is not None
    ]
    return Markup("<details><summary>How this run was made</summary><dl>{}</dl></details>").format(
        Markup("").join(facts)
    )
