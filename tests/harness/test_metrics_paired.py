"""Tests of the same cases asked twice, and of many tests at once."""

from __future__ import annotations

import pytest
from made_records import made

from culturegate.metrics import (
    compare,
    holm,
    mcnemar_exact,
    order_reverses,
    paired_test,
    sign_flip,
)


def test_two_models_on_the_same_items_are_compared_in_pairs():
    assert mcnemar_exact(12, 2) == pytest.approx(0.0129, abs=5e-5)
    a = [1] * 12 + [0] * 2 + [1] * 68 + [0] * 18
    b = [0] * 12 + [1] * 2 + [1] * 68 + [0] * 18
    found = paired_test(a, b, [str(n) for n in range(100)])
    assert found.method == "exact McNemar"
    assert found.p == pytest.approx(0.0129, abs=5e-5)
    assert found.effect == pytest.approx(0.10)
    assert found.verdict() == "different"


def test_nothing_moved_is_no_difference():
    assert mcnemar_exact(0, 0) == 1.0
    assert sign_flip([0, 0, 0]) == 1.0


def test_six_clusters_that_all_move_one_way_give_two_in_sixty_four():
    assert sign_flip([1, 2, 1, 1, 3, 1]) == pytest.approx(2 / 64)


def test_many_clusters_are_flipped_at_random_from_a_recorded_seed():
    moved = [1.0, -1.0] * 10 + [2.0] * 8
    assert sign_flip(moved, seed=3) == sign_flip(moved, seed=3)
    assert sign_flip(moved) < 0.05


def test_pairs_that_share_a_cluster_are_flipped_together():
    a, b = [1] * 20, [0] * 20
    found = paired_test(a, b, ["one"] * 10 + ["two"] * 10)
    assert found.method == "sign-flip by cluster"
    assert (found.pairs, found.clusters) == (20, 2)
    assert found.p == pytest.approx(0.5)
    assert found.verdict() == "underpowered"


def test_one_pair_can_show_nothing():
    found = paired_test([0.3], [0.0], ["only"])
    assert found.smallest_p == 1.0
    assert found.verdict() == "underpowered"
    assert found.effect == pytest.approx(0.3)


def test_a_test_without_pairs_is_refused():
    with pytest.raises(ValueError, match="at least one pair"):
        paired_test([], [], [])


@pytest.mark.parametrize(
    ("p", "adjusted"),
    [
        ([0.01, 0.02, 0.03, 0.04], [0.04, 0.06, 0.06, 0.06]),
        ([0.04, 0.01, 0.03, 0.02], [0.06, 0.04, 0.06, 0.06]),
        ([0.5, 0.9], [1.0, 1.0]),
        ([0.01], [0.01]),
        ([], []),
    ],
)
def test_holm_adjusts_p_values_together(p, adjusted):
    assert holm(p) == pytest.approx(adjusted)


def test_a_comparison_pairs_by_id_and_counts_what_is_left_out():
    then = [made(n % 2 == 0, case=f"c{n:03d}") for n in range(100)]
    now = [made(n % 4 == 0, case=f"c{n:03d}") for n in range(8, 103)]
    found = compare(now, then)
    assert (found["n_paired"], found["only_then"], found["only_now"]) == (92, 8, 3)
    assert found["test"]["effect"] == pytest.approx(0.25)
    assert found["drop"]["value"] == pytest.approx(0.25)
    assert found["test"]["verdict"] == "different"


def test_a_case_that_one_run_could_not_judge_is_no_pair():
    then = [made(True, case="a"), made(True, case="b")]
    now = [made(None, case="a"), made(True, case="b")]
    found = compare(now, then)
    assert (found["n_paired"], found["only_then"], found["only_now"]) == (1, 1, 0)
    assert compare(now[:1], then)["undefined"] == "no case was judged in both runs"


def test_an_order_that_reverses_in_every_group_is_seen():
    a = {"easy": (81, 87), "hard": (192, 263)}
    b = {"easy": (234, 270), "hard": (55, 80)}
    assert order_reverses(a, b)
    assert order_reverses(b, a)
    assert not order_reverses(a, {"easy": (80, 87), "hard": (190, 263)})


def test_a_comparison_warns_where_the_order_reverses():
    def run(counts: dict[int, tuple[int, int]], start: int) -> list:
        return [
            made(n < right, difficulty=difficulty, case=f"d{difficulty}-{start + n:04d}")
            for difficulty, (right, of) in counts.items()
            for n in range(of)
        ]

    then = run({1: (234, 270), 3: (55, 80)}, 0)
    now = run({1: (81, 87), 3: (192, 263)}, 0)
    assert any(
        "reverses at every difficulty" in warning for warning in compare(now, then)["warnings"]
    )
