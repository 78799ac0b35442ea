"""What can be wrong in one entry, in words that say what to do."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence

from pydantic import BaseModel
from pydantic_core import ErrorDetails

from culturegate.bank import layout
from culturegate.bank.wording import folded
from culturegate.text import one_line

Steps = tuple[str | int, ...]
"""Way from an entry to one of its parts."""


def item_faults(entry: layout.ItemEntry | layout.PlainItem) -> Iterator[tuple[Steps, str]]:
    """Name what is wrong between the fields of one item."""
    labels = sorted(entry.options)
    if labels != list(layout.LABELS[: len(labels)]):
        yield ("options",), f"options: labels run from a without a gap, got {', '.join(labels)}"
    if entry.answer not in entry.options:
        shown = one_line(entry.answer, 40)
        yield ("answer",), f"answer: {shown!r} is not among the options {', '.join(labels)}"
    if entry.kind == "recall" and entry.form is not None:
        yield ("form",), "form: only decode items have one"
    langs = list(entry.question)
    for label in labels:
        option = entry.options[label]
        tag = option.get("tag")
        if tag is not None and tag not in layout.TAGS:
            message = f"tag {one_line(tag, 40)!r}; one of {', '.join(layout.TAGS)}"
            yield ("options", label, "tag"), f"options.{label}: {message}"
        elif tag is not None and label == entry.answer:
            yield ("options", label, "tag"), f"options.{label}: the key carries no tag"
        missing = [lang for lang in langs if lang not in option]
        if missing:
            yield ("options", label), f"options.{label}: no text in {', '.join(missing)}"
        extra = [key for key in option if key != "tag" and key not in langs]
        if extra:
            yield (
                ("options", label, extra[0]),
                f"options.{label}: {', '.join(extra)} is neither a language of the question "
                "nor 'tag'",
            )
    for lang in langs:
        yield from _equal_options(entry, lang)


def _equal_options(
    entry: layout.ItemEntry | layout.PlainItem, lang: str
) -> Iterator[tuple[Steps, str]]:
    first: dict[str, str] = {}
    for label, option in entry.options.items():
        if lang not in option:
            continue
        other = first.setdefault(folded(option[lang]), label)
        if other != label:
            role = " and one is the key" if entry.answer in (label, other) else ""
            message = f"options {other.upper()} and {label.upper()} are equal in {lang}{role}"
            yield ("options", label, lang), message


def explain(fault: ErrorDetails, steps: Sequence[str | int], model: type[BaseModel]) -> str:
    """Say in our words what pydantic found."""
    where = ".".join(str(step) for step in steps)
    match fault["type"]:
        case "extra_forbidden":
            inner: dict[str, type[BaseModel]] = {
                "source": layout.SourceEntry,
                "reviews": layout.ReviewEntry,
            }
            owner = inner.get(str(steps[0]), model) if len(steps) > 1 else model
            return f"unknown field {one_line(where, 80)!r}{_meant(str(steps[-1]), owner)}"
        case "missing":
            return f"field {where!r} is missing"
        case "value_error":
            return f"{where}: {fault['ctx']['error']}"
        case "literal_error":
            got = one_line(repr(fault["input"]), 60)
            return f"{where}: one of {fault['ctx']['expected']} was expected, got {got}"
        case "string_pattern_mismatch":
            what = "a date like 2024-05-01" if where.endswith("date") else "a language code like zh"
            return f"{where}: {what} was expected, got {one_line(repr(fault['input']), 60)}"
    got = one_line(repr(fault["input"]), 60)
    return f"{where}: {fault['msg'].replace('Input should', 'should')}, got {got}".removeprefix(
        ": "
    )


def _meant(field: str, model: type[BaseModel]) -> str:
    known = list(model.model_fields)
    close = difflib.get_close_matches(field[:40], known, n=1)
    return f"; did you mean {close[0]!r}?" if close else f"; known are {', '.join(known)}"
