"""The content of metrics.json."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from culturegate.metrics.answers import status_rate
from culturegate.metrics.diagnosis import diagnosis_summary
from culturegate.metrics.framing_tests import framing_summary, framing_tests
from culturegate.metrics.measuring import Weighting, estimate
from culturegate.metrics.mirror import mirror_groups
from culturegate.metrics.mirror_summary import mirror_summary
from culturegate.metrics.parts import composite_summary
from culturegate.metrics.persona import persona_groups
from culturegate.metrics.registry import METRICS
from culturegate.metrics.safety import safety_groups
from culturegate.metrics.simpson import simpson_warnings
from culturegate.metrics.table import Table
from culturegate.metrics.worst import worst_cultures
from culturegate.tracks.base import Record

DIGITS = 6
APART = frozenset({"safety", "diagnosis"})
"""Tracks that enter no table of ability."""
_CONTRASTS = ("gap", "decoded_given_recalled")
_ABILITY = ("accuracy", "chance_corrected")
_SPLITS = ("difficulty", "lang", "public", "contaminated", "form", "element", "task", "condition")


def summarise(
    records: Iterable[Record],
    *,
    confidence: float = 0.95,
    seed: int = 0,
    weights: Mapping[str, float] | None = None,
    contaminated_weight: float = 0.5,
) -> dict[str, Any]:
    """Return everything that metrics.json says, as plain data with floats to six digits.

    It depends on the records alone, not on their order. Keys: `confidence`, `seed`, `cases`,
    `clusters`, `errors`, `outcomes`, `statuses` and `rules` (counts), `weights`, `estimates` (each
    with its metric and group), `framing`, `mirror`, `composite` and `diagnosis` (as their summaries
    say), `worst_culture` (by kind), `safety` (estimates that stand apart) and `warnings`
    (sentences).
    """
    table = Table(records)
    default = Weighting()
    weighting = Weighting(default.tracks if weights is None else weights, contaminated_weight)
    safe = [record for record in table.records if record.facts.track == "safety"]
    ability = table
    if APART & set(table.values("track")):
        ability = Table(r for r in table.records if r.facts.track not in APART)
    data: dict[str, Any] = rounded(
        {
            "confidence": confidence,
            "seed": seed,
            "weights": dict(weighting.tracks),
            "contaminated_weight": contaminated_weight,
            "cases": len(table),
            "clusters": len(table.cluster_names),
            "errors": int(table.error.sum()),
            "outcomes": _outcomes(table),
            "statuses": _counts(t.status for r in table.records for t in r.trials),
            "rules": _counts(t.rule for r in table.records for t in r.trials if t.rule is not None),
            "estimates": [
                estimate(metric, ability, where, confidence, weighting=weighting).to_dict()
                for metric, where in _plan(ability)
            ],
            "safety": _safety(Table(safe), confidence) if safe else None,
            "framing": framing_summary(ability, confidence),
            "mirror": mirror_summary(ability, confidence, seed),
            "composite": composite_summary(
                ability, confidence, weighting.tracks, contaminated_weight
            ),
            "diagnosis": diagnosis_summary(table.records, confidence, seed),
            "worst_culture": worst_cultures(ability, seed, confidence),
            "warnings": _warnings(ability),
        }
    )
    if data["framing"]:
        # After the rounding, which would make a small p-value zero.
        data["framing"]["tests"] = [test.to_dict() for test in framing_tests(ability, seed)]
    return data


def _plan(table: Table) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield every metric with every group that a report shows."""
    kinds = table.values("kind")
    tracks = table.values("track")
    for metric in METRICS.values():
        if metric.track is not None and metric.track not in tracks:
            continue
        if metric.contrast is None or metric.contrast.second is not None:
            yield metric.name, {}
    for arm in table.values("arm"):
        yield from ((name, {"arm": arm}) for name in _ABILITY)
    for track in table.values("track"):
        yield from ((name, {"track": track}) for name in _ABILITY)
    for kind in kinds:
        for name in (*_ABILITY, "macro_accuracy", *_STATUS, "public_gap"):
            yield name, {"kind": kind}
    contrasts = _CONTRASTS if {"recall", "decode"} <= set(kinds) else ()
    for culture in table.values("culture"):
        yield from ((name, {"culture": culture}) for name in ("accuracy", *contrasts, *_STATUS))
        yield from (("accuracy", {"culture": culture, "kind": kind}) for kind in kinds)
    for fact in _SPLITS:
        for value in table.values(fact):
            yield "accuracy", {fact: value}
            yield from (("accuracy", {fact: value, "kind": kind}) for kind in kinds)
            yield from ((name, {fact: value}) for name in contrasts)
    yield from mirror_groups(table)
    yield from persona_groups(table)


_STATUS = ("error_rate", "parsed_rate", "unparsed_rate", "truncated_rate", "abstention_rate")


def _safety(table: Table, confidence: float) -> dict[str, Any]:
    """Return what is said of safety, apart from every table of ability."""
    return {
        "cases": len(table),
        "errors": int(table.error.sum()),
        "estimates": [
            estimate(name, table, where, confidence).to_dict()
            for name in _STATUS
            for where in ({}, *({"kind": kind} for kind in table.values("kind")))
        ]
        + [
            estimate(name, table, where, confidence).to_dict()
            for name, where in safety_groups(table)
        ],
    }


def _outcomes(table: Table) -> dict[str, int]:
    return {
        "passed": int((table.passed == 1).sum()),
        "wrong": int((table.passed == 0).sum()),
        "error": int(table.error.sum()),
    }


def _warnings(table: Table) -> list[str]:
    warnings = list(simpson_warnings(table))
    if len(table) > 1 and len(table.cluster_names) == 1:
        warnings.append(f"all {len(table)} cases come from one cluster: they count as one draw")
    empty = status_rate(table.view({}), ("empty",)).value
    if empty is not None and empty > 1 / 2:
        warnings.append(f"most replies are empty: {empty:.0%} of them")
    return warnings


def _counts(values: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(values).items()))


def rounded(data: Any) -> Any:
    """Return data with floats to six digits, and infinities, which JSON lacks, as None."""
    if isinstance(data, float):
        short = round(data, DIGITS)
        # −0.0 and 0.0 are equal and must be written alike.
        return short + 0.0 if math.isfinite(short) else None
    if isinstance(data, dict):
        return {key: rounded(value) for key, value in data.items()}
    return [rounded(value) for value in data] if isinstance(data, list) else data
