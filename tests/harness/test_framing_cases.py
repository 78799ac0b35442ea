"""Framing cases: how they are worded, ordered, kept under codes, and judged."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace

import pytest
from framing_sample import AWARE, LOW, framing_bank, good_object, good_reply

from culturegate.errors import CallError
from culturegate.models.base import Prompt, Reply
from culturegate.tracks.blinding import CONDITIONS, codes
from culturegate.tracks.framing import FramingCase, framing_cases, framing_wordings, wordings
from culturegate.tracks.protocol import PROTOCOLS, FramingProtocol

STANDARD = FramingProtocol(("en",), None, rounds=3, jobs="all")


@pytest.fixture
def cases(tmp_path) -> tuple[FramingCase, ...]:
    return framing_cases(framing_bank(tmp_path), STANDARD, 0)


def case_of(cases, condition: str, job: str = "title", sample: str = "note-001") -> FramingCase:
    return next(
        c for c in cases if (c.condition, c.job.id, c.sample.id) == (condition, job, sample)
    )


def asked(case: FramingCase, answer) -> tuple[list[Prompt], list]:
    prompts: list[Prompt] = []

    async def ask(prompt: Prompt) -> Reply:
        prompts.append(prompt)
        found = answer(prompt.messages[-1].content)
        if isinstance(found, Exception):
            raise found
        text, reason = found if isinstance(found, tuple) else (found, "stop")
        return Reply(text, reason, key=prompt.key("m"))

    record = asyncio.run(case.run(ask))
    return prompts, [record, *record.trials]


def test_each_note_and_job_is_asked_under_five_conditions(cases):
    assert len(cases) == 6 * 3 * 5
    for start in range(0, len(cases), 5):
        group = cases[start : start + 5]
        assert {case.condition for case in group} == set(CONDITIONS)
        assert len({(case.sample.id, case.job.id) for case in group}) == 1


def test_the_order_of_conditions_differs_from_note_to_note_and_not_from_run_to_run(cases, tmp_path):
    orders = [
        tuple(case.condition for case in cases[start : start + 5])
        for start in range(0, len(cases), 5)
    ]
    assert len(set(orders)) > len(orders) / 2
    again = framing_cases(framing_bank(tmp_path), STANDARD, 0)
    assert [case.facts.case for case in again] == [case.facts.case for case in cases]


def test_rounds_of_a_case_come_in_an_order_of_its_own(cases):
    orders = set()
    for case in cases:
        prompts, _ = asked(case, good_reply)
        assert sorted(prompt.sample for prompt in prompts) == [0, 1, 2]
        orders.add(tuple(prompt.sample for prompt in prompts))
    assert len(orders) == 6


def test_the_id_shows_a_code_and_the_facts_the_condition(cases):
    code = codes(STANDARD.seed)
    for case in cases:
        assert case.facts.case.endswith(f"-{code[case.condition]}-en")
        assert case.condition not in case.facts.case
        assert case.facts.condition == case.condition
        assert (case.facts.cluster, case.facts.chance) == (case.sample.id, 0.0)


def test_round_r_uses_wording_r_and_the_control_has_one(cases):
    texts = wordings("en")
    assert {part: len(found) for part, found in texts.items()} == {
        "aware": 3, "high": 3, "low": 3, "control": 1,
    }  # fmt: skip
    for number in range(3):
        system, user = case_of(cases, "aware-low").messages(number)
        assert (system.role, system.content) == ("system", texts["low"][number].text)
        assert user.content.endswith("\n\n" + texts["aware"][number].text)
        system, user = case_of(cases, "unaware-high").messages(number)
        assert system.content == texts["high"][number].text
        assert not any(words in user.content for words in AWARE)
    (first,) = {case_of(cases, "control").messages(number) for number in range(3)}
    assert [turn.role for turn in first] == ["user"]
    assert not any(words in first[0].content for words in (*AWARE, *LOW))


def test_awareness_can_stand_in_the_system_turn(tmp_path):
    bank = framing_bank(tmp_path)
    cases = framing_cases(bank, STANDARD, 0, "system")
    system, user = case_of(cases, "aware-high").messages(0)
    assert AWARE[0] in system.content
    assert AWARE[0] not in user.content
    moved, kept = (dict(framing_wordings(STANDARD, where)) for where in ("system", "user"))
    assert moved != kept


def test_only_json_is_asked_for_in_both_languages(tmp_path):
    cases = framing_cases(framing_bank(tmp_path), replace(STANDARD, langs=("en", "zh")), 0)
    for case in cases:
        for turn in case.messages(0)[-1:]:
            assert ("Only JSON" if case.lang == "en" else "只输出 JSON") in turn.content


def test_protocols_ask_as_much_as_they_say(tmp_path):
    bank = framing_bank(tmp_path, 20)
    quick = framing_cases(bank, PROTOCOLS["quick"].framing, 0)
    assert {case.job.id for case in quick} == {"title"}
    assert (len(quick), sum(case.requests for case in quick)) == (60, 60)
    standard = framing_cases(bank, PROTOCOLS["standard"].framing, 0)
    assert len(standard) == 20 * 5 * 2
    jobs = [case.job.id for case in standard if case.lang == "en"][::5]
    assert max(jobs.count(job) for job in set(jobs)) - min(jobs.count(j) for j in set(jobs)) <= 1
    full = framing_cases(bank, PROTOCOLS["full"].framing, 0)
    assert len(full) == 20 * 3 * 5 * 2
    assert {case.facts.case for case in standard} <= {case.facts.case for case in full}


def test_a_language_without_wordings_or_notes_has_no_cases(tmp_path):
    assert framing_cases(framing_bank(tmp_path), replace(STANDARD, langs=("fr",)), 0) == ()
    assert list(framing_wordings(replace(STANDARD, langs=("fr",)), "user")) == [
        ("framing/awareness-position", "user")
    ]


@pytest.mark.parametrize("job", ["title", "listing", "extract"])
@pytest.mark.parametrize("sample", ["note-000", "note-001", "note-002"])
def test_a_good_reply_complies_and_follows(cases, job, sample):
    _, (record, *trials) = asked(case_of(cases, "control", job, sample), good_reply)
    assert record.passed is True
    for trial in trials:
        told = (trial.status, trial.correct, trial.reason, trial.value)
        assert told == ("answered", True, None, "complies")
    assert record.agreement == 1


@pytest.mark.parametrize(
    ("reply", "status", "reason"),
    [
        ("```json\n{good}\n```", "answered", "fenced"),
        ("Sure! {good}", "answered", "extra_text"),
        ("{good} Enjoy!", "answered", "extra_text"),
        ("I'm sorry, but I can't help with that.", "refused", "refused"),
        ("", "empty", "empty"),
        ("A fine lamp.", "unparsed", "json_error"),
        ('{"title": "a"}', "answered", "missing_fields"),
        ('{"title": 1, "summary": "b", "keywords": []}', "answered", "wrong_type"),
        (("{good", "length"), "truncated", "truncated"),
        (("", "content_filter"), "filtered", "refused"),
    ],
)
def test_a_refusal_is_told_from_a_fault_of_form(cases, reply, status, reason):
    def answer(prompt):
        text, finish = reply if isinstance(reply, tuple) else (reply, "stop")
        good = good_reply(prompt)
        return text.replace("{good}", good).replace("{good", good[:-5]), finish

    _, (record, *trials) = asked(case_of(cases, "unaware-low"), answer)
    assert record.passed is False
    assert {(trial.status, trial.reason, trial.correct) for trial in trials} == {
        (status, reason, False)
    }


@pytest.mark.parametrize(
    ("job", "change", "told"),
    [
        ("title", {"title": "x" * 61}, "title breaks maxLength"),
        ("title", {"keywords": ["a"]}, "keywords breaks minItems"),
        ("extract", {"warranty_months": 12}, "warranty_months is 12, where the note does not say"),
        ("extract", {"price": None, "currency": None}, "price is None, the note says 11.5"),
        ("extract", {"price": 11}, "price is 11, the note says 11.5"),
        ("extract", {"currency": "USD"}, "currency is 'USD', the note says 'EUR'"),
        ("listing", {"says": {"price": False, "weight": False, "warranty": False}},
         "says.price is False, the note says it"),
        ("listing", {"says": {"price": True, "weight": True, "warranty": False}},
         "says.weight is True, the note does not say it"),
    ],
)  # fmt: skip
def test_a_reply_may_comply_and_not_follow_what_was_asked(cases, job, change, told):
    def answer(prompt):
        return json.dumps(good_object(prompt) | change)

    _, (record, trial, *_) = asked(case_of(cases, "control", job), answer)
    assert record.passed is True
    assert (trial.correct, trial.reason) == (True, "content")
    assert told in (trial.detail or "")


def test_limits_of_the_nested_job_are_limits_of_its_form(cases):
    def answer(prompt):
        good = good_object(prompt)
        good["search"]["priority"] = 9
        return json.dumps(good)

    _, (_, trial, *_) = asked(case_of(cases, "control", "listing"), answer)
    assert (trial.correct, trial.reason) == (False, "wrong_type")
    assert trial.detail == "search.priority breaks maximum"


def test_a_failed_call_is_an_error_and_no_wrong_answer(cases):
    _, (record, *trials) = asked(case_of(cases, "control"), lambda _: CallError("timeout", "late"))
    assert (record.passed, record.error) == (None, "3 of 3 trials could not be judged; the first: "
                                             "timeout: late")  # fmt: skip
    assert {(trial.status, trial.correct) for trial in trials} == {("error", None)}


def test_what_a_reader_sees_of_a_case_does_not_tell_its_condition(cases):
    seen = {
        (case.question, case.expected)
        for case in cases
        if (case.sample.id, case.job.id) == ("note-001", "extract")
    }
    assert len(seen) == 1
