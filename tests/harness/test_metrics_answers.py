"""How a model answers: what could be read, how stable and how sure it is."""

from __future__ import annotations

import pytest
from made_records import asked, made

from culturegate.metrics import estimate
from culturegate.metrics.answers import templates_disagree


def test_every_status_has_its_own_rate_over_replies():
    statuses = ["answered", "abstained", "refused", "ambiguous", "unparsed"]
    statuses += ["truncated", "filtered", "empty", "unparsed", "unparsed"]
    records = [made(False, status=status) for status in statuses]
    expected = {
        "parsed_rate": 0.3,
        "abstention_rate": 0.1,
        "refused_rate": 0.1,
        "ambiguous_rate": 0.1,
        "unparsed_rate": 0.3,
        "truncated_rate": 0.1,
        "filtered_rate": 0.1,
        "empty_rate": 0.1,
    }
    found = {name: estimate(name, records).value for name in expected}
    assert found == pytest.approx(expected)


def test_a_failed_call_is_no_reply():
    found = estimate("unparsed_rate", [made(None), made(False, status="unparsed")])
    assert (found.n, found.value) == (1, 1.0)
    assert estimate("unparsed_rate", [made(None)]).undefined == "no trial was answered"


def test_no_unparsed_reply_is_zero_and_not_an_error():
    found = estimate("unparsed_rate", [made(True)])
    assert (found.value, found.undefined) == (0.0, None)


@pytest.mark.parametrize(
    ("votes", "modal", "passed"),
    [
        (["C", None, "I"], None, False),
        (["I", None, "C"], None, False),
        (["C", "C", "I"], "C", True),
        (["I", "C", "C"], "C", True),
    ],
)
def test_a_majority_is_strict_and_a_tie_is_decided_by_nobody(votes, modal, passed):
    record = asked(votes)
    assert (record.modal, record.passed) == (modal, passed)


def test_consistency_is_the_share_of_samples_that_give_the_modal_answer():
    records = [asked(["C", "C", "C", "I"]), asked(["C", "C", "I", "I"])]
    assert estimate("consistency", records).value == pytest.approx(0.625)
    assert estimate("low_agreement_rate", records).value == pytest.approx(0.5)


def test_abstaining_is_an_answer_and_unparsed_agrees_with_none():
    assert estimate("consistency", [asked(["?", "?"])]).value == 1.0
    assert estimate("consistency", [asked([None, None])]).value == 0.0


def test_sixty_percent_is_not_low():
    assert estimate("low_agreement_rate", [asked(["C", "C", "C", "I", "J"])]).value == 0.0


def test_stability_of_single_samples_is_undefined():
    for metric in ("consistency", "low_agreement_rate"):
        assert estimate(metric, [asked(["C"])]).undefined == (
            "every case was asked once, so there is nothing to agree with"
        )
    assert estimate("templates_disagree_rate", [asked(["C", "C"])]).undefined == (
        "no case was asked in more than one template"
    )


def test_templates_disagree_where_their_modal_answers_differ():
    same = asked(["C", "C", "C", "C"], templates=2)
    split = asked(["C", "I", "C", "I"], templates=2)
    unread = asked(["C", None], templates=2)
    abstained = asked(["?", "?"], templates=2)
    assert [templates_disagree(each) for each in (same, split, unread, abstained)] == [0, 1, 1, 0]
    assert estimate("templates_disagree_rate", [same, split, unread, abstained]).value == 0.5


def confident(*pairs: tuple[bool, float | None]) -> list:
    return [made(passed, confidence=stated) for passed, stated in pairs]


def test_overconfidence_is_wrong_and_stated_above_eighty_percent():
    records = confident((False, 0.9), (False, 0.8), (True, 0.95), (False, 0.3), (False, None))
    found = estimate("overconfidence", records)
    assert (found.n, found.value) == (4, 0.25)
    wrong = estimate("overconfidence_when_wrong", records)
    assert (wrong.n, wrong.value) == (3, pytest.approx(1 / 3))


def test_being_unsure_is_not_being_confidently_wrong():
    records = [made(False, status="abstained", confidence=0.99), *confident((True, 0.9))]
    assert estimate("overconfidence", records).value == 0.0
    assert estimate("overconfidence", records).n == 1


def test_no_stated_confidence_is_undefined():
    for metric in ("overconfidence", "brier", "calibration_error"):
        assert estimate(metric, [made(True)]).undefined == "no answer states a confidence"


def test_calibration_error_is_weighted_over_ten_equal_bins():
    records = confident((True, 0.95), (False, 0.95), (True, 0.15), (False, 0.15))
    # Bins (0.9, 1] and (0.1, 0.2]: |0.95 − 0.5| and |0.15 − 0.5|, half of the answers each.
    assert estimate("calibration_error", records).value == pytest.approx(0.4)
    assert estimate("calibration_error", records).low is None
    assert estimate("calibration_error", confident((True, 1.0), (False, 0.0))).value == 0


def test_the_brier_score_is_the_mean_squared_distance():
    found = estimate("brier", confident((True, 0.8), (False, 0.4)))
    assert found.value == pytest.approx((0.04 + 0.16) / 2)
