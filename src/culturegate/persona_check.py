"""`culturegate persona`: print a persona, and check that chats show their norms and never tell.

A blind reader, a judge model or a person with a table, is given a history alone and says of each
norm whether the user keeps to it. What they recover is the share of norm states that the chats
show; the published framework's chats keep to theirs at 0.947.
"""

from __future__ import annotations

import asyncio
import difflib
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from culturegate.bank.persona import Exchange, Norm, PersonaBank, PersonaCulture
from culturegate.bank.persona_people import Persona, Shown, derive, history, tokens
from culturegate.bank.persona_reveals import Reveals
from culturegate.bank.spreadsheet import MARK, table_line, table_rows
from culturegate.errors import CulturegateError, InputError, Problem
from culturegate.metrics import estimate
from culturegate.models.base import Message, Model, Prompt
from culturegate.reports.persona_chats import PUBLISHED_RECOVERED
from culturegate.text import one_line
from culturegate.tracks.base import Ask, CaseFacts, Record, Trial
from culturegate.tracks.choice import Lettered, ask_choice
from culturegate.tracks.outcome import record
from culturegate.tracks.persona import LANG, wording

STATES = {"k": "follow", "n": "avoid", "c": "cannot tell"}
TEXTS = {
    "k": "This user keeps to it.",
    "n": "This user does not keep to it.",
    "c": "The chats do not show it.",
}
COLUMNS = ("persona", "norm", "history", "habit", "state", "signed")
NEEDED = ("persona", "norm", "state", "signed")
SHEET = "sheet"
"""Template of the trials that a person's table gave; their detail is who signed."""
LONGEST_NAME = 100
_TOKENS = 512
"""Room for a reader that thinks before it answers."""


@dataclass(frozen=True, slots=True)
class Question:
    """What a blind reader is asked: the state of one norm of one persona."""

    persona: Persona
    norm: Norm
    history: tuple[Shown, ...]

    @property
    def facts(self) -> CaseFacts:
        """As a case, so that what is recovered is measured like everything else."""
        return CaseFacts(
            case=f"{self.persona.id}-{self.norm.id}",
            track="persona",
            kind="check",
            item=self.norm.id,
            cluster=self.persona.id,
            culture=self.persona.culture,
            lang=LANG,
            condition=self.persona.states[self.norm.id],
            form=self.norm.type,
        )

    def answered(self, trial: Trial, state: str | None) -> Record:
        """Return the record of a state that a reader named, None where none was read."""
        right = state == self.persona.states[self.norm.id]
        correct = None if trial.status == "error" else right
        return record(self.facts, [replace(trial, value=state, correct=correct)])


def people(bank: PersonaBank, seed: int) -> Iterator[tuple[PersonaCulture, Persona]]:
    """Yield every persona with their culture; `CulturegateError` where there can't be ten."""
    for culture in bank.by_culture.values():
        try:
            yield from ((culture, persona) for persona in derive(culture, seed))
        except ValueError as error:
            raise CulturegateError(f"{culture.file}: {error}") from None


def show(bank: PersonaBank, name: str, seed: int) -> Iterator[str]:
    """Yield the lines of one persona: values, norms, and the history that a model is given.

    Raises:
        CulturegateError: No persona has the id; the message names those that are near.
    """
    everybody = {persona.id: (culture, persona) for culture, persona in people(bank, seed)}
    if name not in everybody:
        close = difflib.get_close_matches(name, everybody, n=3, cutoff=0.4)
        there = ", ".join(close or list(everybody)[:3]) or "none"
        raise CulturegateError(f"no persona {one_line(name, 80)!r}; there are {there}")
    culture, persona = everybody[name]
    yield f"{persona.id}: {culture.title.get('en', culture.slug)}, seed {seed}"
    for value in culture.values:
        yield f"  {'+1' if persona.signs[value.id] > 0 else '−1'} {value.id}: {value.text}"
    for norm in culture.norms:
        yield f"  {persona.states[norm.id]:7} {norm.id} ({norm.type}): {norm.text}"
    shown = history(culture, persona, bank.neutral, seed)
    total = sum(tokens(each.exchange) for each in shown)
    yield f"history: {len(shown)} exchanges, about {total:.0f} tokens"
    for number, each in enumerate(shown, 1):
        what = f"{each.norm}, {persona.states[each.norm]}" if each.norm else "no norm"
        yield f"[{number}, {what}]"
        yield f"  user: {each.exchange.user}"
        yield f"  assistant: {each.exchange.assistant}"


def questions(bank: PersonaBank, seed: int) -> list[Question]:
    """Return what a blind reader is asked: every norm that each persona follows or avoids."""
    found = []
    for culture, persona in people(bank, seed):
        shown = history(culture, persona, bank.neutral, seed)
        norms = {norm.id: norm for norm in culture.norms}
        found += [Question(persona, norms[name], shown) for name in persona.active]
    return found


def written(shown: Sequence[Shown]) -> str:
    """Return a history as a reader sees it."""
    return "\n\n".join(
        f"User: {each.exchange.user}\nAssistant: {each.exchange.assistant}" for each in shown
    )


def sheet(asked: Sequence[Question]) -> Iterator[str]:
    """Yield the lines of a table for a person; a persona's history stands in its first row."""
    yield MARK + table_line(COLUMNS)
    before = None
    for question in asked:
        name = question.persona.id
        told = "" if name == before else written(question.history)
        before = name
        yield table_line((name, question.norm.id, told, question.norm.text, "", ""))


def read_sheet(data: bytes, asked: Sequence[Question], file: Path) -> list[Record]:
    """Return what a person recovered, from a table that they filled in and signed.

    Rows without a state are left out. Raises `InputError` with every row that can't be used.
    """
    known = {(question.persona.id, question.norm.id): question for question in asked}
    records: dict[str, Record] = {}
    problems = []
    try:
        for line, row in table_rows(data, NEEDED, COLUMNS):
            state = row["state"].lower()
            if not state:
                continue
            key = (row["persona"], row["norm"])
            question = known.get(key)
            if question is None:
                message = f"{one_line(' '.join(key), 80)}: no such persona and norm under this seed"
            elif state not in STATES.values():
                message = f"state {one_line(state, 40)!r}; one of {', '.join(STATES.values())}"
            elif not row["signed"]:
                message = "not signed; write your name under signed"
            elif question.facts.case in records:
                message = f"{question.facts.case} stands twice"
            else:
                signed = one_line(row["signed"], LONGEST_NAME)
                trial = Trial(SHEET, 0, "answered", detail=signed)
                records[question.facts.case] = question.answered(trial, state)
                continue
            problems.append(Problem(file, message, line))
    except ValueError as error:
        problems.append(Problem(file, str(error)))
    if problems:
        raise InputError(problems, "table")
    return list(records.values())


async def ask_reader(
    model: Model, asked: Sequence[Question], at_once: int
) -> tuple[list[Record], str]:
    """Have a model name every state, at most `at_once` calls at a time, personas in order.

    Returns the records and the model's name.
    """
    gate = asyncio.Semaphore(at_once)

    async def one(question: Question) -> Record:
        async with gate:
            return await _ask(model.ask, question)

    try:
        info = await model.check()
        return await asyncio.gather(*(one(question) for question in asked)), info.name
    finally:
        await model.aclose()


async def _ask(ask: Ask, question: Question) -> Record:
    template = wording("check")
    # The order goes by the norm, so that no answer is the first one throughout.
    turn = len(question.norm.id) % len(TEXTS)
    labels = list(TEXTS)
    options = Lettered(labels[turn:] + labels[:turn], TEXTS)
    slots = {
        "history": written(question.history),
        "norm": question.norm.text,
        "options": options.lines,
    }
    prompt = Prompt((Message("user", template.render(slots)),), max_tokens=_TOKENS, judge=True)
    trial = await ask_choice(ask, prompt, options, LANG, template.id)
    return question.answered(trial, None if trial.value is None else STATES[trial.value])


def reveals(bank: PersonaBank, seed: int) -> Mapping[str, int]:
    """Return how many telling words each culture's histories hold; none should."""
    found = dict.fromkeys(bank.by_culture, 0)
    words = {
        culture.slug: Reveals([*culture.reveals, *culture.title.values()])
        for culture in bank.by_culture.values()
    }
    # The personas of a culture share their exchanges, and looking takes its time.
    seen: dict[tuple[str, Exchange], list[str]] = {}
    for culture, persona in people(bank, seed):
        telling: set[str] = set()
        for shown in history(culture, persona, bank.neutral, seed):
            key = (culture.slug, shown.exchange)
            if key not in seen:
                seen[key] = words[culture.slug].find(written([shown]))
            telling.update(seen[key])
        found[culture.slug] += len(telling)
    return found


def chats(bank: PersonaBank, seed: int) -> dict[str, Any]:
    """Return what run.json says of the chats: their hash, and the telling words by culture."""
    digest = hashlib.sha256()
    for asked in questions(bank, seed):
        texts = (asked.persona.id, asked.norm.id, asked.norm.text, written(asked.history))
        digest.update("\0".join(texts).encode())
    words = reveals(bank, seed)
    return {
        "sha256": digest.hexdigest(),
        "cultures": {
            slug: {"title": culture.title.get("en", slug), "reveals": words[slug]}
            for slug, culture in bank.by_culture.items()
        },
    }


def told(records: Sequence[Record], words: Mapping[str, int]) -> Iterator[str]:
    """Yield the table: what was recovered by culture, beside the published share."""
    yield "culture       states recovered           follow avoid  norms personas telling words"
    for name in ("", *words):
        where = {"culture": name} if name else {}
        found = estimate("accuracy", records, where)
        sides = [
            estimate("accuracy", records, {**where, "condition": state}).value
            for state in ("follow", "avoid")
        ]
        if found.value is None:
            continue
        low, high = found.low or 0.0, found.high or 0.0
        sums = words[name] if name else sum(words.values())
        yield (
            f"{name or 'all':13} {found.value:.3f} ({low:.3f} to {high:.3f})     "
            f"{_share(sides[0])}  {_share(sides[1])} {found.n:6d} {found.clusters:8d} {sums:13d}"
        )
    yield f"published     {PUBLISHED_RECOVERED:.3f}, no explicit reveals"
    failed = sum(each.passed is None for each in records)
    if failed:
        yield f"{failed} calls failed; they are left out"


def _share(value: float | None) -> str:
    return "    –" if value is None else f"{value:.3f}"
