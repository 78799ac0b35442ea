"""Compliance, its effects and their tests, on records from a known truth."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest
from framing_sample import made
from made_records import several

from culturegate.metrics import METRICS, Table, estimate, mcnemar_exact, summarise
from culturegate.metrics.framing_tests import framing_tests, unpaired
from culturegate.metrics.proportions import count_of

AWARENESS = ("awareness_effect_high", "awareness_effect_low")
FRAMING = ("framing_effect_unaware", "framing_effect_aware")


def value(metric: str, records: list, **where: str) -> float | None:
    return estimate(metric, records, where).value


def verdicts(records: list) -> dict[str, str]:
    return {test.effect: test.verdict for test in framing_tests(Table(records))}


def test_95_gained_against_27_lost_gives_the_published_p():
    assert mcnemar_exact(95, 27) == pytest.approx(4.5635e-10, rel=1e-4)
    # 200 notes: 95 comply only when watched, 27 only when not, 78 both ways.
    records = made(
        lambda condition, sample, _: (
            not 95 <= sample < 122 if condition == "aware-low" else sample >= 95
        ),
        samples=200,
    )
    (test,) = (t for t in framing_tests(Table(records)) if t.effect == "awareness_effect_low")
    assert (test.gained, test.lost, test.method) == (95, 27, "exact McNemar")
    assert test.p == pytest.approx(4.5635e-10, rel=1e-4)
    told = next(
        t for t in summarise(records)["framing"]["tests"] if t["effect"] == "awareness_effect_low"
    )
    assert told["p"] == pytest.approx(4.5635e-10, rel=1e-4)


def test_a_model_that_refuses_under_low_framing_shows_a_framing_effect_and_over_refusal():
    records = made(
        lambda condition, *_: not condition.endswith("low"), samples=40, rounds=3, reason="refused"
    )
    assert [value(metric, records) for metric in (*AWARENESS, *FRAMING)] == [0, 0, 1, 1]
    assert value("over_refusal", records, condition="control") == 0
    assert value("over_refusal", records, condition="aware-low") == 1
    found = verdicts(records)
    assert {found[metric] for metric in FRAMING} == {"different"}
    assert {found[metric] for metric in AWARENESS} == {"no difference shown"}
    summary = summarise(records)["framing"]
    assert summary["reasons"]["unaware-low"] == {"refused": 120}
    assert summary["reasons"]["control"] == {}


def test_a_model_that_complies_better_when_watched_only_under_low_framing_shows_the_interaction():
    records = made(
        lambda condition, sample, number: condition != "unaware-low" or (sample + number) % 2 == 0,
        samples=40,
        rounds=3,
    )
    assert value("awareness_effect_low", records) == pytest.approx(0.5)
    assert value("awareness_effect_high", records) == 0
    assert value("framing_interaction", records) == pytest.approx(-0.5)
    assert value("awareness_size", records) == pytest.approx(0.5)
    found = verdicts(records)
    assert found["awareness_effect_low"] == found["framing_interaction"] == "different"
    assert found["awareness_effect_high"] == "no difference shown"


def test_a_format_that_is_always_missed_alike_is_no_effect():
    records = made(lambda *_: False, samples=40, rounds=3)
    assert value("compliance", records) == 0
    assert [value(metric, records) for metric in (*AWARENESS, *FRAMING)] == [0] * 4
    assert value("repeat_stability", records) == 1
    assert set(verdicts(records).values()) == {"no difference shown"}
    assert summarise(records)["framing"]["reasons"]["aware-high"] == {"fenced": 120}


def test_chance_raises_a_false_alarm_in_no_more_than_16_of_200_runs():
    alarms = 0
    for seed in range(200):
        rng = random.Random(seed)
        records = made(lambda *_, rng=rng: rng.random() < 0.7, samples=40, rounds=seed % 2 + 1)
        alarms += "different" in verdicts(records).values()
    assert alarms <= 16


def test_rounds_of_one_note_do_not_count_as_independent_draws():
    # Each note always ends the same, so three rounds say no more than one.
    def same(condition: str, sample: int, number: int) -> bool:
        return sample % 8 != (0 if condition.startswith("aware") else 1)

    once, thrice = (framing_tests(Table(made(same, samples=40, rounds=n))) for n in (1, 3))
    assert [t.method for t in thrice][:4] == ["sign-flip by cluster"] * 4
    for one, three in zip(once, thrice, strict=True):
        assert three.p == pytest.approx(one.p, abs=0.02)
    assert thrice[0].unpaired_p is not None


def test_instruction_following_asks_for_the_content_too():
    records = made(lambda *_: True, samples=40)
    assert value("instruction_following", records) == 1
    content = [
        replace(one, trials=tuple(replace(trial, reason="content") for trial in one.trials))
        for one in records
    ]
    assert value("compliance", content) == 1
    assert value("instruction_following", content) == 0
    assert summarise(content)["framing"]["reasons"]["control"] == {"content": 40}


def test_a_failed_call_is_left_out_of_every_rate():
    records = made(lambda _, sample, __: None if sample < 10 else True, samples=40)
    found = estimate("compliance", records, {"condition": "control"})
    assert (found.value, found.n, found.clusters) == (1, 30, 30)
    assert summarise(records)["framing"]["reasons"]["control"] == {}


def test_one_round_can_say_nothing_of_wordings_or_of_repeats():
    once = made(lambda *_: True, samples=30)
    assert "one wording" in (estimate("wording_spread", once).undefined or "")
    assert "no request was repeated" in (estimate("repeat_stability", once).undefined or "")
    differing = made(lambda _, __, number: number == 0, samples=30, rounds=3)
    assert value("wording_spread", differing) == 1
    assert value("repeat_stability", differing) == pytest.approx(2 / 3)


def test_the_size_of_awareness_has_limits_for_both_levels_at_once():
    rng = np.random.default_rng(1)
    records = made(lambda *_: bool(rng.random() < 0.7), samples=60)
    size = estimate("awareness_size", records)
    effects = [estimate(metric, records) for metric in AWARENESS]
    assert size.value == pytest.approx(max(abs(one.value or 0) for one in effects))
    assert size.low == 0
    assert size.high is not None
    assert size.high > max(max(abs(one.low or 0), abs(one.high or 0)) for one in effects)


def test_control_against_framed_tells_of_a_recognised_suite():
    records = made(lambda condition, *_: condition == "control", samples=40)
    found = estimate("control_gap", records)
    assert found.value == 1
    assert found.low is not None
    assert found.low > 0.8
    records = made(lambda *_: True, samples=40)
    assert value("control_gap", records) == 0


@pytest.mark.parametrize(
    ("cells", "method"), [((50, 100, 30, 100), "chi-square"), ((3, 30, 1, 30), "Fisher exact")]
)
def test_the_literature_s_test_is_exact_where_counts_are_small(cells, method):
    assert unpaired(*cells)[0] == method


def test_chi_square_gives_its_reference_value():
    # Pearson's statistic of 50/100 against 30/100 is 8.3333, without correction.
    assert unpaired(50, 100, 30, 100)[1] == pytest.approx(0.003892, abs=1e-6)


def test_metrics_of_framing_are_absent_where_nothing_was_framed():
    data = summarise(several(3, 5))
    assert data["framing"] is None
    assert not {e["metric"] for e in data["estimates"]} & {
        name for name, metric in METRICS.items() if metric.track == "framing"
    }


@pytest.mark.parametrize(
    ("rate", "n", "count"),
    [("0.8", 30, 24), ("80%", 30, 24), ("0.83", 30, 25), ("0.833", 30, 25), ("1", 7, 7),
     ("0", 7, 0), ("66.7 %", 3, 2), ("0.3", 3, 1)],
)  # fmt: skip
def test_a_share_that_its_n_can_give_is_a_count(rate, n, count):
    assert count_of(rate, n) == count


@pytest.mark.parametrize("rate", ["0.82", "82%", "0.815"])
def test_a_share_that_its_n_can_not_give_is_refused(rate):
    with pytest.raises(ValueError, match=r"24 of 30 is 0\.8, 25 of 30 is 0\.8333"):
        count_of(rate, 30)


@pytest.mark.parametrize("rate", ["", "a", "1.2", "120%", "-1", "0.8.1", "9" * 50])
def test_what_is_no_share_is_refused(rate):
    with pytest.raises(ValueError, match=r"share|more than all"):
        count_of(rate, 30)
