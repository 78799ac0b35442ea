"""How far the judge of a checklist agrees with a person, point by point."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from culturegate.metrics.agreement import cohen_kappa
from culturegate.metrics.intervals import wilson
from culturegate.tracks.persona_judging import VERDICTS

ALL = "all"
_PLACES = {verdict: place for place, verdict in enumerate(VERDICTS.values())}


@dataclass(frozen=True, slots=True)
class Calibration:
    """A judge beside a person, on the points of which both gave a verdict."""

    points: int
    alike: int
    share: float | None
    """Of the points, those where both gave the same of the three verdicts."""
    low: float | None
    high: float | None
    """Wilson limits of the share."""
    kappa: float | None
    """Cohen's (1960), over the three verdicts; 1 agrees, 0 as chance would."""
    judge_met: int
    """Points that only the judge calls met."""
    person_met: int
    """Points that only the person calls met."""
    unscored: int
    """Points that the person judged, and of which no verdict of the judge stands."""
    undefined: str | None = None
    """Why there is no share, or no kappa."""


def calibration(pairs: Sequence[tuple[str | None, str]], confidence: float = 0.95) -> Calibration:
    """Return how a judge agrees with a person.

    Args:
        pairs: The judge's standing verdict, None where the point is unscored, and the person's.
        confidence: Of the share's limits.
    """
    both = [(judge, person) for judge, person in pairs if judge is not None]
    left = len(pairs) - len(both)
    if not both:
        return Calibration(0, 0, None, None, None, None, 0, 0, left, "no point was judged by both")
    alike = sum(judge == person for judge, person in both)
    low, high = wilson(alike, len(both), confidence)
    kappa = undefined = None
    if len({verdict for pair in both for verdict in pair}) > 1:
        first, second = ([_PLACES[each] for each in side] for side in zip(*both, strict=True))
        kappa = cohen_kappa(first, second)
    else:
        undefined = "both gave one and the same verdict throughout"
    return Calibration(
        len(both),
        alike,
        alike / len(both),
        low,
        high,
        kappa,
        sum(judge == "met" != person for judge, person in both),
        sum(person == "met" != judge for judge, person in both),
        left,
        undefined,
    )


def calibrations(verdicts: Iterable[Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return the fields of `Calibration` over all points and by culture, sorted.

    Args:
        verdicts: One a point, with `culture`, `judge` (None where unscored) and `person`.
    """
    groups: defaultdict[str, list[tuple[str | None, str]]] = defaultdict(list)
    for one in verdicts:
        for name in (ALL, one["culture"]):
            groups[name].append((one["judge"], one["person"]))
    names = [ALL, *sorted(groups.keys() - {ALL})]
    return {name: asdict(calibration(groups[name])) for name in names}
