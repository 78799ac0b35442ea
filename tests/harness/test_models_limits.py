"""Waiting is bounded and fair: Retry-After, back-off, requests in flight, rates a minute."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from culturegate.models.limits import AdaptiveLimit, Pace
from culturegate.models.retry import LONGEST_WAIT, Clock, backoff, retry_after

NOON = 1767607200.0
"""Mon, 05 Jan 2026 10:00:00 GMT."""


class Hands(Clock):
    """A clock that moves when it is slept on."""

    def __init__(self) -> None:
        self.at = 0.0

    def now(self) -> float:
        return self.at

    async def sleep(self, seconds: float) -> None:
        self.at += seconds
        await asyncio.sleep(0)


@pytest.mark.parametrize(
    ("header", "wait"),
    [
        ("3", 3),
        ("1.5", 1.5),
        ("0", 0),
        ("Mon, 05 Jan 2026 10:00:10 GMT", 10),
        ("Mon, 05 Jan 2026 09:59:00 GMT", None),
        (None, None),
        ("soon", None),
        ("-1", None),
        ("", None),
        ("nan", None),
        ("inf", None),
        ("1e9", None),
        ("9" * 400, None),
        ("Mon, 99 Jan 2026 10:00:10 GMT", None),
        ("Mon, 05 Jan 99999999999 10:00:10 GMT", None),
    ],
)
def test_retry_after_is_seconds_or_a_date_and_else_not_said(
    header: str | None, wait: float | None
) -> None:
    headers = {} if header is None else {"retry-after": header}
    assert retry_after(headers, NOON) == wait


def test_milliseconds_go_before_seconds() -> None:
    assert retry_after({"retry-after-ms": "250", "retry-after": "1"}, NOON) == 0.25


@given(st.text(max_size=80))
def test_any_header_gives_a_wait_or_none(header: str) -> None:
    wait = retry_after({"retry-after": header}, NOON)
    assert wait is None or wait >= 0


@given(st.integers(0, 10_000))
def test_back_off_is_never_nothing_and_never_beyond_its_bound(attempt: int) -> None:
    assert 0.25 <= backoff(attempt) <= LONGEST_WAIT


def run(steps: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(steps, 10))


def test_a_burst_of_refusals_halves_once_and_successes_grow_back() -> None:
    hands = Hands()
    limit = AdaptiveLimit(16, hands)

    async def steps() -> None:
        async with limit.slot() as first, limit.slot() as second:
            hands.at += 1
            limit.refused(first, None)
            limit.refused(second, None)
        assert limit.limit == 8
        hands.at += 1
        async with limit.slot() as later:
            limit.refused(later, None)
        assert limit.limit == 4
        for _ in range(4):
            limit.succeeded()
        assert limit.limit == 5
        for _ in range(200):
            limit.succeeded()
        assert limit.limit == 16

    run(steps())


def test_refusals_never_close_the_last_place() -> None:
    hands = Hands()
    limit = AdaptiveLimit(4, hands)
    for _ in range(20):
        hands.at += 1
        limit.refused(hands.at, None)
    assert limit.limit == 1


def test_a_wait_that_the_server_asked_for_holds_everyone() -> None:
    hands = Hands()
    limit = AdaptiveLimit(4, hands)

    async def steps() -> None:
        limit.refused(0.0, 30.0)
        async with limit.slot() as taken:
            assert taken == 30.0

    run(steps())


def test_a_shrunk_limit_lets_no_more_in_than_it_says() -> None:
    limit = AdaptiveLimit(8, Clock())
    most = 0

    async def one() -> None:
        nonlocal most
        async with limit.slot():
            most = max(most, limit.in_flight)
            await asyncio.sleep(0.001)

    async def steps() -> None:
        limit.refused(float("inf"), None)
        await asyncio.gather(*[one() for _ in range(40)])

    run(steps())
    assert most == 4


@given(st.lists(st.booleans(), min_size=1, max_size=30))
def test_no_place_is_lost_when_waiters_are_cancelled(gone: list[bool]) -> None:
    limit = AdaptiveLimit(2, Clock())
    served = 0

    async def one() -> None:
        nonlocal served
        async with limit.slot():
            await asyncio.sleep(0)
            served += 1

    async def steps() -> None:
        tasks = [asyncio.create_task(one()) for _ in gone]
        await asyncio.sleep(0)
        for task, leaves in zip(tasks, gone, strict=True):
            if leaves:
                task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert limit.in_flight == 0
        async with limit.slot(), limit.slot():
            pass

    run(steps())
    assert served == gone.count(False)


def test_a_pace_has_no_burst_and_an_idle_time_earns_none() -> None:
    hands = Hands()
    pace = Pace(60, hands)
    assert [pace.reserve(1) for _ in range(3)] == [0, 1, 2]
    hands.at = 100
    assert [pace.reserve(1) for _ in range(2)] == [0, 1]


def test_what_was_not_used_is_given_back() -> None:
    pace = Pace(60, Hands())
    assert pace.reserve(100) == 0
    pace.settle(100, 40)
    assert pace.reserve(1) == 40


@pytest.mark.parametrize("rate", [0, -1, float("nan")])
def test_a_rate_of_nothing_is_refused(rate: float) -> None:
    with pytest.raises(ValueError, match="above 0 a minute"):
        Pace(rate, Clock())
