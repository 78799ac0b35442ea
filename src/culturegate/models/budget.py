"""What a run may spend at most: tokens, money, minutes."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from culturegate.errors import CulturegateError
from culturegate.models.base import Prompt, Usage


@dataclass(frozen=True, slots=True)
class Price:
    """What a model's tokens cost, in one currency, per million tokens."""

    prompt: float
    completion: float

    def cost(self, prompt_tokens: int, completion_tokens: int) -> float:
        """Return the cost of so many tokens."""
        return (prompt_tokens * self.prompt + completion_tokens * self.completion) / 1_000_000


@dataclass(frozen=True, slots=True)
class Limits:
    """The budgets of a session; None is no limit."""

    cost: float | None = None
    tokens: int | None = None
    minutes: float | None = None

    def share(self, index: int, count: int) -> Limits:
        """Return the part of worker `index` (from 0) of `count`; minutes pass for all alike."""
        return Limits(
            cost=None if self.cost is None else self.cost / count,
            tokens=None
            if self.tokens is None
            else self.tokens // count + (index < self.tokens % count),
            minutes=self.minutes,
        )


class Budget:
    """What has been spent of the limits.

    Where a server does not say how many tokens a call took, the most it can have taken counts
    against the limits (a token a byte sent, `max_tokens` received), since an unknown amount is
    not nothing; `tokens` and `cost` then are None: unknown.
    """

    def __init__(
        self,
        limits: Limits = Limits(),
        price: Price | None = None,
        clock: Callable[[], float] = time.monotonic,
        *,
        judged: bool = False,
        judge: Price | None = None,
    ) -> None:
        """Start the clock.

        Args:
            limits: What may be spent.
            price: Of the model under test; None where it is unknown.
            clock: Seconds, from anywhere.
            judged: Whether a judge model is asked too.
            judge: The judge's price; None where it is unknown.

        Raises:
            CulturegateError: Where the cost is limited and a price is unknown.
        """
        if limits.cost is not None and (price is None or (judged and judge is None)):
            message = (
                f"a limit on the cost needs the {'model' if price is None else 'judge'}'s price, "
                "and none is known; give the price in the configuration, or limit the tokens "
                "instead"
            )
            raise CulturegateError(message)
        self._limits = limits
        self._prices = {False: price, True: judge}
        self._clock = clock
        self._started = clock()
        self._tokens = 0
        self._cost: float | None = 0.0
        self._guessed = False
        self.spent: str | None = None
        """Which budget is spent, in a sentence; None while none is."""

    @property
    def tokens(self) -> int | None:
        """Tokens taken so far; None where the server did not count them all."""
        return None if self._guessed else self._tokens

    @property
    def cost(self) -> float | None:
        """Money spent so far; None where the price or the tokens are unknown."""
        return None if self._guessed or self._prices[False] is None else self._cost

    @property
    def seconds_left(self) -> float | None:
        """Seconds until the time is up, at least 0; None without a limit."""
        if self._limits.minutes is None:
            return None
        return max(0.0, self._started + self._limits.minutes * 60 - self._clock())

    def count(self, prompt: Prompt, usage: Usage) -> None:
        """Take one answered call into account."""
        sent, received = usage.prompt_tokens, usage.completion_tokens
        if sent is None or received is None:
            self._guessed = True
            if sent is None:
                sent = sum(len(turn.content.encode("utf-8", "replace")) for turn in prompt.messages)
            received = prompt.max_tokens if received is None else received
        self._tokens += sent + received
        price = self._prices[prompt.judge]
        if price is None or self._cost is None:
            self._cost = None
        else:
            self._cost += price.cost(sent, received)
        self.check()

    def check(self) -> str | None:
        """Look at the limits; return which one is spent, once it is for good."""
        if self.spent is None:
            self.spent = self._over()
        return self.spent

    def _over(self) -> str | None:
        most = " at most" if self._guessed else ""
        if self._limits.tokens is not None and self._tokens >= self._limits.tokens:
            return f"the budget of {self._limits.tokens} tokens is spent ({self._tokens}{most})"
        limit, cost = self._limits.cost, self._cost
        if limit is not None and cost is not None and cost >= limit:
            return f"the budget of {limit:g} is spent ({cost:.4g}{most})"
        if self.seconds_left == 0.0:
            return f"the time limit of {self._limits.minutes:g} minutes is over"
        return None
