"""The page's smaller tables: accuracy by difficulty, and what tempted the model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from markupsafe import Markup

from culturegate.reports.summary import Summary, limits, percent
from culturegate.reports.tables import cells, grid, titled
from culturegate.text import one_line
from culturegate.tracks.base import Record


def lures(records: Iterable[Record]) -> dict[str, Counter[str]]:
    """Return, by kind of the myth track, how many wrong answers fell to each kind of distractor.

    The bank tags a distractor with what tempts in it, such as `surface` or `neighbour`; a wrong
    answer without a tag counts as `untagged`.
    """
    found: dict[str, Counter[str]] = {}
    for record in records:
        if record.facts.track != "myth":
            continue
        for trial in record.trials:
            if trial.status == "answered" and trial.correct is False:
                counts = found.setdefault(record.facts.kind, Counter())
                counts[trial.reason or "untagged"] += 1
    return found


def lures_table(summary: Summary) -> Markup:
    """Return the table of lures, empty where nothing was answered wrongly."""
    # Every other track tells in a section of its own what went wrong.
    asked = (record for record in summary.run.records if record.facts.kind in summary.kinds)
    found = lures(asked)
    tags = sorted({tag for counts in found.values() for tag in counts})
    if not tags:
        return Markup("")
    body = []
    for kind in (kind for kind in summary.kinds if kind in found):
        counts, total = found[kind], found[kind].total()
        shares = [f"{percent(counts[tag] / total)} ({counts[tag]})" for tag in tags]
        head = Markup('<th scope="row">{}, {} wrong answers</th>').format(kind, total)
        body.append(Markup("<tr>{}{}</tr>").format(head, cells(tags, shares)))
    heads = ["", *(one_line(tag, 40) for tag in tags)]
    return titled("What the wrong answers fell for", grid("cg-lures", heads, body))


def difficulty_table(summary: Summary) -> Markup:
    """Return accuracy by difficulty and kind, empty where the items have no difficulty."""
    asked = (record.facts for record in summary.run.records if record.facts.kind in summary.kinds)
    levels = {facts.difficulty for facts in asked} - {None}
    heads = [f"{kind}, {summary.estimates.level} interval, n" for kind in summary.kinds]
    body = []
    for level in sorted(map(str, levels)):
        shares = []
        for kind in summary.kinds:
            share = summary.estimates.get("accuracy", difficulty=level, kind=kind)
            shares.append(
                Markup("<b>{}</b> {} · {}").format(percent(share.value), limits(share), share.n)
                if share is not None and share.value is not None
                else "–"
            )
        head = Markup('<th scope="row">{}</th>').format(level)
        body.append(Markup("<tr>{}{}</tr>").format(head, cells(heads, shares)))
    if not body:
        return Markup("")
    return titled("By difficulty", grid("cg-difficulty", ["", *heads], body))
