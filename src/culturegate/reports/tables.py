"""Tables of the reports: as safe HTML that a narrow screen shows as cards, and as Markdown."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from culturegate.reports.escaping import escape
from culturegate.reports.section import SectionTable
from culturegate.text import clean

_MOST_ROWS = 12
"""Of a table in Markdown, which is to be short; the heads of as many more are named."""


def titled(head: str, body: Markup) -> Markup:
    """Return a section: a heading over its body."""
    return Markup("<h3>{}</h3>{}").format(head, body)


def cells(heads: Sequence[str], texts: Sequence[str | Markup]) -> Markup:
    """Return cells that name their column too, for screens too narrow for a table's head."""
    return Markup("").join(
        Markup('<td data-head="{}">{}</td>').format(head, text)
        for head, text in zip(heads, texts, strict=True)
    )


def grid(name: str, heads: Sequence[str], body: Sequence[Markup]) -> Markup:
    """Return a table of class `name`: a head, and rows that are HTML already."""
    head = Markup("").join(Markup('<th scope="col">{}</th>').format(each) for each in heads)
    return Markup(
        '<table class="cg-table {}"><thead><tr>{}</tr></thead><tbody>{}</tbody></table>'
    ).format(name, head, Markup("").join(body))


def section_table(table: SectionTable) -> Markup:
    """Return a table of plain texts under its title."""
    body = [
        Markup('<tr><th scope="row">{}</th>{}</tr>').format(
            clean(head, 200), cells(table.heads[1:], [clean(text, 500) for text in texts])
        )
        for head, *texts in table.rows
    ]
    return Markup("<h4>{}</h4>{}").format(table.title, grid("cg-section", table.heads, body))


def markdown_table(table: SectionTable) -> list[str]:
    """Return the lines of a table under its title, at most a dozen rows, an empty line last.

    Rows that are left out are named, so that none is missed that a reader looks for.
    """
    heads = " | ".join(escape(head, 60) for head in table.heads)
    lines = [escape(table.title), "", f"| {heads} |", f"|{' --- |' * len(table.heads)}"]
    for row in table.rows[:_MOST_ROWS]:
        lines.append(f"| {' | '.join(escape(cell, 100) for cell in row)} |")
    return [*lines, "", *left_out([row[0] for row in table.rows[_MOST_ROWS:]])]


def left_out(heads: Sequence[str]) -> list[str]:
    """Return the Markdown lines that name the rows a table has no room for; none without any."""
    if not heads:
        return []
    told = "1 more row is" if len(heads) == 1 else f"{len(heads)} more rows are"
    named = "; ".join(escape(head, 60) for head in heads[:_MOST_ROWS])
    return [f"{told} in report.html: {named}{'; …' if len(heads) > _MOST_ROWS else ''}.", ""]
