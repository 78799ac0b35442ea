"""What one change of a case costs: each case beside its variant, and each variant beside chance."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from culturegate.metrics.estimate import Estimate
from culturegate.metrics.intervals import Limits, mover_difference
from culturegate.metrics.measured import Measured, correlation
from culturegate.metrics.paired import PairedTest, paired_test
from culturegate.metrics.shares import Share, share
from culturegate.tracks.base import Record, Trial
from culturegate.tracks.diagnosis import TRACK, VARIANTS


@dataclass(frozen=True, slots=True)
class Pair:
    """One case as the myth track asks it first, and its variant under one condition."""

    condition: str
    base: Record
    variant: Record

    @property
    def first(self) -> Trial:
        """The case's first trial: first wording, and the options in the variant's order."""
        return self.base.trials[0]

    @property
    def changed(self) -> Trial:
        """The variant's only trial."""
        return self.variant.trials[0]

    @property
    def same(self) -> bool:
        """Whether both trials answer with the same option."""
        return self.first.value is not None and self.first.value == self.changed.value


@dataclass(frozen=True, slots=True)
class Variant:
    """What one condition shows over the cases asked both ways."""

    condition: str
    kind: str | None
    """None over both kinds."""
    base: Estimate
    """Share right as the myth track asks it, first wording."""
    variant: Estimate
    """Share right under the condition."""
    difference: Estimate
    """Base − variant, by case."""
    same: Estimate
    """Share of cases that both ways get the same option for an answer."""
    chance: float
    """What guessing gives."""
    test: PairedTest


def pairs(records: Iterable[Record]) -> list[Pair]:
    """Return each variant with its case, sorted; those of which a call failed are left out."""
    found = sorted(records, key=lambda record: record.facts.case)
    bases = {
        (record.facts.item, record.facts.lang): record
        for record in found
        if record.facts.track == "myth" and record.trials
    }
    return [
        Pair(record.facts.condition, base, record)
        for record in found
        if record.facts.track == TRACK
        and record.facts.condition in VARIANTS
        and (base := bases.get((record.facts.item, record.facts.lang))) is not None
        and record.trials
        and base.trials[0].correct is not None
        and record.trials[0].correct is not None
    ]


def variants(found: Sequence[Pair], confidence: float, seed: int) -> list[Variant]:
    """Return what each condition shows, over both kinds and then by kind."""
    shown = []
    for condition in VARIANTS:
        of_condition = [pair for pair in found if pair.condition == condition]
        kinds = sorted({pair.base.facts.kind for pair in of_condition}, reverse=True)
        for kind in (None, *kinds):
            chosen = [pair for pair in of_condition if kind in (None, pair.base.facts.kind)]
            if chosen and not (kind is not None and len(kinds) == 1):
                shown.append(_variant(condition, kind, chosen, confidence, seed))
    return shown


def _variant(
    condition: str, kind: str | None, found: Sequence[Pair], confidence: float, seed: int
) -> Variant:
    clusters = [pair.base.facts.cluster for pair in found]
    before = [float(pair.first.correct is True) for pair in found]
    after = [float(pair.changed.correct is True) for pair in found]
    a, b = _share(before, clusters), _share(after, clusters)
    where = (("condition", condition), *((("kind", kind),) if kind else ()))
    same = _share([float(pair.same) for pair in found], clusters)
    return Variant(
        condition,
        kind,
        base=a.measured().at("base", where, confidence),
        variant=b.measured().at("variant", where, confidence),
        difference=_difference(a, b).at("difference", where, confidence),
        same=same.measured().at("same", where, confidence),
        chance=float(np.mean([pair.variant.facts.chance or 0.0 for pair in found])),
        test=paired_test(before, after, clusters, seed),
    )


def _share(scores: Sequence[float], clusters: Sequence[str]) -> Share:
    _, codes = np.unique(np.asarray(clusters), return_inverse=True)
    found = share(np.asarray(scores, dtype=float), codes)
    assert found is not None  # Only called with scores.
    return found


def _difference(a: Share, b: Share) -> Measured:
    """Return a − b of the same cases; limits by MOVER with the clusters' correlation (Zou 2007)."""
    together = correlation(a.influence, b.influence)

    def limits(confidence: float) -> Limits:
        df = a.clusters - 1.0 if together else math.inf
        one, two = a.limits(confidence, df), b.limits(confidence, df)
        return mover_difference(a.value, one, b.value, two, together)

    method = f"mover, correlation {together:.2f}"
    return Measured(a.n, a.clusters, a.value - b.value, limits, None, method)
