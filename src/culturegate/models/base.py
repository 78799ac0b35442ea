"""Who is asked: the contract between the tracks, the engine and whatever answers."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a chat."""

    role: str
    content: str


@dataclass(frozen=True, slots=True)
class Prompt:
    """One request: what is sent, and which sample of it this is."""

    messages: tuple[Message, ...]
    temperature: float = 0.0
    top_p: float = 1.0
    max_tokens: int = 32
    sample: int = 0
    """Index among repeats of the same payload, whichever case asks; part of the reply's key, never
    sent."""
    judge: bool = False
    """Whether the judge model is asked rather than the model under test."""
    case: str | None = None
    """The case that asks, set by the engine; neither sent nor part of the key."""
    trial: int | None = None
    """Number of this prompt among its case's; the engine counts where the case says none. Neither
    sent nor in the key."""

    def key(self, model: str) -> str:
        """Return the SHA-256 (hex) that names the reply of `model` to exactly this request."""
        payload = json.dumps([model, self.payload()], ensure_ascii=False, sort_keys=True)
        return hashlib.sha256(payload.encode("utf-8", "backslashreplace")).hexdigest()

    def payload(self) -> dict[str, Any]:
        """Return what the key covers apart from the model, as plain JSON data."""
        data = {
            "messages": [{"role": turn.role, "content": turn.content} for turn in self.messages],
            "temperature": self.temperature,
            "top_p": self.top_p,
            "max_tokens": self.max_tokens,
            "sample": self.sample,
        }
        return data | {"judge": True} if self.judge else data


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens as the server counted them; None where it did not say."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """What the model gave back to one prompt."""

    text: str | None
    finish_reason: str | None = None
    """`stop`, `length` (cut off) or `content_filter`, in the OpenAI API's words."""
    usage: Usage = Usage()
    latency: float | None = None
    """Seconds from sending to the last byte; None for a recorded reply."""
    ttft: float | None = None
    """Seconds to the first token, where the reply was streamed."""
    sent: float | None = None
    """When it was sent, in seconds since 1970; None for a recorded reply."""
    retries: int = 0
    model: str | None = None
    """The model's name as the server returned it."""
    fingerprint: str | None = None
    key: str = ""
    """`Prompt.key` of the request."""
    notes: tuple[str, ...] = ()
    """What a reader of this reply should know: `prompt probably truncated`, for one."""
    option_order: str | None = None
    """The item's own labels in the order in which whoever asked showed the options; None where
    this session's prompt was asked."""


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """Who answers, for the record of the run; no secrets."""

    name: str
    """The name asked for."""
    kind: str
    """`endpoint`, `embedded` or `replay`."""
    base_url: str | None = None
    """Without user, password or query."""
    framework: str | None = None
    """Name and version of what runs the model, where it tells."""
    warnings: tuple[str, ...] = ()


class Model(Protocol):
    """Whatever answers prompts. All methods run on the engine's event loop."""

    async def check(self) -> ModelInfo:
        """Reach the model before the first case; raise `ModelUnavailable` where that fails."""
        ...

    async def ask(self, prompt: Prompt) -> Reply:
        """Answer one prompt, retrying as the model's kind asks.

        Raises `CallError` where this call failed for good and `ModelUnavailable` where every
        further call would fail too.
        """
        ...

    async def aclose(self) -> None:
        """Release connections and memory."""
        ...
