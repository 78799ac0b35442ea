"""Tables of the page, as safe HTML that a narrow screen shows as cards."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup


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
