"""What a run would ask, under each protocol, before anybody is asked."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from culturegate.errors import CallError
from culturegate.models import Price, Prompt, Reply
from culturegate.models.tokens import estimate
from culturegate.tracks import Case

SECONDS = 2.0
"""What a request is taken to last, for want of a measurement; said beside the figure."""


@dataclass(frozen=True, slots=True)
class Forecast:
    """How much one protocol asks."""

    protocol: str
    cases: int
    requests: int
    prompt_tokens: int
    """Rough: from the prompts' characters."""
    completion_tokens: int
    """At most: every reply as long as it may be."""
    cost: float | None
    """At most; None where the model's price is unknown."""
    minutes: float
    """At `SECONDS` a request, over the session's connections and within its rates."""


def forecast(
    protocol: str,
    cases: Sequence[Case],
    *,
    price: Price | None,
    max_connections: int,
    rpm: float | None = None,
    tpm: float | None = None,
) -> Forecast:
    """Count what asking these cases would take; follow-ups that depend on a reply are apart."""
    prompts = [prompt for case in cases for prompt in _prompts(case)]
    sent = round(sum(map(estimate, prompts)))
    received = sum(prompt.max_tokens for prompt in prompts)
    minutes = [len(prompts) * SECONDS / max_connections / 60]
    minutes += [len(prompts) / rpm] if rpm else []
    minutes += [(sent + received) / tpm] if tpm else []
    return Forecast(
        protocol,
        len(cases),
        len(prompts),
        sent,
        received,
        None if price is None else price.cost(sent, received),
        max(minutes),
    )


def _prompts(case: Case) -> list[Prompt]:
    """Return what a case sends, by letting it ask somebody who never answers."""
    prompts: list[Prompt] = []

    async def listen(prompt: Prompt) -> Reply:
        prompts.append(prompt)
        raise CallError("cancelled", "only counted")

    asyncio.run(case.run(listen))
    return prompts


def forecast_lines(rows: Iterable[Forecast]) -> list[str]:
    """Lay the forecasts out as a table, with what they rest on."""
    head = ("protocol", "cases", "requests", "prompt tokens", "reply tokens", "cost", "minutes")
    table = [head]
    for row in rows:
        cost = "unknown" if row.cost is None else f"≤ {row.cost:.2f}"
        table.append(
            (
                row.protocol,
                f"{row.cases:,}",
                f"{row.requests:,}",
                f"about {row.prompt_tokens:,}",
                f"≤ {row.completion_tokens:,}",
                cost,
                f"{row.minutes:.1f}",
            )
        )
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    lines = [
        "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True))
        for row in table
    ]
    return [
        *lines,
        f"Replies count as long as they may be, a request as {SECONDS:g} s. Nobody was asked.",
    ]
