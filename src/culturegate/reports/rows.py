"""Rows of the report's table, for pytest-html's row hooks: which cases get one, and its cells.

`pytest_html_results_table_header(cells)`: `cells[:] = header_cells(cells)`.
`pytest_html_results_table_row(report, cells)`: `cells[:] = row_cells(cells, shown)`, with `shown`
None for a test that is no case, or `cells.clear()` where the `RowBudget` does not admit the row.
`pytest_html_results_table_html(report, data)`: `data[:] = [row_detail(shown)]`.

pytest-html sorts and filters by the text of a cell, in one line, and knows "Passed", "Failed" and
"Error" only; it redraws every row at each click, so a report holds some hundreds at most.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from markupsafe import Markup, escape

from culturegate.text import one_line
from culturegate.tracks.base import CaseFacts, Record

ROW_LIMIT = 500
"""Rows that a browser opens, sorts and redraws without a wait."""

_COLUMNS = ("culture", "kind", "reading", "expected")
_CELL = 120

Group = tuple[str, str]


class RowBudget:
    """Which cases get a row: all where they fit, else a fair part of each culture and kind.

    Rows are decided as cases end, so each culture × kind has room in proportion to its cases, and
    right answers may take a quarter of it: what went wrong is what a reader looks for. A quarter
    of the limit is kept for groups in which more went wrong than they have room for.
    """

    def __init__(self, cases: Iterable[CaseFacts], limit: int = ROW_LIMIT) -> None:
        planned: Counter[Group] = Counter((facts.culture, facts.kind) for facts in cases)
        self.cases = planned.total()
        """Cases that could have a row."""
        self.kept = 0
        """Rows admitted so far."""
        self.left_out = 0
        """Cases not passed that got no row."""
        self._spare = 0 if self.cases <= limit else limit // 4
        self._room = {
            group: n if self.cases <= limit else (limit - self._spare) * n // self.cases
            for group, n in planned.items()
        }
        self._right = {
            group: n if self.cases <= limit else self._room[group] // 4
            for group, n in planned.items()
        }

    def admit(self, record: Record) -> bool:
        """Say whether the case gets a row, and count it where it does."""
        group = (record.facts.culture, record.facts.kind)
        right = record.passed is True
        if group not in self._room:
            return False
        if right:
            if self._room[group] < 1 or self._right[group] < 1:
                return False
            self._right[group] -= 1
            self._room[group] -= 1
        elif self._room[group] > 0:
            self._room[group] -= 1
        elif self._spare > 0:
            self._spare -= 1
        else:
            self.left_out += 1
            return False
        self.kept += 1
        return True


def header_cells(cells: Sequence[str]) -> list[str]:
    """Return the header: pytest-html's result and test, then ours.

    Its duration would say how long pytest waited, not how long the model took; it has no links.
    """
    ours = [
        f'<th class="sortable" data-column-type="{name}">{name.capitalize()}</th>'
        for name in _COLUMNS
    ]
    return [*cells[:2], *ours]


def row_cells(cells: Sequence[str], shown: Mapping[str, Any] | None) -> list[str]:
    """Return a row's cells in the order of `header_cells`, blank for a test that is no case."""
    result, test, *_ = cells
    if shown is None:
        return [result, test, *(f'<td class="col-{name}"></td>' for name in _COLUMNS)]
    test = _cell("testId", shown["case"])
    lang = shown["lang"]
    ours = [
        _cell("culture", shown["culture"]),
        _cell("kind", shown["kind"]),
        _cell("reading", shown["reading"], lang),
        _cell("expected", shown["expected"], lang),
    ]
    return [result, test, *ours]


def _cell(name: str, text: str, lang: str = "") -> str:
    # pytest-html reads a cell back with a pattern: the class first, no line end, no attribute
    # with ">" in it.
    mark = Markup(' lang="{}" dir="auto"').format(lang) if lang else ""
    return f'<td class="col-{name}"{mark}>{escape(one_line(text, _CELL))}</td>'


def row_detail(shown: Mapping[str, Any]) -> str:
    """Return what opens below a row: the question, its options, and each reply, as safe HTML."""
    lang = shown["lang"]
    parts = [Markup('<div class="cg-case">')]
    if shown["error"] is not None:
        parts.append(_part("Could not be judged", shown["error"]))
    parts.append(_part("Question", shown["question"], lang))
    if shown["options"]:
        rows = [f"{label}. {text}" for label, text in shown["options"].items()]
        parts.append(_part("Options, by the item's own labels", "\n".join(rows), lang))
    parts.append(_part("Expected", shown["expected"], lang))
    for reply in shown["replies"]:
        order = "" if reply["order"] is None else f", options shown as {reply['order']}"
        read = " ".join(filter(None, (reply["status"], reply["value"])))
        judged = {True: ": right", False: ": wrong"}.get(reply["correct"], "")
        head = f"Reply to {reply['template']}, sample {reply['sample']}{order}: {read}{judged}"
        parts.append(_part(head, reply["text"] or "(no text)", lang))
    parts.append(Markup("</div>"))
    # pytest-html colours log lines that begin with "E": there is to be one line only.
    return str(Markup("").join(parts)).replace("\n", "&#10;")


def _part(head: str, text: str, lang: str = "") -> Markup:
    """Return a heading over a text, folded where it is long."""
    mark = Markup(' lang="{}"').format(lang) if lang else Markup("")
    body = Markup('<pre dir="auto"{}>{}</pre>').format(mark, text)
    if len(text) > 600 or text.count("\n") > 12:
        return Markup("<details><summary>{}</summary>{}</details>").format(head, body)
    return Markup('<div class="cg-head">{}</div>{}').format(head, body)
