"""Path scores over a run: how sound the reasoning is, and whether its judges agree."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from culturegate.metrics.agreement import cohen_kappa
from culturegate.metrics.shares import share
from culturegate.tracks.base import Record
from culturegate.tracks.mirror_judging import ASPECTS, CALLS, PathScore, path_scores

BEST = 2
"""The highest score of an aspect."""
PathKey = tuple[str, str, int, str]
"""Case, template, sample, aspect: what one score is about."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """How two scorers of the same replies agree."""

    pairs: int
    equal: float | None
    """Share of equal scores."""
    difference: float | None
    """Mean of the first's score − the second's."""
    kappa: float | None
    """Cohen's, with quadratic weights: 1 agrees, 0 as chance would."""
    undefined: str | None = None
    """Why there is no kappa."""


def agreement(first: Sequence[float], second: Sequence[float]) -> Agreement:
    """Return how two scorers agree, their scores in step, 0 to 2 in halves."""
    if not first:
        return Agreement(0, None, None, None, "no reply was scored by both")
    a, b = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    equal, difference = float((a == b).mean()), float((a - b).mean())
    if len({*first, *second}) < 2:
        why = "both gave every reply the same score, so there is nothing to tell apart"
        return Agreement(len(first), equal, difference, None, why)
    kappa = cohen_kappa(
        np.rint(a * 2).astype(int).tolist(), np.rint(b * 2).astype(int).tolist(), "quadratic"
    )
    return Agreement(len(first), equal, difference, kappa)


@dataclass(frozen=True, slots=True)
class _Scored:
    record: Record
    score: PathScore


def paths_summary(records: Iterable[Record], confidence: float) -> list[dict[str, Any]] | None:
    """Return the path scores by aspect, over all and by region and arm; None without a judge.

    Each row has `aspect`, `where`, `n` (replies scored), `clusters`, `mean` with `low` and `high`
    (0 to 2), `nonstandard`, `unscored` and `arbitrated` (counts of replies), and `calls`: how the
    two independent calls agree. Replies whose reasoning is reasonable and not standard are counted
    apart and enter no mean.
    """
    scored = [
        _Scored(record, score)
        for record in records
        if record.judgements
        for score in path_scores(record.judgements)
    ]
    if not scored:
        return None
    names = {name: n for n, name in enumerate(sorted({s.record.facts.cluster for s in scored}))}
    rows = []
    for aspect in ASPECTS:
        of_aspect = [each for each in scored if each.score.aspect == aspect]
        for where, members in _groups(of_aspect):
            rows.append({"aspect": aspect, "where": where} | _row(members, names, confidence))
    return rows


def _groups(scored: Sequence[_Scored]) -> Iterator[tuple[dict[str, str], list[_Scored]]]:
    yield {}, list(scored)
    for fact in ("culture", "arm"):
        groups: defaultdict[str, list[_Scored]] = defaultdict(list)
        for each in scored:
            groups[str(getattr(each.record.facts, fact))].append(each)
        for value, members in sorted(groups.items()):
            yield {fact: value}, members


def _row(members: Sequence[_Scored], names: Mapping[str, int], confidence: float) -> dict[str, Any]:
    standard = [m for m in members if m.score.score is not None and not m.score.nonstandard]
    found = share(
        np.array([(m.score.score or 0.0) / BEST for m in standard]),
        np.array([names[m.record.facts.cluster] for m in standard], dtype=np.intp),
        size=len(names),
    )
    low, high = found.limits(confidence) if found else (None, None)
    pairs = [
        (first, second)
        for m in members
        for first, second in [m.score.calls[:CALLS]]
        if first is not None and second is not None
    ]
    return {
        "n": len(standard),
        "clusters": found.clusters if found else 0,
        "mean": found.value * BEST if found else None,
        "low": None if low is None else low * BEST,
        "high": None if high is None else high * BEST,
        "nonstandard": sum(m.score.nonstandard for m in members),
        "unscored": sum(m.score.score is None for m in members),
        "arbitrated": sum(len(m.score.calls) > CALLS for m in members),
        "calls": asdict(agreement([a for a, _ in pairs], [b for _, b in pairs])),
    }


def compare_scorers(
    records: Iterable[Record], scores: Mapping[PathKey, float]
) -> list[dict[str, Any]]:
    """Return how the judge agrees with a person, by aspect, over all and by region.

    Each row has `aspect`, `where` and the fields of `Agreement`, the judge first.

    Args:
        records: Of a judged run.
        scores: The person's, 0 to 2; replies that only one of them scored are left out.
    """
    scored = [
        _Scored(record, score)
        for record in records
        if record.judgements
        for score in path_scores(record.judgements)
    ]
    rows = []
    for aspect in ASPECTS:
        of_aspect = [each for each in scored if each.score.aspect == aspect]
        for where, members in _groups(of_aspect):
            if "arm" in where:
                continue
            pairs = [
                (m.score.score, scores[key])
                for m in members
                if m.score.score is not None and (key := path_key(m.record, m.score)) in scores
            ]
            found = agreement([judge for judge, _ in pairs], [person for _, person in pairs])
            rows.append({"aspect": aspect, "where": where} | asdict(found))
    return rows


def path_key(record: Record, score: PathScore) -> PathKey:
    """Return what a score is about."""
    return record.facts.case, score.template, score.sample, score.aspect
