"""Reading what a server sent back: a chat completion, an error, or neither; all of it untrusted."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from culturegate.models.base import Usage
from culturegate.text import one_line

REASONING_ONLY = "reasoning without an answer"
_FINISH = {
    "max_tokens": "length",
    "max_length": "length",
    "model_length": "length",
    "eos": "stop",
    "eos_token": "stop",
    "end_turn": "stop",
    "stop_sequence": "stop",
    "safety": "content_filter",
}
_REASONING = ("reasoning_content", "reasoning", "thinking")
_TAG = re.compile(r"<[^<>]{0,500}>")
_CONTEXT = re.compile(
    r"context.{0,20}(length|window|size)|maximum.{0,20}tokens|prompt.{0,20}too (long|large)"
    r"|too many (input )?tokens|exceeds?.{0,40}context",
    re.IGNORECASE,
)
_QUOTA_CODES = {
    "insufficient_quota",
    "insufficient_balance",
    "insufficient_credits",
    "billing_hard_limit_reached",
    "billing_not_active",
    "quota_exceeded",
}
_QUOTA = re.compile(r"insufficient[ _](quota|balance|credits?|funds)|credit balance", re.IGNORECASE)
_FILTERED = {"content_filter", "content_policy_violation", "responsibleaipolicyviolation"}


@dataclass(frozen=True, slots=True)
class Completion:
    """A chat completion, cut down to what is used."""

    text: str | None
    finish_reason: str | None
    usage: Usage
    model: str | None
    fingerprint: str | None
    notes: tuple[str, ...]


class NotACompletion(Exception):
    """A 200 that is neither a completion nor an error: what is wrong, and the start of the body."""

    def __init__(self, what: str, body: str) -> None:
        super().__init__(what)
        self.what = what
        self.body = body


@dataclass(frozen=True, slots=True)
class ServerError:
    """An error as the server put it, its message cut at 4,000 characters but not cleaned.

    `status` is the HTTP status, or where an error came with 200 the status its body names.
    """

    status: int
    message: str
    code: str = ""
    param: str = ""

    @property
    def context_length(self) -> bool:
        """The prompt was too long for the model: this case's trouble alone."""
        too_long = self.code == "context_length_exceeded" or bool(_CONTEXT.search(self.message))
        return self.status == 413 or (self.status in (400, 422) and too_long)

    @property
    def cut_off(self) -> bool:
        """A reasoning model used up its tokens before it answered, told as a 400."""
        return self.status == 400 and "output limit was reached" in self.message

    @property
    def filtered(self) -> bool:
        """The server's content filter refused the prompt: a reading, not a failure."""
        return self.status in (400, 403) and self.code.lower() in _FILTERED

    @property
    def quota(self) -> bool:
        """The account has nothing left: waiting does not help."""
        return self.status in (402, 429) and (
            self.status == 402 or self.code in _QUOTA_CODES or bool(_QUOTA.search(self.message))
        )

    @property
    def rate_limited(self) -> bool:
        """Too fast: waiting helps."""
        return self.status == 429 and not self.quota

    @property
    def passing(self) -> bool:
        """The server's own passing trouble: asking again may help."""
        return self.status >= 500 or self.status in (408, 409, 425)


def read_json(raw: bytes) -> Any:
    """Return the JSON value of a body, or None where it is no JSON."""
    try:
        return json.loads(raw)
    except (ValueError, RecursionError):
        return None


def read_error(status: int, raw: bytes) -> ServerError:
    """Read an error's body in any of the shapes in use; what is no JSON is quoted as text."""
    value = read_json(raw)
    return _error_in(status, value) or ServerError(status, _as_text(raw))


def read_completion(raw: bytes) -> Completion | ServerError:
    """Read the body of a 200.

    Returns:
        The completion, or the error that the server sent in its place.

    Raises:
        NotACompletion: it is neither.
    """
    value = read_json(raw)
    if not isinstance(value, dict):
        raise NotACompletion("not a chat completion", _as_text(raw))
    choices = value.get("choices")
    if not isinstance(choices, list) or not choices:
        error = _error_in(200, value)
        if error is not None:
            return error
        raise NotACompletion("no choices in the reply", _as_text(raw))
    choice = choices[0]
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(message, dict):
        raise NotACompletion("no message in the reply", _as_text(raw))
    text, reasoned = _content(message)
    finish = choice.get("finish_reason")
    finish = _FINISH.get(finish.lower(), finish.lower()) if isinstance(finish, str) else None
    return Completion(
        text=text,
        finish_reason=finish,
        usage=_usage(value.get("usage")),
        model=_short(value.get("model")),
        fingerprint=_short(value.get("system_fingerprint")),
        notes=(REASONING_ONLY,) if reasoned and not (text or "").strip() else (),
    )


def _content(message: dict[str, Any]) -> tuple[str | None, bool]:
    """Return the answer's text, None where there is none, and whether reasoning came along."""
    content = message.get("content")
    reasoned = any(isinstance(message.get(name), str) and message[name] for name in _REASONING)
    if isinstance(content, list):
        parts: list[str] = []
        for part in content:
            kind = part.get("type", "text") if isinstance(part, dict) else "text"
            inner = part.get("text") if isinstance(part, dict) else part
            if kind in ("text", "output_text") and isinstance(inner, str):
                parts.append(inner)
            else:
                reasoned = reasoned or kind in ("reasoning", "thinking")
        content = "".join(parts) if parts else None
    if content is None and isinstance(message.get("refusal"), str):
        content = message["refusal"]
    if not isinstance(content, str):
        return None, reasoned
    # A lone surrogate, which JSON can carry, fits in no UTF-8 file.
    return content.encode("utf-8", "replace").decode("utf-8"), reasoned


def _usage(value: Any) -> Usage:
    if not isinstance(value, dict):
        return Usage()
    # No chat prompt is empty: servers that do not count say 0.
    return Usage(_count(value.get("prompt_tokens")) or None, _count(value.get("completion_tokens")))


def _count(value: Any) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 2**40:
        return None
    return value


def _error_in(status: int, value: Any) -> ServerError | None:
    """Return the error in a JSON body, or None where there is none."""
    if isinstance(value, list) and value:
        value = value[0]
    if not isinstance(value, dict):
        return None
    inner = value.get("error", value.get("errors"))
    if isinstance(inner, list) and inner:
        inner = inner[0]
    if isinstance(inner, str):
        return _from_fields(status, {**value, "message": inner})
    if isinstance(inner, dict):
        return _from_fields(status, inner)
    if any(key in value for key in ("message", "detail")):
        return _from_fields(status, value)
    return None


def _from_fields(status: int, fields: dict[str, Any]) -> ServerError:
    message = fields.get("message", fields.get("detail"))
    try:
        text = message if isinstance(message, str) else json.dumps(message or fields)
    except RecursionError:
        text = "(deeply nested)"
    code, kind = fields.get("code"), fields.get("type")
    if status == 200 and isinstance(code, int) and 400 <= code < 600:
        status = code
    named = code if isinstance(code, str) and code else kind if isinstance(kind, str) else ""
    param = fields.get("param")
    return ServerError(
        status, text[:4000], named[:100], param[:100] if isinstance(param, str) else ""
    )


def _as_text(raw: bytes) -> str:
    return " ".join(_TAG.sub(" ", raw[:4000].decode("utf-8", "replace")).split())


def _short(value: Any) -> str | None:
    return one_line(value) if isinstance(value, str) else None
