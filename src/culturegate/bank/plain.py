"""The plain item that people start with, brought into the shape of the bank's own.

`{"id": 1, "culture": "Greek", "type": "recall", "question": "…", "options": ["A. …", "B. …"],
"answer": "B"}`, in JSON, JSON Lines or a table whose columns are `a`, `b`… or `option_a`….
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from culturegate.bank.layout import LABELS
from culturegate.bank.scripts import guess_lang

_LETTERED = re.compile(r"\(?([A-Ja-j])\s?[.)、．:：）]\s*(?=\S)")
_ANSWER = re.compile(r"\(?\s?([A-Ja-j])\s?[.)]?", re.ASCII)
_OPTION_COLUMN = re.compile(r"(?:option_?)?([a-j])", re.ASCII)
_TAG_COLUMN = re.compile(r"tag_([a-j])", re.ASCII)


class Unreadable(ValueError):
    """A field whose layout is not one that is read; `field` says which."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


def entry(raw: Mapping[str, Any], *, table: bool = False) -> dict[str, Any]:
    """Return the fields of a `PlainItem` for one plain record.

    In a table (`table`) an empty cell is a field left out and column names have no case. Raises
    `Unreadable` where options or answer are in a layout that only an import can map.
    """
    fields = (
        {key.casefold(): cell for key, cell in raw.items() if cell.strip()} if table else dict(raw)
    )
    if "type" in fields and "kind" not in fields:
        fields["kind"] = fields.pop("type")
    if isinstance(fields.get("kind"), str):
        fields["kind"] = fields["kind"].strip().casefold()
    question = fields.get("question")
    # Only texts without a language of their own need one.
    lang = fields.pop("lang", None) or guess_lang(question if isinstance(question, str) else "")
    options = _options(fields, table=table)
    if options is not None:
        fields["options"] = {label: _localised(value, lang) for label, value in options.items()}
        for column in [name for name in fields if _TAG_COLUMN.fullmatch(name)]:
            fields["options"].setdefault(column[-1], {})["tag"] = fields.pop(column).strip()
    for name in ("question", "title"):
        if isinstance(fields.get(name), str):
            fields[name] = {lang: fields[name]}
    if isinstance(fields.get("answer"), str):
        fields["answer"] = _letter(fields["answer"])
    if isinstance(fields.get("authors"), str):
        fields["authors"] = [name for name in fields["authors"].split(";") if name.strip()]
    if isinstance(fields.get("source"), str):
        fields["source"] = {"work": fields["source"], "section": "not given"}
    return fields


def lettered(texts: list[str]) -> dict[str, str]:
    """Return option texts by label; letters are taken off where every text starts with its own."""
    found = [_LETTERED.match(text.strip()) for text in texts]
    letters = [match[1].lower() for match in found if match]
    if len(letters) == len(texts) and sorted(letters) == list(LABELS[: len(texts)]):
        bare = [
            text.strip()[match.end() :] for text, match in zip(texts, found, strict=True) if match
        ]
        return dict(sorted(zip(letters, bare, strict=True)))
    if len(texts) > len(LABELS):
        raise Unreadable("options", f"{len(texts)} options; at most {len(LABELS)} are asked")
    return dict(zip(LABELS, texts, strict=False))


def _options(fields: dict[str, Any], *, table: bool) -> dict[str, Any] | None:
    given = fields.get("options")
    if given is None and table:
        columns = {
            match[1]: name for name in list(fields) if (match := _OPTION_COLUMN.fullmatch(name))
        }
        return {label: fields.pop(columns[label]) for label in sorted(columns)} or None
    if isinstance(given, str):
        try:
            given = json.loads(given, parse_int=str, parse_float=str)
        except (ValueError, RecursionError):
            raise Unreadable(
                "options", "text that is no JSON list; `culturegate import` maps other layouts"
            ) from None
    if isinstance(given, dict):
        return {str(label).strip().lower(): value for label, value in given.items()}
    if isinstance(given, list):
        if not all(isinstance(value, str | bool) for value in given):
            raise Unreadable(
                "options", "a list of something else than texts; `culturegate import` maps it"
            )
        return dict(
            lettered([str(value).lower() if value in (True, False) else value for value in given])
        )
    return None


def _localised(value: Any, lang: str) -> Any:
    return value if isinstance(value, dict) else {lang: value}


def _letter(answer: str) -> str:
    found = _ANSWER.fullmatch(answer.strip())
    return found[1].lower() if found else answer
