"""What other tools recorded of a question and its reply, made into what the readers take.

A line is one JSON object: `id`, `reply` (text, null, content parts, a message, or a whole
completion), `finish_reason`, `lang`, `options`, `labels`, `gold`, `tolerance`, `unit`, `schema`,
`multi`. Every function here raises `ValueError` with a sentence for a person where a field cannot
be used.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from culturegate.scoring.plain import folded

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_LETTERED = re.compile(r"\s*\(?([A-Za-z])\s*[.):、]\s*(.+)", re.DOTALL)
_THOUGHT = frozenset({"reasoning", "thinking", "redacted_thinking", "tool_use", "tool_call"})


def reply_text(line: Mapping[str, Any]) -> tuple[str | None, str | None]:
    """Return a line's reply as text, and its finish reason."""
    for key in ("reply", "message"):
        if key in line:
            found = line[key]
            break
    else:
        message = "has no reply; give `reply` as text, null, content parts or a message"
        raise ValueError(message)
    reason = line.get("finish_reason")
    if isinstance(found, Mapping) and isinstance(found.get("choices"), Sequence):
        choice = found["choices"][0] if found["choices"] else {}
        if not isinstance(choice, Mapping):
            message = "reply.choices[0] is not an object"
            raise ValueError(message)
        reason = reason or choice.get("finish_reason")
        found = choice.get("message", choice.get("text"))
    if reason is not None and not isinstance(reason, str):
        message = f"finish_reason is {reason!r}, not text"
        raise ValueError(message)
    return _text(found), {"max_tokens": "length", "MAX_TOKENS": "length"}.get(reason or "", reason)


def _text(found: Any) -> str | None:
    if found is None or isinstance(found, str):
        return found
    if isinstance(found, Mapping):
        if found.get("type") in _THOUGHT:
            return None
        if isinstance(found.get("refusal"), str) and not found.get("content"):
            return str(found["refusal"])
        for key in ("content", "text"):
            if key in found:
                return _text(found[key])
        message = f"reply is an object without content; it has {', '.join(map(str, found))[:80]}"
        raise ValueError(message)
    if isinstance(found, list):
        parts = [_text(part) for part in found]
        kept = [part for part in parts if part is not None]
        return "".join(kept) if kept else None
    message = f"reply is {str(found)[:40]!r}, neither text, null, content parts nor a message"
    raise ValueError(message)


def shown_options(line: Mapping[str, Any]) -> tuple[dict[str, str], tuple[str, ...]]:
    """Return the options, label to text, and further letters by which a reply may name them."""
    found = line.get("options")
    labels = line.get("labels")
    extra = tuple(map(str, labels)) if isinstance(labels, list | str) else ()
    if found is None:
        if not extra:
            message = "has neither options nor labels"
            raise ValueError(message)
        options, extra = dict.fromkeys(extra, ""), ()
    elif isinstance(found, str):
        parts = re.split(r"[\s,;/|]+", found.strip()) if re.search(r"[\s,;/|]", found) else found
        options = dict.fromkeys([part for part in parts if part], "")
    elif isinstance(found, Mapping):
        if isinstance(found.get("label"), list) and isinstance(found.get("text"), list):
            options = dict(zip(map(str, found["label"]), map(str, found["text"]), strict=False))
        else:
            options = {
                str(label): "" if text is None else str(text) for label, text in found.items()
            }
    elif isinstance(found, list):
        options = _listed(found, extra)
        extra = () if set(extra) <= set(options) else extra
    else:
        message = f"options are {str(found)[:40]!r}; give a list, a letter string or label → text"
        raise ValueError(message)
    if len(options) < 2:
        message = f"has {len(options)} option(s); a choice needs at least 2"
        raise ValueError(message)
    if any(not label.strip() for label in options):
        message = "an option's label is empty"
        raise ValueError(message)
    return options, extra


def _listed(found: list[Any], extra: tuple[str, ...]) -> dict[str, str]:
    if len(found) > len(LETTERS) and len(extra) != len(found):
        message = f"has {len(found)} options; more than {len(LETTERS)} need labels"
        raise ValueError(message)
    if all(isinstance(entry, Mapping) for entry in found):
        return {
            str(entry.get("label", LETTERS[n])): str(entry.get("text", ""))
            for n, entry in enumerate(found)
        }
    texts = [str(entry) for entry in found]
    if not extra and [text.upper() for text in texts] == list(LETTERS[: len(texts)]):
        return dict.fromkeys(texts, "")
    if len(extra) == len(texts):
        return dict(zip(extra, texts, strict=True))
    lettered = [_LETTERED.fullmatch(text) for text in texts]
    if all(match and match[1].upper() == LETTERS[n] for n, match in enumerate(lettered)):
        return {match[1]: match[2] for match in lettered if match}
    return dict(zip(LETTERS, texts, strict=False))


def gold_labels(gold: Any, options: Mapping[str, str], multi: bool) -> frozenset[str]:
    """Return the labels that a gold accepts; with `multi`, all of which must be chosen."""
    if isinstance(gold, list):
        return frozenset(label for one in gold for label in gold_labels(one, options, multi))
    text = str(gold).strip()
    by_label = {folded(label): label for label in options}
    if text in options:
        return frozenset({text})
    bare = folded(text).strip(" ().:[]")
    if bare in by_label and not isinstance(gold, bool):
        return frozenset({by_label[bare]})
    same = [label for label, option in options.items() if option and folded(option) == folded(text)]
    if same:
        return frozenset(same[:1])
    if multi:
        parts = re.split(r"[\s,;/]+", text) if re.search(r"[\s,;/]", text) else list(text)
        if parts and all(folded(part) in by_label for part in parts if part):
            return frozenset(by_label[folded(part)] for part in parts if part)
    message = f"gold {text[:60]!r} is neither a label nor the text of an option; labels are " + (
        ", ".join(options)
    )
    raise ValueError(message)
