"""The embedded model answers for real: in a batch as alone, to the end, and leaves quietly."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from culturegate.errors import CallError, ModelUnavailable
from culturegate.models.base import Message, Prompt, Reply
from culturegate.models.embedded import NAME, EmbeddedModel
from culturegate.models.weights import find


class Asked:
    """One loaded model on one event loop."""

    def __init__(self) -> None:
        self.runner = asyncio.Runner()
        self.model = EmbeddedModel()
        self.info = self.runner.run(self.model.check())

    def alone(self, prompts: Sequence[Prompt]) -> list[Reply]:
        return [self.runner.run(self.model.ask(prompt)) for prompt in prompts]

    def together(self, prompts: Sequence[Prompt]) -> list[Reply]:
        async def ask() -> list[Reply]:
            return await asyncio.gather(*map(self.model.ask, prompts))

        return self.runner.run(ask())

    def close(self) -> None:
        self.runner.run(self.model.aclose())
        self.runner.close()


@pytest.fixture(scope="module")
def asked() -> Iterator[Asked]:
    asked = Asked()
    yield asked
    asked.close()


def prompt(text: str, **settings: float) -> Prompt:
    return replace(Prompt((Message("user", text),), max_tokens=12), **settings)


STORIES = [
    prompt(f"Who {verb} the {thing}? Answer with one name.")
    for verb in ("stole", "lost")
    for thing in ("fire", "hammer", "golden apple", "moon", "peaches of the Queen Mother")
]


def test_it_says_who_answers(asked: Asked) -> None:
    assert (asked.info.name, asked.info.kind) == (NAME, "embedded")
    assert asked.info.framework is not None
    assert asked.info.framework.startswith("openvino-genai 20")


def test_it_knows_the_capital_of_france(asked: Asked) -> None:
    (reply,) = asked.alone([prompt("What is the capital of France?", max_tokens=32)])
    assert reply.text is not None
    assert "Paris" in reply.text
    assert reply.finish_reason == "stop"
    assert reply.usage.prompt_tokens is not None
    assert 20 < reply.usage.prompt_tokens < 60
    assert reply.latency is not None
    assert reply.ttft is not None
    assert 0 < reply.ttft <= reply.latency


@pytest.mark.parametrize("temperature", [0.0, 0.9])
def test_a_reply_is_the_same_alone_and_in_any_batch(asked: Asked, temperature: float) -> None:
    prompts = [replace(story, temperature=temperature, top_p=0.95) for story in STORIES]
    together = [reply.text for reply in asked.together(prompts)]
    alone = [reply.text for reply in asked.alone(prompts)]
    reversed_ = [reply.text for reply in asked.together(prompts[::-1])]
    assert together == alone == reversed_[::-1]


def test_samples_differ_and_each_comes_again(asked: Asked) -> None:
    samples = [prompt("Tell a story.", temperature=1.0, sample=n) for n in range(4)]
    first = [reply.text for reply in asked.together(samples)]
    assert [reply.text for reply in asked.together(samples)] == first
    assert len(set(first)) > 1


def test_tokens_are_bounded_and_a_reply_cut_off_says_so(asked: Asked) -> None:
    (reply,) = asked.alone([prompt("Count from one to one hundred.", max_tokens=5)])
    assert (reply.finish_reason, reply.usage.completion_tokens) == ("length", 5)


def test_a_prompt_beyond_the_context_fails_its_own_call_only(asked: Asked) -> None:
    with pytest.raises(CallError, match="too long for the embedded model") as caught:
        asked.alone([prompt("fire " * 9000)])
    assert caught.value.kind == "bad_response"
    assert asked.alone([STORIES[0]])[0].text


def test_text_that_is_not_utf_8_is_asked_all_the_same(asked: Asked) -> None:
    assert asked.alone([prompt("fire \ud800 \x00 \u202e")])[0].finish_reason


def test_a_cancelled_call_leaves_the_batch(asked: Asked) -> None:
    async def cancel() -> float:
        long = asyncio.create_task(
            asked.model.ask(prompt("Write a very long story.", temperature=1.0, max_tokens=4000))
        )
        await asyncio.sleep(0.3)
        long.cancel()
        with pytest.raises(asyncio.CancelledError):
            await long
        started = time.monotonic()
        await asked.model.ask(STORIES[0])
        return time.monotonic() - started

    assert asked.runner.run(cancel()) < 10
    assert not asked.model._batcher._running


def test_without_the_extra_the_message_says_how_to_install_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "openvino_genai", None)
    with pytest.raises(ModelUnavailable) as caught:
        asyncio.run(EmbeddedModel().check())
    assert str(caught.value) == (
        "The embedded model runs on openvino-genai, which is not installed. Install the extra "
        "(python -m pip install 'culturegate[embedded]', in a checkout -e '.[embedded]') or name "
        "an endpoint (--endpoint)."
    )


def test_closed_it_fails_calls_instead_of_hanging() -> None:
    async def ask() -> None:
        model = EmbeddedModel()
        await model.aclose()
        model._batcher._stop = True
        await model.ask(STORIES[0])

    with pytest.raises((CallError, ModelUnavailable), match=r"closed|stopped"):
        asyncio.run(ask())


SCRIPT = """
import asyncio, sys
from culturegate.models.base import Message, Prompt
from culturegate.models.embedded import EmbeddedModel

async def main():
    model = EmbeddedModel()
    await model.check()
    print("loaded", flush=True)
    await model.ask(Prompt((Message("user", "Hi"),), temperature=1.0, max_tokens=int(sys.argv[1])))

asyncio.run(main())
print("openvino_telemetry" in sys.modules)
"""


def start(home: Path, tokens: int) -> subprocess.Popen[str]:
    environment = {**os.environ, "HOME": str(home), "CULTUREGATE_CACHE": str(find().parent)}
    return subprocess.Popen(
        [sys.executable, "-c", SCRIPT, str(tokens)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
    )


def test_a_process_ends_quietly_without_closing_it_and_reports_to_nobody(tmp_path: Path) -> None:
    process = start(tmp_path, 4)
    said, noise = process.communicate(timeout=60)
    assert (process.returncode, said, noise) == (0, "loaded\nFalse\n", "")
    assert not (tmp_path / "intel").exists()


def test_an_interrupt_in_the_middle_of_a_long_answer_ends_the_process(tmp_path: Path) -> None:
    process = start(tmp_path, 4000)
    assert process.stdout is not None
    assert process.stdout.readline() == "loaded\n"
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    _, noise = process.communicate(timeout=30)
    assert noise.rstrip().endswith("KeyboardInterrupt")
