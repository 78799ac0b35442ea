"""The diagnosis's numbers against counts by hand, references and chance, apart from ability."""

from __future__ import annotations

import random
import re
from dataclasses import replace

import diagnosis_sample as sample
import numpy as np
import pytest
from made_records import made
from suites import REPOSITORY

from culturegate.gate import judge, load_thresholds
from culturegate.metrics import mcnemar_exact, summarise
from culturegate.metrics.diagnosis_letters import letters
from culturegate.metrics.diagnosis_pairs import pairs, variants
from culturegate.metrics.diagnosis_templates import template_spread
from culturegate.reports.diagnosis import diagnosis_section
from culturegate.reports.run import Run
from culturegate.tracks.base import Trial
from culturegate.tracks.outcome import record


def chosen(answer: str, key: str, order: str = "abcd", number: int = 0, **facts):
    trial = Trial("t1", 0, "answered", answer, answer == key, option_order=order, key=key)
    return record(made(True, cluster=f"tale{number}", **facts).facts, [trial])


def pair(before: bool, after: bool, number: int, condition: str = "edited", kind: str = "recall"):
    item = f"item{number}{kind}"
    base = replace(made(before, kind=kind, cluster=f"tale{number}"))
    facts = replace(base.facts, item=item)
    changed = replace(
        facts, case=f"{facts.case}-{condition}", track="diagnosis", condition=condition
    )
    trial = replace(base.trials[0], value="a" if after else "b", correct=after)
    return [record(facts, base.trials), record(changed, [trial])]


def test_a_difference_is_of_the_same_cases_with_mcnemars_test():
    outcomes = [(True, True)] * 10 + [(True, False)] * 9 + [(False, True)] + [(False, False)] * 4
    records = [one for n, both in enumerate(outcomes) for one in pair(*both, n)]
    (found,) = variants(pairs(records), 0.95, 0)
    assert (found.base.value, found.variant.value) == (19 / 24, 11 / 24)
    assert found.difference.value == pytest.approx(8 / 24)
    assert found.test.p == pytest.approx(mcnemar_exact(9, 1))
    assert found.test.method == "exact McNemar"
    assert 0 < found.difference.low < 8 / 24 < found.difference.high < 0.6
    assert found.same.value == pytest.approx(14 / 24)


def test_the_base_is_the_first_trial_and_no_majority():
    (base, changed) = pair(True, True, 0)
    second = replace(base.trials[0], template="two", correct=False, value="b")
    base = record(base.facts, [base.trials[0], second, replace(second, template="three")])
    assert base.passed is False
    (found,) = variants(pairs([base, changed]), 0.95, 0)
    assert found.base.value == 1


def test_both_kinds_are_shown_together_and_apart():
    records = [one for n in range(6) for one in pair(True, True, n)]
    records += [one for n in range(6) for one in pair(True, False, n, kind="decode")]
    found = {one.kind: one.variant.value for one in variants(pairs(records), 0.95, 0)}
    assert found == {None: 0.5, "recall": 1.0, "decode": 0.0}


def test_with_two_options_the_test_of_position_is_mcnemars_chi_square():
    # 18 answers move from A to B, 6 from B to A, 16 stay: (18 − 6)² / (18 + 6) = 6.
    moves = [("b", "a")] * 18 + [("a", "b")] * 6 + [("a", "a")] * 8 + [("b", "b")] * 8
    found = letters([chosen(a, k, "ab", n) for n, (a, k) in enumerate(moves)], 0.95)
    assert (found.chi_square, found.df) == (pytest.approx(6.0), 1)
    assert found.p == pytest.approx(0.0143, abs=1e-4)
    assert [one.value for one in found.bias] == pytest.approx([-0.3, 0.3])


def test_letters_are_those_shown_whatever_the_items_own_labels():
    orders = ["abcd", "bcda", "cdab", "dabc"]
    records = [
        chosen(orders[n % 4][1], orders[n % 4][n // 4 % 4], orders[n % 4], n) for n in range(32)
    ]
    found = letters(records, 0.95)
    assert found.answers == {"A": 0, "B": 32, "C": 0, "D": 0}
    assert found.keys == {"A": 8, "B": 8, "C": 8, "D": 8}
    assert found.top_letter == "B"
    assert found.bias[1].value == 0.75


def test_repeated_trials_of_one_cluster_count_as_one_draw():
    moves = [("b", "a")] * 18 + [("a", "b")] * 6
    once = [chosen(a, k, "ab", n) for n, (a, k) in enumerate(moves)]
    thrice = [chosen(a, k, "ab", n) for n, (a, k) in enumerate(moves) for _ in range(3)]
    assert letters(thrice, 0.95).chi_square == pytest.approx(letters(once, 0.95).chi_square)
    assert letters(thrice, 0.95).bias[0].low == pytest.approx(letters(once, 0.95).bias[0].low)


def test_few_clusters_give_no_test():
    found = letters([chosen("b", "a", number=n) for n in range(9)], 0.95)
    assert found.p is None


def test_trials_without_a_key_and_the_diagnosis_itself_show_no_position():
    assert letters([made(True), chosen("b", "a", track="diagnosis")], 0.95) is None


def test_guessing_is_called_a_bias_of_position_as_seldom_as_promised():
    draw = random.Random(5)
    alarms = 0
    for _ in range(400):
        records = [chosen(draw.choice("abcd"), "abcd"[n % 4], number=n // 2) for n in range(120)]
        alarms += letters(records, 0.95).p <= 0.05
    assert alarms <= 32  # 5 % of 400, and three standard errors


def _templated(rights: list[tuple[bool, ...]]):
    for number, right in enumerate(rights):
        trials = [
            Trial(f"t{at}", 0, "answered", "a" if good else "b", good)
            for at, good in enumerate(right)
        ]
        yield record(made(True, cluster=f"tale{number}").facts, trials)


def test_a_wording_that_costs_answers_shows_and_alike_ones_do_not():
    draw = np.random.default_rng(1)
    alike = [tuple(bool(x) for x in draw.random(3) < 0.6) for _ in range(60)]
    worse = [(a, b, c and n % 2 == 0) for n, (a, b, c) in enumerate(alike)]
    fine, bad = (template_spread(_templated(rows), 0.95, 0) for rows in (alike, worse))
    assert fine.p > 0.05
    assert bad.p < 0.01
    assert bad.spread == pytest.approx(
        max(e.value for e in bad.templates) - min(e.value for e in bad.templates)
    )
    assert 0 < bad.expected < bad.spread


def test_over_very_many_clusters_the_normal_limit_says_what_permuting_says(monkeypatch):
    draw = np.random.default_rng(3)
    rows = [tuple(bool(x) for x in draw.random(4) < (0.5, 0.5, 0.5, 0.45)) for _ in range(900)]
    permuted = template_spread(_templated(rows), 0.95, 0)
    monkeypatch.setattr("culturegate.metrics.diagnosis_templates.MANY", 100)
    drawn = template_spread(_templated(rows), 0.95, 0)
    assert drawn.expected != permuted.expected
    assert drawn.expected == pytest.approx(permuted.expected, rel=0.03)
    assert drawn.p == pytest.approx(permuted.p, abs=0.02)


def test_one_wording_has_no_spread_and_equal_ones_none():
    assert template_spread(_templated([(True,)] * 5), 0.95, 0) is None
    found = template_spread(_templated([(True, True), (False, False)]), 0.95, 0)
    assert (found.spread, found.p, found.expected) == (0, 1, 0)


@pytest.fixture(scope="module")
def asked(tmp_path_factory):
    return sample.cases(sample.bank(tmp_path_factory.mktemp("bank")), "full")


@pytest.fixture(scope="module")
def plain_and_whole(asked):
    records = sample.ask_all(asked, sample.by_names)
    return [r for r in records if r.facts.track == "myth"], records


def test_the_diagnosis_enters_no_estimate_of_ability(plain_and_whole):
    plain, whole = map(summarise, plain_and_whole)
    assert whole["estimates"] == plain["estimates"]
    for name in ("composite", "worst_culture", "warnings"):
        assert whole[name] == plain[name]
    assert whole["cases"] > plain["cases"]


@pytest.mark.parametrize("profile", ["smoke", "release"])
def test_no_line_of_the_gate_counts_the_diagnosis(plain_and_whole, profile):
    thresholds = load_thresholds(REPOSITORY / "thresholds.yaml")
    plain, whole = (
        judge(thresholds, profile, records, [one.facts for one in records])
        for records in plain_and_whole
    )
    assert whole == plain
    failed = [
        record(r.facts, [replace(t, status="error", correct=None) for t in r.trials])
        if r.facts.track == "diagnosis"
        else r
        for r in plain_and_whole[1]
    ]
    assert judge(thresholds, profile, failed, [one.facts for one in failed]) == plain


def test_the_report_says_each_finding_in_a_sentence(asked, tmp_path):
    def told(model):
        records = sample.ask_all(asked, model)
        found = diagnosis_section(Run(tmp_path, {}, records, summarise(records)))
        return found.headline, "\n".join(found.notes)

    headline, notes = told(sample.always_b)
    assert headline == (
        "Diagnosis: answers do not need the question; a missing key goes unnoticed; "
        "most answers are B."
    )
    assert re.search(r"Constant answer: B is 100% \(8\d to 100, n = 240\) of all answers", notes)
    assert "Position: B is answered 75 points more often than it is right" in notes

    headline, notes = told(sample.by_heart)
    assert "the score depends on the exact wording" in headline
    assert "the bank's canary comes back" in headline
    assert "the bank's files were in its training data" in notes

    headline, notes = told(sample.honest)
    assert headline == "Diagnosis: no shortcut shows in options, order, names or wording."
    assert "where guessing gives 25%: no more than chance explains" in notes


def test_a_score_at_chance_is_not_called_free_of_shortcuts(tmp_path, asked):
    draw = random.Random(4)
    records = sample.ask_all(asked, lambda _: draw.choice("ABCD"))
    found = diagnosis_section(Run(tmp_path, {}, records, summarise(records)))
    assert "not certainly above chance, so there is nothing to trace" in found.headline


def test_a_run_without_the_option_shows_position_and_wordings_alone(plain_and_whole, tmp_path):
    plain, _ = plain_and_whole
    found = diagnosis_section(Run(tmp_path, {}, plain, summarise(plain)))
    assert [note.partition(":")[0] for note in found.notes] == ["Position", "Wordings"]
    assert diagnosis_section(Run(tmp_path, {}, [made(True)], summarise([made(True)]))) is None
