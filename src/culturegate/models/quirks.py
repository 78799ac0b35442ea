"""What an endpoint will not take, learnt from its own errors and remembered for the run."""

from __future__ import annotations

import re
from typing import Any

from culturegate.models.base import Prompt
from culturegate.models.replies import ServerError

_UNSUPPORTED = re.compile(
    r"not supported|unsupported|not support|deprecated|not allowed|not permitted|no longer"
    r"|unknown|unrecognized|unexpected|extra inputs",
    re.IGNORECASE,
)
_WRONG_VALUE = re.compile(r"only the default|invalid|must be|should be", re.IGNORECASE)
_SYSTEM = re.compile(
    r"system (role|message|prompt)s?\b.{0,40}not (be )?(supported|allowed)"
    r"|not support.{0,20}(system|developer)|roles must alternate|only user and (assistant|model)",
    re.IGNORECASE,
)

TEMPERATURE = "temperature not honoured"
TOP_P = "top_p not honoured"
SYSTEM = "system text folded into the user turn"
STREAM = "not streamed: the endpoint refuses it"


class Quirks:
    """What was learnt so far of one endpoint, and requests made to suit it."""

    def __init__(self, *, stream: bool = False) -> None:
        self.stream = stream
        """Whether replies are to be streamed."""
        self.no_stream = False
        self.no_stream_options = False
        """Does not say how many tokens a streamed reply took."""
        self.completion_tokens = False
        """Takes `max_completion_tokens` in place of `max_tokens`."""
        self.no_temperature = False
        self.no_top_p = False
        self.fold_system = False

    def notes(self, prompt: Prompt | None = None) -> tuple[str, ...]:
        """Return what the endpoint did not honour, of `prompt` or of the whole run."""
        system = prompt is None or any(m.role == "system" for m in prompt.messages)
        notes = (
            (self.no_temperature, TEMPERATURE),
            (self.no_top_p, TOP_P),
            (self.fold_system and system, SYSTEM),
            (self.stream and self.no_stream, STREAM),
        )
        return tuple(note for holds, note in notes if holds)

    def body(self, model: str, prompt: Prompt) -> dict[str, Any]:
        """Return the JSON body that asks `prompt`."""
        messages = [{"role": m.role, "content": m.content} for m in prompt.messages]
        if self.fold_system:
            messages = _fold(messages)
        body: dict[str, Any] = {"model": model, "messages": messages}
        if not self.no_temperature:
            body["temperature"] = prompt.temperature
        if not self.no_top_p:
            body["top_p"] = prompt.top_p
        body["max_completion_tokens" if self.completion_tokens else "max_tokens"] = (
            prompt.max_tokens
        )
        if self.stream and not self.no_stream:
            body["stream"] = True
            if not self.no_stream_options:
                body["stream_options"] = {"include_usage": True}
        return body

    def learn(self, error: ServerError, body: dict[str, Any]) -> bool:
        """Learn from the error that `body` met; return whether a changed request is worth sending.

        The error's `param` decides where there is one, else its words. True also where another
        request has taught the same since `body` was made.
        """
        text = error.message
        about = error.param
        coded = error.code in ("unsupported_parameter", "unsupported_value")
        unsupported = coded or bool(_UNSUPPORTED.search(text))
        if "max_tokens" in body and (
            (about == "max_tokens" and unsupported) or "max_completion_tokens" in text
        ):
            self.completion_tokens = True
            return True
        refused = unsupported or bool(_WRONG_VALUE.search(text))
        if "temperature" in body and refused and _names("temperature", about, text):
            self.no_temperature = True
            return True
        if "top_p" in body and refused and _names("top_p", about, text):
            self.no_top_p = True
            return True
        if "stream_options" in body and refused and _names("stream_options", about, text):
            self.no_stream_options = True
            return True
        if "stream" in body and refused and _names("stream", about, text):
            self.no_stream = True
            return True
        system = any(m["role"] == "system" for m in body["messages"])
        if system and (_SYSTEM.search(text) or (about.endswith(".role") and "system" in text)):
            self.fold_system = True
            return True
        return False


def _names(parameter: str, about: str, text: str) -> bool:
    return about == parameter or (not about and parameter in text)


def _fold(messages: list[dict[str, str]]) -> list[dict[str, str]]:
    """Put the text of system turns, in order, at the head of the first user turn."""
    system = [m["content"] for m in messages if m["role"] == "system"]
    rest = [m for m in messages if m["role"] != "system"]
    if not system:
        return messages
    if not rest or rest[0]["role"] != "user":
        rest.insert(0, {"role": "user", "content": ""})
    first = "\n\n".join([*system, rest[0]["content"]]).rstrip("\n")
    return [{"role": "user", "content": first}, *rest[1:]]
