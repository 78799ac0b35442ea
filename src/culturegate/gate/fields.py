"""Parts of a document read one at a time, with every mistake noted at its line."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Any

from culturegate.bank.yaml12 import Document
from culturegate.errors import Problem
from culturegate.text import one_line

Steps = tuple[str | int, ...]


class Fields:
    """Walks a document and gathers what is wrong with it."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.problems: list[Problem] = []
        self.item: str | None = None
        """Name of what is being read, for the messages."""

    def say(self, message: str, path: Steps) -> None:
        """Note a mistake at a part of the document."""
        self.problems.append(self.document.problem(message, path, self.item))

    def mapping(self, value: Any, keys: Sequence[str], path: Steps, what: str) -> dict[str, Any]:
        """Return a mapping's known keys, telling of the others."""
        if not isinstance(value, dict):
            self.say(f"{what} is {shown(value)}; it must be a mapping", path)
            return {}
        for key in value:
            if key not in keys:
                self.say(f"unknown key {shown(key)} in {what}{meant(key, keys)}", (*path, key))
        return {key: value[key] for key in value if key in keys}

    def number(
        self, value: Any, path: Steps, low: float = -math.inf, high: float = math.inf
    ) -> float | None:
        """Return a finite number within [low, high], or tell what it is instead."""
        if isinstance(value, bool) or not isinstance(value, int | float):
            self.say(f"{path[-1]} is {shown(value)}; it must be a number", path)
            return None
        try:
            found = float(value)
        except OverflowError:
            found = math.inf
        if not math.isfinite(found) or not low <= found <= high:
            allowed = f"from {low:g} to {high:g}" if math.isfinite(low + high) else "finite"
            if math.isfinite(low) and math.isinf(high):
                allowed = f"{low:g} or more"
            elif math.isinf(low) and math.isfinite(high):
                allowed = f"{high:g} or less"
            self.say(f"{path[-1]} is {shown(value)}; it must be {allowed}", path)
            return None
        return found

    def count(self, value: Any, path: Steps) -> int | None:
        """Return a whole number of at least 1, or tell what it is instead."""
        if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= 10**9:
            self.say(f"{path[-1]} is {shown(value)}; it must be a whole number from 1", path)
            return None
        return value

    def truth(self, value: Any, path: Steps) -> bool:
        """Return true or false, or tell what it is instead."""
        if not isinstance(value, bool):
            self.say(f"{path[-1]} is {shown(value)}; it must be true or false", path)
            return False
        return value


def shown(value: Any) -> str:
    """Return a value as a message shows it, bounded."""
    if value is None:
        return "empty"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict | list):
        return "a mapping" if isinstance(value, dict) else "a list"
    return one_line(repr(value), 60)


def meant(value: Any, names: Iterable[str]) -> str:
    """Return the name that was probably meant, and all there are, as the end of a message."""
    close = get_close_matches(str(value)[:60], list(names), 1)
    told = f"; did you mean {close[0]!r}?" if close else ""
    return f"{told} (there are: {listed(names)})"


def listed(names: Iterable[str]) -> str:
    """Return names as a message lists them."""
    return ", ".join(names)
