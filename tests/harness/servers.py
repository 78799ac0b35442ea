"""A scripted OpenAI-compatible server on loopback: real HTTP, answers from a Python function.

    with ScriptedServer(answers(lambda body: "B")) as server:
        ...                                   # talk to server.base_url
    assert server.calls == 1

A behaviour is called as `behaviour(body, number)` for each chat request: `body` is the request's
JSON, `number` counts chat requests from 0. It returns an `Answer`, a text (a plain good reply) or a
dict (the whole JSON body of a 200). It runs on the server's thread, one call at a time.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

MODEL = "scripted-2026-01-01"
"""The model's name where none is given: dated, so that no warning is due."""


@dataclass(frozen=True)
class Answer:
    """What the server does with one request; the defaults are a plain good reply."""

    text: str | None = "A"
    finish_reason: str = "stop"
    status: int = 200
    body: Any = None
    """Sent instead of a chat completion: a str or bytes as it is, anything else as JSON."""
    headers: Mapping[str, str] = field(default_factory=dict)
    delay: float = 0.0
    """Seconds before the answer; `HANG` never answers."""
    drop: bool = False
    """Cut the connection instead of answering."""
    usage: Mapping[str, Any] | None = field(
        default_factory=lambda: {"prompt_tokens": 10, "completion_tokens": 1, "total_tokens": 11}
    )
    extra: Mapping[str, Any] = field(default_factory=dict)
    """Further fields of the message, such as `reasoning_content`."""
    pieces: Sequence[tuple[float, bytes]] = ()
    """Sent as a stream of events instead: seconds to wait before each piece, and the piece."""


HANG = 3600.0
Behaviour = Callable[[dict[str, Any], int], "Answer | str | dict[str, Any]"]


@dataclass(frozen=True)
class Received:
    """One request as it arrived."""

    method: str
    path: str
    """Path and query, undecoded."""
    headers: Mapping[str, str]
    body: dict[str, Any]


def prompt_of(body: Mapping[str, Any]) -> str:
    """Return the text of all turns of a chat request, in order, one line break between turns."""
    return "\n".join(str(message["content"]) for message in body.get("messages", ()))


def answers(choose: Callable[[dict[str, Any]], str]) -> Behaviour:
    """Script by request: every call is answered with the text `choose(body)`."""
    return lambda body, _number: Answer(choose(body))


def by_prompt(replies: Mapping[str, str], default: str = "I don't know.") -> Behaviour:
    """Script by prompt: the first key that occurs in the prompt gives the reply."""

    def choose(body: dict[str, Any]) -> str:
        prompt = prompt_of(body)
        return next((reply for key, reply in replies.items() if key in prompt), default)

    return answers(choose)


def in_turn(*steps: Answer | str | dict[str, Any]) -> Behaviour:
    """Script by number: the n-th call gets the n-th step, later calls the last."""
    return lambda _body, number: steps[min(number, len(steps) - 1)]


def error(
    status: int, message: str = "no", headers: Mapping[str, str] | None = None, **fields: Any
) -> Answer:
    """Return an error in OpenAI's shape; `fields` are `code`, `param`, `type`."""
    return Answer(
        status=status, body={"error": {"message": message, **fields}}, headers=headers or {}
    )


class ScriptedServer:
    """The server, in a thread of its own while the `with` block lasts."""

    def __init__(
        self,
        behaviour: Behaviour | Answer | str = "A",
        *,
        models: Sequence[str] | None = (MODEL,),
        api_key: str | None = None,
        prefix: str = "/v1",
    ) -> None:
        """Script a server.

        Args:
            behaviour: What answers chat requests; a text or an `Answer` answers all alike.
            models: What `/models` lists; None answers 404, as servers without that route do.
            api_key: The one key let in, else 401; None lets everyone in.
            prefix: Where the API stands; any other path is a 404.
        """
        self.behaviour: Behaviour = behaviour if callable(behaviour) else in_turn(behaviour)
        self.models = models
        self.api_key = api_key
        self.prefix = prefix
        self.requests: list[Received] = []
        """Every request in order of arrival, whatever its path."""
        self.in_flight = 0
        self.most_in_flight = 0
        self._number = 0
        self._port = 0
        self._failure: BaseException | None = None
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, name="scripted server", daemon=True)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop: asyncio.Event | None = None

    @property
    def base_url(self) -> str:
        """The URL to give a client, with the prefix and no trailing slash."""
        return f"http://127.0.0.1:{self._port}{self.prefix}"

    @property
    def chats(self) -> list[Received]:
        """The chat requests in order of arrival."""
        return [r for r in list(self.requests) if "/chat/completions" in r.path]

    @property
    def calls(self) -> int:
        """How many chat requests arrived."""
        return len(self.chats)

    def __enter__(self) -> ScriptedServer:
        self._thread.start()
        self._ready.wait(10)
        if self._failure is not None:
            raise self._failure
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        """Stop at once, cutting what is in flight; the port then refuses connections."""
        if self._loop is not None and self._stop is not None and self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(10)

    def _run(self) -> None:
        try:
            asyncio.run(self._serve())
        except BaseException as failure:
            self._failure = failure
        finally:
            self._ready.set()

    async def _serve(self) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        app = web.Application(client_max_size=64 * 1024**2)
        app.router.add_route("*", "/{path:.*}", self._answer)
        runner = web.AppRunner(
            app, access_log=None, shutdown_timeout=0.05, handler_cancellation=True
        )
        await runner.setup()
        try:
            site = web.TCPSite(runner, "127.0.0.1", 0, backlog=1024)
            await site.start()
            self._port = runner.addresses[0][1]
            self._ready.set()
            await self._stop.wait()
        finally:
            await runner.cleanup()

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        raw = await request.read()
        try:
            body = json.loads(raw) if raw else {}
        except ValueError:
            body = {}
        self.requests.append(
            Received(request.method, request.raw_path, dict(request.headers), body)
        )
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            return await self._route(request, body)
        finally:
            self.in_flight -= 1

    async def _route(self, request: web.Request, body: dict[str, Any]) -> web.StreamResponse:
        if self.api_key and request.headers.get("Authorization") != f"Bearer {self.api_key}":
            return _send(error(401, "Incorrect API key provided", code="invalid_api_key"))
        if request.path == f"{self.prefix}/models" and self.models is not None:
            listing = {"object": "list", "data": [{"id": name} for name in self.models]}
            return web.json_response(listing)
        if request.path != f"{self.prefix}/chat/completions" or request.method != "POST":
            return _send(error(404, f"no route {request.path}"))
        number, self._number = self._number, self._number + 1
        step = self.behaviour(body, number)
        answer = (
            Answer(step)
            if isinstance(step, str)
            else Answer(body=step)
            if isinstance(step, dict)
            else step
        )
        if answer.delay:
            await asyncio.sleep(answer.delay)
        if answer.drop and request.transport is not None:
            request.transport.abort()
        if answer.pieces:
            return await _stream(request, answer)
        return _send(answer, body.get("model", MODEL), number)


async def _stream(request: web.Request, answer: Answer) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
    await response.prepare(request)
    for wait, piece in answer.pieces:
        await asyncio.sleep(wait)
        await response.write(piece)
    await response.write_eof()
    return response


def _send(answer: Answer, model: str = MODEL, number: int = 0) -> web.Response:
    body = answer.body
    if body is None:
        message = {"role": "assistant", "content": answer.text, **answer.extra}
        choice = {"index": 0, "message": message, "finish_reason": answer.finish_reason}
        body = {
            "id": f"chatcmpl-{number}",
            "object": "chat.completion",
            "created": 0,
            "model": model,
            "system_fingerprint": "fp_scripted",
            "choices": [choice],
            "usage": answer.usage,
        }
    headers = dict(answer.headers)
    if isinstance(body, str | bytes):
        headers.setdefault("Content-Type", "text/html; charset=utf-8")
        raw = body.encode("utf-8", "surrogatepass") if isinstance(body, str) else body
    else:
        headers.setdefault("Content-Type", "application/json")
        raw = json.dumps(body).encode()
    return web.Response(status=answer.status, body=raw, headers=headers)
