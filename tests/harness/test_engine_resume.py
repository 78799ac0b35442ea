"""A run that was killed goes on where it stopped: what is stored is not asked again."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest
from servers import MODEL, Answer, ScriptedServer, prompt_of

from culturegate.models import Engine, Message, Prompt, ReplyStore
from culturegate.models.case import Ask
from culturegate.models.endpoint import EndpointConfig, EndpointModel

RUN = """
    import sys
    from pathlib import Path
    sys.path.insert(0, sys.argv[3])
    from test_engine_resume import PLAN, engine
    from culturegate.models import ReplyStore
    asking = engine(sys.argv[1], ReplyStore(Path(sys.argv[2])))
    asking.start()
    for case in PLAN:
        asking.outcome(case)
"""


class Facts:
    def __init__(self, case: str) -> None:
        self.case = case


class Case:
    def __init__(self, number: int) -> None:
        self.facts = Facts(f"case-{number}")

    def prompt(self, sample: int) -> Prompt:
        return Prompt((Message("user", f"question of {self.facts.case}"),), sample=sample)

    async def run(self, ask: Ask) -> list[str | None]:
        return [(await ask(self.prompt(sample))).text for sample in range(2)]


PLAN = [Case(number) for number in range(150)]


def engine(url: str, store: ReplyStore, *, resume: bool = False) -> Engine[list[str | None]]:
    model = EndpointModel(EndpointConfig(base_url=url, model=MODEL, api_key="k", timeout=10))
    return Engine(model, PLAN, max_connections=4, store=store, resume=resume)


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no such signal here")
def test_after_kill_9_no_stored_trial_is_asked_again(tmp_path: Path) -> None:
    path = tmp_path / "replies.sqlite"

    def answer(body: dict[str, object], number: int) -> Answer:
        return Answer(f"reply {number}", delay=0.005)

    with ScriptedServer(answer) as server:
        arguments = [server.base_url, str(path), str(Path(__file__).parent)]
        process = subprocess.Popen([sys.executable, "-c", textwrap.dedent(RUN), *arguments])
        deadline = time.monotonic() + 30
        while server.calls < len(PLAN):
            assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.005)
        os.kill(process.pid, signal.SIGKILL)
        process.wait(10)
        time.sleep(0.05)
        before = server.calls
        with ReplyStore(path) as store:
            stored = {
                (case.facts.case, sample): reply.text
                for case in PLAN
                for sample in range(2)
                if (reply := store.get(case.prompt(sample).key(MODEL), server.base_url))
            }
            # In flight or unwritten when the kill came: a few, not a heap.
            assert before - 16 <= len(stored) <= before
            asking = engine(server.base_url, store, resume=True)
            asking.start()
            results = {case.facts.case: asking.outcome(case) for case in PLAN}
            asking.close()
        assert server.calls - before == 2 * len(PLAN) - len(stored)
        asked_again = [prompt_of(chat.body) for chat in server.chats[before:]]
    for (case, sample), text in stored.items():
        assert results[case][sample] == text
    whole = {case for case, sample in stored if sample == 1}
    assert not whole & {prompt.removeprefix("question of ") for prompt in asked_again}
    assert all(len(set(texts)) == 2 for texts in results.values())
