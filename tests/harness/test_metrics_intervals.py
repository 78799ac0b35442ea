"""Interval formulas against published values, SciPy and their own definitions."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from culturegate.metrics import (
    mover_difference,
    mover_ratio,
    mover_sum,
    quantile,
    share,
    wilson,
)

shares = st.floats(0.01, 0.99)


@pytest.mark.parametrize(
    ("passed", "n", "low", "high"),
    [
        (1, 1, 0.2065, 1),
        (0, 1, 0, 0.7935),
        (19, 20, 0.7639, 0.9911),
        (17, 20, 0.640, 0.948),
        (850, 1000, 0.827, 0.871),
        (81, 263, 0.2553, 0.3662),  # Newcombe (1998), table I
        (0, 20, 0, 0.1611),
    ],
)
def test_wilson_gives_published_limits(passed, n, low, high):
    assert wilson(passed, n) == pytest.approx((low, high), abs=5e-4)


@given(st.integers(0, 200), st.integers(1, 200), st.floats(0.5, 0.999))
def test_wilson_agrees_with_scipy(passed, n, confidence):
    passed = min(passed, n)
    expected = binomtest(passed, n).proportion_ci(confidence, method="wilson")
    assert wilson(passed, n, confidence) == pytest.approx((expected.low, expected.high), abs=1e-9)


@given(shares, st.floats(1, 1e5), st.floats(0, 0.9999), st.floats(1, 1000))
def test_wilson_holds_the_share_and_stays_in_range(value, n, confidence, df):
    low, high = wilson(value * n, n, confidence, df)
    assert 0 <= low <= value * (1 + 1e-12)
    assert value * (1 - 1e-12) <= high <= 1


def test_wilson_needs_a_sample():
    with pytest.raises(ValueError, match="needs 0 ≤ passed ≤ n and n > 0, not 0 of 0"):
        wilson(0, 0)


def test_the_quantile_is_students_and_normal_at_infinity():
    assert quantile(0.95, 9) == pytest.approx(2.262157)
    assert quantile(0.95) == pytest.approx(1.959964)


def test_a_difference_has_newcombes_hybrid_score_limits():
    # Newcombe (1998), method 10, 56/70 against 48/80.
    limits = mover_difference(56 / 70, wilson(56, 70), 48 / 80, wilson(48, 80))
    assert limits == pytest.approx((0.0524, 0.3339), abs=5e-5)


def test_a_difference_of_the_same_thing_is_certainly_nothing():
    assert mover_difference(0.6, (0.4, 0.8), 0.6, (0.4, 0.8), 1.0) == pytest.approx((0, 0))


@given(shares, shares, st.floats(3, 500), st.floats(3, 500), st.floats(-0.9, 0.9))
def test_a_limit_of_a_ratio_is_where_the_difference_has_its_limit_at_zero(a, b, n, m, together):
    a_limits, b_limits = wilson(a * n, n), wilson(b * m, m)
    low, high = mover_ratio(a, a_limits, b, b_limits, together)
    assert low <= a / b * (1 + 1e-9)
    assert high >= a / b * (1 - 1e-9)
    for limit, side in ((low, 0), (high, 1)):
        if 1e-6 < limit < 1e6:
            scaled = (limit * b_limits[0], limit * b_limits[1])
            end = mover_difference(a, a_limits, limit * b, scaled, together)[side]
            assert end == pytest.approx(0, abs=1e-6 * max(1, limit))


def test_a_ratio_is_unbounded_where_its_denominator_may_be_zero():
    low, high = mover_ratio(0.5, (0.2, 0.8), 0.3, (0.0, 0.7))
    assert low > 0
    assert high == math.inf


def test_a_ratio_of_nothing_starts_at_zero():
    assert mover_ratio(0.0, (0.0, 0.3), 0.5, (0.3, 0.7))[0] == 0


def test_a_ratio_needs_a_denominator():
    with pytest.raises(ValueError, match="denominator above 0"):
        mover_ratio(0.5, (0.2, 0.8), 0.0, (0.0, 0.3))


def test_the_mean_of_two_equal_shares_is_root_two_narrower():
    low, high = mover_sum([0.5, 0.5], [(0.3, 0.7), (0.3, 0.7)], [0.5, 0.5])
    assert (low, high) == pytest.approx((0.5 - 0.2 / math.sqrt(2), 0.5 + 0.2 / math.sqrt(2)))


SIX_OF_TEN = np.repeat([1.0] * 6 + [0.0] * 4, 5)
TEN_CLUSTERS = np.repeat(np.arange(10), 5)


def test_items_that_share_a_passage_count_as_one_draw():
    assert math.sqrt(0.6 * 0.4 / 50) == pytest.approx(0.07, abs=1e-3)
    found = share(SIX_OF_TEN, TEN_CLUSTERS)
    assert np.linalg.norm(found.influence) == pytest.approx(0.1549, abs=5e-5)
    assert (found.n, found.clusters) == (50, 10)
    assert found.n_effective == pytest.approx(10)
    assert found.limits(0.95) == wilson(6, 10, 0.95, 9)


def test_the_design_effect_is_the_mean_cluster_size_where_all_agree():
    found = share(np.ones(50), TEN_CLUSTERS)
    assert found.design_effect == pytest.approx(5)
    assert found.limits(0.95) == wilson(10, 10, 0.95, 9)


def test_independent_cases_are_plain_wilson():
    found = share(np.array([1.0] * 19 + [0.0]), np.arange(20))
    assert found.limits(0.95) == pytest.approx((0.7639, 0.9911), abs=5e-5)
    assert found.method == "wilson"


def test_one_cluster_is_one_draw_however_many_cases_it_has():
    found = share(np.ones(50), np.zeros(50, dtype=int))
    assert (found.n, found.clusters, found.n_effective) == (50, 1, 1)
    assert found.limits(0.95) == pytest.approx((0.2065, 1), abs=5e-5)


def test_a_single_wrong_answer_never_makes_the_result_surer_than_none():
    perfect = share(np.ones(50), TEN_CLUSTERS).limits(0.95)[0]
    scores = np.ones(50)
    for place in range(0, 50, 7):
        scores[place] = 0
        assert share(scores, TEN_CLUSTERS).limits(0.95)[0] <= perfect


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 6)), min_size=1, max_size=60))
def test_right_and_wrong_are_mirror_images(drawn):
    scores = np.array([float(passed) for passed, _ in drawn])
    clusters = np.array([cluster for _, cluster in drawn])
    low, high = share(scores, clusters).limits(0.95)
    other_low, other_high = share(1 - scores, clusters).limits(0.95)
    assert (low, high) == pytest.approx((1 - other_high, 1 - other_low), abs=1e-9)
