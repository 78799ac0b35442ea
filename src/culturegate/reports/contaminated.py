"""What the report says of contamination: which cases a corpus holds, and what that is worth."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from culturegate.contamination import Contamination, Overlap, Tag
from culturegate.contamination.tagging import CLEAN, CONTAMINATED, TOO_SHORT
from culturegate.metrics.ability import accuracy
from culturegate.metrics.estimate import Estimate
from culturegate.metrics.table import Table
from culturegate.reports.run import Run
from culturegate.reports.section import Section, SectionTable
from culturegate.reports.summary import limits, percent
from culturegate.tracks.base import Record

_STATES = (CONTAMINATED, CLEAN, TOO_SHORT)
_MOST = 30
"""Cases listed, those of the largest overlap."""


def contamination_rows(found: Contamination) -> Iterator[Mapping[str, Any]]:
    """Yield the lines of contamination.jsonl: each case's overlaps, sorted by case."""
    for case in sorted(found.tags):
        yield found.tags[case].to_dict()


def contaminated_section(run: Run) -> Section | None:
    """Return the section on contamination, None where no corpus was named."""
    found = run.contamination
    if found is None:
        return None
    records = [record for record in run.records if record.facts.case in found.tags]
    asked = [found.tags[record.facts.case] for record in records]
    counts = Counter(tag.state for tag in asked)
    confidence = float(run.metrics.get("confidence", 0.95))
    tables = [_by_culture(records, found)]
    if listed := _listed(asked):
        tables.append(listed)
    return Section(
        "Contamination",
        _headline(counts, _shares(run, confidence), confidence),
        (
            f"Looked for in {found.documents:,} documents of {found.characters:,} characters: "
            f"n-grams of {found.size} letters and digits. A case is contaminated where at least "
            f"{percent(found.least)} of its question's, or its question's and key's, n-grams "
            "stand in one stretch of one document about as long. “Pooled” counts them anywhere "
            "in the corpus, as the literature does: in a large corpus that is high for any text.",
        ),
        tuple(tables),
    )


def _shares(run: Run, confidence: float) -> Iterator[tuple[str, Estimate, Estimate]]:
    """Yield each track that has both with its accuracy clean and contaminated.

    Tracks are not pooled: one that is hard would then speak for the corpus.
    """
    view = Table(run.records).view()
    for track in view.values("track"):
        clean, tainted = (
            accuracy(view.where("track", track).where("contaminated", value), confidence).at(
                "accuracy", (), confidence
            )
            for value in ("false", "true")
        )
        if clean.value is not None and tainted.value is not None:
            yield track, clean, tainted


def _headline(
    counts: Mapping[str, int], shares: Iterable[tuple[str, Estimate, Estimate]], confidence: float
) -> str:
    told = f"{counts.get(CONTAMINATED, 0)} of {sum(counts.values())} cases stand in the corpus"
    if counts.get(TOO_SHORT):
        told += f", {counts[TOO_SHORT]} are too short to tell"
    parts = [
        f"{track} {CLEAN} {_told(clean)}, {CONTAMINATED} {_told(tainted)}"
        for track, clean, tainted in shares
    ]
    if parts:
        told += f"; accuracy: {'; '.join(parts)} ({percent(confidence)} intervals)"
    return f"{told}."


def _told(share: Estimate) -> str:
    return f"{percent(share.value)} ({limits(share)}, n = {share.n})"


def _by_culture(records: Iterable[Record], found: Contamination) -> SectionTable:
    rows: dict[tuple[str, str], dict[str, list[bool]]] = {}
    for record in records:
        facts = record.facts
        states = rows.setdefault((facts.track, facts.culture), {state: [] for state in _STATES})
        if record.passed is not None:
            states[found.tags[facts.case].state].append(record.passed)
    return SectionTable(
        "Passed of asked, by track and culture",
        ("track", "culture", *_STATES),
        tuple(
            (track, culture, *(_passed(states[state]) for state in _STATES))
            for (track, culture), states in sorted(rows.items())
        ),
    )


def _passed(outcomes: list[bool]) -> str:
    if not outcomes:
        return "–"
    return f"{percent(sum(outcomes) / len(outcomes))} ({sum(outcomes)} of {len(outcomes)})"


def _listed(asked: list[Tag]) -> SectionTable | None:
    tagged = [tag for tag in asked if tag.state == CONTAMINATED]
    tagged.sort(key=lambda tag: (-(tag.overlaps["both"].window or 0), tag.case))
    if not tagged:
        return None
    more = len(tagged) - _MOST
    title = "Contaminated cases" + (f" (the first {_MOST}; {more} more)" if more > 0 else "")
    heads = ("case", "question", "key", "both", "both, pooled", "13-word sequences", "document")
    rows = []
    for tag in tagged[:_MOST]:
        both = tag.overlaps["both"]
        windows = [_share(tag.overlaps[field].window) for field in ("question", "key", "both")]
        place = _place(tag.overlaps)
        rows.append((tag.case, *windows, _share(both.pooled), _share(both.words), place))
    return SectionTable(title, heads, tuple(rows))


def _place(overlaps: Mapping[str, Overlap]) -> str:
    return overlaps["both"].place or overlaps["question"].place or "–"


def _share(value: float | None) -> str:
    return "–" if value is None else percent(value)
