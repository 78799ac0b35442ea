"""The plan's formulas: by hand, and beside a simulation of what they foretell."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from made_records import made

from culturegate.gate import judge, parse_thresholds
from culturegate.metrics import METRICS, Table, measure
from culturegate.metrics.power import Part, Question, Sample, together
from culturegate.plan import Assumptions, plan
from culturegate.tracks.base import Record

RUNS = 200


def question(n: int, each: int = 1, limit: float = 0.6, **more: object) -> Question:
    """Return what an accuracy line asks of n cases in clusters of `each`."""
    part = Part(Sample.of([each] * (n // each)), limit)
    return Question((part,), limit, upper=False, **more)  # type: ignore[arg-type]


def test_the_design_effect_is_that_of_equal_clusters_and_more_for_unequal_ones():
    assert Sample.of([5] * 20).design_effect(0.2) == pytest.approx(1 + 4 * 0.2)
    assert Sample.of([1, 9]).design_effect(0.2) == pytest.approx(1 + (82 / 10 - 1) * 0.2)
    assert Sample.of([1] * 50).design_effect(0.9) == 1.0
    assert Sample.of([5] * 20).effective(1.0) == pytest.approx(20)


def test_the_smallest_difference_is_that_of_the_textbook():
    # Fleiss, Levin and Paik: δ = (1.96 √(pq) + 0.8416 √(p₁q₁)) / √n, solved for p₁ = 0.6 − δ.
    found = question(100).smallest_difference()
    assert found is not None
    right = (1.959964 * math.sqrt(0.24) + 0.841621 * math.sqrt((0.6 - found) * (0.4 + found))) / 10
    assert found == pytest.approx(right, abs=1e-6)


def test_what_is_needed_shows_the_difference_and_no_fewer_does():
    needed = question(100).needed(0.05)
    assert needed is not None
    n, clusters = needed
    assert n == clusters
    assert question(n).shows(0.05) >= 0.8 > question(n - 2).shows(0.05)


def test_clusters_cost_cases():
    assert question(200, 5).smallest_difference() > question(200).smallest_difference()
    assert question(200, 5, icc=0.6).needed(0.1)[0] > question(200, 5, icc=0.2).needed(0.1)[0]


def test_what_no_number_could_show_is_none():
    assert question(6, 3).smallest_difference(most=0.6) is None
    assert question(100).needed(0.0) is None


def test_a_limit_without_chance_is_broken_by_one_case():
    zero = Question((Part(Sample.of([1] * 100), 0.0),), 0.0, upper=True)
    assert zero.smallest_difference() == pytest.approx(1 - 0.2 ** (1 / 100))
    assert zero.alarms() == 0.0


def test_at_the_limit_a_point_line_fails_half_and_a_certain_one_seldom():
    assert question(100).alarms() == pytest.approx(0.5)
    assert question(100, judge="breach_certain").alarms() == pytest.approx(0.025)
    assert question(100, judge="pass_certain").alarms() == pytest.approx(0.975)
    for judged in ("point", "breach_certain", "pass_certain"):
        assert question(100, judge=judged).alarms(0.1) < question(100, judge=judged).alarms()


def test_lines_fail_together_more_often_than_one():
    assert together([0.5, 0.5]) == pytest.approx(0.75)
    assert together([]) == 0.0


# Beside a simulation.


def draw(
    rng: np.random.Generator, share: float, clusters: int, each: int, icc: float, **facts: object
) -> list[Record]:
    """Return cases whose clusters have chances of their own, beta distributed."""
    scale = (1 - icc) / icc if icc else 0.0
    chances = (
        rng.beta(share * scale, (1 - share) * scale, clusters) if icc else np.full(clusters, share)
    )
    name = str(facts.pop("name", "c"))
    return [
        made(bool(rng.random() < chance), cluster=f"{name}{number}", **facts)  # type: ignore[arg-type]
        for number, chance in enumerate(chances)
        for _ in range(each)
    ]


def beyond(records: Sequence[Record], metric: str, limit: float) -> bool:
    """Return whether the interval that a run prints lies wholly beyond a limit."""
    found = measure(METRICS[metric], Table(records), {}, 0.95)
    if found.limits is None:
        return False
    low, high = found.limits(0.95)
    return high < limit if METRICS[metric].better == "higher" else low > limit


@pytest.mark.parametrize(("clusters", "each", "icc"), [(120, 1, 0.0), (40, 4, 0.2), (60, 5, 0.4)])
def test_a_share_is_shown_as_often_as_the_plan_says(clusters, each, icc):
    rng = np.random.default_rng(1)
    asked = question(clusters * each, each, icc=icc)
    distance = asked.smallest_difference()
    assert distance is not None
    shown = sum(
        beyond(draw(rng, 0.6 - distance, clusters, each, icc), "accuracy", 0.6) for _ in range(RUNS)
    )
    assert shown / RUNS == pytest.approx(0.8, abs=0.08)


def test_what_is_needed_is_enough_and_not_far_too_much():
    rng = np.random.default_rng(2)
    needed = question(40, 4).needed(0.15)
    assert needed is not None
    shown = sum(beyond(draw(rng, 0.45, needed[1], 4, 0.2), "accuracy", 0.6) for _ in range(RUNS))
    assert shown / RUNS == pytest.approx(0.8, abs=0.08)


def test_a_gap_is_shown_as_often_as_the_plan_says():
    rng = np.random.default_rng(3)
    sides = [Sample.of([4] * 40)] * 2
    parts = Part(sides[0], 0.7, moves=0.0), Part(sides[1], 0.55, -1.0, -1.0)
    distance = Question(parts, 0.15, upper=True).smallest_difference()
    assert distance is not None
    shown = 0
    for _ in range(RUNS):
        records = draw(rng, 0.7, 40, 4, 0.2, kind="recall", name="r")
        records += draw(rng, 0.55 - distance, 40, 4, 0.2, kind="decode", name="d")
        shown += beyond(records, "gap", 0.15)
    assert shown / RUNS == pytest.approx(0.8, abs=0.08)


GATE = """
profiles:
  p:
    lines:
      - {name: recall, metric: accuracy, where: {kind: recall}, min: 0.6}
      - {name: decode, metric: accuracy, where: {kind: decode}, min: 0.55}
      - {name: each, metric: accuracy, by: culture, min: 0.5, judge: breach_certain}
"""


@pytest.mark.parametrize("margin", [0.0, 0.05])
def test_the_gate_fails_an_unchanged_model_as_often_as_the_plan_says(margin):
    lines = parse_thresholds(GATE, Path("t.yaml"))
    rng = np.random.default_rng(4)

    def run() -> list[Record]:
        return [
            record
            for culture in ("a", "b")
            for kind, share in (("recall", 0.6), ("decode", 0.55))
            for record in draw(
                rng, share + margin, 20, 3, 0.2, kind=kind, culture=culture, name=culture + kind
            )
        ]

    facts = [record.facts for record in run()]
    rows = plan(lines, lines.profile("p"), facts, Assumptions(margin=margin))
    foretold = together(row.alarms[1] for row in rows if row.line.judge == "point")
    failed = sum(judge(lines, "p", found, [r.facts for r in found]).exit_code == 10
                 for found in (run() for _ in range(100)))  # fmt: skip
    assert failed / 100 == pytest.approx(foretold, abs=0.12)
