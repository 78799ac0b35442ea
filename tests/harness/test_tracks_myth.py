"""Myth cases: which are planned, in which order options are shown, and how trials are judged."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from suites import key_letter, shown_options, small_bank, wrong_letter

from culturegate.bank import load_bank
from culturegate.errors import CallError
from culturegate.models.base import Prompt, Reply
from culturegate.tracks import PROTOCOLS, MythCase, MythProtocol, Record, Trial, myth_cases
from culturegate.tracks.base import CaseFacts
from culturegate.tracks.outcome import modal_answer, record
from culturegate.tracks.protocol import sample_clusters, stable_order

FULL = MythProtocol(1, ("en", "zh"), None)


@pytest.fixture(scope="module")
def items(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bank") / "items" / "myth"
    folder.mkdir(parents=True)
    for name, text in small_bank(2, 12).items():
        (folder / name).write_text(text, encoding="utf-8")
    return load_bank((folder.parent,)).myth


def run(case: MythCase, answer) -> tuple[Record, list[Prompt]]:
    prompts: list[Prompt] = []

    async def ask(prompt: Prompt) -> Reply:
        prompts.append(prompt)
        reply = answer(prompt.messages[-1].content, len(prompts) - 1)
        if isinstance(reply, Exception):
            raise reply
        return reply if isinstance(reply, Reply) else Reply(reply, "stop")

    return asyncio.run(case.run(ask)), prompts


def test_the_full_plan_asks_every_item_in_every_language_recall_first(items):
    cases = myth_cases(items, FULL, seed=0)
    assert len(cases) == 96
    names = [case.facts.case for case in cases]
    assert names[:48] == sorted(name for name in names if "-r1-" in name)
    assert names[48:] == sorted(name for name in names if "-d1-" in name)


def test_the_facts_of_a_case_are_what_lines_and_metrics_group_by(items):
    case = next(c for c in myth_cases(items, FULL, 0) if c.facts.case == "land1-tale4-d1-zh")
    assert case.facts == CaseFacts(
        case="land1-tale4-d1-zh",
        track="myth",
        kind="decode",
        item="land1-tale4-d1",
        cluster="land1-tale4",
        culture="land1",
        lang="zh",
        form="metaphor",
        difficulty=2,
        public=True,
        chance=0.25,
    )
    assert case.expected == "对decodea4land1"
    assert case.question == "land1decode4？"


def test_key_positions_are_balanced_in_every_culture_kind_and_language(items):
    for seed in range(5):
        counts = Counter(
            (case.facts.culture, case.facts.kind, case.lang, case.key_position)
            for case in myth_cases(items, FULL, seed)
        )
        assert set(counts.values()) == {3}  # 12 items over 4 places
        assert len(counts) == 2 * 2 * 2 * 4


def test_a_sample_is_balanced_too(items):
    protocol = MythProtocol(1, ("en",), 6)
    counts = Counter(
        (case.facts.culture, case.facts.kind, case.key_position)
        for case in myth_cases(items, protocol, 0)
    )
    assert len(counts) == 2 * 2 * 4
    assert set(counts.values()) <= {1, 2}


def test_both_languages_of_an_item_show_the_key_in_the_same_place(items):
    place: dict[str, set[int]] = {}
    for case in myth_cases(items, FULL, 3):
        place.setdefault(case.facts.item, set()).add(case.key_position)
    assert {len(places) for places in place.values()} == {1}


def test_another_seed_moves_the_keys_and_leaves_the_items(items):
    one, other = (myth_cases(items, FULL, seed) for seed in (0, 1))
    assert [case.facts for case in one] == [case.facts for case in other]
    assert [case.key_position for case in one] != [case.key_position for case in other]


def test_later_trials_move_the_key_one_place_on_and_neighbours_stay_neighbours(items):
    case = myth_cases(items, replace(FULL, templates=5), 0)[0]
    places = [case.order(trial).index(case.item.answer) for trial in range(5)]
    assert places == [(case.key_position + trial) % 4 for trial in range(5)]
    ring = "".join(case.item.options) * 2
    assert all("".join(case.order(trial)) in ring for trial in range(5))


def test_a_prompt_shows_question_and_options_in_the_order_that_is_recorded(items):
    case = next(c for c in myth_cases(items, replace(FULL, templates=5, samples=2), 0))
    outcome, prompts = run(case, lambda prompt, _n: key_letter(prompt))
    assert outcome.passed is True
    assert len(prompts) == case.requests == 10
    assert [prompt.sample for prompt in prompts] == [0, 1] * 5
    for prompt, trial in zip(prompts, outcome.trials, strict=True):
        text = prompt.messages[-1].content
        assert case.question in text
        order = trial.option_order
        assert order is not None
        assert list(shown_options(text).values()) == [case.choices[label] for label in order]
        assert trial.value == case.item.answer
    assert {trial.template for trial in outcome.trials} == {
        "plain-1", "quiz-1", "letter-first-1", "reader-1", "answer-line-1",
    }  # fmt: skip


def test_a_wrong_choice_is_recorded_with_the_items_own_label_and_what_tempted(items):
    case = myth_cases(items, FULL, 0)[0]
    outcome, _ = run(case, lambda prompt, _n: wrong_letter(prompt))
    (trial,) = outcome.trials
    assert outcome.passed is False
    assert (trial.status, trial.correct, trial.reason) == ("answered", False, "surface")
    assert trial.value in case.item.options
    assert trial.value != case.item.answer


def test_a_failed_call_is_an_error_and_never_wrong(items):
    case = myth_cases(items, FULL, 0)[0]
    outcome, _ = run(case, lambda _p, _n: CallError("timeout", "no reply within 1 s"))
    (trial,) = outcome.trials
    assert (outcome.passed, outcome.error) == (None, "timeout: no reply within 1 s")
    assert (trial.status, trial.correct, trial.value, trial.reply_key) == (
        "error",
        None,
        None,
        None,
    )


def test_errors_that_could_not_change_the_outcome_leave_it_standing(items):
    case = myth_cases(items, replace(FULL, templates=5), 0)[0]
    down = CallError("server", "500")

    def right_then_down(right: int):
        return lambda prompt, n: key_letter(prompt) if n < right else down

    assert run(case, right_then_down(3))[0].passed is True
    assert run(case, right_then_down(2))[0].passed is None
    wrong = run(case, lambda prompt, n: wrong_letter(prompt) if n < 3 else down)[0]
    assert (wrong.passed, wrong.error) == (False, None)


@pytest.mark.parametrize(
    ("reply", "status"),
    [
        (Reply("", "stop"), "empty"),
        (Reply(None, "stop"), "empty"),
        (Reply("I don't know.", "stop"), "abstained"),
        (Reply("Let me think about this for a", "length"), "truncated"),
        (Reply(None, "content_filter"), "filtered"),
    ],
)
def test_what_is_no_answer_is_told_apart_and_does_not_pass(items, reply, status):
    case = next(c for c in myth_cases(items, FULL, 0) if c.lang == "en")
    outcome, _ = run(case, lambda _p, _n: reply)
    assert (outcome.trials[0].status, outcome.passed) == (status, False)


# The majority.

FACTS = CaseFacts("c", "myth", "recall", "i", "k", "greek", "en")


def trials(pattern: str) -> list[Trial]:
    """r right, w wrong (always "b"), v another wrong, a abstained, u unparsed, e error."""
    made = {
        "r": ("answered", "a", True),
        "w": ("answered", "b", False),
        "v": ("answered", "c", False),
        "a": ("abstained", None, False),
        "u": ("unparsed", None, False),
        "e": ("error", None, None),
    }
    return [
        Trial("t", n, status, value, correct)
        for n, (status, value, correct) in enumerate(made[letter] for letter in pattern)
    ]


@pytest.mark.parametrize(
    ("pattern", "passed", "modal", "agreement"),
    [
        ("r", True, "a", None),
        ("w", False, "b", None),
        ("rw", False, None, 0.5),  # a tie is not a pass
        ("rrw", True, "a", 2 / 3),
        ("rrww", False, None, 0.5),
        ("rrrww", True, "a", 0.6),
        ("rrwwe", None, None, 0.4),
        ("rrvwu", False, "a", 0.4),  # more than others, not more than half
        ("aaw", False, "abstained", 2 / 3),
        ("uuu", False, None, 0.0),
        ("u", False, None, None),
        ("e", None, None, None),
        ("rre", True, "a", 2 / 3),
        ("ree", None, "a", 1 / 3),
        ("wwe", False, "b", 2 / 3),
    ],
)
def test_a_case_passes_by_strict_majority_and_keeps_the_modal_answer(
    pattern, passed, modal, agreement
):
    found = record(FACTS, trials(pattern))
    assert (found.passed, found.modal) == (passed, modal)
    assert found.agreement == pytest.approx(agreement)
    assert (found.error is None) is (passed is not None)


@given(st.text("rwvaue", min_size=1, max_size=9))
def test_an_outcome_stands_whatever_its_errors_would_have_been(pattern):
    passed = record(FACTS, trials(pattern)).passed
    best = record(FACTS, trials(pattern.replace("e", "r"))).passed
    worst = record(FACTS, trials(pattern.replace("e", "w"))).passed
    assert passed is (best if best == worst else None)


@given(st.text("rwvaue", min_size=1, max_size=9))
def test_agreement_is_a_share_and_a_record_survives_json(pattern):
    _, agreement = modal_answer(trials(pattern))
    assert agreement is None or 0 <= agreement <= 1
    found = record(FACTS, trials(pattern))
    assert Record.from_dict(found.to_dict()) == found


# Sampling.


def strata(items) -> list[tuple[tuple[str, ...], str]]:
    return [((item.culture, item.kind), item.cluster) for item in items]


def test_quick_asks_whole_clusters_of_fixed_number_from_every_culture_and_kind(items):
    cases = myth_cases(items, PROTOCOLS["quick"].myth, 0)
    counts = Counter((case.facts.culture, case.facts.kind) for case in cases)
    assert set(counts.values()) == {6}
    assert len(counts) == 4


def test_a_sample_depends_on_the_seed_and_not_on_the_order_of_the_items(items):
    pairs = strata(items)
    assert sample_clusters(pairs, 4, 7) == sample_clusters(reversed(pairs), 4, 7)
    assert sample_clusters(pairs, 4, 7) != sample_clusters(pairs, 4, 8)


@given(st.sets(st.text(min_size=1, max_size=5), min_size=2, max_size=30), st.integers(0, 5))
def test_an_item_added_changes_a_sample_by_its_own_place_at_most(names, seed):
    new = sorted(names)[0]
    before = sample_clusters(((("x",), name) for name in names - {new}), 5, seed)
    after = sample_clusters(((("x",), name) for name in names), 5, seed)
    assert len(before - after) <= 1
    assert after - before <= {(("x",), new)}


def test_a_small_stratum_gives_all_it_has(items):
    assert len(sample_clusters(strata(items), 1000, 0)) == 2 * 2 * 12
    assert sample_clusters(strata(items), None, 0) == set(strata(items))


@given(st.sets(st.text(max_size=5), max_size=20), st.integers())
def test_an_order_holds_every_name_once(names, seed):
    assert sorted(stable_order(names, seed)) == sorted(names)
