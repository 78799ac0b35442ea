"""What the mirror track loses, split into language and culture, tested over families."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from culturegate.metrics.ability import at_chance, difference
from culturegate.metrics.measured import Measured, nothing
from culturegate.metrics.paired import holm, paired_test
from culturegate.metrics.table import Table, View

TRACK = "mirror"
ORIGINAL, LITERAL, LOCALIZED = "original", "literal", "localized"
LOSSES = (
    ("language", ORIGINAL, LITERAL),
    ("culture", LITERAL, LOCALIZED),
    ("both", ORIGINAL, LOCALIZED),
)
"""Each loss with its two arms, first minus second."""
SPLIT_BY = ("culture", "task", "element")
"""Facts by which the losses are told apart."""


def culture_loss(first: View, second: View, names: tuple[str, str], confidence: float) -> Measured:
    """Literal accuracy − localized, undefined unless the same families' original is above chance.

    The literal arm may itself be at chance: where the language alone is not mastered, culture has
    nothing left to take, and the loss is near zero.
    """
    found = difference(first, second, names, confidence)
    if found.undefined is not None:
        return found
    table = first.table
    arms, codes = table.column("arm")
    of_families = np.isin(table.clusters, table.clusters[first.mask | second.mask])
    originals = replace(first, mask=of_families & (codes == arms.get(ORIGINAL, -2)))
    chance = at_chance(originals, ORIGINAL, confidence)
    return found if chance is None else nothing(found.n, found.clusters, chance)


@dataclass(frozen=True, slots=True)
class LossTest:
    """One loss in one group, tested over the families that have both arms."""

    loss: str
    """`language`, `culture` or `both`."""
    where: dict[str, str]
    """The group; empty for all families."""
    families: int
    only_first: int
    """Families that pass the first arm alone."""
    only_second: int
    effect: float
    """Share of families passed in the first arm − in the second, over these families."""
    method: str
    p: float
    p_holm: float
    """Adjusted over the tests of one loss by one fact together (Holm)."""
    verdict: str
    """`different`, `no difference shown`, or `underpowered`."""


def loss_tests(table: Table, confidence: float = 0.95, seed: int = 0) -> list[LossTest]:
    """Return the paired test of each loss, over all families and by region, task and element.

    Only families of which both arms were judged enter. `native` has other content and no test.
    """
    found: list[LossTest] = []
    for loss, first, second in LOSSES:
        for fact in ("", *SPLIT_BY):
            tests = list(_tests(table, loss, (first, second), fact, confidence, seed))
            adjusted = holm([test.p for test in tests])
            found += [
                replace(
                    test,
                    p_holm=p,
                    verdict="no difference shown"
                    if test.verdict == "different" and p > 1 - confidence
                    else test.verdict,
                )
                for test, p in zip(tests, adjusted, strict=True)
            ]
    return found


def _tests(
    table: Table, loss: str, arms: tuple[str, str], fact: str, confidence: float, seed: int
) -> Iterator[LossTest]:
    mirror = table.view().where("track", TRACK)
    groups = [{}] if not fact else [{fact: value} for value in mirror.values(fact)]
    for where in groups:
        view = mirror.where(fact, where[fact]) if fact else mirror
        sides = [_by_family(view.where("arm", arm)) for arm in arms]
        shared = sorted(sides[0].keys() & sides[1].keys())
        if not shared:
            continue
        a, b = ([side[family] for family in shared] for side in sides)
        test = paired_test(a, b, [str(family) for family in shared], seed)
        yield LossTest(
            loss=loss,
            where=where,
            families=len(shared),
            only_first=sum(x > y for x, y in zip(a, b, strict=True)),
            only_second=sum(x < y for x, y in zip(a, b, strict=True)),
            effect=test.effect,
            method=test.method,
            p=test.p,
            p_holm=test.p,
            verdict=test.verdict(1 - confidence),
        )


def _by_family(view: View) -> dict[tuple[int, int], float]:
    """Return the share of judged cases passed, by the codes of their family and region.

    With another region at home a family's arms are of two regions, and are no pair.
    """
    table = view.table
    known = view.mask & ~np.isnan(table.passed)
    _, regions = table.column("culture")
    sums: dict[tuple[int, int], list[float]] = {}
    for family, region, passed in zip(
        table.clusters[known].tolist(),
        regions[known].tolist(),
        table.passed[known].tolist(),
        strict=True,
    ):
        sums.setdefault((family, region), []).append(passed)
    return {family: sum(each) / len(each) for family, each in sums.items()}


def mirror_groups(table: Table) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield every metric of the mirror track with every group that a report shows."""
    mirror = table.view().where("track", TRACK)
    if not mirror.cases:
        return
    arms = mirror.values("arm")
    shown: list[dict[str, str]] = [{}]
    for fact in SPLIT_BY:
        shown += [{fact: value} for value in mirror.values(fact)]
    for group in shown:
        for arm in arms:
            yield "accuracy", {"track": TRACK, "arm": arm, **group}
        if group:
            yield "language_loss", group
            yield "culture_loss", group
        for arm in arms:
            if arm != ORIGINAL:
                yield "cpg", {"arm": arm, **group}
                yield "retention", {"arm": arm, **group}
    for group in ({}, *({"culture": value} for value in mirror.values("culture"))):
        for name in ("consistency", "low_agreement_rate", "overconfidence",
                     "overconfidence_when_wrong", "abstention_rate", "calibration_error",
                     "brier"):  # fmt: skip
            yield name, {"track": TRACK, **group}
