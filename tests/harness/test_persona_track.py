"""Personas asked: scripted models get the adherence, asymmetry and postcard rates they should."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import replace
from itertools import pairwise

import pytest
from persona_sample import always, at_random, culture, perfect, play, shown, write

from culturegate.bank.loader import load_bank
from culturegate.errors import CallError, CulturegateError
from culturegate.metrics import estimate, summarise
from culturegate.metrics.persona import judge_agreement
from culturegate.models.base import Prompt, Reply
from culturegate.tracks.persona import ARMS, persona_cases, persona_wordings
from culturegate.tracks.persona_judging import verdicts
from culturegate.tracks.protocol import PROTOCOLS, PersonaProtocol

GRID = PersonaProtocol(("en",), 10, None)


@pytest.fixture
def bank(tmp_path):
    return load_bank([write(tmp_path, [culture(), culture("sylvanian")])]).persona


@pytest.fixture
def cases(bank):
    return persona_cases(bank, GRID, 0)


def value(metric, records, **where):
    return estimate(metric, records, where).value


def test_a_perfect_model_adheres_everywhere_and_sends_no_postcard(cases):
    records = play(cases, perfect)
    for arm in ARMS:
        assert value("adherence", records, arm=arm) == 1
    assert value("asymmetry", records) == 0
    assert value("postcard_rate", records) == 0
    assert value("hint_gain", records) == value("explicit_gain", records) == 0


def test_a_model_that_always_picks_the_postcard_adheres_nowhere(cases):
    records = play(cases, always("POSTCARD"))
    assert value("adherence", records) == 0
    assert value("asymmetry", records) == 0
    assert value("postcard_rate", records) == 1
    reasons = {trial.reason for record in records for trial in record.trials}
    assert reasons == {"postcard"}


def test_a_model_that_reads_only_avoid_has_all_the_asymmetry_there_can_be(cases):
    records = play(cases, always("AVOIDS"))
    assert value("adherence", records, condition="avoid") == 1
    assert value("adherence", records, condition="follow") == 0
    found = estimate("asymmetry", records)
    assert found.value == 1
    assert found.low > 0.5
    # Opposites come in pairs, so over all it is right as often as it is wrong.
    assert value("adherence", records) == 0.5
    assert value("postcard_rate", records) == 0
    wrong = {t.reason for r in records for t in r.trials if not r.passed}
    assert wrong == {"opposite"}


def test_a_model_that_guesses_is_near_one_in_four_on_both_sides(cases):
    records = play(cases, at_random())
    for metric, expected in (("adherence", 0.25), ("postcard_rate", 0.25), ("asymmetry", 0)):
        found = estimate(metric, records)
        assert found.low <= expected <= found.high
        assert abs(found.value - expected) < 0.08


def test_a_model_that_is_right_only_where_the_norms_are_listed_gains_by_it_alone(cases):
    def choose(case, options):
        return (perfect if case.arm == "explicit" else always("GENERIC"))(case, options)

    records = play(cases, choose)
    assert value("explicit_gain", records) == 1
    assert value("hint_gain", records) == value("history_gain", records) == 0


def test_history_comes_first_request_last_and_none_of_it_without_history(bank):
    seen = {}

    async def ask(prompt: Prompt) -> Reply:
        seen[case.arm] = prompt
        return Reply(text="A", key="k")

    every = persona_cases(bank, replace(GRID, requests_per_persona=1), 0)
    for case in every[:3] + every[-20:-19]:
        asyncio.run(case.run(ask))
    assert set(seen) == set(ARMS)
    implicit, hint, explicit, none = (seen[arm].messages for arm in ARMS)
    assert len(implicit) == 37
    assert [turn.role for turn in implicit] == ["user", "assistant"] * 18 + ["user"]
    assert implicit[:-1] == hint[:-1] == explicit[:-1]
    assert none == implicit[-1:]
    assert "Think back" in hint[-1].content
    assert "- I keep to this: Habit" in explicit[-1].content
    assert "- I do not keep to this: Habit" in explicit[-1].content
    assert len(shown(implicit[-1].content)) == 4
    assert not {"follow", "avoid", "Habit", "Freedonia"} & set(implicit[-1].content.split("\n")[0])


def test_the_first_request_with_a_history_goes_alone_and_the_others_at_once(bank):
    small = replace(GRID, requests_per_persona=4, arms=("implicit", "none"))
    every = persona_cases(bank, small, 0)
    cases = [case for case in every if case.scene is every[0].scene]
    open_, most = {"implicit": 0, "none": 0}, []

    async def all_at_once():
        async def one(case):
            async def ask(prompt: Prompt) -> Reply:
                open_[case.arm] += 1
                most.append(dict(open_))
                await asyncio.sleep(0.01)
                open_[case.arm] -= 1
                if len(most) == 1:
                    raise CallError("timeout", "no reply")
                return Reply(text="A", key="k")

            return await case.run(ask)

        return await asyncio.gather(*(one(case) for case in cases))

    for _ in range(2):
        most.clear()
        records = asyncio.run(all_at_once())
        assert len(records) == 8
        counts = [each["implicit"] for each in most]
        assert counts[:5] == [1, 1, 1, 1, 1]
        assert max(counts) == 3
        assert max(each["none"] for each in most) == 4


def test_few_histories_are_in_work_at_once_and_all_are_asked(bank):
    small = replace(GRID, requests_per_persona=3, arms=("implicit", "hint"))
    cases = persona_cases(bank, small, 0)
    open_, most = Counter(), []

    async def all_at_once():
        async def one(case):
            async def ask(prompt: Prompt) -> Reply:
                open_[case.facts.cluster] += 1
                most.append(sum(count > 0 for count in open_.values()))
                await asyncio.sleep(0.001)
                open_[case.facts.cluster] -= 1
                return Reply(text="A", key="k")

            return await case.run(ask)

        return await asyncio.gather(*(one(case) for case in cases))

    assert len(asyncio.run(all_at_once())) == 20 * 3 * 2 == len(most)
    assert max(most) == 4


def test_whole_personas_come_in_order_and_places_go_round(cases):
    clusters = [case.facts.cluster for case in cases]
    assert len([1 for a, b in pairwise(clusters) if a != b]) == 39
    assert len({case.facts.case for case in cases}) == len(cases)
    for name in ("freedonian", "sylvanian"):
        mine = [case for case in cases if case.facts.culture == name and case.arm == "implicit"]
        places = Counter(case.order.index(case.state[0]) for case in mine)
        assert max(places.values()) - min(places.values()) <= 2
    arms = {}
    for case in cases:
        arms.setdefault((case.facts.cluster, case.facts.item), set()).add(case.order)
    assert all(len(orders) == 1 for orders in arms.values())


@pytest.mark.parametrize("protocol", ["quick", "standard"])
def test_a_habit_of_letter_is_no_asymmetry(bank, protocol):
    asked = persona_cases(bank, PROTOCOLS[protocol].persona, 0)
    for letter in "ABCD":
        records = play(asked, lambda _case, _options, letter=letter: letter)
        assert value("asymmetry", records) == 0
        assert value("adherence", records) == 0.25


def test_a_draw_asks_opposites_the_same_cells_followed_and_avoided_alike(bank):
    drawn = persona_cases(bank, PROTOCOLS["quick"].persona, 0)
    assert len(drawn) == 2 * 2 * 4 * 2
    states = Counter((case.facts.culture, case.state) for case in drawn)
    assert set(states.values()) == {8}
    asked = {}
    for case in drawn:
        asked.setdefault(case.facts.cluster, set()).add(case.facts.item)
    assert asked["persona-freedonian-01"] == asked["persona-freedonian-02"]


def test_facts_name_state_type_topic_and_persona(cases):
    case = cases[0]
    facts = case.facts
    assert (facts.track, facts.kind, facts.arm, facts.chance) == (
        "persona",
        "persona",
        "implicit",
        0.25,
    )
    assert facts.condition == case.scene.persona.states[case.norm.id]
    assert facts.form == case.norm.type
    assert facts.task in ("sleep", "meals", "teeth", "eyes")
    assert facts.cluster == case.scene.persona.id


def test_the_summary_of_a_run_has_every_row_that_the_report_shows(cases):
    data = summarise(play(cases[:400], at_random()))
    groups = {(e["metric"], tuple(sorted(e["where"].items()))) for e in data["estimates"]}
    assert ("adherence", (("arm", "hint"), ("condition", "avoid"))) in groups
    assert ("asymmetry", (("culture", "freedonian"),)) in groups
    assert ("explicit_gain", ()) in groups


def test_a_failed_call_is_an_error_and_no_wrong_answer(cases):
    async def ask(prompt: Prompt) -> Reply:
        raise CallError("timeout", "no reply")

    record = asyncio.run(cases[0].run(ask))
    assert record.passed is None
    assert record.trials[0].reason == "timeout"
    assert estimate("adherence", [record]).value is None


def test_no_persona_is_asked_in_a_language_that_none_is_written_in(bank):
    chinese = replace(GRID, langs=("zh",))
    assert persona_cases(bank, chinese, 0) == ()
    assert list(persona_wordings(bank, chinese, judged=False)) == []


def test_values_that_give_no_personas_end_the_session_with_a_plain_message(tmp_path):
    data = culture()
    for norm in data["norms"]:
        norm["values"] = ["value-one"]
    bank = load_bank([write(tmp_path, [data])]).persona
    with pytest.raises(CulturegateError, match=r"freedonian\.yaml: no 10 personas"):
        persona_cases(bank, GRID, 0)


def test_the_wordings_in_use_are_those_of_the_arms_and_of_the_judge(bank):
    chosen = dict(persona_wordings(bank, PROTOCOLS["quick"].persona, judged=False))
    assert list(chosen) == ["en/persona-choose-1"]
    judged = dict(persona_wordings(bank, GRID, judged=True))
    assert set(judged) == {
        "en/persona-write-1",
        "en/persona-write-hint-1",
        "en/persona-write-explicit-1",
        "en/persona-judge-1",
    }


# With a judge.


def judge(bank, verdict, reply="A reply of my own.", count=1):
    """Run the first judged cases; `verdict` maps the judge's prompt and call to what it says."""
    prompts: list[Prompt] = []

    async def ask(prompt: Prompt) -> Reply:
        prompts.append(prompt)
        if not prompt.judge:
            return Reply(text=reply, finish_reason="stop", key="r")
        text = prompt.messages[-1].content
        wanted = verdict(text, prompt.sample % 100_000)
        letter = next((key for key, told in shown(text).items() if told.startswith(wanted)), wanted)
        return Reply(text=letter, key="j")

    small = replace(GRID, requests_per_persona=1, arms=("implicit",))
    cases = persona_cases(bank, small, 0, judged=True)[:count]
    return [asyncio.run(case.run(ask)) for case in cases], prompts, cases


def test_a_judge_scores_each_point_twice_and_the_model_writes_its_own_reply(bank):
    (record,), prompts, (case,) = judge(bank, lambda text, call: "Met")
    written, *asked = prompts
    assert not written.judge
    assert "A. " not in written.messages[-1].content
    assert written.max_tokens == 300
    assert [prompt.judge for prompt in asked] == [True] * 4
    assert all("A reply of my own." in prompt.messages[0].content for prompt in asked)
    first, second = (list(shown(asked[n].messages[0].content).values()) for n in (0, 1))
    assert first != second
    assert sorted(first) == sorted(second)
    assert record.passed is True
    assert case.facts.chance is None
    assert estimate("adherence", [record]).value == 1
    assert estimate("postcard_rate", [record]).value is None


def test_half_the_points_met_is_half_adherence_and_no_pass(bank):
    (record,), *_ = judge(bank, lambda text, call: "Met" if " first in" in text else "Not met")
    assert record.passed is False
    assert estimate("adherence", [record]).value == 0.5
    assert judge_agreement([record]) == (2, 2)


def test_where_two_calls_differ_an_arbiter_decides(bank):
    (record,), prompts, _ = judge(bank, lambda text, call: "Not met" if call == 0 else "Met")
    assert len(prompts) == 1 + 6
    assert set(verdicts(record.judgements).values()) == {"met"}
    assert record.passed is True
    assert judge_agreement([record]) == (0, 2)


def test_what_a_judge_cannot_tell_is_not_met(bank):
    (record,), *_ = judge(bank, lambda text, call: "Cannot tell")
    assert record.passed is False
    assert {each.detail for each in record.judgements} == {"cannot tell"}


def test_an_unreadable_verdict_is_unscored_and_never_wrong(bank):
    (record,), *_ = judge(bank, lambda text, call: "blah blah")
    assert record.passed is None
    assert record.trials[0].status == "unscored"
    assert estimate("adherence", [record]).value is None
    assert estimate("error_rate", [record]).value == 1


def test_one_unscored_point_leaves_the_other_to_be_counted(bank):
    (record,), *_ = judge(bank, lambda text, call: "Met" if " first in" in text else "blah blah")
    assert record.passed is None
    assert estimate("adherence", [record]).value == 1


def test_a_reply_without_text_is_not_sent_to_the_judge(bank):
    (record,), prompts, _ = judge(bank, lambda text, call: "Met", reply="")
    assert len(prompts) == 1
    assert record.trials[0].status == "empty"
    assert record.passed is False


def test_judgements_survive_the_record_file(bank):
    (record,), *_ = judge(bank, lambda text, call: "Met")
    assert type(record).from_dict(record.to_dict()) == record
