"""Whether persona files can be trusted: chats show and never tell, replies differ only in fit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from culturegate.bank.findings import Finding, LintLimits
from culturegate.bank.persona import (
    ROLES,
    STATES,
    Cell,
    Exchange,
    Norm,
    PersonaBank,
    PersonaCulture,
)
from culturegate.bank.persona_people import EXCHANGES, MAX_TOKENS, derive, history, tokens
from culturegate.bank.persona_reveals import Reveals
from culturegate.bank.wording import bare, content_words
from culturegate.errors import Problem

LENGTH_RATIO = 1.25
"""The longest of four replies over the shortest, in characters."""
REPLY_WORDS = (25, 70)
TURN_WORDS = (8, 55)
REQUEST_WORDS = (15, 55)
TOLD = 0.75
"""Share of a norm's content words that one turn may hold."""
LONGEST = 0.45
"""Share of cells in which one role may be the longest, or the shortest, of the four."""
LEAST_CELLS = 20
"""Cells from which that is judged."""
SEED = 0
"""Seed of the personas that lint tries; sessions take theirs from the bank seed."""

# What the project's own bank holds; anybody's may hold less.
CULTURES, VALUES, NORMS, CELLS = 6, (8, 18), (13, 15), (4, 6)
TYPES = {"practice": 4, "communication": 3}
REQUESTS, TOPICS, ASKED, REVEALS, NEUTRALS = 52, 12, 30, 25, 20


def lint_persona(bank: PersonaBank, limits: LintLimits) -> Iterator[Finding]:
    """Yield everything found in the persona files; counts only where the bank is the project's."""
    if not bank.files:
        return
    cultures = bank.by_culture.values()
    if limits.record:
        yield from _canaries(bank)
        yield from _counts(bank)
    everywhere = Reveals(
        word for each in cultures for word in (*each.title.values(), *each.reveals)
    )
    for request in bank.requests.values():
        place = (request.file, request.line, request.id)
        yield from _revealed(everywhere, request.text, "the request", *place)
        yield from _size(request.text, REQUEST_WORDS, "the request", *place)
    if bank.neutral_file is not None:
        for exchange in bank.neutral:
            yield from _revealed(
                everywhere, _text(exchange), "a neutral exchange", bank.neutral_file
            )
    for culture in cultures:
        titles = [title for each in cultures for title in each.title.values()]
        reveals = Reveals([*culture.reveals, *titles])
        for norm in culture.norms:
            yield from _chats(culture, norm, reveals)
            for cell in norm.cells:
                yield from _cell(culture, norm, cell, reveals)
        yield from _repeated(culture)
        yield from _extremes(culture)
        yield from _people(culture, bank.neutral)
        if limits.record:
            yield from _size_of(bank, culture)


def persona_summary(bank: PersonaBank) -> Iterator[str]:
    """Yield a line for each culture: what there is of it."""
    for culture in bank.by_culture.values():
        cells = [cell for norm in culture.norms for cell in norm.cells]
        types = Counter(norm.type for norm in culture.norms)
        yield (
            f"persona {culture.slug}: {len(culture.values)} values, {types['practice']} practice "
            f"and {types['communication']} communication norms, {len(cells)} cells over "
            f"{len({cell.request for cell in cells})} requests, "
            f"{len(culture.reveals)} telling words"
        )


def _at(rule: str, message: str, file: Path, line: int | None, item: str | None) -> Finding:
    return Finding(rule, Problem(file, message, line, item))


def _canaries(bank: PersonaBank) -> Iterator[Finding]:
    usual = Counter(mark for mark in bank.canaries.values() if mark).most_common(1)
    for file, mark in bank.canaries.items():
        if mark is None or mark != usual[0][0]:
            message = "no canary" if mark is None else "its canary is not the other files'"
            yield _at("canary", message, file, None, None)


def _counts(bank: PersonaBank) -> Iterator[Finding]:
    folder = bank.files[0].parent
    for count, least, what in (
        (len(bank.by_culture), CULTURES, "cultures"),
        (len(bank.requests), REQUESTS, "requests"),
        (len(bank.topics), TOPICS, "topics"),
        (len(bank.neutral), NEUTRALS, "neutral exchanges"),
    ):
        if count < least:
            yield _at("count", f"{count} {what}; at least {least}", folder, None, "persona")
    used = {request.topic for request in bank.requests.values()}
    for topic in sorted(set(bank.topics) - used):
        yield _at("count", f"no request is of the topic {topic}", folder, None, "persona")


def _size_of(bank: PersonaBank, culture: PersonaCulture) -> Iterator[Finding]:
    cells = [cell for norm in culture.norms for cell in norm.cells]
    asked = {cell.request for cell in cells}
    topics = {bank.requests[request].topic for request in asked}
    types: Counter[str] = Counter(norm.type for norm in culture.norms)
    for count, (low, high), what in (
        (len(culture.values), VALUES, "values"),
        (len(culture.norms), NORMS, "norms"),
        (len(culture.reveals), (REVEALS, 500), "telling words (reveals)"),
        (len(asked), (ASKED, 999), "different requests"),
        (len(topics), (TOPICS, 999), "topics asked"),
        *((types[name], (least, 99), f"{name} norms") for name, least in TYPES.items()),
    ):
        if not low <= count <= high:
            bounds = f"{low} to {high}" if count > high else f"at least {low}"
            yield _at("count", f"{count} {what}; {bounds}", culture.file, None, culture.slug)
    for norm in culture.norms:
        if not CELLS[0] <= len(norm.cells) <= CELLS[1]:
            message = f"{len(norm.cells)} requests; {CELLS[0]} to {CELLS[1]}"
            yield _at("count", message, culture.file, norm.line, norm.id)
    held = {value for norm in culture.norms for value in norm.values}
    for value in culture.values:
        if value.id not in held:
            message = f"no norm rests on the value {value.id}"
            yield _at("unused", message, culture.file, None, culture.slug)


def _chats(culture: PersonaCulture, norm: Norm, reveals: Reveals) -> Iterator[Finding]:
    place = (culture.file, norm.line, norm.id)
    matter = content_words(norm.text, "en")
    for state in STATES:
        for number, exchange in enumerate(norm.chats[state], 1):
            what = f"{state} exchange {number}"
            yield from _revealed(reveals, _text(exchange), what, *place)
            for speaker, turn in (("user", exchange.user), ("assistant", exchange.assistant)):
                yield from _size(turn, TURN_WORDS, f"{what}, {speaker}", *place)
                shared = matter & content_words(turn, "en")
                if len(shared) > 2 and len(shared) >= TOLD * len(matter):
                    message = f"{what}, {speaker}: tells the norm ({', '.join(sorted(shared))})"
                    yield _at("tells", message, *place)


def _cell(culture: PersonaCulture, norm: Norm, cell: Cell, reveals: Reveals) -> Iterator[Finding]:
    place = (culture.file, cell.line, f"{norm.id} {cell.request}")
    sizes = {role: len(reply) for role, reply in cell.replies.items()}
    ratio = max(sizes.values()) / min(sizes.values())
    if ratio > LENGTH_RATIO + 1e-9:
        told = ", ".join(f"{role} {size}" for role, size in sizes.items())
        message = f"replies of unlike length ({told}); longest at most {LENGTH_RATIO} × shortest"
        yield _at("length", message, *place)
    if len({bare(reply) for reply in cell.replies.values()}) < len(cell.replies):
        yield _at("same", "two of the four replies are the same", *place)
    for role in ROLES:
        reply = cell.replies[role]
        yield from _size(reply, REPLY_WORDS, role, *place)
        if role != "postcard":
            yield from _revealed(reveals, reply, role, *place)
        elif not reveals.find(reply):
            message = "the postcard names nothing of the culture (no word of reveals)"
            yield _at("postcard", message, *place)
    for state in STATES:
        for point in cell.checklist[state]:
            yield from _revealed(reveals, point, f"checklist, {state}", *place)


def _revealed(
    reveals: Reveals,
    text: str,
    what: str,
    file: Path,
    line: int | None = None,
    item: str | None = None,
) -> Iterator[Finding]:
    words = reveals.find(text)
    if words:
        told = ", ".join(repr(word) for word in words)
        yield _at("reveal", f"{what}: tells the culture by {told}", file, line, item)


def _size(
    text: str, bounds: tuple[int, int], what: str, file: Path, line: int | None, item: str | None
) -> Iterator[Finding]:
    count = len(text.split())
    if not bounds[0] <= count <= bounds[1]:
        message = f"{what}: {count} words; {bounds[0]} to {bounds[1]}"
        yield _at("size", message, file, line, item)


def _repeated(culture: PersonaCulture) -> Iterator[Finding]:
    first: dict[str, str] = {}
    for norm in culture.norms:
        texts: list[tuple[str, str]] = [
            (state, each.user) for state in STATES for each in norm.chats[state]
        ]
        texts += [(cell.request, reply) for cell in norm.cells for reply in cell.replies.values()]
        for where, text in texts:
            other = first.setdefault(bare(text), f"{norm.id}, {where}")
            if other != f"{norm.id}, {where}":
                message = f"{where}: the same text as in {other}"
                yield _at("same", message, culture.file, norm.line, norm.id)


def _extremes(culture: PersonaCulture) -> Iterator[Finding]:
    cells = [cell for norm in culture.norms for cell in norm.cells]
    if len(cells) < LEAST_CELLS:
        return
    for name, extreme in (("longest", max), ("shortest", min)):
        counts = Counter(
            extreme(ROLES, key=lambda role, cell=cell: len(cell.replies[role]))  # type: ignore[misc]
            for cell in cells
        )
        role, count = counts.most_common(1)[0]
        if count > LONGEST * len(cells):
            message = f"the {role} reply is the {name} in {count} of {len(cells)} cells; at most "
            yield _at("longest", f"{message}{LONGEST:.0%}", culture.file, None, culture.slug)


def _people(culture: PersonaCulture, neutral: Sequence[Exchange]) -> Iterator[Finding]:
    try:
        people = derive(culture, SEED)
    except ValueError as error:
        yield _at("derivation", str(error), culture.file, None, culture.slug)
        return
    for persona in people:
        shown = history(culture, persona, neutral, SEED)
        hidden = set(persona.active) - {each.norm for each in shown}
        if hidden or len(shown) < EXCHANGES:
            total = sum(tokens(each.exchange) for each in shown)
            message = (
                f"{persona.id}: a history of {len(shown)} exchanges and {total:.0f} tokens leaves "
                f"out {', '.join(sorted(hidden)) or 'no norm'}; {EXCHANGES} exchanges in at most "
                f"{MAX_TOKENS} tokens should show every norm"
            )
            yield _at("history", message, culture.file, None, culture.slug)


def _text(exchange: Exchange) -> str:
    return f"{exchange.user}\n{exchange.assistant}"
