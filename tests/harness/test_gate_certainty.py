"""When a breach is certain, alone and among many."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_records import several

from culturegate.gate.certainty import breach_p, step_down
from culturegate.metrics import METRICS, Table, holm, measure


def test_each_step_of_holm_asks_less_than_the_one_before():
    found = step_down([0.012, 0.2, 0.02], 0.05)
    # 0.05/3 for the first, 0.05/2 for the second, and 0.05 stays for the last.
    assert [rejected for rejected, _ in found] == [True, False, True]
    assert [level for _, level in found] == pytest.approx([0.05 / 3, 0.05, 0.05 / 2])


def test_after_the_first_that_stands_none_is_rejected():
    found = step_down([0.04, 0.03, 0.02], 0.05)
    assert found == [(False, pytest.approx(0.05 / 3))] * 3


@given(st.lists(st.floats(0, 1), max_size=12))
def test_what_is_rejected_is_what_holms_adjusted_p_values_reject(ps):
    rejected = [found for found, _ in step_down(ps, 0.05)]
    adjusted = holm(ps)
    for found, p in zip(rejected, adjusted, strict=True):
        if abs(p - 0.05) > 1e-9:
            assert found == (p < 0.05)


@pytest.mark.parametrize(("right", "of"), [(12, 20), (75, 100), (3, 6)])
def test_the_p_value_is_where_the_interval_leaves_the_limit(right, of):
    found = measure(METRICS["accuracy"], Table(several(right, of)), {}, 0.95)
    p = breach_p(found, 0.9, upper=False)
    assert found.limits(1 - p * 1.01)[1] < 0.9
    assert found.limits(1 - p * 0.99)[1] > 0.9


def test_a_value_on_the_right_side_can_not_breach():
    found = measure(METRICS["accuracy"], Table(several(19, 20)), {}, 0.95)
    assert breach_p(found, 0.9, upper=False) == 1.0
