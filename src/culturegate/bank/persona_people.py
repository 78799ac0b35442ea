"""From values to people: which norms a persona follows, and the history that shows it.

A persona holds each value dear (+1) or not (−1). A norm's state is the mean over its values: above
0 the persona follows it, below 0 avoids it, at 0 it is neutral. Everything is drawn by hashes of a
seed and a name, so that a norm or persona added changes nothing of the others' draw.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from culturegate.bank.persona import Exchange, PersonaCulture

PERSONAS = 10
"""Personas of a culture; a protocol that asks fewer takes the first."""
EXCHANGES = 18
"""Exchanges of a history."""
NEUTRAL = 2
"""Exchanges of a history that at least show no norm."""
MAX_TOKENS = 2500
"""Estimated tokens of a history, at most."""
ATTEMPTS = 50
CANDIDATES = 32
"""Draws of which a pair of personas is the best."""

NormState = Literal["follow", "avoid", "neutral"]
Signs = Mapping[str, int]
"""+1 or −1 by value."""


@dataclass(frozen=True, slots=True)
class Persona:
    """One made-up user of one culture."""

    id: str
    """Such as `persona-nepali-03`."""
    culture: str
    number: int
    """From 1."""
    signs: Signs
    states: Mapping[str, NormState]
    """By norm."""

    @property
    def active(self) -> tuple[str, ...]:
        """The norms that the persona follows or avoids, in the file's order."""
        return tuple(norm for norm, state in self.states.items() if state != "neutral")


@dataclass(frozen=True, slots=True)
class Shown:
    """One exchange of a history, and the norm whose state it shows."""

    norm: str | None
    """None for an exchange that shows none."""
    exchange: Exchange


def norm_state(signs: Signs, values: Iterable[str]) -> NormState:
    """Return the state of a norm that rests on these values."""
    total = sum(signs[value] for value in values)
    return "follow" if total > 0 else "avoid" if total < 0 else "neutral"


def draw_signs(
    values: Sequence[str], norms: Mapping[str, Sequence[str]], count: int, seed: str
) -> list[dict[str, int]]:
    """Draw the signs of `count` personas.

    Personas come in pairs of opposites, so that over any even number from the front each norm is
    followed as often as it is avoided, and the two halves of the asymmetry weigh alike. Each pair
    is the best of 32 draws: fewest neutral norms, follow and avoid most even. No two personas have
    the same norm states, and each norm is followed by some and avoided by others.

    Args:
        values: Ids of all values.
        norms: Ids of each norm's values.
        count: Personas, an even number.
        seed: Text that decides the draw.

    Raises:
        ValueError: No such personas were found, and why that may be.
    """
    for attempt in range(ATTEMPTS):
        people: list[dict[str, int]] = []
        states: list[tuple[NormState, ...]] = []
        for pair in range(count // 2):
            drawn = [_signs(values, f"{seed}:{attempt}:{pair}:{n}") for n in range(CANDIDATES)]
            for signs in sorted(drawn, key=lambda signs: _unevenness(signs, norms)):
                opposite = {value: -sign for value, sign in signs.items()}
                both = [_states(signs, norms), _states(opposite, norms)]
                if both[0] != both[1] and not set(both) & set(states):
                    people += [signs, opposite]
                    states += both
                    break
        columns = zip(*states, strict=True)
        if len(people) == count and all({"follow", "avoid"} <= set(each) for each in columns):
            return people
    raise ValueError(
        f"no {count} personas with different norms, each norm followed by some and avoided by "
        f"others, can be drawn from {len(values)} values and {len(norms)} norms; tie the norms to "
        "more different values, and to one or three rather than two"
    )


def _signs(values: Sequence[str], name: str) -> dict[str, int]:
    return {value: 1 if _draw(f"{name}:{value}")[0] % 2 else -1 for value in values}


def _states(signs: Signs, norms: Mapping[str, Sequence[str]]) -> tuple[NormState, ...]:
    return tuple(norm_state(signs, values) for values in norms.values())


def _unevenness(signs: Signs, norms: Mapping[str, Sequence[str]]) -> int:
    states = _states(signs, norms)
    return states.count("neutral") + abs(states.count("follow") - states.count("avoid"))


def derive(culture: PersonaCulture, seed: int) -> tuple[Persona, ...]:
    """Return the culture's ten personas; raises `ValueError` where there cannot be ten."""
    norms = {norm.id: norm.values for norm in culture.norms}
    values = [value.id for value in culture.values]
    people = draw_signs(values, norms, PERSONAS, f"{seed}:{culture.slug}")
    return tuple(
        Persona(
            id=f"persona-{culture.slug}-{number:02d}",
            culture=culture.slug,
            number=number,
            signs=signs,
            states={norm: norm_state(signs, ids) for norm, ids in norms.items()},
        )
        for number, signs in enumerate(people, 1)
    )


def history(
    culture: PersonaCulture, persona: Persona, neutral: Sequence[Exchange], seed: int
) -> tuple[Shown, ...]:
    """Return the chats that a model sees of a persona: 18 exchanges, at most 2,500 tokens.

    One exchange of each norm that is not neutral comes first in the choice, then two that show
    none, then second ones of norms, then further neutral ones; what would pass the limit of tokens
    is left out. The order is drawn; the exchanges of one norm keep the author's.
    """
    rank = {
        norm.id: [
            Shown(norm.id, exchange)
            for exchange in _ordered(
                norm.chats[persona.states[norm.id]], f"{seed}:{persona.id}:{norm.id}"
            )
        ]
        for norm in culture.norms
        if persona.states[norm.id] != "neutral"
    }
    others = [Shown(None, each) for each in _ordered(neutral, f"{seed}:{persona.id}")]
    turns = sorted(rank, key=lambda norm: _draw(f"{seed}:{persona.id}:second:{norm}"))
    wanted = [shown[0] for shown in rank.values()]
    wanted += others[:NEUTRAL]
    wanted += [rank[norm][1] for norm in turns if len(rank[norm]) > 1]
    wanted += others[NEUTRAL:]
    chosen: list[Shown] = []
    total = 0.0
    for each in wanted:
        cost = tokens(each.exchange)
        if len(chosen) < EXCHANGES and total + cost <= MAX_TOKENS:
            chosen.append(each)
            total += cost
    chosen.sort(key=lambda shown: _draw(f"{seed}:{persona.id}:{shown.exchange.user}"))
    return tuple(_in_authors_order(culture, persona, chosen))


def _in_authors_order(
    culture: PersonaCulture, persona: Persona, chosen: Sequence[Shown]
) -> Iterable[Shown]:
    written = {
        norm.id: iter(
            [
                exchange
                for exchange in norm.chats[persona.states[norm.id]]
                if Shown(norm.id, exchange) in chosen
            ]
        )
        for norm in culture.norms
        if persona.states[norm.id] != "neutral"
    }
    for shown in chosen:
        if shown.norm is None:
            yield shown
        else:
            yield Shown(shown.norm, next(written[shown.norm]))


def tokens(exchange: Exchange) -> float:
    """Estimate the tokens of an exchange: 4 ASCII characters or 1 other each, and 5 a turn.

    Over the bank's histories that is 2 to 6 % more than the embedded model counts.
    """
    text = exchange.user + exchange.assistant
    plain = sum(char < "\x80" for char in text)
    return plain / 4 + (len(text) - plain) + 10


def _ordered(exchanges: Iterable[Exchange], name: str) -> list[Exchange]:
    return sorted(exchanges, key=lambda each: _draw(f"{name}:{each.user}"))


def _draw(name: str) -> bytes:
    return hashlib.sha256(name.encode("utf-8", "backslashreplace")).digest()
