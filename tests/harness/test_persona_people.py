"""From values to people: what a draw of personas holds, whatever the values and norms."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from persona_sample import culture, write

from culturegate.bank.persona import Exchange, PersonaBank
from culturegate.bank.persona_people import (
    EXCHANGES,
    MAX_TOKENS,
    NEUTRAL,
    PERSONAS,
    derive,
    draw_signs,
    history,
    norm_state,
    tokens,
)
from culturegate.bank.persona_reading import load_persona


@pytest.fixture
def bank(tmp_path) -> PersonaBank:
    found, problems = load_persona([write(tmp_path)])
    assert problems == []
    return found


VALUES = [f"v{n}" for n in range(12)]
SIGNS = st.fixed_dictionaries({value: st.sampled_from([-1, 1]) for value in VALUES})
SOME = st.lists(st.sampled_from(VALUES), min_size=1, max_size=5, unique=True)


@given(SIGNS, SOME)
def test_a_norm_is_followed_avoided_or_neutral_by_the_mean_over_its_values(signs, values):
    mean = sum(signs[value] for value in values) / len(values)
    expected = "follow" if mean > 0 else "avoid" if mean < 0 else "neutral"
    assert norm_state(signs, values) == expected


@given(SIGNS, SOME)
def test_the_opposite_of_a_persona_avoids_what_the_persona_follows(signs, values):
    opposite = {value: -sign for value, sign in signs.items()}
    states = {"follow": "avoid", "avoid": "follow", "neutral": "neutral"}
    assert norm_state(opposite, values) == states[norm_state(signs, values)]


# Four norms on a value each leave eight pairs of opposites that differ, more than the five needed.
NORMS = st.lists(SOME, min_size=4, max_size=11).map(
    lambda found: {f"n{n}": values for n, values in enumerate([*([v] for v in VALUES[:4]), *found])}
)


@given(NORMS, st.integers(0, 2**32))
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_ten_personas_differ_and_every_norm_is_followed_by_some_and_avoided_by_others(norms, seed):
    people = draw_signs(VALUES, norms, PERSONAS, str(seed))
    states = [tuple(norm_state(signs, each) for each in norms.values()) for signs in people]
    assert len(people) == PERSONAS == len(set(states))
    assert all(set(signs) == set(VALUES) for signs in people)
    assert all(sign in (-1, 1) for signs in people for sign in signs.values())
    for column in zip(*states, strict=True):
        counts = Counter(column)
        assert counts["follow"] == counts["avoid"] > 0


def test_values_that_give_no_ten_different_personas_are_refused():
    with pytest.raises(ValueError, match="no 10 personas with different norms"):
        draw_signs(["a", "b"], {"one": ["a"], "two": ["b"]}, 10, "0")


def test_the_same_seed_gives_the_same_personas_and_another_seed_others(bank):
    freedonian = bank.by_culture["freedonian"]
    assert derive(freedonian, 7) == derive(freedonian, 7)
    assert derive(freedonian, 7) != derive(freedonian, 8)


def test_a_history_shows_every_norm_that_is_not_neutral_and_a_few_that_are_none(bank):
    freedonian = bank.by_culture["freedonian"]
    chats = {norm.id: norm.chats for norm in freedonian.norms}
    for persona in derive(freedonian, 0):
        shown = history(freedonian, persona, bank.neutral, 0)
        assert len(shown) == EXCHANGES
        assert sum(tokens(each.exchange) for each in shown) <= MAX_TOKENS
        assert {each.norm for each in shown} - {None} == set(persona.active)
        assert sum(each.norm is None for each in shown) >= NEUTRAL
        assert len({each.exchange for each in shown}) == EXCHANGES
        for each in shown:
            if each.norm is not None:
                assert each.exchange in chats[each.norm][persona.states[each.norm]]


def test_exchanges_of_one_norm_keep_the_authors_order_in_a_mixed_history(bank):
    freedonian = bank.by_culture["freedonian"]
    persona = derive(freedonian, 0)[0]
    shown = history(freedonian, persona, bank.neutral, 0)
    for norm in freedonian.norms:
        if norm.id in persona.active:
            mine = [each.exchange for each in shown if each.norm == norm.id]
            assert mine == [each for each in norm.chats[persona.states[norm.id]] if each in mine]
    norms = [each.norm for each in shown]
    assert norms != sorted(norms, key=str)


def test_a_history_never_passes_its_tokens_however_long_the_chats_are(tmp_path):
    data = culture()
    for norm in data["norms"]:
        for state in ("follow", "avoid"):
            for exchange in norm["chats"][state]:
                exchange["user"] += " word" * 360
    bank, problems = load_persona([write(tmp_path, [data])])
    assert problems == []
    freedonian = bank.by_culture["freedonian"]
    shown = history(freedonian, derive(freedonian, 0)[0], bank.neutral, 0)
    assert 0 < sum(tokens(each.exchange) for each in shown) <= MAX_TOKENS
    assert len(shown) < EXCHANGES


def test_tokens_are_estimated_by_characters_and_turns():
    assert tokens(Exchange("a" * 40, "b" * 40)) == 80 / 4 + 10
    assert tokens(Exchange("茶" * 10, "")) == 10 + 10
