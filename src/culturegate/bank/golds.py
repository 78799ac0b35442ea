"""Which option a foreign row's gold answer means: a text, a letter, or an index from 0 or 1."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from culturegate.bank.wording import folded
from culturegate.errors import CulturegateError
from culturegate.text import one_line

AnswerAs = Literal["letter", "text", "index0", "index1"]

_LETTER = re.compile(r"\(?([A-Ja-j])[).]?", re.ASCII)


class LeftOut(Exception):
    """A row that gives no item; the message says why."""


def parsed(value: Any) -> Any:
    """Return a value that a cell holds as JSON or as a Python literal, else the cell's text."""
    if not isinstance(value, str) or value[:1] not in "[{(":
        return value
    for read in (lambda text: json.loads(text, parse_int=str, parse_float=str), ast.literal_eval):
        try:
            return read(value)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
    return value


def answer_style(golds: Sequence[tuple[str, Mapping[str, str]]], file: Path) -> AnswerAs:
    """Work out how keys are given, from every gold and the options it stands beside.

    Raises `CulturegateError` where that cannot be told.
    """
    if not golds:
        raise CulturegateError(f"{file}: no row has a gold answer")
    fits: dict[AnswerAs, Callable[[str, Mapping[str, str]], bool]] = {
        "text": lambda gold, options: folded(gold) in {folded(text) for text in options.values()},
        "letter": lambda gold, options: (
            (match := _LETTER.fullmatch(gold)) is not None and match[1].lower() in options
        ),
        "index0": lambda gold, options: gold.isdecimal() and int(gold) < len(options),
        "index1": lambda gold, options: gold.isdecimal() and 1 <= int(gold) <= len(options),
    }
    # Where a stray row fits none, the style that fits nearly all is still the file's.
    shares = {
        style: sum(fit(gold, options) for gold, options in golds) / len(golds)
        for style, fit in fits.items()
    }
    numbers = all(gold.isdecimal() for gold, _ in golds)
    if numbers and shares["text"] < 1 and shares["index0"] == shares["index1"]:
        raise CulturegateError(
            f"{file}: whether the answers count from 0 or 1 cannot be told; say --answer index0 "
            "or --answer index1"
        )
    best = max(shares, key=lambda style: shares[style])
    if shares[best] < 0.5:
        raise CulturegateError(
            f"{file}: the answers (such as {one_line(golds[0][0], 40)!r}) are neither texts, "
            f"letters nor indices of the options; map another column or say --answer"
        )
    return best


def key_of(gold: str, options: Mapping[str, str], style: AnswerAs) -> str:
    """Return the label that a gold answer names; raises `LeftOut` where it names none."""
    shown = one_line(gold, 40)
    if style == "text":
        label = next((name for name, text in options.items() if folded(text) == folded(gold)), None)
        if label is None:
            raise LeftOut(f"the gold answer {shown!r} is none of the options")
        return label
    if style == "letter":
        match = _LETTER.fullmatch(gold)
        if match is None or match[1].lower() not in options:
            raise LeftOut(f"the gold answer {shown!r} is no letter of an option")
        return match[1].lower()
    index = int(gold) - (style == "index1") if gold.isdecimal() else -1
    if not 0 <= index < len(options):
        raise LeftOut(f"the gold answer {shown!r} is no index of an option ({style})")
    return list(options)[index]
