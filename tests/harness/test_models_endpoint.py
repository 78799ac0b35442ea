"""An endpoint is asked over real HTTP on loopback: what it answers, refuses and gets wrong."""

from __future__ import annotations

import asyncio
import gzip
import json
import socket
import time
from collections.abc import Callable
from typing import Any

import pytest
from servers import HANG, MODEL, Answer, ScriptedServer, answers, error, in_turn

from culturegate.errors import CallError, CulturegateError, ModelUnavailable
from culturegate.models.base import Message, ModelInfo, Prompt, Reply, Usage
from culturegate.models.endpoint import EndpointConfig, EndpointModel
from culturegate.models.retry import Clock

KEY = "sk-proj-4f0c7d21be1a4e5a9d"
PROMPT = Prompt((Message("user", "Who stole the fire?"),))
WITH_SYSTEM = Prompt((Message("system", "Answer with one letter."), Message("user", "Q")))


class QuickClock(Clock):
    """A clock on which sleeping takes no time and is written down."""

    def __init__(self) -> None:
        self.slept: list[float] = []
        self.at = 1000.0

    def now(self) -> float:
        return self.at

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.at += seconds
        await asyncio.sleep(0)


def run(
    server: ScriptedServer, *prompts: Prompt, clock: Clock | None = None, **config: Any
) -> tuple[list[Reply | BaseException], EndpointModel]:
    """Ask the prompts in turn; a failed one gives its exception."""
    config = {"model": MODEL, "api_key": KEY, **config}
    model = EndpointModel(EndpointConfig(server.base_url, **config), clock or QuickClock())

    async def ask_all() -> list[Reply | BaseException]:
        results: list[Reply | BaseException] = []
        for prompt in prompts or (PROMPT,):
            try:
                results.append(await model.ask(prompt))
            except (CallError, ModelUnavailable) as failure:
                results.append(failure)
        await model.aclose()
        return results

    return asyncio.run(ask_all()), model


def replied(server: ScriptedServer, *prompts: Prompt, **config: Any) -> Reply:
    (result, *_), _ = run(server, *prompts, **config)
    assert isinstance(result, Reply), result
    return result


def failed(server: ScriptedServer, kind: str, **config: Any) -> str:
    (result, *_), _ = run(server, **config)
    assert isinstance(result, CallError), result
    assert result.kind == kind, result
    return str(result)


def checked(base_url: str, **config: Any) -> ModelInfo:
    model = EndpointModel(EndpointConfig(base_url, **config), QuickClock())

    async def check() -> ModelInfo:
        try:
            return await model.check()
        finally:
            await model.aclose()

    return asyncio.run(check())


def unavailable(base_url: str, **config: Any) -> str:
    with pytest.raises(ModelUnavailable) as caught:
        checked(base_url, **config)
    return str(caught.value)


# Asking and reading.


def test_a_prompt_is_sent_as_the_api_wants_it_and_its_reply_read_whole() -> None:
    with ScriptedServer(Answer("Prometheus")) as server:
        reply = replied(server)
    (got,) = server.chats
    assert got.body == {
        "model": MODEL,
        "messages": [{"role": "user", "content": "Who stole the fire?"}],
        "temperature": 0.0,
        "top_p": 1.0,
        "max_tokens": 32,
    }
    assert got.headers["Authorization"] == f"Bearer {KEY}"
    assert not any(name.lower().startswith("x-stainless") for name in got.headers)
    assert reply.text == "Prometheus"
    assert reply.finish_reason == "stop"
    assert reply.usage == Usage(10, 1)
    assert reply.model == MODEL
    assert reply.fingerprint == "fp_scripted"
    assert reply.latency is not None
    assert 0 < reply.latency < 5
    assert (reply.retries, reply.notes) == (0, ())


def test_without_a_key_no_authorization_is_sent() -> None:
    with ScriptedServer() as server:
        replied(server, api_key=None)
    assert "Authorization" not in server.chats[0].headers


@pytest.mark.parametrize(
    ("usage", "known"),
    [
        (None, Usage()),
        ({"prompt_tokens": None, "completion_tokens": 5}, Usage(None, 5)),
        ({}, Usage()),
        ({"prompt_tokens": -1, "completion_tokens": "many"}, Usage()),
        ({"prompt_tokens": 0, "completion_tokens": 0}, Usage(None, 0)),
    ],
)
def test_usage_that_is_not_said_is_unknown_and_not_nought(usage: Any, known: Usage) -> None:
    with ScriptedServer(Answer(usage=usage)) as server:
        assert replied(server).usage == known


def test_content_as_a_list_of_parts_is_joined_and_reasoning_parts_are_left_out() -> None:
    parts = [
        {"type": "reasoning", "text": "hm"},
        {"type": "text", "text": "B"},
        {"type": "text", "text": "."},
    ]
    with ScriptedServer(Answer(text=parts)) as server:  # type: ignore[arg-type]
        assert replied(server).text == "B."


def test_null_content_with_reasoning_elsewhere_is_no_answer_and_says_so() -> None:
    step = Answer(text=None, finish_reason="length", extra={"reasoning_content": "It may be B"})
    with ScriptedServer(step) as server:
        reply = replied(server)
    assert reply.text is None
    assert reply.finish_reason == "length"
    assert reply.notes == ("reasoning without an answer",)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"error": "no such route"}, "no such route"),
        ({"error": {"message": "no such route", "code": 1}}, "no such route"),
        ({"object": "error", "message": "no such route"}, "no such route"),
        ({"detail": "no such route"}, "no such route"),
        ("<html><body>login</body></html>", "login"),
        ('"busy"', "busy"),
        ({"choices": []}, "choices"),
        ({"choices": [None]}, "choices"),
        ({"choices": [{"text": "B"}]}, "choices"),
        ("", "(empty)"),
        ("[" * 100_000, "["),
        (b"\xff\xfe\x00", "\ufffd"),
        ({}, "{}"),
    ],
)
def test_a_200_that_is_no_chat_completion_is_a_bad_response_asked_once(
    body: Any, words: str
) -> None:
    with ScriptedServer(Answer(body=body)) as server:
        message = failed(server, "bad_response")
    assert words in message
    assert server.base_url in message
    assert len(message) < 600
    assert server.calls == 1


def test_an_error_in_a_200_that_names_its_status_counts_as_that_status() -> None:
    limited = {"error": {"code": 429, "message": "slow down"}}
    with ScriptedServer(in_turn(limited, "B")) as server:
        assert replied(server).retries == 1


def test_a_reply_beyond_the_bound_is_not_read_to_its_end() -> None:
    with ScriptedServer(Answer("B" * 3_000_000)) as server:
        assert "larger than" in failed(server, "bad_response")


def test_a_compression_bomb_is_not_unpacked() -> None:
    bomb = gzip.compress(b" " * 50_000_000)
    step = Answer(body=bomb, headers={"Content-Encoding": "gzip"})
    with ScriptedServer(step) as server:
        assert "larger than" in failed(server, "bad_response")


def test_a_reply_compressed_unasked_is_read_all_the_same() -> None:
    plain = {"choices": [{"message": {"content": "B"}, "finish_reason": "stop"}]}
    packed = gzip.compress(json.dumps(plain).encode())
    with ScriptedServer(Answer(body=packed, headers={"Content-Encoding": "gzip"})) as server:
        assert replied(server).text == "B"


def test_a_lone_surrogate_in_a_reply_becomes_text_that_any_file_takes() -> None:
    body = b'{"choices": [{"message": {"content": "B\\ud800"}, "finish_reason": "stop"}]}'
    with ScriptedServer(Answer(body=body)) as server:
        text = replied(server).text
    assert text is not None
    assert text.encode() == b"B?"


def test_a_prompt_cut_by_the_server_is_noted_and_a_whole_one_is_not() -> None:
    long = Prompt((Message("user", "The fire was stolen. " * 8000),))
    chinese = Prompt((Message("user", "盗火者是谁？请用一个字母回答。" * 100),))
    with ScriptedServer(Answer(usage={"prompt_tokens": 2050})) as server:
        assert replied(server, long).notes == ("prompt probably truncated",)
    with ScriptedServer(Answer(usage={"prompt_tokens": 32_005})) as server:
        assert replied(server, long).notes == ()
    with ScriptedServer(Answer(usage={"prompt_tokens": 900})) as server:
        assert replied(server, chinese).notes == ()


# Failures.


def test_a_server_error_is_retried_and_the_reply_counts_its_retries() -> None:
    with ScriptedServer(in_turn(error(500), error(503), "B")) as server:
        (reply,), model = run(server)
    assert isinstance(reply, Reply)
    assert (reply.text, reply.retries) == ("B", 2)
    assert (model.counters.requests, model.counters.retries, model.counters.replies) == (3, 2, 1)


def test_a_server_that_only_fails_ends_the_call_after_its_retries() -> None:
    clock = QuickClock()
    with ScriptedServer(error(502, "<b>bad gateway</b>")) as server:
        message = failed(server, "server", max_retries=3, clock=clock)
    assert server.calls == 4
    assert message == f"{server.base_url}: 502: <b>bad gateway</b> (after 3 retries)"
    assert len(clock.slept) == 3
    assert 0.25 <= clock.slept[0] <= 0.5
    assert 1 <= clock.slept[2] <= 2


def test_a_dropped_connection_is_retried_and_is_no_time_out() -> None:
    with ScriptedServer(in_turn(Answer(drop=True), "B")) as server:
        assert replied(server).retries == 1
    with ScriptedServer(Answer(drop=True)) as server:
        assert "dropped" in failed(server, "connection", max_retries=1)
    assert server.calls == 2


def test_a_hang_costs_two_time_outs_and_others_are_answered_meanwhile() -> None:
    def hang_on_q(body: dict[str, Any], _number: int) -> Answer:
        return Answer(delay=HANG if body["messages"][-1]["content"] == "Q" else 0)

    started = time.monotonic()
    with ScriptedServer(hang_on_q) as server:
        config = EndpointConfig(server.base_url, model=MODEL, timeout=0.3)
        model = EndpointModel(config, QuickClock())

        async def ask_all() -> list[Any]:
            prompts = [WITH_SYSTEM, *[PROMPT] * 5]
            try:
                return await asyncio.gather(*map(model.ask, prompts), return_exceptions=True)
            finally:
                await model.aclose()

        hung, *others = asyncio.run(ask_all())
    assert isinstance(hung, CallError)
    assert (hung.kind, str(hung)) == ("timeout", f"{server.base_url}: no reply within 0.3 s")
    assert [reply.text for reply in others] == ["A"] * 5
    assert model.counters.timeouts == 2
    assert time.monotonic() - started < 4


def test_a_reply_that_drips_in_for_ever_is_a_time_out() -> None:
    async def drip(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        try:
            for _ in range(100):
                writer.write(b"1\r\n \r\n")
                await writer.drain()
                await asyncio.sleep(0.02)
        except ConnectionError:
            pass
        writer.close()

    async def ask() -> None:
        listener = await asyncio.start_server(drip, "127.0.0.1", 0)
        port = listener.sockets[0].getsockname()[1]
        url = f"http://127.0.0.1:{port}/v1"
        model = EndpointModel(EndpointConfig(url, model=MODEL, timeout=0.2, max_retries=0))
        try:
            await model.ask(PROMPT)
        finally:
            await model.aclose()
            listener.close()
            await asyncio.sleep(0.05)

    with pytest.raises(CallError) as caught:
        asyncio.run(ask())
    assert caught.value.kind == "timeout"


def test_what_is_not_http_at_all_is_a_bad_response() -> None:
    async def gibberish(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readline()
        writer.write(b"220 mail.example ESMTP\r\n")
        writer.close()

    async def ask() -> None:
        listener = await asyncio.start_server(gibberish, "127.0.0.1", 0)
        port = listener.sockets[0].getsockname()[1]
        model = EndpointModel(EndpointConfig(f"http://127.0.0.1:{port}/v1", model=MODEL))
        try:
            await model.ask(PROMPT)
        finally:
            await model.aclose()
            listener.close()
            await asyncio.sleep(0.05)

    with pytest.raises(CallError) as caught:
        asyncio.run(ask())
    assert caught.value.kind == "bad_response"


def test_a_dead_server_gives_connection_errors_and_soon_no_more_retries() -> None:
    with ScriptedServer() as server:
        pass
    results, model = run(server, *[PROMPT] * 30, max_retries=2)
    assert {result.kind for result in results if isinstance(result, CallError)} == {"connection"}
    assert len(results) == 30
    assert model.counters.requests == 16 * 3 + 14


def test_a_call_cancelled_gives_its_place_back() -> None:
    def hang_first(_body: dict[str, Any], number: int) -> Answer:
        return Answer(delay=0 if number else HANG)

    with ScriptedServer(hang_first) as server:
        model = EndpointModel(EndpointConfig(server.base_url, model=MODEL, max_connections=1))

        async def ask() -> Reply:
            first = asyncio.create_task(model.ask(PROMPT))
            second = asyncio.create_task(model.ask(PROMPT))
            while not server.calls:  # Else the second call would be the one that hangs.
                await asyncio.sleep(0.01)
            first.cancel()
            try:
                return await asyncio.wait_for(second, 5)
            finally:
                await model.aclose()

        assert asyncio.run(ask()).text == "A"


# Limits.


def test_retry_after_is_honoured_in_seconds() -> None:
    clock = QuickClock()
    with ScriptedServer(in_turn(error(429, headers={"Retry-After": "3"}), "B")) as server:
        (reply,), model = run(server, clock=clock)
    assert isinstance(reply, Reply)
    assert clock.slept == [3.0]
    assert (model.counters.rate_limited, model.counters.waits) == (1, 1)
    assert model.counters.waited == 3.0


def test_a_wait_beyond_the_cap_fails_the_call_at_once() -> None:
    clock = QuickClock()
    with ScriptedServer(error(429, headers={"Retry-After": "4274"})) as server:
        message = failed(server, "rate_limit", retry_after_cap=30, clock=clock)
    assert server.calls == 1
    assert clock.slept == []
    assert message.endswith("429, retry after 4274 s; a call waits 30 s at most")


@pytest.mark.parametrize(
    "step",
    [
        error(429, "You exceeded your current quota", code="insufficient_quota"),
        error(429, "You exceeded your current quota", type="insufficient_quota"),
        error(402, "Insufficient Balance"),
        error(429, "insufficient credits"),
    ],
)
def test_an_exhausted_quota_stops_the_run_at_once(step: Answer) -> None:
    with ScriptedServer(step) as server:
        (first, second), _ = run(server, PROMPT, PROMPT)
    assert isinstance(first, ModelUnavailable)
    assert "quota is used up" in str(first)
    assert isinstance(second, ModelUnavailable)
    assert server.calls == 1


def test_with_many_429_and_500_every_call_gets_its_own_answer() -> None:
    def moody(body: dict[str, Any], number: int) -> Answer:
        if number % 4 == 1:
            return error(429, headers={"Retry-After": "0.01"})
        if number % 10 == 3:
            return error(500)
        return Answer(body["messages"][0]["content"])

    with ScriptedServer(moody) as server:
        model = EndpointModel(EndpointConfig(server.base_url, model=MODEL), QuickClock())
        prompts = [Prompt((Message("user", f"{n}"),)) for n in range(300)]

        async def ask_all() -> list[Reply]:
            try:
                return await asyncio.gather(*map(model.ask, prompts))
            finally:
                await model.aclose()

        replies = asyncio.run(ask_all())
    assert [reply.text for reply in replies] == [f"{n}" for n in range(300)]


def test_no_more_requests_are_in_flight_than_allowed() -> None:
    with ScriptedServer(Answer(delay=0.02)) as server:
        config = EndpointConfig(server.base_url, model=MODEL, max_connections=4)
        model = EndpointModel(config)

        async def ask_all() -> None:
            await asyncio.gather(*[model.ask(PROMPT) for _ in range(20)])
            await model.aclose()

        asyncio.run(ask_all())
    assert server.most_in_flight == 4


def test_a_rate_a_minute_spreads_requests_evenly() -> None:
    clock = QuickClock()
    with ScriptedServer() as server:
        run(server, *[PROMPT] * 4, clock=clock, rpm=30)
    assert clock.slept == [2.0, 2.0, 2.0]


def test_tokens_a_minute_are_settled_by_what_was_used() -> None:
    clock = QuickClock()
    usage = {"prompt_tokens": 90, "completion_tokens": 10}
    with ScriptedServer(Answer(usage=usage)) as server:
        run(server, *[PROMPT] * 3, clock=clock, tpm=600)
    assert clock.slept == pytest.approx([10.0, 10.0])


# Quirks.


def refusing(when: Callable[[dict[str, Any]], bool], step: Answer) -> Any:
    """A server that refuses some requests and answers the others."""
    return lambda body, _number: step if when(body) else Answer("B")


@pytest.mark.parametrize(
    "step",
    [
        error(400, "", code="unsupported_parameter", param="max_tokens"),
        error(400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."),
    ],
)
def test_max_completion_tokens_is_learnt_once_from_the_error(step: Answer) -> None:
    with ScriptedServer(refusing(lambda body: "max_tokens" in body, step)) as server:
        (first, second), model = run(server, PROMPT, PROMPT)
    assert isinstance(first, Reply)
    assert isinstance(second, Reply)
    assert (first.retries, second.retries) == (1, 0)
    assert (first.notes, second.notes) == ((), ())
    bodies = [request.body for request in server.chats]
    assert len(bodies) == 3
    asked = bodies[0].pop("max_tokens")
    assert [body.pop("max_completion_tokens") for body in bodies[1:]] == [asked, asked]
    assert bodies[0] == bodies[1]
    assert model.counters.waits == 0


@pytest.mark.parametrize(
    ("name", "note", "step"),
    [
        (
            "temperature",
            "temperature not honoured",
            error(400, "only the default", code="unsupported_value", param="temperature"),
        ),
        (
            "temperature",
            "temperature not honoured",
            error(400, "`temperature` is deprecated for this model."),
        ),
        (
            "top_p",
            "top_p not honoured",
            Answer(
                status=422,
                body={"detail": [{"loc": ["body", "top_p"], "msg": "Extra inputs not permitted"}]},
            ),
        ),
    ],
)
def test_a_setting_that_cannot_be_set_is_left_out_and_noted(
    name: str, note: str, step: Answer
) -> None:
    with ScriptedServer(refusing(lambda body: name in body, step)) as server:
        (first, second), model = run(server, PROMPT, PROMPT)
    assert isinstance(first, Reply)
    assert isinstance(second, Reply)
    assert first.notes == second.notes == (note,)
    assert model.quirks.notes() == (note,)
    assert server.calls == 3


def has_system(body: dict[str, Any]) -> bool:
    return any(message["role"] == "system" for message in body["messages"])


@pytest.mark.parametrize(
    "step",
    [
        error(400, "System role not supported"),
        error(400, "Conversation roles must alternate user/assistant/user/assistant/..."),
        error(
            400,
            "Unsupported value: 'messages[0].role' does not support 'system' with this model.",
            param="messages[0].role",
            code="unsupported_value",
        ),
    ],
)
def test_without_a_system_role_its_text_goes_into_the_user_turn(step: Answer) -> None:
    with ScriptedServer(refusing(has_system, step)) as server:
        (reply, plain), _ = run(server, WITH_SYSTEM, PROMPT)
    assert isinstance(reply, Reply)
    assert isinstance(plain, Reply)
    assert server.chats[1].body["messages"] == [
        {"role": "user", "content": "Answer with one letter.\n\nQ"}
    ]
    assert reply.notes == ("system text folded into the user turn",)
    assert plain.notes == ()


def test_quirks_met_by_many_requests_at_once_stop_none_of_them() -> None:
    step = error(400, "", code="unsupported_parameter", param="max_tokens")
    with ScriptedServer(refusing(lambda body: "max_tokens" in body, step)) as server:
        model = EndpointModel(EndpointConfig(server.base_url, model=MODEL))

        async def ask_all() -> list[Reply]:
            try:
                return await asyncio.gather(*[model.ask(PROMPT) for _ in range(20)])
            finally:
                await model.aclose()

        assert {reply.text for reply in asyncio.run(ask_all())} == {"B"}


def test_a_refusal_that_teaches_nothing_new_stops_the_run() -> None:
    step = error(400, "unsupported parameter", code="unsupported_parameter", param="max_tokens")
    with ScriptedServer(step) as server:
        (result,), _ = run(server)
    assert isinstance(result, ModelUnavailable)
    assert server.calls == 2


@pytest.mark.parametrize(
    "step",
    [
        error(400, "This model's maximum context length is 2048 tokens. Use fewer max_tokens."),
        error(400, "prompt is too long", code="context_length_exceeded"),
        error(413, "payload too large"),
    ],
)
def test_a_prompt_beyond_the_context_fails_its_own_call_only(step: Answer) -> None:
    with ScriptedServer(in_turn(step, "B")) as server:
        (first, second), _ = run(server, PROMPT, PROMPT)
    assert isinstance(first, CallError)
    assert first.kind == "bad_response"
    assert "too long for the model" in str(first)
    assert isinstance(second, Reply)


def test_a_prompt_that_the_content_filter_refuses_is_a_filtered_reply() -> None:
    with ScriptedServer(error(400, "filtered", code="content_filter")) as server:
        reply = replied(server)
    assert (reply.text, reply.finish_reason) == (None, "content_filter")


def test_a_model_that_reasons_beyond_its_tokens_is_a_reply_cut_off() -> None:
    message = "Could not finish the message because max_tokens or model output limit was reached."
    with ScriptedServer(error(400, message)) as server:
        reply = replied(server)
    assert (reply.text, reply.finish_reason) == (None, "length")


# Checking.


def test_a_sound_endpoint_is_known_by_its_list_without_a_chat_request() -> None:
    with ScriptedServer(api_key=KEY) as server:
        info = checked(server.base_url, model=MODEL, api_key=KEY)
    assert info == ModelInfo(MODEL, "endpoint", base_url=server.base_url)
    assert server.calls == 0


def test_the_only_model_of_a_server_is_taken_unasked() -> None:
    with ScriptedServer() as server:
        assert checked(server.base_url).name == MODEL


def test_several_models_and_none_named_lists_them_bounded() -> None:
    with ScriptedServer(models=[f"m-{n}" for n in range(200)]) as server:
        message = unavailable(server.base_url)
    assert message == (
        f"Cannot ask at {server.base_url}: no model was named and the server has 200: 'm-0', "
        "'m-1', 'm-2', 'm-3', 'm-4', 'm-5', 'm-6', 'm-7', 'm-8', 'm-9' and 190 more. Name one of "
        "them (--model)."
    )


def test_a_server_without_a_list_is_proved_by_one_token() -> None:
    with ScriptedServer(models=None) as server:
        assert checked(server.base_url, model=MODEL).name == MODEL
    assert server.calls == 1
    assert server.chats[0].body["max_tokens"] == 1


def test_an_unlisted_model_that_answers_is_taken_with_a_warning() -> None:
    with ScriptedServer(models=["other"]) as server:
        info = checked(server.base_url, model=MODEL)
    assert info.warnings == (f"the server answers for {MODEL!r} but does not list it",)


def test_an_unknown_model_is_told_with_the_models_there_are() -> None:
    step = error(404, "The model `x-1.0` does not exist", code="model_not_found")
    with ScriptedServer(step, models=["y-1.0"]) as server:
        message = unavailable(server.base_url, model="x-1.0")
    assert message == (
        f"Cannot ask model 'x-1.0' at {server.base_url}: no such model or path (404: The model "
        "`x-1.0` does not exist). Check the model's name (--model) and the base URL (--endpoint). "
        "The server has: 'y-1.0'."
    )


def test_a_wrong_key_and_a_missing_key_are_told_apart() -> None:
    with ScriptedServer(api_key=KEY) as server:
        wrong = unavailable(server.base_url, model=MODEL, api_key="sk-wrong-key-123456")
        missing = unavailable(server.base_url, model=MODEL)
    start = f"Cannot ask model {MODEL!r} at {server.base_url}: it"
    said = "(401: Incorrect API key provided)"
    assert wrong == f"{start} refused the key {said}. Check OPENAI_API_KEY."
    assert missing == f"{start} wants a key {said}. Set OPENAI_API_KEY."


def test_an_unreachable_server_is_told_in_one_sentence() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/v1"
        message = unavailable(url, model=MODEL)
    assert message == (
        f"Cannot ask model {MODEL!r} at {url}: connection refused: no server listens there. Start "
        "the server or mend the base URL (--endpoint or OPENAI_BASE_URL)."
    )


def test_a_host_that_does_not_exist_is_told() -> None:
    assert "no such host" in unavailable("http://no-such-host.invalid/v1", model=MODEL)


def test_a_web_page_in_place_of_the_api_is_told() -> None:
    with ScriptedServer(Answer(body="<html>Welcome</html>"), models=None) as server:
        message = unavailable(server.base_url, model=MODEL)
    assert "not a chat completion: Welcome" in message


@pytest.mark.parametrize("name", ["gpt-5-mini", "qwen3:latest", "llama3:8b", "some-7B-Instruct"])
def test_a_name_without_a_version_is_warned_about(name: str) -> None:
    with ScriptedServer(models=[name]) as server:
        (warning,) = checked(server.base_url, model=name).warnings
    assert warning == (
        f"model name {name!r} carries no version: what it stands for may change between runs"
    )


@pytest.mark.parametrize(
    "name",
    ["gpt-4o-2024-08-06", "gpt-4-0613", "claude-x-20241022", "org/Llama-3.1-8B", "m@4f0c7d2"],
)
def test_a_name_with_a_version_is_not(name: str) -> None:
    with ScriptedServer(models=[name]) as server:
        assert checked(server.base_url, model=name).warnings == ()


# Secrets.


def echo(body: dict[str, Any]) -> str:
    return f"{KEY} hunter2secret"


@pytest.mark.parametrize(
    "step",
    [
        error(400, f"bad key {KEY} of hunter2secret"),
        error(500, "x" * 290 + KEY),
        error(401, KEY),
        error(429, f"quota of {KEY}", code="insufficient_quota"),
        Answer(body=f"<html>{KEY}</html>"),
        Answer(body={"error": f"{KEY} hunter2secret"}),
        Answer(body={"choices": KEY}),
    ],
)
def test_a_key_echoed_by_the_server_is_in_no_message(step: Answer) -> None:
    with ScriptedServer(step, models=None) as server:
        url = server.base_url.replace("//", "//user:hunter2secret@") + "?key=hunter3secret"
        model = EndpointModel(
            EndpointConfig(url, model=MODEL, api_key=KEY, max_retries=0), QuickClock()
        )

        async def fail() -> str:
            try:
                await model.ask(PROMPT)
            except (CallError, ModelUnavailable) as failure:
                return f"{failure} {failure!r} {failure.__cause__} {failure.__context__}"
            finally:
                await model.aclose()
            raise AssertionError("it answered")

        text = asyncio.run(fail())
    for secret in (KEY, KEY[:8], "hunter2secret", "hunter3secret"):
        assert secret not in text
    assert server.chats[0].path.endswith("/v1/chat/completions?key=hunter3secret")


def test_a_key_echoed_in_an_answer_is_not_kept() -> None:
    with ScriptedServer(answers(lambda body: f"my key is {KEY}")) as server:
        assert replied(server).text == "my key is ***"


def test_a_config_shows_neither_key_nor_url_secrets() -> None:
    config = EndpointConfig("http://u:hunter2secret@h/v1", api_key=KEY)
    assert KEY not in repr(config)
    assert "hunter2secret" not in repr(config)


def test_hostile_words_of_a_server_come_out_printable_and_short() -> None:
    with ScriptedServer(error(500, "\x1b[2J\u202e" + "x" * 100_000)) as server:
        message = failed(server, "server", max_retries=0)
    assert "\x1b" not in message
    assert "\u202e" not in message
    assert len(message) < 500


def test_a_base_url_that_is_none_is_a_clear_mistake() -> None:
    with pytest.raises(CulturegateError, match="'ftp://h': it is not an http or https URL"):
        EndpointModel(EndpointConfig("ftp://h"))
