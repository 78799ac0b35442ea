"""The composite and the parts it is made of: one share a track, of what that track is about.

What a track asks beside that stays out, since it is another question: the persona arms that say
more than the chats do (`hint`, `explicit`) or less (`none`), the framed conditions of the framing
track, items altered to find out what a score rests on, and safety, which has red lines instead.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from culturegate.metrics import framing, mirror, persona
from culturegate.metrics.ability import weighted_mean
from culturegate.metrics.measured import Measured, nothing
from culturegate.metrics.shares import Share, share
from culturegate.metrics.simpson import counts, order_reverses
from culturegate.metrics.table import Bools, Floats, Table, View

_COMPARED = ("lang", "culture", "public")
"""Facts that more than one track has, whose values may be compared over all parts together."""


@dataclass(frozen=True, slots=True)
class Part:
    """What one track gives to the composite."""

    track: str
    meaning: str
    cases: Callable[[View], View]
    """The cases that count, of a view of the track."""
    scores: Callable[[View], Floats]
    """Scores in [0, 1], NaN where an error left one open; of the table's cases, or its trials."""
    of_trials: bool = False


def _myth(view: View) -> View:
    kinds = view.where("kind", "recall").mask | view.where("kind", "decode").mask
    return _plain(replace(view, mask=kinds))


def _plain(view: View) -> View:
    """Return the cases that were asked as they are written, under no condition."""
    _, codes = view.table.column("condition")
    unaltered: Bools = codes == -1
    return replace(view, mask=view.mask & unaltered)


def _passed(view: View) -> Floats:
    return view.table.passed


PARTS: Mapping[str, Part] = {
    part.track: part
    for part in (
        Part("myth", "accuracy over recall and decode", _myth, _passed),
        Part(mirror.TRACK, "accuracy over all arms", _plain, _passed),
        Part(
            "persona",
            "adherence by the chats alone (arm implicit)",
            lambda view: view.where("arm", "implicit"),
            persona.scores,
        ),
        Part(
            "framing",
            "compliance in the control",
            lambda view: view.where("condition", framing.CONTROL),
            lambda view: view.table.trials.correct,
            of_trials=True,
        ),
    )
}
"""By track; safety has none."""


@dataclass(frozen=True, slots=True)
class Weighed:
    """One part with what it counts."""

    part: Part
    weight: float
    """As thresholds.yaml gives it."""
    portion: float
    """The weight as a share of all weights."""
    found: Share | None
    """None where no case of it was judged."""
    contaminated: int
    """How many of its cases count at the lower weight."""


def used(view: View, weights: Mapping[str, float]) -> View:
    """Return the cases of a view that the composite rests on: those of each track's part."""
    mask: Bools = np.zeros(len(view.table), dtype=bool)
    for track, weight in weights.items():
        if weight > 0:
            mask |= _of(view, track).mask
    return replace(view, mask=mask)


def weigh(view: View, weights: Mapping[str, float], contaminated_weight: float) -> list[Weighed]:
    """Return the parts of every track that has a weight, in the order of the weights."""
    total = math.fsum(weight for weight in weights.values() if weight > 0)
    found = []
    for track, weight in weights.items():
        if weight <= 0:
            continue
        mine = _of(view, track)
        tainted = mine.where("contaminated", "true").cases
        one = _share(PARTS[track], mine, contaminated_weight)
        found.append(Weighed(PARTS[track], weight, weight / total, one, tainted))
    return found


def composite(
    view: View, confidence: float, weights: Mapping[str, float], contaminated_weight: float
) -> Measured:
    """Weighted mean over tracks of each track's part, contaminated cases at a lower weight.

    Undefined unless every track that has a weight has a judged case that counts. The tracks have
    no cluster in common, so their errors are independent (MOVER for sums).
    """
    parts = weigh(view, weights, contaminated_weight)
    shares = [one.found for one in parts if one.found is not None]
    missing = [one.part.track for one in parts if one.found is None]
    if missing or not parts:
        n = sum(one.n for one in shares)
        clusters = sum(one.clusters for one in shares)
        return nothing(n, clusters, f"no judged case of {', '.join(missing) or 'any track'}")
    portions = [one.portion for one in parts]
    return weighted_mean(shares, portions, f"mover of {len(parts)} tracks")


def _of(view: View, track: str) -> View:
    return PARTS[track].cases(view.where("track", track))


def _share(part: Part, view: View, contaminated_weight: float) -> Share | None:
    table = view.table
    scores = part.scores(view)
    rows = table.trials.row if part.of_trials else np.arange(len(table))
    counted = view.mask[rows]
    if view.fill is None:
        counted = counted & ~np.isnan(scores)
    values, codes = table.column("contaminated")
    tainted = codes[rows[counted]] == values.get("true", -2)
    weights = np.where(tainted, contaminated_weight, 1.0)
    if not weights.sum() > 0:
        return None
    filled = np.nan_to_num(scores[counted], nan=view.fill or 0.0)
    return share(filled, table.clusters[rows[counted]], weights, len(table.cluster_names))


def composite_summary(
    table: Table, confidence: float, weights: Mapping[str, float], contaminated_weight: float
) -> dict[str, Any] | None:
    """Return the composite beside its parts, None where fewer than two tracks were asked.

    Keys: `value`, `low`, `high`, `n`, `clusters`, `undefined`; `parts`, a list of `track`,
    `meaning`, `weight`, `portion`, `value`, `low`, `high`, `n`, `clusters`, `contaminated` and
    `contribution` (portion × value); `contaminated_weight`; and `reversals`, sentences on orders
    that hold over all parts together and in no track.
    """
    asked = [track for track in PARTS if _of(table.view(), track).cases]
    if len(asked) < 2:
        return None
    whole = composite(table.view(), confidence, weights, contaminated_weight)
    told = whole.at("composite", (), confidence).to_dict()
    rows = []
    for one in weigh(table.view(), weights, contaminated_weight):
        row: dict[str, Any] = {
            "track": one.part.track,
            "meaning": one.part.meaning,
            "weight": one.weight,
            "portion": one.portion,
            "contaminated": one.contaminated,
        }
        if one.found is None:
            row |= {"value": None, "low": None, "high": None, "n": 0, "clusters": 0}
            row |= {"contribution": None}
        else:
            low, high = one.found.limits(confidence)
            row |= {"value": one.found.value, "low": low, "high": high, "n": one.found.n}
            row |= {"clusters": one.found.clusters}
            row |= {"contribution": one.portion * one.found.value}
        rows.append(row)
    keys = ("value", "low", "high", "n", "clusters", "undefined", "method")
    return {key: told[key] for key in keys} | {
        "parts": rows,
        "contaminated_weight": contaminated_weight,
        "reversals": reversals(used(table.view(), weights)),
    }


def reversals(view: View) -> list[str]:
    """Return a sentence for each pair of groups whose order over all tracks reverses in each."""
    found = []
    for fact in _COMPARED:
        by_track = {value: counts(view.where(fact, value), "track") for value in view.values(fact)}
        for (one, a), (two, b) in combinations(by_track.items(), 2):
            if not order_reverses(a, b):
                continue
            rates = [sum(p for p, _ in each.values()) / _asked(each) for each in (a, b)]
            ahead, behind = (one, two) if rates[0] > rates[1] else (two, one)
            found.append(
                f"{fact} {ahead} leads {behind} over all tracks together and trails it in every "
                "track that has both: read the tracks, not the whole"
            )
    return found


def _asked(counted: Mapping[str, tuple[float, float]]) -> float:
    return sum(asked for _, asked in counted.values())
