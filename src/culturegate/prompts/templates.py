"""Prompt templates, read once from one YAML file a language."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from string import Template as Slots

import yaml


@dataclass(frozen=True, slots=True)
class Template:
    """One wording of a request, with `$name` slots."""

    id: str
    """Name and version, such as `plain-1`; recorded with every trial."""
    text: str

    def render(self, slots: Mapping[str, str]) -> str:
        """Return the text with every slot filled; raise KeyError for a slot without a value.

        What is filled in is never itself read for slots.
        """
        return Slots(self.text).substitute(slots)


@cache
def _wordings() -> dict[str, dict[str, tuple[Template, ...]]]:
    """Return every wording by language and track."""
    found = {}
    for file in resources.files(__package__).iterdir():
        if file.name.endswith(".yaml"):
            data = yaml.safe_load(file.read_text(encoding="utf-8"))
            found[file.name.removesuffix(".yaml")] = {
                track: tuple(Template(entry["id"], entry["text"]) for entry in entries)
                for track, entries in data.items()
            }
    return found


@cache
def languages(track: str = "myth") -> tuple[str, ...]:
    """Return the languages that there are wordings of a track in, sorted."""
    return tuple(sorted(lang for lang, tracks in _wordings().items() if track in tracks))


def templates(track: str, lang: str) -> tuple[Template, ...]:
    """Return the wordings of a track in a language, in the order in which protocols use them.

    Raises ValueError for a language that has none, naming those that have.
    """
    if lang not in languages(track):
        there_are = ", ".join(languages(track))
        message = f"no {track} prompts in language {lang!r}; there are: {there_are}"
        raise ValueError(message)
    return _wordings()[lang][track]


def prompt_hash(wordings: Iterable[tuple[str, str]]) -> str:
    """Return the SHA-256 (hex) of every wording in use, given as pairs of id and text."""
    digest = hashlib.sha256()
    for name, text in sorted(wordings):
        digest.update(f"{name}\0{text}\0".encode())
    return digest.hexdigest()
