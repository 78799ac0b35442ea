"""A streamed reply: put together as an unstreamed one is, with the time of its first token."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from servers import MODEL, Answer, ScriptedServer, error, in_turn

from culturegate.errors import CallError, ModelUnavailable
from culturegate.models.base import Message, Prompt, Reply, Usage
from culturegate.models.endpoint import EndpointConfig, EndpointModel
from culturegate.models.retry import Clock
from culturegate.models.streaming import assemble
from culturegate.options import OptionError, resolve

PROMPT = Prompt((Message("user", "Who stole the fire?"),))
USAGE = {"prompt_tokens": 7, "completion_tokens": 2, "total_tokens": 9}


class QuickClock(Clock):
    """Retries that wait no time."""

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(0)


def event(delta: dict[str, Any] | None = None, finish: str | None = None, **more: Any) -> bytes:
    choices = [] if delta is None else [{"index": 0, "delta": delta, "finish_reason": finish}]
    body = {"id": "c", "model": MODEL, "system_fingerprint": "fp", "choices": choices, **more}
    return b"data: " + json.dumps(body).encode() + b"\n\n"


DONE = b"data: [DONE]\n\n"
WHOLE = [
    event({"role": "assistant", "content": ""}),
    event({"content": "Pro"}),
    event({"content": "metheus"}),
    event({}, "stop"),
    event(usage=USAGE),
    DONE,
]


def streamed(*pieces: bytes, waits: dict[int, float] | None = None) -> Answer:
    return Answer(pieces=[((waits or {}).get(n, 0.0), piece) for n, piece in enumerate(pieces)])


def ask(server: ScriptedServer, **config: Any) -> tuple[Reply | BaseException, EndpointModel]:
    model = EndpointModel(
        EndpointConfig(server.base_url, model=MODEL, stream=True, **config), QuickClock()
    )

    async def once() -> Reply | BaseException:
        try:
            return await model.ask(PROMPT)
        except (CallError, ModelUnavailable) as failure:
            return failure
        finally:
            await model.aclose()

    return asyncio.run(once()), model


def test_a_stream_gives_the_same_reply_as_one_piece_with_its_usage():
    with ScriptedServer(streamed(*WHOLE)) as server:
        reply, _ = ask(server)
    assert isinstance(reply, Reply)
    assert (reply.text, reply.finish_reason, reply.usage) == ("Prometheus", "stop", Usage(7, 2))
    assert (reply.model, reply.fingerprint) == (MODEL, "fp")
    sent = server.requests[0].body
    assert (sent["stream"], sent["stream_options"]) == (True, {"include_usage": True})


def test_the_first_token_is_timed_and_not_the_first_event():
    # The role comes at once, the first token after 0.15 s, the rest after 0.3 s.
    with ScriptedServer(streamed(*WHOLE, waits={1: 0.15, 2: 0.15})) as server:
        reply, _ = ask(server)
    assert isinstance(reply, Reply)
    assert 0.14 < reply.ttft < 0.29
    assert reply.latency > 0.28
    assert reply.ttft < reply.latency


def test_a_token_of_reasoning_is_a_first_token_and_no_part_of_the_answer():
    thought = [event({"reasoning_content": "Fire…"}), event({"content": "B"}), event({}, "stop")]
    with ScriptedServer(streamed(*thought, DONE, waits={1: 0.15})) as server:
        reply, _ = ask(server)
    assert isinstance(reply, Reply)
    assert reply.text == "B"
    assert reply.ttft < 0.14


def test_without_the_option_nothing_is_streamed():
    with ScriptedServer("B") as server:
        model = EndpointModel(EndpointConfig(server.base_url, model=MODEL))

        async def once() -> Reply:
            try:
                return await model.ask(PROMPT)
            finally:
                await model.aclose()

        reply = asyncio.run(once())
    assert not {"stream", "stream_options"} & server.requests[0].body.keys()
    assert reply.ttft is None
    assert reply.latency is not None
    assert reply.sent is not None


def test_a_server_that_does_not_stream_though_asked_is_read_all_the_same():
    with ScriptedServer("B") as server:
        reply, _ = ask(server)
    assert isinstance(reply, Reply)
    assert (reply.text, reply.ttft) == ("B", None)


def test_a_server_without_stream_options_is_asked_without_them():
    script = in_turn(
        error(400, "Extra inputs are not permitted: stream_options"),
        streamed(*WHOLE[:4], DONE),
    )
    with ScriptedServer(script) as server:
        reply, model = ask(server)
    assert isinstance(reply, Reply)
    assert (reply.text, reply.usage, reply.notes) == ("Prometheus", Usage(), ())
    assert model.quirks.no_stream_options
    assert server.requests[1].body["stream"] is True
    assert "stream_options" not in server.requests[1].body


def test_a_server_that_refuses_to_stream_is_asked_in_one_piece_and_the_reply_says_so():
    script = in_turn(error(400, "stream is not supported", param="stream"), Answer("B"))
    with ScriptedServer(script) as server:
        reply, _ = ask(server)
    assert isinstance(reply, Reply)
    assert (reply.text, reply.ttft) == ("B", None)
    assert reply.notes == ("not streamed: the endpoint refuses it",)
    assert "stream" not in server.requests[1].body


def test_a_stream_that_breaks_off_is_asked_again_and_never_read_as_a_reply():
    script = in_turn(streamed(*WHOLE[:2]), streamed(*WHOLE))
    with ScriptedServer(script) as server:
        reply, _ = ask(server)
    assert isinstance(reply, Reply)
    assert (reply.text, reply.retries) == ("Prometheus", 1)
    with ScriptedServer(streamed(*WHOLE[:2])) as server:
        failure, _ = ask(server, max_retries=1)
    assert isinstance(failure, CallError)
    assert failure.kind == "connection"
    assert "the stream ended before the reply did" in str(failure)


def test_an_error_within_a_stream_is_that_error():
    broken = b'data: {"error": {"code": 503, "message": "overloaded"}}\n\n'
    with ScriptedServer(in_turn(streamed(WHOLE[1], broken), streamed(*WHOLE))) as server:
        reply, _ = ask(server)
    assert isinstance(reply, Reply)
    assert (reply.text, reply.retries) == ("Prometheus", 1)


def test_what_is_no_event_is_a_bad_response():
    with ScriptedServer(streamed(b"data: {half\n\n", DONE)) as server:
        failure, _ = ask(server)
    assert isinstance(failure, CallError)
    assert failure.kind == "bad_response"


def test_comments_crlf_and_other_fields_are_passed_over():
    raw = b": ping\r\n\r\nevent: x\r\n" + b"".join(WHOLE).replace(b"\n", b"\r\n")
    body = json.loads(assemble(raw).body)
    assert body["choices"][0]["message"]["content"] == "Prometheus"
    assert body["usage"] == USAGE


def test_a_reply_cut_off_or_empty_keeps_its_finish_reason():
    cut = json.loads(assemble(event({"content": "Pro"}) + event({}, "length")).body)
    assert cut["choices"][0]["finish_reason"] == "length"
    empty = assemble(event({"role": "assistant"}, "stop") + DONE)
    assert json.loads(empty.body)["choices"][0]["message"] == {"content": None}
    assert empty.first is None


@pytest.mark.parametrize(("word", "on"), [("true", True), ("no", False), ("0", False)])
def test_an_ini_file_turns_it_on_and_off(word, on, tmp_path):
    assert resolve({}, {"stream": word}, {}, tmp_path).stream is on
    assert resolve({"stream": True}, {"stream": word}, {}, tmp_path).stream is True


def test_an_ini_file_with_another_word_is_refused(tmp_path):
    with pytest.raises(OptionError, match="ini key stream: 'maybe' is not one of true, false"):
        resolve({}, {"stream": "maybe"}, {}, tmp_path)


@given(st.binary(max_size=200), st.integers(0, 400))
def test_nothing_that_a_server_sends_does_more_than_fail_the_call(noise, cut):
    for raw in (noise, b"data: " + noise, b"".join(WHOLE)[:cut] + noise):
        try:
            found = assemble(raw)
        except CallError:
            continue
        assert found.first is None or 0 <= found.first <= len(raw)
        assert json.loads(found.body) is not None
