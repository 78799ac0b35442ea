"""The reply without what the model thought aloud before it, and without what it ran on to after.

The rules, in order:

- gpt-oss channels: only what stands in the last `final` channel is the reply;
- a block with both tags is dropped, nested ones with it;
- a closing tag without an opening one (some chat templates put that one into the prompt): all
  before it is dropped, unless nothing stands after it, for then the tag is a stray one;
- an opening tag that is never closed: all after it is dropped, and the reply counts as cut off;
- a template token that ends a turn ends the reply; other template tokens are dropped.
"""

from __future__ import annotations

import re

_NAMES = (
    r"(?:think|thinking|thought|thoughts|reasoning|reflection|scratchpad|analysis|seed:think|"
    r"internal_monologue|inner_monologue|antthinking)"
)
_TAG = re.compile(
    rf"<\s{{0,3}}(?P<close>/?)\s{{0,3}}{_NAMES}(?:\s[^<>]{{0,80}})?>"
    r"|◁(?P<close_k>/?)think▷"
    r"|\[(?P<close_m>/?)THINK\]"
    r"|<\|(?P<close_b>begin|end)_of_thought\|>",
    re.IGNORECASE,
)
_HARMONY = re.compile(r"<\|channel\|>\s{0,3}(\w{1,12})[^<]{0,40}<\|message\|>")
_TURN_END = re.compile(
    r"<\|(?:endoftext|im_end|eot_id|eom_id|end|end_of_text|return|end_of_turn|eos|end_of_solution|"
    r"END_OF_TURN_TOKEN|user)\|>|</s>|<end_of_turn>|<eos>|<｜end▁of▁sentence｜>|<\|EOT\|>"
    r"|\n[ \t]{0,4}(?:USER|User|HUMAN|Human|### ?(?:Instruction|Human|User))[ \t]{0,2}:",
)
_TOKEN = re.compile(
    r"<\|[^|<>\n]{1,40}\|>|</?s>|<(?:pad|bos|unk|eos|start_of_turn|end_of_turn)>"
    r"|\[/?INST\]|<｜[^｜<>\n]{1,40}｜>"
)
_LEADING = re.compile(rf"(?:\s|{_TOKEN.pattern}|assistant\b)*")
_ROLE = re.compile(
    r"\s{0,20}(?:(?:assistant|ai assistant|model|bot|chatbot|gpt|"
    r"### ?(?:response|assistant|output))"
    r"[ \t]{0,3}(?::|\n)[ \t]{0,3})",
    re.IGNORECASE,
)
_CHANNEL_WORDS = "assistantfinal"
_BOUND = 50_000
_CLOSERS = ("</think>", "</thinking>", "</thought>", "</reasoning>", "[/THINK]", "◁/think▷")


def _closes(tag: re.Match[str]) -> bool:
    return bool(
        tag["close"] or tag["close_k"] or tag["close_m"] or (tag["close_b"] or "").lower() == "end"
    )


def without_reasoning(text: str) -> tuple[str, bool]:
    """Return the reply proper, and whether its reasoning was still open where it ends.

    Linear in the length of `text`.
    """
    if len(text) > 2 * _BOUND:
        # Reasoning can be long: its end is looked for in all of the text, the rest at the ends.
        close = max(text.rfind(tag) + len(tag) for tag in _CLOSERS)
        if close > _BOUND and text[close:].strip():
            text = text[close:]
        if len(text) > 2 * _BOUND:
            text = text[:_BOUND] + "\n" + text[-_BOUND:]
    if "<|channel|>" in text:
        channels = list(_HARMONY.finditer(text))
        if channels and channels[-1][1].lower() in {"analysis", "commentary"}:
            return "", True
        if channels:
            text = text[channels[-1].end() :]
    elif text.lstrip().startswith("analysis") and _CHANNEL_WORDS in text:
        text = text.rpartition(_CHANNEL_WORDS)[2]
    open_ended = False
    if "<" in text or "◁" in text or "[" in text:
        text, open_ended = _without_blocks(text)
        text = _without_tokens(text)
    role = _ROLE.match(text)
    return (text[role.end() :] if role else text), open_ended


def _without_blocks(text: str) -> tuple[str, bool]:
    kept: list[str] = []
    depth = 0
    start = 0
    stray: list[int] = []
    for tag in _TAG.finditer(text):
        if not _closes(tag):
            if depth == 0:
                kept.append(text[start : tag.start()])
            depth += 1
        elif depth:
            depth -= 1
            start = tag.end()
        else:
            kept.append(text[start : tag.start()])
            stray.append(len(kept))
            start = tag.end()
    if depth:
        # One more opening tag than closing ones around a finished block is a slip of the model's;
        # text after the last closing tag shows that it did finish.
        last = _last_close(text)
        if last is None or not text[last:].strip():
            return _after_stray(kept, stray), True
        kept.append(text[last:])
    else:
        kept.append(text[start:])
    return _after_stray(kept, stray), False


def _last_close(text: str) -> int | None:
    last = None
    for tag in _TAG.finditer(text):
        last = tag.end() if _closes(tag) else None
    return last


def _after_stray(kept: list[str], stray: list[int]) -> str:
    filled = max((n for n, part in enumerate(kept) if part.strip()), default=-1)
    cut = max((n for n in stray if n <= filled), default=0)
    return "".join(kept[cut:])


def _without_tokens(text: str) -> str:
    start = _LEADING.match(text)
    end = _TURN_END.search(text, start.end() if start else 0)
    return _TOKEN.sub("", text[: end.start()] if end else text)
