"""The diagnosis: which cases it asks, and which model each of them exposes."""

from __future__ import annotations

import re
from collections import Counter

import diagnosis_sample as sample
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from culturegate.bank import load_bank
from culturegate.errors import CallError, InputError
from culturegate.metrics import summarise
from culturegate.tracks import PROTOCOLS, TRACKS, Plan
from culturegate.tracks.diagnosis import PROBES, VARIANTS
from culturegate.tracks.diagnosis_variants import described, edited, halves, letters, reproduced


@pytest.fixture(scope="module")
def bank(tmp_path_factory):
    return sample.bank(tmp_path_factory.mktemp("bank"))


@pytest.fixture(scope="module")
def asked(bank):
    return sample.cases(bank)


@pytest.fixture(scope="module")
def by_id(asked):
    return {case.facts.case: case for case in asked}


@pytest.mark.parametrize(
    ("model", "meant"),
    [
        (sample.always_longest, {"question-removed"}),
        (sample.always_b, {"constant", "position"}),
        (sample.by_names, {"names-described"}),
        (sample.by_heart, {"edited", "completion", "canary"}),
        (sample.by_options, {"question-removed"}),
    ],
)
def test_each_shortcut_is_exposed_by_the_diagnostic_meant_for_it(asked, model, meant):
    assert meant <= sample.exposed(sample.ask_all(asked, model))


def test_a_model_that_knows_the_stories_is_exposed_by_nothing(asked):
    assert sample.exposed(sample.ask_all(asked, sample.honest)) == set()


def test_each_shortcut_leaves_alone_the_diagnostics_that_are_not_about_it(asked):
    others = {"completion", "canary", "edited", "constant"}
    assert not others & sample.exposed(sample.ask_all(asked, sample.by_names))
    assert not others & sample.exposed(sample.ask_all(asked, sample.by_options))
    assert not others & sample.exposed(sample.ask_all(asked, sample.always_longest))
    assert "constant" not in sample.exposed(sample.ask_all(asked, sample.by_heart))


def test_options_that_give_the_answer_away_are_told_from_answers_that_ignore_the_question(asked):
    def removed(model):
        data = summarise(sample.ask_all(asked, model))["diagnosis"]
        return next(row for row in data["variants"] if row["condition"] == "question-removed")

    assert removed(sample.by_options)["above_chance"]
    assert not removed(sample.always_longest)["above_chance"]
    assert removed(sample.always_longest)["unmoved"]
    assert not removed(sample.honest)["unmoved"]


def test_nothing_is_asked_without_the_option(bank):
    assert TRACKS["diagnosis"].cases(Plan(bank, PROTOCOLS["full"], 0)) == ()
    assert list(TRACKS["diagnosis"].wordings(Plan(bank, PROTOCOLS["full"], 0))) == []


def test_every_case_of_the_protocol_is_asked_under_every_condition(asked):
    counts = Counter(case.facts.condition for case in asked)
    base = counts.pop(None)
    assert base == 2 * 2 * 6  # quick: six episodes of each culture and kind
    assert counts.pop("canary") == 1
    assert counts == dict.fromkeys((*VARIANTS, "completion"), base)
    names = [case.facts.case for case in asked]
    assert len(set(names)) == len(names)
    assert all(re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name) for name in names)


def test_a_condition_keeps_the_facts_of_its_case(by_id):
    case = next(case for name, case in by_id.items() if name.endswith("-r1-reordered-en"))
    base = by_id[case.facts.case.replace("-reordered", "")]
    assert (case.facts.track, case.facts.condition) == ("diagnosis", "reordered")
    for fact in ("kind", "item", "cluster", "culture", "lang", "difficulty", "public", "chance"):
        assert getattr(case.facts, fact) == getattr(base.facts, fact)


def _prompt(case) -> str:
    prompts: list[str] = []
    sample.ask_all([case], lambda text: prompts.append(text) or "A")
    (text,) = prompts
    return text


def _variants(by_id, condition):
    for name, case in by_id.items():
        if case.facts.condition == condition:
            yield by_id[name.replace(f"-{condition}", "")], case


def test_a_removed_question_leaves_the_same_options_in_the_same_places(by_id):
    for base, case in _variants(by_id, "question-removed"):
        text = _prompt(case)
        assert "nightfall" not in text
        first = [base.choices[label] for label in base.order(0)]
        assert list(sample.shown(text).values()) == first


def test_a_removed_key_is_replaced_by_none_of_these_at_the_end_and_that_is_right(by_id):
    for base, case in _variants(by_id, "key-removed"):
        options = sample.shown(_prompt(case))
        assert options["D"] == "None of these"
        assert base.expected not in options.values()
        replies = {"D": True, "A": False, "None of these.": True, "none of the above": True}
        for reply, right in replies.items():
            (record,) = sample.ask_all([case], lambda _, reply=reply: reply)
            assert record.passed is right, reply


def test_reordered_options_are_reversed_with_the_key_two_places_on(by_id):
    for base, case in _variants(by_id, "reordered"):
        before = [base.choices[label] for label in base.order(0)]
        after = list(sample.shown(_prompt(case)).values())
        assert (before.index(base.expected) + 2) % 4 == after.index(base.expected)
        turned = before[::-1] * 2
        assert any(turned[at : at + 4] == after for at in range(4))


def test_names_are_described_and_the_rest_of_the_question_stays(by_id):
    for base, case in _variants(by_id, "names-described"):
        ((name, told),) = sample.NAMES[base.facts.culture].items()
        assert _prompt(case) == _prompt(base).replace(name, told)


@pytest.mark.parametrize(
    "names",
    [
        {"Orrin": "the lantern bearer"},
        {"Orrin": "the one who lit it"},
        {"A clay owl, recall 0": "the bird", "A clay owl, decode 0": "the bird"},
    ],
)
def test_names_stay_where_describing_them_would_give_away_or_replace_the_answer(tmp_path, names):
    sample.bank(tmp_path)
    file = tmp_path / "names" / "myth.yaml"
    file.write_text(yaml.safe_dump({"cultures": {"land0": names, "land1": sample.NAMES["land1"]}}))
    found = sample.cases(load_bank([tmp_path]))
    changed = {c.facts.culture for c in found if c.facts.condition == "names-described"}
    assert changed == {"land1"}


def test_what_has_been_put_in_is_not_searched_again_and_longer_names_go_first():
    names = {"Zeus": "the king", "Zeus of Crete": "the boy Zeus", "king": "a boar"}
    told = described("Zeus of Crete met Zeus and the king; Zeuses did not. Zeus won.", names)
    assert told == "The boy Zeus met the king and the a boar; Zeuses did not. The king won."


@given(st.text(alphabet=st.sampled_from("abcdefg XY.?'\n\t"), min_size=1, max_size=60), st.text())
def test_an_edit_always_changes_the_string_and_never_its_letters(text, seed):
    slipped = edited(text, "en", seed)
    assert slipped != text
    assert sorted(letters(slipped)) == sorted(letters(text))


@given(
    st.text(alphabet=st.sampled_from("大火过后，米拉在山脊上。？"), min_size=1, max_size=40),
    st.text(),
)
def test_an_edit_of_chinese_keeps_every_character_in_its_place(text, seed):
    slipped = edited(text, "zh", seed)
    assert slipped != text
    assert letters(slipped) == letters(text)


def test_edits_depend_on_the_seed_alone():
    text = sample.question(3, "land0", "recall")
    assert edited(text, "en", "0:a") == edited(text, "en", "0:a")
    assert len({edited(text, "en", f"0:{n}") for n in range(20)}) > 5


def test_halves_are_cut_between_words_and_a_short_rest_is_not_asked_for():
    text = sample.question(3, "land0", "recall")
    start, rest = halves(text, "en")
    assert f"{start} {rest}" == text
    assert halves("Who stole the fire?", "en") is None
    assert halves("谁偷了火？", "zh") is None


def test_what_comes_back_is_counted_by_its_letters_whatever_stands_around_it():
    _, rest = halves(sample.question(3, "land0", "recall"), "en")
    assert reproduced(rest, rest, "en") == 1
    assert reproduced(rest, f'Sure! "... {rest.upper().replace(" ", "  ")}"', "en") == 1
    half = rest[: len(rest) // 2]
    assert reproduced(rest, half, "en") == pytest.approx(0.5, abs=0.05)
    other = "and then the miller's donkey ate up all the barley in the barn before sunrise came."
    assert reproduced(rest, other, "en") == 0
    assert reproduced(rest, "", "en") == 0
    assert reproduced(rest, "ab" * 1_000_000, "en") == 0  # bounded, and so soon done


def test_reasoning_before_a_completion_is_passed_over(asked):
    probes = [case for case in asked if case.facts.condition == "completion"]
    thinking = "<think>Let me see. " + "I wonder about that. " * 400 + "</think>"
    found = sample.ask_all(probes, lambda prompt: thinking + sample.by_heart(prompt))
    assert {record.passed for record in found} == {False}
    aloud = sample.ask_all(probes, lambda prompt: f"<think>{sample.by_heart(prompt)}</think> No.")
    assert {record.passed for record in aloud} == {True}


def test_an_empty_reply_says_nothing_of_memory_and_a_failed_call_is_an_error(asked):
    probes = [case for case in asked if case.facts.condition in PROBES]
    empty = sample.ask_all(probes, lambda _: "<think>Hm, hm.</think>")
    assert {(record.passed, record.trials[0].status) for record in empty} == {(True, "empty")}
    assert summarise(empty)["diagnosis"] is None

    def fail(_):
        raise CallError("timeout", "no reply within 120 s")

    failed = sample.ask_all([case for case in asked if case.facts.track == "diagnosis"], fail)
    assert all(record.passed is None and record.error for record in failed)
    whole = sample.ask_all([c for c in asked if c.facts.track == "myth"], sample.honest)
    data = summarise([*whole, *failed])["diagnosis"]
    assert (data["variants"], data["completion"], data["canary"]) == ([], None, [])


def test_faults_of_the_names_are_told_with_their_line(tmp_path):
    sample.bank(tmp_path)
    file = tmp_path / "names" / "myth.yaml"
    file.write_text(
        "cultures:\n  land0:\n    Orrin: ''\n  Land 1:\n    Sethka: the queen\nnames: 1\n"
    )
    with pytest.raises(InputError) as caught:
        load_bank([tmp_path])
    told = str(caught.value).replace(str(tmp_path), "")
    assert "/names/myth.yaml:3: cultures.land0.Orrin: the text is empty" in told
    assert "/names/myth.yaml:6: unknown field 'names'" in told
    assert "/names/myth.yaml:4: " in told


def test_names_are_part_of_the_banks_hash(tmp_path):
    before = sample.bank(tmp_path).sha256
    (tmp_path / "names" / "myth.yaml").write_text("cultures: {land0: {Orrin: the boatman}}")
    assert load_bank([tmp_path]).sha256 != before
