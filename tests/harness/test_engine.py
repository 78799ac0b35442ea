"""The engine asks ahead of pytest, never locks up, and ends when it is told to."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace

import pytest

from culturegate.errors import CallError, ModelUnavailable
from culturegate.models import (
    Budget,
    Engine,
    Limits,
    Message,
    ModelInfo,
    Price,
    Prompt,
    Reply,
    ReplyStore,
    Usage,
)


@dataclass
class Echo:
    """A model that answers with the prompt's own text after `delay` seconds."""

    delay: float = 0.0
    react: Callable[[str], Awaitable[None]] | None = None
    calls: list[str] = field(default_factory=list)
    prompts: list[Prompt] = field(default_factory=list)
    usage: Usage = field(default_factory=lambda: Usage(5, 5))
    now: int = 0
    most: int = 0
    closed: bool = False

    async def check(self) -> ModelInfo:
        return ModelInfo("echo", "endpoint", "http://echo/v1")

    async def ask(self, prompt: Prompt) -> Reply:
        text = prompt.messages[-1].content
        self.calls.append(text)
        self.prompts.append(prompt)
        self.now += 1
        self.most = max(self.most, self.now)
        try:
            if self.delay:
                await asyncio.sleep(self.delay)
            if self.react is not None:
                await self.react(text)
        finally:
            self.now -= 1
        return Reply(text=text, key=prompt.key("echo"), usage=self.usage)

    async def aclose(self) -> None:
        self.closed = True


class Case:
    def __init__(self, name: str, trials: int = 1, bug: BaseException | None = None) -> None:
        self.facts = SimpleNamespace(case=name)
        self.trials = trials
        self.bug = bug

    async def run(self, ask: Callable[[Prompt], Awaitable[Reply]]) -> str:
        if self.bug is not None:
            raise self.bug
        texts = [
            self.facts.case if n == 0 else f"{self.facts.case}.{n}" for n in range(self.trials)
        ]
        replies = await asyncio.gather(*(self._trial(ask, text) for text in texts))
        return "+".join(replies)

    async def _trial(self, ask: Callable[[Prompt], Awaitable[Reply]], text: str) -> str:
        try:
            return (await ask(Prompt((Message("user", text),)))).text or ""
        except CallError as error:
            return f"error:{error.kind}"


def cases(count: int, trials: int = 1) -> list[Case]:
    return [Case(f"case-{n}", trials) for n in range(count)]


def within(seconds: float, work: Callable[[], object]) -> object:
    """Run `work` in a thread of its own, so that a lock-up fails one test, not the session."""
    box: list[object] = []

    def call() -> None:
        try:
            box.append(work())
        except BaseException as error:
            box.append(error)

    thread = threading.Thread(target=call, daemon=True)
    thread.start()
    thread.join(seconds)
    assert box, f"still at work after {seconds} s"
    if isinstance(box[0], BaseException):
        raise box[0]
    return box[0]


def until(condition: Callable[[], bool], seconds: float = 5) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.005)


def test_every_case_gets_its_own_result_in_order() -> None:
    plan = cases(200)
    engine = Engine(Echo(0.001), plan, max_connections=16)
    assert engine.start().name == "echo"
    assert [engine.outcome(case) for case in plan] == [case.facts.case for case in plan]
    assert engine.snapshot().done == engine.snapshot().answered == 200
    engine.close()


def test_cases_are_asked_in_the_order_of_the_plan_before_anybody_waits() -> None:
    model = Echo()
    engine = Engine(model, cases(50), max_connections=4)
    engine.start()
    until(lambda: len(model.calls) == 50)
    assert model.calls == [f"case-{n}" for n in range(50)]
    engine.close()


def test_no_more_calls_than_connections_are_in_flight_however_many_trials_a_case_has() -> None:
    model, plan = Echo(0.005), cases(20, trials=7)
    engine = Engine(model, plan, max_connections=5)
    engine.start()
    for case in plan:
        engine.outcome(case)
    engine.close()
    assert model.most == 5
    assert len(model.calls) == 140


def test_the_trials_of_a_case_go_out_together() -> None:
    model = Echo(0.1)
    engine = Engine(model, cases(1, trials=8), max_connections=8)
    engine.start()
    started = time.monotonic()
    engine.outcome(Case("case-0", 8))
    assert time.monotonic() - started < 0.4
    engine.close()


def test_the_window_bounds_how_far_the_engine_runs_ahead() -> None:
    model, plan = Echo(), cases(100)
    engine = Engine(model, plan, max_connections=8, window=10)
    engine.start()
    until(lambda: len(model.calls) == 10)
    time.sleep(0.05)
    assert len(model.calls) == 10
    for case in plan[:20]:
        engine.outcome(case)
    until(lambda: len(model.calls) >= 27)
    time.sleep(0.05)
    assert len(model.calls) <= 30
    engine.close()


@pytest.mark.parametrize("window", [1, 2, 7])
@pytest.mark.parametrize("order", ["reversed", "odd first", "last first", "one skipped"])
def test_no_order_of_tests_and_no_window_can_lock_up(order: str, window: int) -> None:
    plan = cases(40)
    fetch = {
        "reversed": plan[::-1],
        "odd first": plan[1::2] + plan[::2],
        "last first": [plan[-1], *plan[:-1]],
        "one skipped": plan[:10] + plan[11:],
    }[order]
    model = Echo()
    engine = Engine(model, plan, max_connections=2, window=window)
    engine.start()
    got = within(20, lambda: [engine.outcome(case) for case in fetch])
    assert got == [case.facts.case for case in fetch]
    engine.close()
    assert len(model.calls) == len(set(model.calls))


def test_a_case_outside_the_plan_is_asked_on_demand() -> None:
    engine = Engine[str](Echo(), cases(3), max_connections=2)
    engine.start()
    assert within(5, lambda: engine.outcome(Case("stranger"))) == "stranger"
    engine.close()


def test_an_empty_plan_asks_what_is_demanded() -> None:
    engine = Engine[str](Echo(), [], max_connections=2)
    engine.start()
    assert within(5, lambda: engine.outcome(Case("late"))) == "late"
    engine.close()


def test_a_result_fetched_twice_is_asked_once() -> None:
    model, plan = Echo(), cases(3)
    engine = Engine(model, plan, max_connections=2)
    engine.start()
    assert engine.outcome(plan[0]) == engine.outcome(plan[0]) == "case-0"
    engine.close()
    assert model.calls.count("case-0") == 1


def test_replies_of_a_fetched_case_are_at_hand_and_do_not_pile_up() -> None:
    plan = cases(500, trials=2)
    engine = Engine(Echo(), plan, max_connections=8)
    engine.start()
    for case in plan:
        engine.outcome(case)
    held = [len(engine.replies(case.facts.case)) for case in plan]
    assert held[-1] == 2
    assert sum(1 for count in held if count) <= 64
    prompt, reply = engine.replies("case-499")[0]
    assert (prompt.case, prompt.trial, reply.text) == ("case-499", 0, "case-499")
    engine.close()


def test_an_unreachable_model_raises_where_the_engine_was_started() -> None:
    class Nobody(Echo):
        async def check(self) -> ModelInfo:
            raise ModelUnavailable("http://echo/v1: connection refused")

    engine = Engine(Nobody(), cases(3), max_connections=2)
    with pytest.raises(ModelUnavailable, match="connection refused"):
        within(5, engine.start)
    with pytest.raises(ModelUnavailable, match="connection refused"):
        within(5, lambda: engine.outcome(Case("case-0")))
    engine.close()


def test_a_model_lost_half_way_stops_the_run_and_keeps_what_was_answered() -> None:
    async def react(text: str) -> None:
        if text == "case-5":
            raise ModelUnavailable("http://echo/v1: the quota is used up")

    model, plan = Echo(react=react), cases(1000)
    engine = Engine(model, plan, max_connections=1)
    engine.start()
    assert [within(5, lambda c=c: engine.outcome(c)) for c in plan[:5]] == [
        f"case-{n}" for n in range(5)
    ]
    for case in plan[5:8]:
        with pytest.raises(ModelUnavailable, match="quota"):
            within(5, lambda c=case: engine.outcome(c))
    assert len(model.calls) == 6
    assert str(engine.fault) == "http://echo/v1: the quota is used up"
    engine.close()


@pytest.mark.parametrize(
    "bug", [ZeroDivisionError("oops"), SystemExit(3), asyncio.CancelledError()]
)
def test_a_bug_in_a_case_is_that_cases_exception_and_no_other_case_is_harmed(
    bug: BaseException,
) -> None:
    plan = [*cases(3), Case("buggy", bug=bug), *[Case(f"more-{n}") for n in range(30)]]
    engine = Engine(Echo(), plan, max_connections=2)
    engine.start()
    kind = CallError if isinstance(bug, asyncio.CancelledError) else type(bug)
    for case in plan:
        if case.bug is None:
            assert within(5, lambda c=case: engine.outcome(c)) == case.facts.case
        else:
            with pytest.raises(kind):
                within(5, lambda c=case: engine.outcome(c))
    engine.close()


def test_a_call_cancelled_by_the_client_library_is_a_failed_call() -> None:
    async def react(text: str) -> None:
        if text == "case-1":
            raise asyncio.CancelledError

    plan = cases(5)
    engine = Engine(Echo(react=react), plan, max_connections=1)
    engine.start()
    got = within(5, lambda: [engine.outcome(case) for case in plan])
    assert got == ["case-0", "error:cancelled", "case-2", "case-3", "case-4"]
    assert engine.snapshot().failed == 1
    engine.close()


def test_a_hang_costs_one_time_out() -> None:
    async def react(text: str) -> None:
        if text == "case-3":
            try:
                async with asyncio.timeout(0.5):
                    await asyncio.Event().wait()
            except TimeoutError:
                raise CallError("timeout", "no answer within 0.5 s") from None

    plan = cases(300)
    engine = Engine(Echo(0.001, react), plan, max_connections=4)
    engine.start()
    started = time.monotonic()
    got = [engine.outcome(case) for case in plan]
    assert got.count("error:timeout") == 1
    assert got[3] == "error:timeout"
    assert time.monotonic() - started < 2
    engine.close()


def test_closing_during_flight_cancels_at_once_and_loses_no_reply(tmp_path: Path) -> None:
    cancelled = []

    async def react(text: str) -> None:
        if int(text.split("-")[1]) >= 5:
            try:
                await asyncio.Event().wait()
            finally:
                cancelled.append(text)

    model, plan = Echo(react=react), cases(50)
    with ReplyStore(tmp_path / "replies.sqlite") as store:
        engine = Engine(model, plan, max_connections=8, store=store)
        info = engine.start()
        until(lambda: engine.snapshot().in_flight == 8)
        started = time.monotonic()
        engine.close()
        assert time.monotonic() - started < 1
        assert model.closed
        assert len(cancelled) == 8
        assert engine.outcome(plan[2]) == "case-2"
        with pytest.raises(CallError, match="stopped before"):
            engine.outcome(plan[6])
        engine.close()
        for prompt in model.prompts[:5]:
            assert store.get(prompt.key("echo"), info.base_url) is not None


def test_a_model_that_will_not_be_cancelled_cannot_keep_the_engine_from_closing() -> None:
    async def react(text: str) -> None:
        while True:
            try:
                await asyncio.sleep(3)
                return
            except asyncio.CancelledError:
                pass

    engine = Engine(Echo(react=react), cases(2), max_connections=2)
    engine.start()
    started = time.monotonic()
    within(10, engine.close)
    assert time.monotonic() - started < 4


def test_closing_while_another_thread_waits_frees_it() -> None:
    async def react(text: str) -> None:
        await asyncio.Event().wait()

    engine = Engine(Echo(react=react), cases(2), max_connections=2)
    engine.start()
    threading.Timer(0.2, engine.close).start()
    with pytest.raises(CallError, match="stopped before"):
        within(5, lambda: engine.outcome(Case("case-0")))


def test_closing_during_the_check_ends_the_engine() -> None:
    class Slow(Echo):
        async def check(self) -> ModelInfo:
            await asyncio.Event().wait()
            raise AssertionError

    engine = Engine(Slow(), cases(2), max_connections=2)
    threading.Timer(0.2, engine.close).start()
    with pytest.raises(CallError, match="stopped before"):
        within(5, engine.start)


def test_an_engine_never_started_closes() -> None:
    within(2, Engine(Echo(), cases(2), max_connections=2).close)


def test_a_spent_token_budget_leaves_the_rest_unasked() -> None:
    model, plan = Echo(), cases(30)
    engine = Engine(model, plan, max_connections=1, budget=Budget(Limits(tokens=95)))
    engine.start()
    got = [engine.outcome(case) for case in plan]
    engine.close()
    assert got[9] == "case-9"
    assert got[10:] == ["error:budget"] * 20
    assert len(model.calls) == 10
    assert engine.budget_spent == "the budget of 95 tokens is spent (100)"


def test_the_time_limit_cuts_a_call_that_is_in_flight() -> None:
    async def react(text: str) -> None:
        if text != "case-0":
            await asyncio.Event().wait()

    plan = cases(4)
    engine = Engine(Echo(react=react), plan, max_connections=2, budget=Budget(Limits(minutes=0.01)))
    engine.start()
    got = within(5, lambda: [engine.outcome(case) for case in plan])
    assert got == ["case-0", "error:budget", "error:budget", "error:budget"]
    assert engine.budget_spent == "the time limit of 0.01 minutes is over"
    engine.close()


def test_tokens_that_the_server_does_not_count_are_unknown_and_still_spend_the_budget() -> None:
    budget = Budget(Limits(tokens=100), Price(1, 1))
    budget.count(Prompt((Message("user", "x" * 70),), max_tokens=32), Usage())
    assert budget.tokens is None
    assert budget.cost is None
    assert budget.spent == "the budget of 100 tokens is spent (102 at most)"


def test_a_cost_limit_needs_a_price() -> None:
    with pytest.raises(Exception, match="needs the model's price"):
        Budget(Limits(cost=1.0))
    budget = Budget(Limits(cost=1.0), Price(prompt=2.0, completion=10.0))
    budget.count(Prompt(()), Usage(100_000, 50_000))
    assert budget.cost == pytest.approx(0.7)
    assert budget.spent is None
    budget.count(Prompt(()), Usage(100_000, 50_000))
    assert budget.spent == "the budget of 1 is spent (1.4)"


def test_shares_of_a_budget_add_up() -> None:
    shares = [Limits(cost=9, tokens=10, minutes=5).share(index, 3) for index in range(3)]
    assert sum(share.tokens or 0 for share in shares) == 10
    assert [share.cost for share in shares] == [3, 3, 3]
    assert {share.minutes for share in shares} == {5}


def test_ten_thousand_instant_cases_cost_little(capsys: pytest.CaptureFixture[str]) -> None:
    plan = cases(10_000)

    async def bare() -> None:
        model, queue = Echo(), iter(plan)

        async def consume() -> None:
            for case in queue:
                await case.run(model.ask)

        await asyncio.gather(*(consume() for _ in range(64)))

    started = time.process_time()
    asyncio.run(bare())
    limit = time.process_time() - started
    engine = Engine(Echo(), plan, max_connections=64)
    started = time.process_time()
    engine.start()
    for case in plan:
        engine.outcome(case)
    mine = time.process_time() - started
    engine.close()
    with capsys.disabled():
        print(f"\n  engine: {mine * 100:.0f} µs of CPU a case, bare loop {limit * 100:.0f}")
    assert mine < 10


INTERRUPTED = """
    import asyncio, os, signal, sys, threading, time
    from pathlib import Path
    from types import SimpleNamespace
    from culturegate.models import Engine, Message, ModelInfo, Prompt, Reply, ReplyStore

    class Model:
        async def check(self):
            return ModelInfo("m", "endpoint")
        async def ask(self, prompt):
            if int(prompt.messages[0].content) >= 20:
                await asyncio.Event().wait()
            return Reply(prompt.messages[0].content)
        async def aclose(self):
            print("released", flush=True)

    class Case:
        def __init__(self, n):
            self.facts = SimpleNamespace(case=str(n))
        async def run(self, ask):
            return (await ask(Prompt((Message("user", self.facts.case),)))).text

    plan = [Case(n) for n in range(100)]
    store = ReplyStore(Path(sys.argv[1]))
    engine = Engine(Model(), plan, max_connections=4, store=store)
    engine.start()
    threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    started = time.monotonic()
    try:
        for case in plan:
            engine.outcome(case)
    except KeyboardInterrupt:
        engine.close()
        store.close()
        print(f"interrupted after {time.monotonic() - started:.1f} s", flush=True)
"""


def test_ctrl_c_while_waiting_ends_at_once_and_keeps_every_reply(tmp_path: Path) -> None:
    path = tmp_path / "replies.sqlite"
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(INTERRUPTED), str(path)],
        capture_output=True,
        text=True,
        timeout=30,
        check=True,
    )
    assert done.stderr == ""
    assert done.stdout.startswith("released\ninterrupted after ")
    assert float(done.stdout.split()[-2]) < 1.5
    with ReplyStore(path) as store:
        asked = [Prompt((Message("user", str(n)),)).key("m") for n in range(20)]
        assert all(store.get(key, None) for key in asked)
