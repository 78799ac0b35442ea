"""Safety scenes asked: what a model picks, and that it stands apart from ability."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from persona_sample import at_random, perfect, play, scenes, write

from culturegate.bank.findings import LintLimits
from culturegate.bank.loader import load_bank
from culturegate.bank.safety_lint import lint_safety
from culturegate.bank.safety_reading import load_safety
from culturegate.gate import EXIT_BREACHED, judge, load_thresholds
from culturegate.metrics import estimate, summarise
from culturegate.models.base import Reply
from culturegate.tracks.protocol import PROTOCOLS, SafetyProtocol
from culturegate.tracks.safety import safety_cases, safety_wordings

ROOT = Path(__file__).parents[2]
FULL = SafetyProtocol(("en", "zh"), None)


@pytest.fixture
def bank(tmp_path):
    return load_bank([write(tmp_path, safety=scenes(24))]).safety


@pytest.fixture
def cases(bank):
    return safety_cases(bank, FULL, 0)


def picking(pick):
    """Return a model that picks one of the three options, or answers twins rightly."""

    def choose(case, options):
        text = case.scene.options[pick][case.lang]
        return next(letter for letter, shown in options.items() if shown == text)

    return choose


def in_ambiguous(pick):
    return lambda case, options: (picking(pick) if case.condition == "ambiguous" else perfect)(
        case, options
    )


def value(metric, records, **where):
    return estimate(metric, records, where).value


def test_a_perfect_model_has_no_stereotype_and_every_pair(cases):
    records = play(cases, perfect)
    assert value("stereotype_rate", records) == 0
    assert value("safety_score", records) == 1
    assert estimate("safety_score", records).n == 48
    assert estimate("stereotype_rate", records).n == 48


def test_a_model_that_goes_by_stereotypes_has_the_full_rate_and_no_pair(cases):
    records = play(cases, in_ambiguous("stereotyped"))
    assert value("stereotype_rate", records) == 1
    assert value("safety_score", records) == 0
    assert value("accuracy", records, track="safety", condition="disambiguated") == 1


def test_a_model_that_picks_the_other_person_has_the_opposite_rate(cases):
    assert value("stereotype_rate", play(cases, in_ambiguous("counter"))) == -1


def test_errors_at_random_are_no_stereotype(cases):
    records = play(cases, at_random(3))
    found = estimate("stereotype_rate", records)
    assert found.low < 0 < found.high
    assert abs(found.value) < 0.25
    assert value("safety_score", records) < 0.3


def test_saying_that_one_does_not_know_is_saying_that_it_cannot_be_told(cases):
    records = play(
        cases, lambda case, options: "I don't know." if case.lang == "en" else "不知道。"
    )
    assert value("stereotype_rate", records) == 0
    assert value("accuracy", records, track="safety", condition="ambiguous") == 1
    assert value("accuracy", records, track="safety", condition="disambiguated") == 0
    assert value("safety_score", records) == 0
    assert {trial.reason for record in records for trial in record.trials} == {"unknown"}


def test_a_pair_differs_by_the_evidence_alone(cases):
    seen = {}
    for case in cases:

        async def ask(prompt, case=case):
            seen[case.facts.case] = prompt.messages[-1].content
            return Reply(text="A", key="k")

        asyncio.run(case.run(ask))
        twin = case.facts.case.replace("disambiguated", "ambiguous")
        if case.condition == "disambiguated":
            evidence = case.scene.evidence[case.lang]
            gap = "" if case.lang == "zh" else " "
            assert seen[case.facts.case].replace(gap + evidence, "") == seen[twin]


def test_places_of_the_three_options_go_round(cases):
    places = Counter((case.lang, case.condition, case.order.index("u")) for case in cases)
    assert set(places.values()) == {8}
    first = Counter(next(label for label in case.order if label != "u") for case in cases)
    assert set(first.values()) == {48}


@pytest.mark.parametrize("protocol", ["quick", "standard"])
@pytest.mark.parametrize("place", [0, -1])
def test_a_habit_of_place_is_no_stereotype_in_the_projects_bank(protocol, place):
    bank = load_safety([ROOT / "items"])[0]

    def first_person(case, options):
        unknown = case.scene.options["unknown"][case.lang]
        return sorted(letter for letter, text in options.items() if text != unknown)[place]

    records = play(safety_cases(bank, PROTOCOLS[protocol].safety, 0), first_person)
    assert abs(value("stereotype_rate", records)) <= 0.02


@pytest.mark.parametrize("protocol", ["quick", "standard"])
def test_each_letter_can_mean_that_it_cannot_be_told(protocol):
    bank = load_safety([ROOT / "items"])[0]
    cases = safety_cases(bank, PROTOCOLS[protocol].safety, 0)
    places = Counter(case.order.index("u") for case in cases if case.condition == "ambiguous")
    assert max(places.values()) - min(places.values()) <= 2


def test_a_huge_name_is_cut_short_in_a_finding(tmp_path):
    data = scenes(24)
    data["scenes"][0]["options"]["counter"]["en"] = "x" * 50_000
    found, problems = load_safety([write(tmp_path, safety=data)])
    assert problems == []
    told = [finding.problem.message for finding in lint_safety(found, LintLimits.private())]
    assert told
    assert max(map(len, told)) < 200


def test_quick_asks_twenty_pairs_with_the_cultures_in_turn(bank):
    quick = safety_cases(bank, PROTOCOLS["quick"].safety, 0)
    assert len(quick) == 40
    assert Counter(case.facts.culture for case in quick) == {"land0": 20, "land1": 20}
    assert {case.lang for case in quick} == {"en"}
    assert dict(safety_wordings(bank, FULL)).keys() == {"en/safety-plain-1", "zh/safety-plain-1"}


def test_one_wrong_scene_settles_its_pair_whatever_a_failed_call_would_have_said(cases):
    records = play(cases, in_ambiguous("stereotyped"))
    lost = [
        replace(record, passed=None, error="timeout", trials=())
        if record.facts.condition == "disambiguated"
        else record
        for record in records
    ]
    assert value("safety_score", lost) == 0
    open_ = [
        replace(record, passed=None, error="timeout", trials=())
        if record.facts.condition == "disambiguated"
        else record
        for record in play(cases, perfect)
    ]
    assert value("safety_score", open_) is None


def test_safety_stands_apart_in_the_summary_and_enters_no_ability(cases):
    data = summarise(play(cases, perfect))
    assert data["safety"]["cases"] == 96
    assert all(each["n"] == 0 for each in data["estimates"] if each["metric"] == "accuracy")
    assert value("accuracy", play(cases, perfect)) is None
    names = {(e["metric"], tuple(e["where"].items())) for e in data["safety"]["estimates"]}
    assert ("stereotype_rate", ()) in names
    assert ("safety_score", (("culture", "land0"),)) in names


def gate(cases, model):
    thresholds = load_thresholds(Path(__file__).parents[2] / "thresholds.yaml")
    records = play(cases, model)
    result = judge(thresholds, "release", records, [case.facts for case in cases])
    verdicts = {verdict.line: verdict.status for verdict in result.verdicts}
    return result.exit_code == EXIT_BREACHED, {
        name: verdicts[name] for name in ("stereotypes", "safety")
    }


def test_the_release_profile_lets_the_safe_pass_and_vetoes_the_stereotype(cases):
    assert gate(cases, perfect) == (False, {"stereotypes": "met", "safety": "met"})
    assert gate(cases, in_ambiguous("stereotyped")) == (
        True,
        {"stereotypes": "breached", "safety": "breached"},
    )
    assert gate(cases, in_ambiguous("counter")) == (
        True,
        {"stereotypes": "met", "safety": "breached"},
    )
