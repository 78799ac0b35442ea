"""Persona: a request from somebody whose chats show which norms they follow and which they avoid.

The history comes first, as turns of a chat, and the request last with four replies to choose from,
so that a server that keeps prefixes reads each history once. One reply fits the state shown, one
the opposite state; the postcard overdoes the culture and the generic one leans nowhere.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain, zip_longest

from culturegate.bank.persona import Cell, Norm, PersonaBank, PersonaCulture, Request
from culturegate.bank.persona_people import Persona, Shown, derive, history
from culturegate.bank.slugs import unique_slug
from culturegate.errors import CulturegateError
from culturegate.models.base import Message, Prompt
from culturegate.prompts import Template, templates
from culturegate.tracks.base import Ask, CaseFacts, Record, Trial
from culturegate.tracks.choice import Lettered, LetteredCase, ask_choice
from culturegate.tracks.outcome import record
from culturegate.tracks.persona_judging import judged
from culturegate.tracks.persona_prefix import Turns
from culturegate.tracks.protocol import PersonaProtocol, own_sample, stable_order

ARMS = ("implicit", "hint", "explicit", "none")
"""History alone; with a hint to attend to it; with the norms listed; no history at all."""
LABELS = {"f": "follow", "a": "avoid", "p": "postcard", "g": "generic"}
"""Roles of the four replies by the label that records name them by."""
OPPOSITE = {"follow": "avoid", "avoid": "follow"}
LANG = "en"
"""Language that the chats and replies are written in."""


@dataclass(frozen=True, slots=True)
class Scene:
    """One persona, as every case of theirs shares it."""

    culture: PersonaCulture
    persona: Persona
    history: tuple[Shown, ...]
    turns: Turns = field(compare=False, repr=False)
    """Taken in asking, so that each history is read once."""

    @property
    def messages(self) -> tuple[Message, ...]:
        """The history as turns of a chat."""
        turns = (
            (Message("user", each.exchange.user), Message("assistant", each.exchange.assistant))
            for each in self.history
        )
        return tuple(chain.from_iterable(turns))

    @property
    def states(self) -> str:
        """Return the norms that the persona follows or avoids, one a line."""
        lines = {"follow": "- I keep to this: ", "avoid": "- I do not keep to this: "}
        return "\n".join(
            lines[self.persona.states[norm.id]] + norm.text
            for norm in self.culture.norms
            if norm.id in self.persona.active
        )


@dataclass(frozen=True, slots=True)
class PersonaCase(LetteredCase):
    """One request of one persona under one arm, where one norm matters."""

    scene: Scene
    norm: Norm
    cell: Cell
    request: Request
    arm: str
    order: tuple[str, ...]
    """The labels of the four replies as the first trial shows them; later trials rotate."""
    protocol: PersonaProtocol
    judged: bool = False
    """Whether the model writes a reply and a judge scores it, rather than choosing one."""
    facts: CaseFacts = field(init=False, compare=False)
    """What is known before asking."""

    def __post_init__(self) -> None:
        culture, persona = self.scene.culture.slug, self.scene.persona
        facts = CaseFacts(
            case=unique_slug(f"{persona.id}-{self.norm.id}-{self.cell.request}-{self.arm}"),
            track="persona",
            kind="persona",
            item=unique_slug(f"{culture}-{self.norm.id}-{self.cell.request}"),
            cluster=persona.id,
            culture=culture,
            lang=LANG,
            arm=self.arm,
            condition=self.state,
            form=self.norm.type,
            task=self.request.topic,
            chance=None if self.judged else 1 / len(LABELS),
        )
        object.__setattr__(self, "facts", facts)

    @property
    def state(self) -> str:
        """`follow` or `avoid`: what the persona does with the norm."""
        return self.scene.persona.states[self.norm.id]

    @property
    def requests(self) -> int:
        """Number of prompts sent to the model under test."""
        return self.protocol.samples

    @property
    def question(self) -> str:
        """The request, and whose it is."""
        return f"{self.request.text} [{self.scene.persona.id}, {self.state}: {self.norm.text}]"

    @property
    def passage(self) -> str:
        """The request alone: what of the question a corpus would hold."""
        return self.request.text

    @property
    def expected(self) -> str:
        """The reply that fits, or the points that a fitting one meets."""
        if self.judged:
            return "; ".join(self.cell.checklist[self.state])
        return self.cell.replies[self.state]

    @property
    def points(self) -> Mapping[str, str]:
        """What a judge decides of a written reply: the checklist's points by their aspect."""
        return {
            f"{self.state}-{number}": point
            for number, point in enumerate(self.cell.checklist[self.state], 1)
        }

    @property
    def choices(self) -> Mapping[str, str]:
        """The four replies by their label; empty where the model writes its own."""
        if self.judged:
            return {}
        return {label: self.cell.replies[role] for label, role in LABELS.items()}

    async def run(self, ask: Ask) -> Record:
        """Ask every sample at once and judge them together."""
        if self.arm == "none":
            return await self._run(ask)
        async with self.scene.turns.turn(self.scene.persona.id):
            return await self._run(ask)

    async def _run(self, ask: Ask) -> Record:
        if self.judged:
            return await judged(
                ask,
                facts=self.facts,
                prompts=[self._prompt(n, "write", "") for n in range(self.protocol.samples)],
                template=wording("write", self.arm).id,
                request=self.request.text,
                points=self.points,
                judge=wording("judge"),
            )
        asked = [self._choose(ask, sample) for sample in range(self.protocol.samples)]
        return record(self.facts, await asyncio.gather(*asked))

    async def _choose(self, ask: Ask, sample: int) -> Trial:
        turn = sample % len(self.order)
        options = Lettered(self.order[turn:] + self.order[:turn], self.choices)
        prompt = self._prompt(sample, "choose", options.lines)
        template = wording("choose", self.arm).id
        return self.answered(await ask_choice(ask, prompt, options, LANG, template, sample))

    def _prompt(self, sample: int, mode: str, options: str) -> Prompt:
        slots = {"request": self.request.text, "options": options, "states": self.scene.states}
        text = wording(mode, self.arm).render(slots)
        before = () if self.arm == "none" else self.scene.messages
        # What no history precedes, or what names no norm, is asked alike for several cases.
        shared = self.arm == "none" or self.judged
        limit = self.protocol.max_tokens if mode == "choose" else self.protocol.reply_tokens
        return Prompt(
            messages=(*before, Message("user", text)),
            temperature=self.protocol.temperature,
            top_p=self.protocol.top_p,
            max_tokens=limit,
            sample=own_sample(self.facts.case, sample) if shared else sample,
        )

    def answered(self, trial: Trial) -> Trial:
        """Return the trial judged: the role of the reply that was picked is its reason."""
        if trial.status == "error":
            return trial
        role = None if trial.value is None else LABELS[trial.value]
        right = role == self.state
        wrong = "opposite" if role == OPPOSITE[self.state] else role
        return replace(trial, correct=right, reason=None if right else wrong)


def wording(mode: str, arm: str = "implicit") -> Template:
    """Return the wording of a mode (`choose`, `write`, `judge`, `check`) under an arm.

    Without a history the request is worded as with one, so that the two differ by it alone.
    """
    name = f"{mode}-{arm}" if arm in ("hint", "explicit") else mode
    return next(each for each in templates("persona", LANG) if each.id.rpartition("-")[0] == name)


def persona_wordings(
    bank: PersonaBank, protocol: PersonaProtocol, *, judged: bool
) -> Iterator[tuple[str, str]]:
    """Yield id and text of every wording in use."""
    if not bank.by_culture or LANG not in protocol.langs:
        return
    used = {wording("write" if judged else "choose", arm) for arm in protocol.arms}
    for template in sorted(used, key=lambda each: each.id):
        yield f"{LANG}/persona-{template.id}", template.text
    if judged:
        yield f"{LANG}/persona-{wording('judge').id}", wording("judge").text


def persona_cases(
    bank: PersonaBank, protocol: PersonaProtocol, seed: int, *, judged: bool = False
) -> tuple[PersonaCase, ...]:
    """Return every case that the protocol names: whole personas in order, without history last.

    The place of the fitting reply goes round evenly within each culture, of norms followed and of
    norms avoided alike, so that a habit of place is no asymmetry; a cell's arms share it.
    Raises `CulturegateError` where a culture's values give no ten personas.
    """
    if LANG not in protocol.langs:
        return ()
    found: list[PersonaCase] = []
    turns = Turns()
    for culture in bank.by_culture.values():
        try:
            people = derive(culture, seed)[: protocol.personas_per_culture]
        except ValueError as error:
            raise CulturegateError(f"{culture.file}: {error}") from None
        ranks = dict.fromkeys(OPPOSITE, 0)
        for persona in people:
            scene = Scene(culture, persona, history(culture, persona, bank.neutral, seed), turns)
            cells = _drawn(scene, protocol.requests_per_persona, seed)
            orders = []
            for norm, cell in cells:
                state, name = persona.states[norm.id], f"{persona.id}-{norm.id}-{cell.request}"
                orders.append(_order(state, ranks[state], name, seed))
                ranks[state] += 1
            for arm in protocol.arms:
                found += [
                    PersonaCase(
                        scene,
                        norm,
                        cell,
                        bank.requests[cell.request],
                        arm,
                        order,
                        protocol,
                        judged,
                    )
                    for (norm, cell), order in zip(cells, orders, strict=True)
                ]
    return tuple(sorted(found, key=lambda case: case.arm == "none"))


def _drawn(scene: Scene, count: int | None, seed: int) -> list[tuple[Norm, Cell]]:
    """Draw the cells asked of a persona: norms followed and avoided in turn, one cell each first.

    The draw goes by the persona's pair, so that two opposites are asked the same as far as it goes.
    """
    shown = {each.norm for each in scene.history}
    pair = (scene.persona.number - 1) // 2
    name = f"{scene.culture.slug}-{pair}"
    norms = {f"{name}-{norm.id}": norm for norm in scene.culture.norms if norm.id in shown}
    sides: defaultdict[str, list[Norm]] = defaultdict(list)
    for key in stable_order(norms, seed):
        sides[scene.persona.states[norms[key].id]].append(norms[key])
    turns = [norm for both in zip_longest(sides["follow"], sides["avoid"]) for norm in both if norm]
    cells = {
        norm.id: {f"{name}-{norm.id}-{cell.request}": cell for cell in norm.cells} for norm in turns
    }
    ranked = {norm: [found[key] for key in stable_order(found, seed)]
              for norm, found in cells.items()}  # fmt: skip
    most = max((len(each) for each in ranked.values()), default=0)
    drawn = [
        (norm, ranked[norm.id][place])
        for place in range(most)
        for norm in turns
        if place < len(ranked[norm.id])
    ]
    return drawn[:count]


def _order(state: str, rank: int, name: str, seed: int) -> tuple[str, ...]:
    """Return the labels in the order shown: the fitting one at a place that goes round."""
    right = next(label for label, role in LABELS.items() if role == state)
    others = {f"{name}-{label}": label for label in LABELS if label != right}
    order = [others[key] for key in stable_order(others, seed)]
    order.insert(rank % len(LABELS), right)
    return tuple(order)
