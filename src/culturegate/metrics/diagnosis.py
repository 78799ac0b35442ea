"""What metrics.json says of the diagnosis: what the score owes to form rather than to the model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from culturegate.metrics.diagnosis_letters import is_constant, letters
from culturegate.metrics.diagnosis_pairs import Variant, pairs, variants
from culturegate.metrics.diagnosis_templates import template_spread
from culturegate.metrics.paired import holm
from culturegate.metrics.shares import share
from culturegate.tracks.base import Record
from culturegate.tracks.diagnosis import CANARY, COMPLETION, EXACT, QUESTION_REMOVED, TRACK

STRAY = 0.05
"""Share of texts that a model may go on with nearly whole by luck: some questions end alike."""
MOST_NAMED = 20
"""Cases named of those whose text came back."""


def diagnosis_summary(
    records: Sequence[Record], confidence: float = 0.95, seed: int = 0
) -> dict[str, Any] | None:
    """Return what the records show, None where they show nothing of it; plain data.

    Keys: `variants` (condition, kind, `base`, `variant`, `difference` and `same` as estimates,
    `chance`, `test`, `p_holm`, `shown`), `letters`, `templates` and `completion` (each None where
    nothing was asked) and `canary` (share of each that came back). `shown` says whether the
    difference is certain after all conditions have been tested together (Holm), or for a removed
    question whether what is left is certainly above chance or most answers certainly stay the same,
    and for completed texts whether certainly more came back than luck gives.
    """
    found = variants(pairs(records), confidence, seed)
    data: dict[str, Any] = {
        "variants": _variants(found, 1 - confidence),
        "letters": _letters(records, confidence),
        "templates": _templates(records, confidence, seed),
        "completion": _completion(records, confidence),
        "canary": [
            {
                "case": record.facts.case,
                "share": float(trial.value),
                "shown": trial.correct is False,
            }
            for record, trial in _probes(records, CANARY)
        ],
    }
    return data if any(data.values()) else None


def above_chance(one: Variant) -> bool:
    """Return whether the share right under a condition is certainly above guessing."""
    return one.variant.low is not None and one.variant.low > one.chance


def unmoved(one: Variant) -> bool:
    """Return whether certainly more than half of the answers stay the same."""
    return one.same.low is not None and one.same.low > 0.5


def _variants(found: Sequence[Variant], alpha: float) -> list[dict[str, Any]]:
    whole = [one for one in found if one.kind is None]
    adjusted = dict(
        zip(
            (one.condition for one in whole),
            holm([one.test.p for one in whole]),
            strict=True,
        )
    )
    shown = []
    for one in found:
        p = adjusted[one.condition] if one.kind is None else None
        certain = p is not None and p <= alpha
        free = one.condition == QUESTION_REMOVED
        shown.append(
            {
                "condition": one.condition,
                "kind": one.kind,
                "base": one.base.to_dict(),
                "variant": one.variant.to_dict(),
                "difference": one.difference.to_dict(),
                "same": one.same.to_dict(),
                "chance": one.chance,
                "above_chance": above_chance(one),
                "unmoved": unmoved(one),
                "method": one.test.method,
                "p": one.test.p,
                "p_holm": p,
                "shown": (above_chance(one) or unmoved(one)) if free else certain,
            }
        )
    return shown


def _letters(records: Sequence[Record], confidence: float) -> dict[str, Any] | None:
    found = letters(records, confidence)
    if found is None:
        return None
    return {
        "n": found.n,
        "clusters": found.clusters,
        "answers": found.answers,
        "keys": found.keys,
        "bias": [one.to_dict() for one in found.bias],
        "chi_square": found.chi_square,
        "df": found.df,
        "p": found.p,
        "biased": found.p is not None and found.p <= 1 - confidence,
        "top_letter": found.top_letter,
        "top": found.top.to_dict(),
        "constant": is_constant(found),
    }


def _templates(records: Sequence[Record], confidence: float, seed: int) -> dict[str, Any] | None:
    found = template_spread(records, confidence, seed)
    if found is None:
        return None
    return {
        "templates": [one.to_dict() for one in found.templates],
        "spread": found.spread,
        "expected": found.expected,
        "p": found.p,
        "n": found.n,
        "clusters": found.clusters,
        "shown": found.p <= 1 - confidence,
    }


def _probes(records: Sequence[Record], condition: str) -> list[tuple[Record, Any]]:
    """Return the trials that were answered: an empty reply says nothing of what is known."""
    return [
        (record, trial)
        for record in sorted(records, key=lambda record: record.facts.case)
        if record.facts.track == TRACK and record.facts.condition == condition
        for trial in record.trials
        if trial.status == "answered"
    ]


def _completion(records: Sequence[Record], confidence: float) -> dict[str, Any] | None:
    """Return the mean share of second halves that came back, and how many did nearly whole."""
    found = _probes(records, COMPLETION)
    if not found:
        return None
    _, codes = np.unique([record.facts.cluster for record, _ in found], return_inverse=True)
    given = np.array([float(trial.value) for _, trial in found])
    exact = share((given >= EXACT - 1e-9).astype(float), codes)
    mean = share(given, codes)
    assert exact is not None
    assert mean is not None
    named = [record.facts.case for record, trial in found if trial.correct is False]
    return {
        "mean": mean.measured().at("completion", (), confidence).to_dict(),
        "exact": exact.measured().at("completed", (), confidence).to_dict(),
        "cases": named[:MOST_NAMED],
        "more": max(0, len(named) - MOST_NAMED),
        "shown": exact.limits(confidence)[0] > STRAY,
    }
