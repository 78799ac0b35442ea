"""A case as far as the engine is concerned; tracks define the whole."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Protocol, TypeVar

from culturegate.models.base import Prompt, Reply

R_co = TypeVar("R_co", covariant=True)
Ask = Callable[[Prompt], Awaitable[Reply]]


class Facts(Protocol):
    """What the engine needs to know of a case."""

    @property
    def case(self) -> str:
        """The case's id."""
        ...


class CaseLike(Protocol[R_co]):
    """One thing to ask and judge, with a result of type R."""

    @property
    def facts(self) -> Facts:
        """What is known before asking."""
        ...

    async def run(self, ask: Ask) -> R_co:
        """Ask every prompt of the case and return its result."""
        ...
