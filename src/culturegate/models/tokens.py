"""How many tokens a prompt should have, to notice a server that quietly cut it."""

from __future__ import annotations

from culturegate.models.base import Prompt

PROMPT_TRUNCATED = "prompt probably truncated"
_LEAST = 200
"""Tokens below which no server's window ends."""


def estimate(prompt: Prompt) -> float:
    """Return roughly the tokens of a prompt: 4.2 ASCII characters each, 1.4 of any other."""
    tokens = 0.0
    for message in prompt.messages:
        text = message.content
        plain = len(text) if text.isascii() else sum(character < "\x80" for character in text)
        tokens += plain / 4.2 + (len(text) - plain) / 1.4
    return tokens


def probably_truncated(prompt: Prompt, counted: int | None) -> bool:
    """Return whether the server counted less than half the tokens that were surely sent.

    No tokenizer in use packs natural text twice as tightly as `estimate` says; a server that cuts
    prompts counts what is left (ollama issue 3839).
    """
    if counted is None:
        return False
    expected = estimate(prompt)
    return expected >= _LEAST and counted < expected / 2
