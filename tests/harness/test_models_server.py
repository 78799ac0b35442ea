"""The scripted server does what it says, so that tests built on it can be believed."""

from __future__ import annotations

import json
import socket
import time
import urllib.error
import urllib.request
from typing import Any

import pytest
from servers import HANG, Answer, ScriptedServer, by_prompt, error, in_turn


def post(server: ScriptedServer, text: str = "hi", timeout: float = 5) -> tuple[int, Any]:
    body = json.dumps({"model": "m", "messages": [{"role": "user", "content": text}]}).encode()
    request = urllib.request.Request(server.base_url + "/chat/completions", body)
    try:
        with urllib.request.urlopen(request, timeout=timeout) as response:
            return response.status, json.load(response)
    except urllib.error.HTTPError as failure:
        with failure:
            return failure.code, json.load(failure)


def test_a_prompt_gets_the_reply_scripted_for_it_and_is_kept() -> None:
    with ScriptedServer(by_prompt({"fire": "Prometheus"}, "?")) as server:
        assert post(server, "who stole the fire")[1]["choices"][0]["message"]["content"] == (
            "Prometheus"
        )
        assert post(server, "and the water")[1]["choices"][0]["message"]["content"] == "?"
        assert server.calls == 2
        assert server.chats[0].body["messages"][0]["content"] == "who stole the fire"


def test_steps_come_in_turn_and_the_last_one_stays() -> None:
    with ScriptedServer(in_turn(error(429, "slow down"), "B")) as server:
        assert [post(server)[0] for _ in range(3)] == [429, 200, 200]


def test_a_dropped_connection_is_dropped() -> None:
    with ScriptedServer(Answer(drop=True)) as server, pytest.raises((ConnectionError, OSError)):
        post(server)


def test_a_hanging_answer_does_not_keep_the_server_from_stopping() -> None:
    with ScriptedServer(Answer(delay=HANG)) as server:
        with pytest.raises(TimeoutError):
            post(server, timeout=0.1)
        started = time.monotonic()
    assert time.monotonic() - started < 3


def test_a_stopped_server_refuses_connections() -> None:
    with ScriptedServer() as server:
        port = int(server.base_url.split(":")[2].split("/")[0])
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port), 1)
