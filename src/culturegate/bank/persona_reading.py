"""Persona files to a validated bank, with every problem of every file at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from culturegate.bank import persona_layout as layout
from culturegate.bank.checked import checked
from culturegate.bank.files import Located, read_document
from culturegate.bank.items import Source
from culturegate.bank.persona import (
    ROLES,
    STATES,
    Cell,
    Exchange,
    Norm,
    PersonaBank,
    PersonaCulture,
    Request,
    Value,
)
from culturegate.errors import InputError, Problem
from culturegate.text import one_line

REQUESTS, NEUTRAL = "requests", "neutral"
"""Names, without suffix, of the files that are no culture's."""
_SUFFIXES = (".yaml", ".yml")


def load_persona(directories: Sequence[Path]) -> tuple[PersonaBank, list[Problem]]:
    """Read `persona/*.yaml` of every directory; a later directory replaces what has the same id.

    A culture is replaced whole, a request by its id, the neutral exchanges together.
    """
    reader = _Reader()
    for directory in dict.fromkeys(directories):
        reader.files_here = {}
        for file in _files(directory):
            reader.read(file)
    reader.check_references()
    bank = PersonaBank(
        by_culture=dict(sorted(reader.cultures.items())),
        topics=reader.topics,
        requests=dict(sorted(reader.requests.items())),
        neutral=reader.neutral,
        neutral_file=reader.neutral_file,
        files=tuple(reader.canaries),
        canaries=reader.canaries,
    )
    return bank, reader.problems


def _files(directory: Path) -> list[Path]:
    folder = directory / "persona"
    if not folder.is_dir():
        return []
    return sorted(
        file
        for file in folder.iterdir()
        if file.suffix.lower() in _SUFFIXES and not file.name.startswith((".", "_"))
    )


class _Reader:
    """Reads files one after the other; what they hold gathers in it."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self.cultures: dict[str, PersonaCulture] = {}
        self.topics: dict[str, Mapping[str, str]] = {}
        self.requests: dict[str, Request] = {}
        self.neutral: tuple[Exchange, ...] = ()
        self.neutral_file: Path | None = None
        self.canaries: dict[Path, str | None] = {}
        self.files_here: dict[str, Path] = {}
        """Which file of the directory at hand has a culture."""
        self.unread = False
        """Whether a file could not be read, so that what seems missing may stand there."""

    def read(self, file: Path) -> None:
        self.canaries[file] = None
        try:
            document = read_document(file)
        except InputError as error:
            self.problems += error.problems
            self.unread = True
            return
        before = len(self.problems)
        if file.stem == REQUESTS:
            self._read_requests(document)
        elif file.stem == NEUTRAL:
            self._read_neutral(document)
        else:
            self._read_culture(document)
        self.unread |= len(self.problems) > before

    def _read_requests(self, document: Located) -> None:
        found = checked(layout.RequestsFile, document.data, document, self.problems)
        if found is None:
            return
        self.canaries[document.file] = found.canary
        self._twice(document, ("topics",), [each.id for each in found.topics])
        self._twice(document, ("requests",), [each.id for each in found.requests])
        self.topics |= {each.id: each.title for each in found.topics}
        for number, each in enumerate(found.requests):
            line = document.line(("requests", number))
            self.requests[each.id] = Request(each.id, each.topic, each.text, document.file, line)

    def _read_neutral(self, document: Located) -> None:
        found = checked(layout.NeutralFile, document.data, document, self.problems)
        if found is not None:
            self.canaries[document.file] = found.canary
            self.neutral = tuple(_exchanges(found.exchanges))
            self.neutral_file = document.file

    def _read_culture(self, document: Located) -> None:
        found = checked(layout.CultureFile, document.data, document, self.problems)
        if found is None:
            return
        self.canaries[document.file] = found.canary
        other = self.files_here.setdefault(found.culture, document.file)
        if other != document.file:
            self._say(document, ("culture",), f"{found.culture} is also in {other}")
        self._twice(document, ("values",), [value.id for value in found.values])
        self._twice(document, ("norms",), [norm.id for norm in found.norms])
        sources = {
            name: Source(entry.work, entry.section, entry.checked)
            for name, entry in found.sources.items()
        }
        values = [value.id for value in found.values]
        for number, value in enumerate(found.values):
            path = ("values", number, "source")
            self._known(document, path, value.source, sources, value.id)
        for number, norm in enumerate(found.norms):
            path = ("norms", number, "source")
            self._known(document, path, norm.source, sources, norm.id)
            for place, name in enumerate(norm.values):
                self._known(document, ("norms", number, "values", place), name, values, norm.id)
            asked = [cell.request for cell in norm.requests]
            self._twice(document, ("norms", number, "requests"), asked, norm.id)
        if any(problem.file == document.file for problem in self.problems):
            return
        self.cultures[found.culture] = PersonaCulture(
            slug=found.culture,
            title=found.title,
            authors=tuple(found.authors),
            reveals=tuple(found.reveals),
            values=tuple(
                Value(value.id, value.text, sources[value.source]) for value in found.values
            ),
            norms=tuple(
                _norm(norm, sources, document, number) for number, norm in enumerate(found.norms)
            ),
            file=document.file,
        )

    def check_references(self) -> None:
        """Check what files say of each other, once all are read."""
        for request in self.requests.values():
            if request.topic not in self.topics:
                message = f"topic {request.topic!r} is not among the topics"
                self.problems.append(Problem(request.file, message, request.line, request.id))
        if self.unread:
            return
        for culture in self.cultures.values():
            for norm in culture.norms:
                for cell in norm.cells:
                    if cell.request not in self.requests:
                        message = f"request {one_line(cell.request, 60)!r} is not in requests.yaml"
                        self.problems.append(Problem(culture.file, message, cell.line, norm.id))
            if not self.neutral:
                message = "there is no neutral.yaml beside it, with exchanges that show no norm"
                self.problems.append(Problem(culture.file, message))

    def _known(
        self,
        document: Located,
        path: Sequence[str | int],
        name: str,
        known: Iterable[str],
        item: str,
    ) -> None:
        if name not in known:
            message = f"{one_line(name, 60)!r} is not among {', '.join(known)}"
            self._say(document, path, f"{path[-2 if len(path) > 3 else -1]}: {message}", item)

    def _twice(
        self,
        document: Located,
        path: Sequence[str | int],
        names: Sequence[str],
        item: str | None = None,
    ) -> None:
        first: dict[str, int] = {}
        for number, name in enumerate(names):
            other = first.setdefault(name, number)
            if other != number:
                line = document.line((*path, other))
                self._say(document, (*path, number), f"{name!r} stands on line {line} too", item)

    def _say(
        self, document: Located, path: Sequence[str | int], message: str, item: str | None = None
    ) -> None:
        self.problems.append(Problem(document.file, message, document.line(path), item))


def _exchanges(entries: Iterable[layout.ExchangeEntry]) -> Iterator[Exchange]:
    return (Exchange(entry.user, entry.assistant) for entry in entries)


def _norm(
    entry: layout.NormEntry, sources: Mapping[str, Source], document: Located, number: int
) -> Norm:
    return Norm(
        id=entry.id,
        type=entry.type,
        text=entry.text,
        values=tuple(dict.fromkeys(entry.values)),
        source=sources[entry.source],
        chats={state: tuple(_exchanges(getattr(entry.chats, state))) for state in STATES},
        cells=tuple(
            Cell(
                request=cell.request,
                replies={role: getattr(cell, role) for role in ROLES},
                checklist={state: tuple(getattr(cell.checklist, state)) for state in STATES},
                line=document.line(("norms", number, "requests", place)),
            )
            for place, cell in enumerate(entry.requests)
        ),
        line=document.line(("norms", number)),
    )
