"""Which cases of the bank a test function asks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Selection:
    """The cases of one track, narrowed to one kind where one is given."""

    track: str
    kind: str | None = None


def cases(track: str, *, kind: str | None = None) -> Callable[[F], F]:
    """Mark a test function to run once for each case of a track; it takes `case` and `model`."""

    def mark(function: F) -> F:
        function.culturegate_selection = Selection(track, kind)  # type: ignore[attr-defined]
        return function

    return mark
