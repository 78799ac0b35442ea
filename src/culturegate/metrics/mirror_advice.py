"""What the pattern of a mirror run suggests to do next, and which cases show it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from culturegate.metrics.ability import accuracy, at_chance, difference, gap
from culturegate.metrics.answers import agreement, consistency, overconfidence
from culturegate.metrics.estimate import Estimate
from culturegate.metrics.mirror import LITERAL, LOCALIZED, ORIGINAL, TRACK
from culturegate.metrics.mirror_families import confidently_wrong, unsteady
from culturegate.metrics.mirror_paths import paths_summary
from culturegate.metrics.table import Table, View
from culturegate.tracks.base import Record
from culturegate.tracks.mirror_judging import CALLS, path_scores

LOSS = 0.10
"""Loss from which a region is worth advice, where it is certainly above 0."""
CONSISTENT = 0.80
OVERCONFIDENT = 0.10
APART = 0.60
"""Kappa below which judges are apart; 0.61 and more is called substantial (Landis, Koch 1977)."""
FEW_PAIRS = 10
"""Replies below which no kappa is judged."""
LOW = 0.50
"""Original accuracy below which the model, or the items, may be too weak a measure."""


@dataclass(frozen=True, slots=True)
class Advice:
    """One pattern in a run, what to do about it, and the cases that show it."""

    pattern: str
    group: str
    """The region that it is about; `all` for the whole track."""
    shown: str
    """The numbers that show it."""
    advice: str
    cases: tuple[str, ...]


SETTING = "the setting costs"
LANGUAGE = "the language already costs"
UNSTEADY = "answers are unsteady"
OVERSURE = "sure and wrong"
EASIER = "a region stands out"
WEAK = "the baseline is low"
JUDGES = "judges apart"

TO_DO = {
    SETTING: "Add data of that setting: everyday texts and worked problems from there, written in "
    "its language. First check that the region's problems are as hard as their originals.",
    LANGUAGE: "Work on the language first: a translation alone loses this much, and what culture "
    "costs shows only once the language is mastered.",
    UNSTEADY: "Look at the prompt and the temperature, and read these cases for a second answer "
    "that could be meant.",
    OVERSURE: "Let the model look facts up, and let it abstain: these answers are wrong and were "
    "stated with more than 80 %.",
    EASIER: "Compare the complexity of its skeletons with the other regions' and add scenes that "
    "are less typical, before it is taken for strength.",
    WEAK: "Try a stronger model on the same items first. If it fails on them too, mend the items; "
    "if not, the losses below the baseline say little of this model.",
    JUDGES: "Rework the rubric: state with examples what separates the scores, then score anew.",
}
"""What to do, by pattern."""


def mirror_advice(table: Table, confidence: float = 0.95) -> list[Advice]:
    """Return the patterns that the mirror records show, the broadest first."""
    mirror = table.view().where("track", TRACK)
    if not mirror.cases:
        return []
    records = [table.records[row] for row in np.flatnonzero(mirror.mask)]
    return [
        *_weak(mirror, records, confidence),
        *_losses(mirror, records, confidence),
        *_unsteady(mirror, records, confidence),
        *_oversure(mirror, records, confidence),
        *_easier(mirror, records, confidence),
        *_judges(records, confidence),
    ]


def _advice(pattern: str, group: str, shown: str, cases: Iterable[str]) -> Advice:
    return Advice(pattern, group, shown, TO_DO[pattern], tuple(sorted(set(cases))))


def _weak(mirror: View, records: list[Record], confidence: float) -> Iterator[Advice]:
    originals = mirror.where("arm", ORIGINAL)
    found = accuracy(originals, confidence)
    if found.value is None:
        return
    chance = at_chance(originals, ORIGINAL, confidence)
    if chance is not None or found.value < LOW:
        failed = (r.facts.case for r in records if r.facts.arm == ORIGINAL and r.passed is False)
        shown = f"{found.value:.0%} of {found.n} baseline cases pass"
        yield _advice(WEAK, "all", f"{shown}; {chance}" if chance else shown, failed)


def base_and_arm(mirror: View, culture: str, arm: str) -> tuple[View, View]:
    """Return the baseline of a region and one of its arms.

    The baseline is the region's own original arm, or with another region's arms as the baseline all
    of those: then no family has both.
    """
    region = mirror.where("culture", culture)
    base = region.where("arm", ORIGINAL)
    return base if base.cases else mirror.where("arm", ORIGINAL), region.where("arm", arm)


def _losses(mirror: View, records: list[Record], confidence: float) -> Iterator[Advice]:
    for culture in mirror.values("culture"):
        region = mirror.where("culture", culture)
        literal, localized = region.where("arm", LITERAL), region.where("arm", LOCALIZED)
        base, _ = base_and_arm(mirror, culture, LOCALIZED)
        if not localized.cases or at_chance(base, ORIGINAL, confidence) is not None:
            continue
        language = _told(base, literal, (ORIGINAL, LITERAL), confidence)
        if language is not None:
            cases = _only_first(records, culture, ORIGINAL, LITERAL)
            yield _advice(LANGUAGE, culture, f"original − literal: {language}", cases)
        first, name = (literal, LITERAL) if literal.cases else (base, ORIGINAL)
        setting = _told(first, localized, (name, LOCALIZED), confidence)
        if setting is not None:
            cases = _only_first(records, culture, name, LOCALIZED)
            yield _advice(SETTING, culture, f"{name} − localized: {setting}", cases)


def _told(first: View, second: View, names: tuple[str, str], confidence: float) -> str | None:
    """Return a loss in words, None unless it is large and certainly above 0."""
    found = difference(first, second, names, confidence).at("loss", (), confidence)
    if found.value is None or found.low is None or found.value <= LOSS or found.low <= 0:
        return None
    return _points(found)


def _points(found: Estimate) -> str:
    assert found.value is not None
    if found.low is None or found.high is None:
        return f"{found.value * 100:.0f} points"
    low, high = found.low * 100, found.high * 100
    return f"{found.value * 100:.0f} points ({low:.0f} to {high:.0f})"


def _only_first(records: list[Record], culture: str, first: str, second: str) -> list[str]:
    """Return the region's cases of the second arm that fail; where families have both arms, only
    those whose first arm passes."""
    passed = {
        (record.facts.cluster, record.facts.arm): record.passed
        for record in records
        if record.facts.culture == culture
    }
    return [
        record.facts.case
        for record in records
        if record.facts.culture == culture
        and record.facts.arm == second
        and record.passed is False
        and passed.get((record.facts.cluster, first), True)
    ]


def _unsteady(mirror: View, records: list[Record], confidence: float) -> Iterator[Advice]:
    found = consistency(mirror, confidence)
    if found.value is not None and found.value < CONSISTENT:
        shown = f"{found.value:.0%} of samples give their case's usual answer"
        low = [case for case, _ in unsteady(records)] or [
            r.facts.case for r in records if agreement(r) < CONSISTENT
        ]
        yield _advice(UNSTEADY, "all", shown, low)


def _oversure(mirror: View, records: list[Record], confidence: float) -> Iterator[Advice]:
    wrong = confidently_wrong(records)
    for culture in mirror.values("culture"):
        found = overconfidence(mirror.where("culture", culture), confidence)
        if found.value is not None and found.value > OVERCONFIDENT:
            shown = f"{found.value:.0%} of {found.n} answers with a stated confidence"
            yield _advice(OVERSURE, culture, shown, wrong.get(culture, ()))


def _easier(mirror: View, records: list[Record], confidence: float) -> Iterator[Advice]:
    localized = mirror.where("arm", LOCALIZED)
    for culture in localized.values("culture"):
        region, others = localized.where("culture", culture), localized.without("culture", culture)
        names = (culture, "the other regions")
        found = difference(region, others, names, confidence).at("lead", (), confidence)
        if found.value is None or found.low is None or found.value <= LOSS or found.low <= 0:
            continue
        base, _ = base_and_arm(mirror, culture, LOCALIZED)
        loss = gap(base, region, (ORIGINAL, LOCALIZED), confidence)
        if loss.value is not None and loss.value > 0:
            continue  # ahead of others and still behind its own baseline: nothing unusual
        cases = (
            r.facts.case
            for r in records
            if r.facts.culture == culture and r.facts.arm == LOCALIZED and r.passed
        )
        yield _advice(EASIER, culture, f"localized, over the others: {_points(found)}", cases)


def _judges(records: list[Record], confidence: float) -> Iterator[Advice]:
    for row in paths_summary(records, confidence) or ():
        calls = row["calls"]
        if "culture" not in row["where"] or calls["kappa"] is None:
            continue
        if calls["pairs"] >= FEW_PAIRS and calls["kappa"] < APART:
            culture = row["where"]["culture"]
            shown = f"{row['aspect']}: kappa {calls['kappa']:.2f} over {calls['pairs']} replies"
            cases = (
                r.facts.case
                for r in records
                if r.facts.culture == culture
                and any(
                    len(s.calls) > CALLS or len(set(s.calls[:CALLS])) > 1
                    for s in path_scores(r.judgements)
                    if s.aspect == row["aspect"]
                )
            )
            yield _advice(JUDGES, culture, shown, cases)
