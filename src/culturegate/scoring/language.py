"""What the readers know of each language: one table each, data that a native reader can check.

The tables lie in `tables/`, named by language code; `tables/en.yaml` says what each list means.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache
from importlib.resources import files
from typing import Any

import yaml

_TABLES = files(__package__) / "tables"


@dataclass(frozen=True, slots=True)
class Language:
    """One language's table, as `tables/en.yaml` explains it. Every phrase is lower case."""

    name: str
    answer: tuple[str, ...]
    choose: tuple[str, ...]
    lean: tuple[str, ...]
    link: tuple[str, ...]
    option: tuple[str, ...]
    right: tuple[str, ...]
    wrong: tuple[str, ...]
    not_: tuple[str, ...]
    and_: tuple[str, ...]
    after: tuple[str, ...]
    tail: tuple[str, ...]
    also_words: tuple[str, ...]
    labels: tuple[str, ...]
    """Letters that stand for the options in order; one entry a set, its letters run together or
    parted by spaces."""
    unknown: tuple[str, ...]
    none: tuple[str, ...]
    refusal: tuple[str, ...]
    confidence: tuple[str, ...]
    degrees: Mapping[str, float]
    words: Mapping[str, tuple[str, ...]]
    prefixes: tuple[str, ...] = ()
    """Letters that join the front of a phrase, such as the Arabic "and"."""
    suffixes: tuple[str, ...] = ()
    """Endings that a letter may carry after an apostrophe or a hyphen, such as the Turkish 'dir."""

    def label_sets(self) -> tuple[tuple[str, ...], ...]:
        """Return each set of native option letters, in option order."""
        return tuple(tuple(s.split() if " " in s else s) for s in self.labels)


@cache
def languages() -> tuple[str, ...]:
    """Return the codes of the languages that have a table, sorted."""
    return tuple(
        sorted(t.name.removesuffix(".yaml") for t in _TABLES.iterdir() if t.name.endswith(".yaml"))
    )


def language_code(lang: str) -> str:
    """Return the table's code for a language tag: `zh-Hant` and `zh_TW` are read by `zh`.

    Raises `ValueError` naming the languages there are where none fits.
    """
    code = lang.replace("_", "-").split("-", 1)[0].lower()
    if code not in languages():
        message = f"no reading table for language {lang!r}; there are {', '.join(languages())}"
        raise ValueError(message)
    return code


@cache
def language(lang: str) -> Language:
    """Return a language's table; raises `ValueError` where there is none."""
    text = (_TABLES / f"{language_code(lang)}.yaml").read_text(encoding="utf-8")
    # The base loader leaves every scalar as text, so that "no" stays a word.
    data: dict[str, Any] = yaml.load(text, Loader=yaml.CBaseLoader)
    values: dict[str, Any] = {}
    for field in fields(Language):
        key = field.name.removesuffix("_")
        match data.get(key, ()):
            case str() as value:
                values[field.name] = value
            case dict() as value if key == "degrees":
                values[field.name] = {phrase: float(degree) for phrase, degree in value.items()}
            case dict() as value:
                values[field.name] = {label: tuple(phrases) for label, phrases in value.items()}
            case value:
                values[field.name] = tuple(value)
    return Language(**values)
