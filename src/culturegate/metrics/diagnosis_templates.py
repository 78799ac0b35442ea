"""How much the score hangs on the wording: the best template's accuracy minus the worst's."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from culturegate.metrics.estimate import Estimate
from culturegate.metrics.paired import RESAMPLES
from culturegate.metrics.shares import share
from culturegate.metrics.table import Floats
from culturegate.tracks.base import Record

MANY = 1000
"""Clusters in which templates differ beyond which the permutation's normal limit stands for it."""
_CHUNK = 200


@dataclass(frozen=True, slots=True)
class TemplateSpread:
    """Accuracy by template over the same cases, and what chance does to the difference."""

    templates: tuple[Estimate, ...]
    """Share right, by template."""
    spread: float
    """Largest − smallest."""
    expected: float
    """Mean spread of templates that are alike: with any two there is some."""
    p: float
    """Of a spread so large where all templates are alike."""
    n: int
    """Cases asked in every template."""
    clusters: int


def template_spread(
    records: Iterable[Record], confidence: float, seed: int
) -> TemplateSpread | None:
    """Return the spread over the myth track's cases, None where none has several templates.

    Tested by permuting the templates within each cluster, 9,999 times from `seed`: where templates
    are alike, any order of a cluster's sums is as likely. Over very many clusters their permuted
    totals are drawn as the normal variates that they come close to.
    """
    found = sorted(records, key=lambda record: record.facts.case)
    scored = [(r.facts.cluster, _scores(r)) for r in found if r.facts.track == "myth"]
    most = max((len(scores) for _, scores in scored), default=0)
    rows = [(cluster, scores) for cluster, scores in scored if len(scores) == most]
    if most < 2 or len({tuple(scores) for _, scores in rows}) != 1:
        return None
    names = list(rows[0][1])
    matrix = np.array([[scores[name] for name in names] for _, scores in rows])
    clusters, codes = np.unique([cluster for cluster, _ in rows], return_inverse=True)
    sums = np.zeros((len(clusters), most))
    np.add.at(sums, codes, matrix)
    spread = float(_ranges(sums.sum(axis=0))) / len(rows)
    drawn = _permuted(sums, seed) / len(rows)
    estimates = []
    for at, name in enumerate(names):
        one = share(matrix[:, at], codes)
        assert one is not None
        estimates.append(one.measured().at("accuracy", (("template", name),), confidence))
    p = (1 + int((drawn >= spread - 1e-12).sum())) / (1 + len(drawn))
    return TemplateSpread(
        tuple(estimates), spread, float(drawn.mean()), p, len(rows), len(clusters)
    )


def _scores(record: Record) -> dict[str, float]:
    """Return the share right by template, sorted; empty where a call failed."""
    by_template: defaultdict[str, list[float]] = defaultdict(list)
    for trial in record.trials:
        if trial.correct is None:
            return {}
        by_template[trial.template].append(float(trial.correct))
    return {name: sum(right) / len(right) for name, right in sorted(by_template.items())}


def _ranges(totals: Floats) -> Floats:
    found: Floats = totals.max(axis=-1) - totals.min(axis=-1)
    return found


def _permuted(sums: Floats, seed: int) -> Floats:
    """Return the ranges of the templates' totals under permutation within each cluster."""
    # A cluster in which all templates fare alike is the same in any order.
    moved = sums[sums.max(axis=1) > sums.min(axis=1)]
    draw = np.random.default_rng(seed)
    if len(moved) > MANY:
        # A permuted row has this variance at each template, and what its sum fixes moves no range.
        scale = float(np.sqrt(moved.var(axis=1, ddof=1).sum()))
        return _ranges(draw.normal(0.0, scale, (RESAMPLES, moved.shape[1])))
    ranges = []
    for start in range(0, RESAMPLES, _CHUNK):
        count = min(_CHUNK, RESAMPLES - start)
        many = np.broadcast_to(moved, (count, *moved.shape))
        ranges.append(_ranges(draw.permuted(many, axis=2).sum(axis=1)))
    return np.concatenate(ranges)
