"""One file's entries to items, or to problems that say where and what to do."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from culturegate.bank import layout, plain
from culturegate.bank.faults import Steps, explain, item_faults
from culturegate.bank.files import TABLES, Located, read_document, read_table
from culturegate.bank.items import MythItem, Option, Review, Source
from culturegate.bank.slugs import slug, unique_slug
from culturegate.bank.wording import folded
from culturegate.errors import InputError, Problem
from culturegate.text import one_line

Model = TypeVar("Model", bound=BaseModel)


class FileReader:
    """Reads the files of one directory; items and problems gather in it."""

    def __init__(self) -> None:
        self.items: list[MythItem] = []
        self.problems: list[Problem] = []
        self.titles: dict[str, Mapping[str, str]] = {}
        self.canaries: dict[Path, str | None] = {}
        self._episodes: dict[str, str] = {}
        self._asked: dict[tuple[str, str], str] = {}

    def read(self, file: Path) -> None:
        """Read one file."""
        self.canaries[file] = None
        before = len(self.items) + len(self.problems)
        try:
            if file.suffix.lower() in TABLES:
                self._read_table(file)
            else:
                document = read_document(file)
                if isinstance(document.data, list):
                    self._read_list(document)
                else:
                    self._read_bank(document)
        except InputError as error:
            self.problems += error.problems
        if len(self.items) + len(self.problems) == before:
            self.problems.append(Problem(file, "holds no items; fill it or take it away"))

    def _read_table(self, file: Path) -> None:
        self.canaries[file], rows = read_table(file)
        table = file.suffix.lower() != ".jsonl"
        for row in rows:
            if isinstance(row, Problem):
                self.problems.append(row)
            else:
                self._read_plain(row, (), row.data, table=table)

    def _read_list(self, document: Located) -> None:
        for number, raw in enumerate(document.data):
            if not isinstance(raw, dict):
                self._say(document, (number,), "an item (a mapping) was expected")
            elif set(raw) == {"canary"}:
                self.canaries[document.file] = str(raw["canary"])
            else:
                self._read_plain(document, (number,), raw)

    def _read_plain(
        self, place: Located, path: Steps, raw: Mapping[str, Any], *, table: bool = False
    ) -> None:
        name = one_line(str(raw.get("id", "")), 80) or None
        try:
            fields = plain.entry(raw, table=table)
        except plain.Unreadable as error:
            self._say(place, (*path, error.field), f"{error.field}: {error}", name)
            return
        found = self._validate(layout.PlainItem, fields, place, path, name)
        if found is None or not self._sound(found, place, path, name):
            return
        culture = _culture(found.culture)
        item_id = unique_slug(found.id)
        if found.episode is not None:
            cluster = unique_slug(found.episode)
        else:
            # Rows that ask one question draw on one piece of knowledge: they count as one cluster.
            question = folded(" ".join(found.question.values()))
            cluster = self._asked.setdefault((culture, question), item_id)
        if culture != found.culture:
            self.titles.setdefault(culture, {"en": found.culture})
        self.items.append(
            MythItem(
                id=item_id,
                original_id=found.id if found.id != item_id else None,
                culture=culture,
                cluster=cluster,
                title=found.title,
                source=_source(found.source),
                authors=tuple(found.authors),
                variant_of=unique_slug(found.variant_of) if found.variant_of else None,
                **_shared(found, place, path),
            )
        )

    def _read_bank(self, document: Located) -> None:
        raw = document.data
        if not isinstance(raw, dict):
            self._say(
                document,
                (),
                "a bank file (culture, title, episodes) or a list of items was expected",
            )
            return
        rest = {key: value for key, value in raw.items() if key != "episodes"}
        head = self._validate(layout.BankHead, rest, document, ())
        if head is not None:
            self.canaries[document.file] = head.canary
            self.titles[head.culture] = head.title
        episodes = raw.get("episodes")
        if not isinstance(episodes, list) or not episodes:
            self._say(document, ("episodes",), "episodes: a list of episodes was expected")
            return
        for number, episode in enumerate(episodes):
            self._read_episode(document, ("episodes", number), episode, head)

    def _read_episode(
        self, document: Located, path: Steps, raw: Any, head: layout.BankHead | None
    ) -> None:
        if not isinstance(raw, dict):
            self._say(document, path, "an episode (id, title, source, items) was expected")
            return
        name = one_line(str(raw.get("id", "")), 80) or None
        rest = {key: value for key, value in raw.items() if key != "items"}
        episode = self._validate(layout.EpisodeHead, rest, document, path, name)
        if episode is not None:
            other = self._episodes.setdefault(
                episode.id, f"{document.file}:{document.line(path) or '?'}"
            )
            if other != f"{document.file}:{document.line(path) or '?'}":
                self._say(document, (*path, "id"), f"the episode is also at {other}", name)
            if head is not None and not episode.id.startswith(f"{head.culture}-"):
                message = f"id: an episode's id starts with its culture, as in '{head.culture}-…'"
                self._say(document, (*path, "id"), message, name)
        items = raw.get("items")
        if not isinstance(items, list) or not items:
            self._say(document, (*path, "items"), "items: a list of items was expected", name)
            return
        for number, entry in enumerate(items):
            self._read_item(document, (*path, "items", number), entry, head, episode, name)

    def _read_item(
        self,
        document: Located,
        path: Steps,
        raw: Any,
        head: layout.BankHead | None,
        episode: layout.EpisodeHead | None,
        episode_name: str | None,
    ) -> None:
        if not isinstance(raw, dict):
            self._say(document, path, "an item (a mapping) was expected", episode_name)
            return
        name = f"{episode_name}-{one_line(str(raw.get('id', '?')), 80)}"
        found = self._validate(layout.ItemEntry, raw, document, path, name)
        if found is None or not self._sound(found, document, path, name):
            return
        if head is None or episode is None:
            return
        item_id = f"{episode.id}-{found.id}"
        self.items.append(
            MythItem(
                id=unique_slug(item_id),
                culture=head.culture,
                cluster=episode.id,
                title=episode.title,
                source=_source(found.source or episode.source),
                authors=tuple(found.authors or head.authors),
                variant_of=(
                    unique_slug(f"{episode.id}-{found.variant_of}") if found.variant_of else None
                ),
                **_shared(found, document, path),
            )
        )

    def _say(self, place: Located, path: Steps, message: str, item: str | None = None) -> None:
        self.problems.append(Problem(place.file, message, place.line(path), item))

    def _validate(
        self, model: type[Model], raw: Any, place: Located, path: Steps, name: str | None = None
    ) -> Model | None:
        try:
            return model.model_validate(raw)
        except ValidationError as error:
            for fault in error.errors(include_url=False):
                steps = tuple(step for step in fault["loc"] if step != "[key]")
                self._say(place, (*path, *steps), explain(fault, steps, model), name)
            return None

    def _sound(
        self,
        entry: layout.ItemEntry | layout.PlainItem,
        place: Located,
        path: Steps,
        name: str | None,
    ) -> bool:
        faults = list(item_faults(entry))
        for steps, message in faults:
            self._say(place, (*path, *steps), message, name)
        return not faults


def _shared(
    found: layout.ItemEntry | layout.PlainItem, place: Located, path: Steps
) -> dict[str, Any]:
    return {
        "kind": found.kind,
        "question": found.question,
        "options": {
            label: Option(
                {lang: found.options[label][lang] for lang in found.question},
                found.options[label].get("tag"),
            )
            for label in sorted(found.options)
        },
        "answer": found.answer,
        "form": found.form,
        "difficulty": found.difficulty,
        "public": found.public,
        "reviews": tuple(
            Review(review.reviewer, review.date, review.note) for review in found.reviews
        ),
        "file": place.file,
        "line": place.line(path),
    }


def _source(entry: layout.SourceEntry | None) -> Source | None:
    return Source(entry.work, entry.section, entry.checked) if entry else None


def _culture(name: str) -> str:
    return slug(name) or unique_slug(name)
