"""A mock OpenAI-compatible server with a fixed latency; `python mock_server.py PORT SECONDS`.

`GET /stats` returns what was asked since the last look: requests, seconds from the first to the
last, and how many prompts came more than once.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import sys
import time

from aiohttp import web

MODEL = "mock-2026-01-01"
REPLY = json.dumps(
    {
        "id": "chatcmpl-0",
        "object": "chat.completion",
        "created": 0,
        "model": MODEL,
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": "A"},
                "finish_reason": "stop",
            }
        ],
        "usage": {"prompt_tokens": 80, "completion_tokens": 1, "total_tokens": 81},
    }
).encode()


class Server:
    """Answers every chat with "A" and counts."""

    def __init__(self, latency: float) -> None:
        self._latency = latency
        self._forget()

    def _forget(self) -> None:
        self._times: list[float] = []
        self._prompts: set[bytes] = set()

    async def chat(self, request: web.Request) -> web.Response:
        """Answer one chat."""
        body = await request.read()
        self._times.append(time.perf_counter())
        messages = json.loads(body)["messages"]
        self._prompts.add(hashlib.blake2b(repr(messages).encode(), digest_size=16).digest())
        await asyncio.sleep(self._latency)
        return web.Response(body=REPLY, content_type="application/json")

    async def models(self, request: web.Request) -> web.Response:
        """List the one model."""
        return web.json_response({"object": "list", "data": [{"id": MODEL}]})

    async def stats(self, request: web.Request) -> web.Response:
        """Tell what was counted, and begin anew."""
        times = self._times
        found = {
            "requests": len(times),
            "seconds": times[-1] - times[0] if times else 0.0,
            "duplicates": len(times) - len(self._prompts),
        }
        self._forget()
        return web.json_response(found)


def main() -> None:
    """Serve until killed."""
    server = Server(float(sys.argv[2]))
    app = web.Application()
    app.router.add_post("/v1/chat/completions", server.chat)
    app.router.add_get("/v1/models", server.models)
    app.router.add_get("/stats", server.stats)
    web.run_app(app, host="127.0.0.1", port=int(sys.argv[1]), print=None, access_log=None)


if __name__ == "__main__":
    main()
