"""What each metric of ability says of records, and when it says nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_records import episodes, made, several

from culturegate.metrics import (
    METRICS,
    Table,
    Weighting,
    estimate,
    fact_text,
    mover_difference,
    wilson,
)
from culturegate.metrics.ability import ratio


def test_one_passing_case_is_not_certain_to_pass():
    found = estimate("accuracy", [made(True)])
    assert (found.n, found.clusters, found.value) == (1, 1, 1.0)
    assert (found.low, found.high) == pytest.approx((0.2065, 1), abs=5e-5)


def test_accuracy_is_told_with_its_clusters():
    records = [r for n in range(10) for r in several(5 if n < 6 else 0, 5, cluster=f"e{n}")]
    found = estimate("accuracy", records)
    assert (found.n, found.clusters, found.value) == (50, 10, 0.6)
    assert found.method == "wilson, n/deff 5.00, t(9)"


def test_a_failed_call_is_left_out_and_never_wrong():
    found = estimate("accuracy", [made(True), made(None), made(False)])
    assert (found.n, found.value) == (2, 0.5)
    assert estimate("error_rate", [made(True), made(None), made(False)]).value == pytest.approx(
        1 / 3
    )


def test_unparsed_replies_are_wrong_and_get_no_share_of_a_guess():
    records = [made(False, status="unparsed", chance=0.1) for _ in range(10)]
    assert estimate("accuracy", records).value == 0.0
    assert estimate("unparsed_rate", records).value == 1.0
    assert estimate("parsed_rate", records).value == 0.0


def test_micro_and_macro_are_told_apart():
    records = several(9, 10, culture="x") + several(45, 90, culture="y")
    assert estimate("accuracy", records).value == pytest.approx(0.54)
    assert estimate("macro_accuracy", records).value == pytest.approx(0.70)


def test_a_culture_without_a_judged_case_is_skipped_and_counted():
    records = [made(None, culture="no"), made(False, culture="sv"), made(False, culture="sv")]
    assert estimate("accuracy", records, {"culture": "no"}).value is None
    assert estimate("accuracy", records, {"culture": "sv"}).value == 0.0
    macro = estimate("macro_accuracy", records)
    assert (macro.value, macro.method) == (0.0, "mover of 1 cultures, 1 skipped")


def test_what_is_of_no_culture_is_no_culture_in_the_macro_mean():
    notes = several(0, 10, culture="none", track="framing", kind="framing")
    cultures = several(9, 10, culture="no") + several(7, 10, culture="sv")
    assert estimate("macro_accuracy", cultures + notes).value == pytest.approx(0.8)
    assert estimate("macro_accuracy", notes).undefined == (
        "no case of a culture was asked and judged"
    )


def test_nothing_asked_is_undefined_for_every_metric_and_never_zero():
    for name, metric in METRICS.items():
        where = {"arm": "literal"} if metric.contrast and metric.contrast.second is None else {}
        found = estimate(name, [], where)
        assert (found.value, found.low, found.high, found.n) == (None, None, None, 0)
        assert found.undefined


def test_chance_is_taken_out_of_single_trials():
    found = estimate("chance_corrected", several(15, 20))
    assert found.value == pytest.approx((0.75 - 0.25) / 0.75)
    assert estimate("chance_corrected", several(5, 20)).value == pytest.approx(0)


def test_a_gap_is_recall_minus_decode():
    records = several(18, 20, kind="recall") + several(10, 20, kind="decode")
    found = estimate("gap", records)
    assert found.value == pytest.approx(0.4)
    newcombe = mover_difference(0.9, wilson(18, 20), 0.5, wilson(10, 20))
    assert (found.low, found.high) == pytest.approx(newcombe)
    assert (found.n, found.clusters) == (40, 40)


def test_a_gap_is_undefined_where_recall_is_not_certainly_above_chance():
    records = several(8, 20, kind="recall") + several(2, 20, kind="decode")
    found = estimate("gap", records)
    assert found.value is None
    assert found.undefined == (
        "recall is not certainly above chance: 0.400 of single trials are right, at least 0.219, "
        "where guessing gives 0.250"
    )


def test_a_gap_needs_to_know_what_guessing_gives():
    records = several(20, 20, kind="recall", chance=None) + several(10, 20)
    assert estimate("gap", records).undefined == (
        "recall: 20 trials have no chance recorded to compare with"
    )


def test_a_gap_with_one_side_is_undefined():
    assert estimate("gap", several(10, 20)).undefined == "no recall case was asked and judged"
    only_recall = several(10, 20, kind="recall")
    assert estimate("gap", only_recall).undefined == "no decode case was asked and judged"


def test_episodes_that_both_sides_share_narrow_the_gap():
    together = [
        made(passed, kind=kind, cluster=f"e{n}")
        for n in range(20)
        for kind in ("recall", "decode")
        for passed in ([True, True] if n < 14 else [False, False])
    ]
    alike = estimate("gap", together)
    assert alike.value == 0
    assert "correlation 0.90" in alike.method
    side = estimate("accuracy", together, {"kind": "recall"})
    assert alike.high - alike.low < (side.high - side.low) * 0.7


def test_too_few_shared_episodes_narrow_nothing():
    records = [
        made(passed, kind=kind, cluster=f"e{n}")
        for n in range(5)
        for kind in ("recall", "decode")
        for passed in ([True] * 3 if n < 4 else [False] * 3)
    ]
    assert "correlation 0.00" in estimate("gap", records, {}, 0.5).method


def test_decoding_is_asked_only_of_episodes_fully_recalled():
    records = (
        episodes(3, [True, True], [True, False], "greek")
        + episodes(5, [True, False], [True, True], "norse")
        + episodes(2, [True, True], [False, False], "welsh")
    )
    found = estimate("decoded_given_recalled", records)
    assert (found.n, found.clusters) == (10, 5)
    assert found.value == pytest.approx(0.3)
    unknown = episodes(2, [False], [True])
    assert estimate("decoded_given_recalled", unknown).undefined == (
        "none of 2 episodes has all its recall cases passed and a decode case"
    )


def test_an_episode_whose_recall_was_not_judged_is_not_known_to_be_recalled():
    records = [
        made(True, kind="recall", cluster="e"),
        made(None, kind="recall", cluster="e"),
        made(True, kind="decode", cluster="e"),
    ]
    assert estimate("decoded_given_recalled", records).value is None


def arms(original: int, literal: int, of: int = 20, **facts: object) -> list:
    return [
        made(n < right, track="mirror", kind="mirror", arm=arm, cluster=f"f{n}", **facts)
        for arm, right in (("original", original), ("literal", literal))
        for n in range(of)
    ]


def test_retention_and_the_cultural_gap_compare_an_arm_with_the_original():
    records = arms(16, 8)
    assert estimate("retention", records, {"arm": "literal"}).value == pytest.approx(0.5)
    assert estimate("cpg", records, {"arm": "literal"}).value == pytest.approx(0.4)
    found = estimate("retention", records, {"arm": "literal"})
    assert 0.25 < found.low < 0.5 < found.high < 0.82
    assert estimate("retention", records, {"arm": "native"}).undefined == (
        "no native case was asked and judged"
    )


def test_arms_that_no_family_tells_apart_leave_an_interval_with_a_width():
    # Half of 20 families pass, the same in both arms: a family that differs may be the next one.
    records = arms(10, 10)
    for metric, at in (("cpg", 0.0), ("retention", 1.0)):
        found = estimate(metric, records, {"arm": "literal"})
        assert found.value == at
        assert found.high - found.low > 0.15


def test_native_problems_are_no_pair_of_the_original():
    records = [
        made(n % 2 == 0, track="mirror", kind="mirror", arm=arm, cluster=f"f{n}", chance=0.0)
        for arm in ("original", "native", "literal")
        for n in range(20)
    ]
    assert "correlation 0.90" in estimate("cpg", records, {"arm": "literal"}).method
    assert "correlation 0.00" in estimate("cpg", records, {"arm": "native"}).method


@pytest.mark.parametrize(
    ("base", "new", "expected"),
    [(0, 0, None), (0, 0.3, None), (1e-16, 0.3, None), (0.5, 0.25, 0.5)],
)
def test_retention_of_nothing_is_undefined(base, new, expected):
    assert ratio(base, new) == expected


def test_an_arm_at_zero_leaves_retention_undefined_in_records_too():
    assert estimate("retention", arms(0, 6, chance=0.0), {"arm": "literal"}).undefined


def test_public_items_are_compared_with_unpublished_ones():
    records = several(18, 20, public=True) + several(10, 20, public=False)
    assert estimate("public_gap", records).value == pytest.approx(0.4)
    assert estimate("public_gap", several(3, 5)).undefined == (
        "no unpublished case was asked and judged"
    )


def test_the_composite_weighs_tracks_and_counts_contaminated_cases_half():
    clean = [*several(10, 10, track="myth"), *several(5, 10, track="mirror")]
    tracks = Weighting({"myth": 3, "mirror": 1})
    assert estimate("composite", clean, weighting=tracks).value == pytest.approx(0.875)
    tainted = [*several(2, 2), *several(0, 2, contaminated=True)]
    only = Weighting({"myth": 1})
    assert estimate("composite", tainted, weighting=only).value == pytest.approx(2 / 3)


def test_the_composite_is_undefined_without_one_of_its_tracks():
    assert estimate("composite", several(3, 4)).undefined == (
        "no judged case of mirror, persona, framing"
    )


def test_safety_is_in_no_ability_metric_unless_it_is_named():
    records = [*several(10, 10), *several(0, 10, track="safety")]
    assert estimate("accuracy", records).value == 1.0
    assert estimate("accuracy", records, {"track": "safety"}).value == 0.0
    assert estimate("error_rate", records).n == 20


def test_groups_are_compared_as_text():
    records = [made(True, culture="no", difficulty=2, public=False), made(False)]
    for where in ({"culture": "no"}, {"difficulty": "2"}, {"public": "false"}):
        assert estimate("accuracy", records, where).n == 1
    assert fact_text(True) == "true"
    assert estimate("accuracy", records, {"arm": "None"}).n == 0


def test_what_cannot_be_asked_is_refused_with_what_can():
    with pytest.raises(ValueError, match="unknown fact 'cultur'; the facts are case, track, kind"):
        estimate("accuracy", [], {"cultur": "greek"})
    with pytest.raises(ValueError, match="unknown metric 'acc'; the metrics are abstention_rate"):
        estimate("acc", [])
    with pytest.raises(
        ValueError, match="gap compares 'recall' with 'decode', so no group may fix"
    ):
        estimate("gap", [], {"kind": "recall"})
    with pytest.raises(ValueError, match="retention compares one arm with 'original'"):
        estimate("retention", [])
    with pytest.raises(ValueError, match="two records of the case 'same'"):
        Table([made(True, case="same"), made(True, case="same")])


cases = st.builds(
    made,
    st.sampled_from([True, True, False, None]),
    kind=st.sampled_from(["recall", "decode"]),
    cluster=st.sampled_from("abcdefgh"),
    culture=st.sampled_from(["greek", "norse"]),
    arm=st.sampled_from(["original", "literal"]),
    public=st.booleans(),
    confidence=st.sampled_from([None, 0.0, 0.5, 0.9, 1.0]),
    chance=st.sampled_from([0.0, 0.25]),
)


@given(st.lists(cases, max_size=60), st.sampled_from([0.5, 0.95, 0.999]))
def test_every_interval_holds_its_value_within_what_is_possible(records, confidence):
    table = Table(records)
    for name, metric in METRICS.items():
        arms_compared = metric.contrast is not None and metric.contrast.second is None
        found = estimate(name, table, {"arm": "literal"} if arms_compared else {}, confidence)
        assert (found.value is None) == (found.undefined is not None)
        if found.value is None:
            assert (found.low, found.high) == (None, None)
            continue
        assert found.n > 0
        assert 0 < found.clusters <= found.n
        assert metric.low - 1e-9 <= found.value <= metric.high + 1e-9
        if found.low is not None:
            assert found.low <= found.value + 1e-9
        if found.high is not None:
            assert found.value <= found.high + 1e-9


def test_every_metric_is_documented_with_its_name():
    page = (Path(__file__).parents[2] / "docs" / "metrics.md").read_text("utf-8")
    assert [name for name in METRICS if f"`{name}`" not in page] == []
