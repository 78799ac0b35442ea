"""A case of any track as a reader sees it: what is asked, and what a right reply is."""

from __future__ import annotations

from collections.abc import Iterator

from culturegate.bank import Bank
from culturegate.text import clean
from culturegate.tracks import PROTOCOLS, TRACKS, Case, Plan

MOST = 12
"""Cases of one name that are shown; a persona has more."""


def cases_named(bank: Bank, name: str) -> list[Case]:
    """Return the cases of a case's, an item's or a cluster's id, whatever a protocol leaves out."""
    plan = Plan(bank, PROTOCOLS["full"], seed=0)
    return [
        case
        for track in TRACKS.values()
        for case in track.cases(plan)
        if name in (case.facts.case, case.facts.item, case.facts.cluster)
    ]


def case_lines(cases: list[Case]) -> Iterator[str]:
    """Yield the lines of these cases, the first `MOST` of them whole."""
    for case in cases[:MOST]:
        facts = case.facts
        told = [facts.track, facts.culture, facts.lang, facts.arm, facts.condition, facts.task]
        yield f"{facts.case}: {', '.join(each for each in told if each)}"
        yield clean(case.question)
        for label, text in case.choices.items():
            yield f"  {label}. {clean(text)}"
        yield f"right: {clean(case.expected)}"
        yield ""
    if len(cases) > MOST:
        yield f"{len(cases) - MOST} more cases: " + ", ".join(
            case.facts.case for case in cases[MOST : 2 * MOST]
        )
