"""A streamed reply put together: server-sent events to the body that an unstreamed reply has.

The format is that of the HTML standard (server-sent events), of which chat servers use `data:`
lines, comments, and the closing `[DONE]`. All of it is untrusted.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from culturegate.errors import CallError

DONE = b"[DONE]"
_TEXTS = ("content", "reasoning_content", "reasoning", "thinking", "refusal")
"""Fields of a delta that hold tokens."""


@dataclass(frozen=True, slots=True)
class Streamed:
    """What a stream came to."""

    body: bytes
    """The JSON of a chat completion, or of the error that came in its place."""
    first: int | None
    """Bytes of the stream up to the end of the first event that held a token; None without any."""


def is_stream(headers: Mapping[str, str]) -> bool:
    """Return whether a reply is a stream of events."""
    return headers.get("content-type", "").strip().lower().startswith("text/event-stream")


def assemble(raw: bytes) -> Streamed:
    """Put a stream together.

    Raises:
        CallError: `connection`, where it ends before the reply does: half a reply is none.
            `bad_response`, where an event is no JSON.
    """
    told = _Reply()
    for end, data in _events(raw):
        if data == DONE:
            told.ended = True
            break
        try:
            event = json.loads(data)
        except (ValueError, RecursionError):
            raise CallError("bad_response", "an event of the stream is not JSON") from None
        if not isinstance(event, dict):
            raise CallError("bad_response", "an event of the stream is no object")
        if event.get("error") and not event.get("choices"):
            return Streamed(data, told.first)
        told.take(event, end)
    if not told.ended:
        raise CallError("connection", "the stream ended before the reply did")
    return Streamed(json.dumps(told.completion()).encode(), told.first)


def arrival(first: int | None, arrivals: Sequence[tuple[int, float]]) -> float | None:
    """Return when byte `first` of a body was there, from pairs of bytes so far and seconds."""
    if first is None:
        return None
    return next((seconds for size, seconds in arrivals if size >= first), None)


@dataclass(slots=True)
class _Reply:
    """A reply while its events come in."""

    first: int | None = None
    ended: bool = False
    parts: dict[str, list[Any]] = field(default_factory=dict)
    finish: str | None = None
    whole: dict[str, Any] = field(default_factory=dict)

    def take(self, event: Mapping[str, Any], end: int) -> None:
        for name in ("model", "system_fingerprint", "usage"):
            if event.get(name) is not None:
                self.whole[name] = event[name]
        choices = event.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else None
        if not isinstance(choice, dict) or choice.get("index") not in (0, None):
            return
        if isinstance(choice.get("finish_reason"), str):
            self.finish, self.ended = choice["finish_reason"], True
        delta = choice.get("delta")
        if not isinstance(delta, dict):
            return
        for name in _TEXTS:
            text = delta.get(name)
            if isinstance(text, str | list) and text:
                self.parts.setdefault(name, []).extend([text] if isinstance(text, str) else text)
                self.first = end if self.first is None else self.first

    def completion(self) -> dict[str, Any]:
        message = {name: _joined(parts) for name, parts in self.parts.items()}
        # A reply that ended without a token is an empty reply, as the unstreamed one would be.
        choice = {"message": {"content": None, **message}, "finish_reason": self.finish}
        return self.whole | {"choices": [choice]}


def _joined(parts: list[Any]) -> Any:
    return "".join(parts) if all(isinstance(part, str) for part in parts) else parts


def _events(raw: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield each event's data with the bytes up to its end.

    Servers end a line with LF or CRLF. The blank line that ends an event may still be on its way
    when its data is whole, so the end of the data's line counts.
    """
    data: list[bytes] = []
    end = position = 0
    for line in raw.split(b"\n"):
        position += len(line) + 1
        line = line.rstrip(b"\r")
        if line.startswith(b"data:"):
            data.append(line[5:].removeprefix(b" "))
            end = position
        elif not line and data:
            yield min(end, len(raw)), b"\n".join(data)
            data = []
    if data:
        yield min(end, len(raw)), b"\n".join(data)
