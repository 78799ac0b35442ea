"""Prompt templates, read once from one YAML file a language."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
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
def languages() -> tuple[str, ...]:
    """Return the languages that there are prompts in, sorted."""
    files = (file.name for file in resources.files(__package__).iterdir())
    return tuple(sorted(name.removesuffix(".yaml") for name in files if name.endswith(".yaml")))


@cache
def templates(track: str, lang: str) -> tuple[Template, ...]:
    """Return the wordings of a track in a language, in the order in which protocols use them.

    Raises ValueError for a language that has none, naming those that have.
    """
    if lang not in languages():
        message = f"no prompts in language {lang!r}; there are: {', '.join(languages())}"
        raise ValueError(message)
    file = resources.files(__package__) / f"{lang}.yaml"
    data = yaml.safe_load(file.read_text(encoding="utf-8"))
    return tuple(Template(entry["id"], entry["text"]) for entry in data[track])


def prompt_hash(tracks: Mapping[str, int], langs: tuple[str, ...]) -> str:
    """Return the SHA-256 (hex) of every wording in use: `tracks` maps a track to its number."""
    digest = hashlib.sha256()
    for track, count in sorted(tracks.items()):
        for lang in sorted(langs):
            for template in templates(track, lang)[:count]:
                digest.update(f"{track}\0{lang}\0{template.id}\0{template.text}\0".encode())
    return digest.hexdigest()
