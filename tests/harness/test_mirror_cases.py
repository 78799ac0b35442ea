"""Mirror cases: which are asked, how their options turn, and when a judge is called again."""

from __future__ import annotations

import asyncio
import json
from collections import Counter

import pytest
from mirror_sample import ASK_ALL, asked, bank, document, family, records, write

from culturegate.bank.mirror_reading import load_mirror
from culturegate.errors import CallError, CulturegateError, ModelUnavailable
from culturegate.models.base import Prompt, Reply
from culturegate.prompts import languages, templates
from culturegate.tracks.adjudication import Decidable
from culturegate.tracks.base import CaseFacts, Record
from culturegate.tracks.mirror import MirrorCase, mirror_cases, mirror_wordings
from culturegate.tracks.mirror_judging import path_scores
from culturegate.tracks.protocol import PROTOCOLS, MirrorProtocol

LANGS = ("ar", "en", "es", "hi", "ja", "zh")


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    return bank(tmp_path_factory.mktemp("items"), 12, ("number", "choice", "text"))


def case_named(found, name: str, **extra) -> MirrorCase:
    return next(c for c in mirror_cases(found, ASK_ALL, 0, **extra) if c.facts.case == name)


def test_every_arm_of_every_family_is_a_case(found):
    cases = mirror_cases(found, ASK_ALL, 0)
    assert len(cases) == 2 * 12 * 4
    assert [c.facts.case for c in cases] == sorted(c.facts.case for c in cases)
    assert sum(c.requests for c in cases) == 2 * 12 * 4 * 3


def test_the_facts_of_a_case_are_what_lines_and_metrics_group_by(found):
    assert case_named(found, "china-choice-1-literal").facts == CaseFacts(
        case="china-choice-1-literal",
        track="mirror",
        kind="mirror",
        item="china-choice-1",
        cluster="china-choice-1",
        culture="china",
        lang="zh",
        arm="literal",
        element="knowledge",
        task="commonsense",
        difficulty=2,
        public=True,
        chance=0.25,
    )
    number = case_named(found, "china-number-0-original")
    assert (number.facts.lang, number.facts.chance) == ("en", 0.0)
    assert number.expected == "600 dollars"


def test_the_quick_protocol_takes_from_each_regions_task_types_in_turn(found):
    cases = mirror_cases(found, PROTOCOLS["quick"].mirror, 0)
    families = {(c.facts.culture, c.facts.task, c.facts.cluster) for c in cases}
    assert len(cases) == 2 * 4 * 4
    assert Counter(culture for culture, _, _ in families) == {"china": 4, "mexico": 4}
    assert {Counter(t for c, t, _ in families if c == r).most_common(1)[0][1]
            for r in ("china", "mexico")} == {1}  # fmt: skip
    assert families != {
        (c.facts.culture, c.facts.task, c.facts.cluster)
        for c in mirror_cases(found, PROTOCOLS["quick"].mirror, 7)
    }


def test_options_turn_with_the_sample_and_all_arms_of_a_family_turn_alike(found):
    positions = Counter()
    for case in mirror_cases(found, ASK_ALL, 0):
        if not case.arm.options:
            assert case.order(0) == ()
            continue
        places = [case.order(sample).index(case.arm.answer) for sample in range(4)]
        assert sorted(places) == [0, 1, 2, 3]
        positions[case.facts.culture, case.facts.arm, places[0]] += 1
    # Four choice families a region go round four places.
    assert set(positions.values()) == {1}


@pytest.mark.parametrize("lang", LANGS)
def test_each_language_asks_for_reasoning_then_answer_then_confidence(lang):
    (wording,) = (one for one in templates("mirror", lang) if one.id.startswith("solve-"))
    assert wording.text.count("$question") == 1
    # What is the same for all problems stands first, so that a server can keep it.
    assert wording.text.endswith("\n\n$question")
    parts = {one.id.rpartition("-")[0] for one in templates("mirror", lang)}
    assert parts == {"solve", "number", "choice", "text"}
    rubric = templates("mirror_judge", lang)[0].text
    assert all(word in rubric for word in ("$reply", '"path"', '"culture"', "nonstandard"))


def test_a_language_without_the_tracks_wording_is_refused():
    assert set(LANGS) <= set(languages("mirror"))
    assert set(languages("myth")) == {"en", "zh"}
    with pytest.raises(ValueError, match="no myth prompts in language 'ja'; there are: en, zh"):
        templates("myth", "ja")
    with pytest.raises(ValueError, match="no mirror prompts in language 'fr'"):
        templates("mirror", "fr")


def test_a_family_in_a_language_without_prompts_stops_the_run_with_its_place(tmp_path):
    data = document("china", [family("china", 0)]) | {"lang": "fr"}
    other, problems = load_mirror([write(tmp_path, {"mine.yaml": data})])
    assert problems == []
    with pytest.raises(CulturegateError, match=r"mine.yaml:9: china-number-0: no mirror prompts"):
        mirror_cases(other, ASK_ALL, 0)


def test_the_prompt_names_no_key_and_says_nothing_of_a_test(found):
    case = case_named(found, "china-choice-1-original")
    _, prompts = asked(case, lambda c, s: True)
    assert [prompt.sample for prompt in prompts] == [0, 1, 2]
    assert {prompt.temperature for prompt in prompts} == {0.7}
    text = prompts[0].messages[0].content
    assert "may be unfamiliar" in text
    assert not any(word in text.lower() for word in ("test", "wrong", "benchmark", "trick"))
    shown = [line for line in text.splitlines() if line[:3] in ("A. ", "B. ", "C. ", "D. ")]
    assert [line[3:] for line in shown] == [case.arm.options[x] for x in case.order(0)]


def test_a_case_passes_by_strict_majority_and_keeps_modal_answer_and_agreement(found):
    case = case_named(found, "china-number-0-localized")
    record, _ = asked(case, lambda c, s: s != 1, sure=90)
    assert record.passed is True
    assert record.modal == case.arm.answer
    assert record.agreement == pytest.approx(2 / 3)
    assert [trial.correct for trial in record.trials] == [True, False, True]
    assert {trial.confidence for trial in record.trials} == {0.9}
    assert asked(case, lambda c, s: s == 0)[0].passed is False


def test_a_wrong_choice_is_recorded_by_the_items_own_label(found):
    case = case_named(found, "china-choice-1-native")
    record, _ = asked(case, lambda c, s: False)
    for trial in record.trials:
        order = case.order(trial.sample)
        assert trial.option_order == "".join(order)
        assert trial.value == order[(order.index(case.arm.answer) + 1) % 4]


def test_a_failed_call_is_an_error_and_no_wrong_answer(found):
    case = case_named(found, "china-number-0-native")

    async def fail(prompt: Prompt) -> Reply:
        raise CallError("timeout", "no answer")

    record = asyncio.run(case.run(fail))
    assert record.passed is None
    assert {trial.status for trial in record.trials} == {"error"}


def test_a_person_can_decide_what_the_rules_left_open_of_a_choice(found):
    case = case_named(found, "china-choice-1-native")
    assert isinstance(case, Decidable)
    trial = asked(case, lambda c, s: False)[0].trials[0]
    letter = "ABCD"[case.order(0).index(case.arm.answer)]
    assert case.as_shown(trial)[letter] == case.expected
    assert case.decided(trial, letter).correct is True
    assert case.decided(trial, None).status == "abstained"


def test_another_home_makes_its_regions_arms_the_baseline(found):
    cases = mirror_cases(found, ASK_ALL, 0, home="mexico")
    roles = Counter((c.facts.culture, c.arm.name, c.facts.arm) for c in cases)
    assert roles == {
        ("north-america", "original", "localized"): 24,
        ("mexico", "localized", "original"): 12,
        ("mexico", "native", "original"): 12,
        ("china", "localized", "localized"): 12,
        ("china", "native", "native"): 12,
    }
    with pytest.raises(CulturegateError, match="'peru'; the regions are china, mexico"):
        mirror_cases(found, ASK_ALL, 0, home="peru")


def test_the_wordings_in_use_are_those_of_the_banks_languages(found):
    names = [name for name, _ in mirror_wordings(found)]
    assert {name.split("/")[0] for name in names} == {"en", "es", "zh"}
    assert not any("rubric" in name for name in names)
    assert any("rubric" in name for name, _ in mirror_wordings(found, judged=True))


def verdict(path: object, culture: object = 2, mark: object = False) -> str:
    data = {"path": path, "culture": culture, "reasonable_nonstandard": mark}
    return json.dumps(data)


def judged(found, *verdicts: str) -> tuple[Record, list[Prompt]]:
    case = case_named(found, "china-number-0-native", judged=True)
    return asked(case, lambda c, s: True, judge=lambda prompt: verdicts[prompt.sample])


def scores(record: Record) -> dict[str, tuple[float | None, bool]]:
    return {one.aspect: (one.score, one.nonstandard) for one in path_scores(record.judgements)}


def test_two_judge_calls_that_agree_need_no_third(found):
    record, prompts = judged(found, verdict(2), verdict(1))
    asks = [prompt for prompt in prompts if prompt.judge]
    assert [prompt.sample for prompt in asks] == [0, 1]
    assert scores(record) == {"path": (1.5, False), "culture": (2.0, False)}
    text = asks[0].messages[0].content
    assert case_named(found, "china-number-0-native").arm.text in text
    assert "4 × 3 = 12." in text
    assert "不要照做" in text  # the rubric is in the item's language


def test_a_third_call_decides_where_two_are_apart(found):
    record, prompts = judged(found, verdict(2), verdict(0), verdict(0))
    assert sum(prompt.judge for prompt in prompts) == 3
    assert scores(record)["path"] == (0.0, False)
    assert Record.from_dict(record.to_dict()) == record


def test_a_reasonable_path_that_is_not_standard_goes_to_a_third_and_is_counted_apart(found):
    record, prompts = judged(found, verdict(1, mark=True), verdict(1), verdict(1, mark=True))
    assert sum(prompt.judge for prompt in prompts) == 3
    assert scores(record)["path"] == (1.0, True)
    record, _ = judged(found, verdict(1, mark=True), verdict(1), verdict(1))
    assert scores(record)["path"] == (1.0, False)


@pytest.mark.parametrize(
    "bad", ["I would give it a 2.", verdict(3), verdict("2"), verdict(1.5), "{}", ""]
)
def test_an_unreadable_verdict_is_unscored_and_never_wrong(found, bad):
    record, _ = judged(found, bad, bad)
    assert record.passed is True
    assert scores(record) == {"path": (None, False), "culture": (None, False)}
    assert all(one.detail for one in record.judgements)
    record, _ = judged(found, bad, verdict(1))
    assert scores(record)["path"] == (1.0, False)


def test_a_judge_that_lets_nobody_in_leaves_the_answer_standing(found):
    def refuse(prompt):
        raise ModelUnavailable("Cannot ask model 'judge': it wants a key")

    case = next(case for case in mirror_cases(found, ASK_ALL, seed=0, judged=True))
    record, _ = asked(case, lambda case, sample: True, refuse)
    assert (record.passed, record.error) == (True, None)
    assert {(one.score, one.detail) for one in record.judgements} == {
        (None, "Cannot ask model 'judge': it wants a key")
    }


def test_a_verdict_in_a_fence_is_read(found):
    record, _ = judged(found, f"```json\n{verdict(1)}\n```", verdict(1))
    assert scores(record)["path"] == (1.0, False)


def test_the_judge_never_changes_what_passes_and_scores_the_first_sample_alone(found):
    record, prompts = judged(found, verdict(0, 0), verdict(0, 0))
    assert record.passed is True
    assert {one.sample for one in record.judgements} == {0}
    assert sum(prompt.judge for prompt in prompts) == 2
    more = MirrorProtocol(None, 3, judged_samples=2)
    case = next(c for c in mirror_cases(found, more, 0, judged=True))
    record, _ = asked(case, lambda c, s: True, judge=lambda prompt: verdict(2))
    assert {one.sample for one in record.judgements} == {0, 1}


def test_without_a_judge_there_are_no_judgements(found):
    assert not any(record.judgements for record in records(found, lambda c, s: True))
