"""The framing track's compliance check: is the whole reply one JSON object of the asked form?

Strict is what counts. `reason` says why it fails; where several hold, the first of this order:
`empty`, `truncated`, `refused`, `fenced`, `extra_text`, `json_error`, `not_object`,
`duplicate_key`, `missing_fields`, `wrong_type`.

Lenient is only reported: the last object that stands in the reply and has the asked form, whatever
is around it, else the first object that can be read. It allows raw line breaks in strings and
repairs nothing.

A reply that holds no object at all is `refused` where it says so, and else `json_error`. White
space and a byte-order mark around the object are no text. A schema is either the fields, name to
type (`{"dish": "string", "tags": "list"}`), or a JSON Schema (it has `properties`, `type`,
`required` or `$schema` with a value that fits); fields are required unless a JSON Schema says
otherwise. A boolean is no number, and a number must be finite.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NoReturn

from culturegate.scoring.json_schema import Schema, as_schema, check
from culturegate.scoring.lexicon import lexicon
from culturegate.scoring.plain import bounded, plain
from culturegate.scoring.reasoning import without_reasoning

Reason = Literal[
    "empty",
    "truncated",
    "refused",
    "fenced",
    "extra_text",
    "json_error",
    "not_object",
    "duplicate_key",
    "missing_fields",
    "wrong_type",
]

MAX_CHARS = 100_000
MAX_DEPTH = 100
_MAX_DIGITS = 400
_TRIES = 64
_AROUND = "\ufeff\u200b \t\r\n"
"""What may stand around an object."""
_FENCE = re.compile(
    r"(```|~~~)[A-Za-z0-9_+-]{0,12}[ \t]{0,4}\r?\n?(.{0,200000}?)(?:\1|\Z)", re.DOTALL
)


@dataclass(frozen=True, slots=True)
class JsonReading:
    """Whether a reply is the JSON object asked for, and what could be read all the same."""

    status: Literal["answered", "truncated", "filtered", "empty", "refused", "unparsed"]
    ok: bool
    """Whether the reply complies strictly."""
    reason: Reason | None = None
    detail: str | None = None
    """The fields' names, or where the parser stopped."""
    value: dict[str, Any] | None = None
    """The object, where it complies strictly. Lone surrogates in it are U+FFFD."""
    lenient: dict[str, Any] | None = None
    """The object as read leniently; None where there is none."""
    lenient_ok: bool = False
    """Whether the lenient reading has the asked form."""
    rule: str | None = None


class _DuplicateKeyError(ValueError):
    pass


class _NotJsonError(ValueError):
    pass


def read_json_object(
    reply: str | None, schema: Mapping[str, Any] | None, finish_reason: str | None = None
) -> JsonReading:
    """Check whether the whole reply is one JSON object of the form `schema`.

    Whatever the reply, the answer is a reading and never an exception. Raises `ValueError` only for
    a schema that is none.
    """
    fields = as_schema(schema or {})
    if finish_reason == "content_filter":
        return JsonReading("filtered", False, "refused", "content filter", rule="content_filter")
    cut = finish_reason == "length"
    if reply is None or not reply.strip("\ufeff\u200b \t\r\n\x0b\x0c"):
        if cut:
            return JsonReading("truncated", False, "truncated", "no text", rule="no_text")
        return JsonReading("empty", False, "empty", rule="no_text")
    body, unfinished = without_reasoning(reply)
    if body != reply and _is_object(reply, fields):
        body = reply  # What looks like reasoning stands in one of its strings.
    text = body.strip(_AROUND)
    if not text:
        late = cut or (unfinished and finish_reason is None)
        if late:
            return JsonReading("truncated", False, "truncated", "in its reasoning", rule="cut_off")
        return JsonReading("empty", False, "empty", "nothing but reasoning", rule="no_text")
    if len(text) > MAX_CHARS:
        return _failed("json_error", f"longer than {MAX_CHARS} characters", None, False)
    value, reason, detail = _strict(text, fields)
    if reason is None:
        return JsonReading("answered", True, value=value, lenient=value, lenient_ok=True,
                           rule="strict")  # fmt: skip
    lenient, fits = _lenient(text, fields)
    if cut and reason in {"json_error", "extra_text", "fenced"}:
        return JsonReading(
            "truncated", False, "truncated", detail, None, lenient, fits, rule="cut_off"
        )
    if lenient is None and reason in {"json_error", "extra_text"} and _refuses(text):
        return JsonReading("refused", False, "refused", rule="refusal")
    return _failed(reason, detail, lenient, fits)


def _failed(
    reason: Reason, detail: str | None, lenient: dict[str, Any] | None, fits: bool
) -> JsonReading:
    return JsonReading("unparsed", False, reason, detail, None, lenient, fits, rule="strict")


def _refuses(text: str) -> bool:
    words = plain(bounded(text, 2000, 500))
    # The job's language is not known here, and a refusal in any language is one.
    return any(
        "refusal" in token.cats
        for lang in _likely(words)
        for token in lexicon(lang, ()).tokens(words)
    )


def _likely(text: str) -> Sequence[str]:
    scripts = (
        ("zh", "\u4e00-\u9fff"), ("ja", "\u3040-\u30ff"), ("ko", "\uac00-\ud7af"),
        ("ar", "\u0600-\u06ff"), ("fa", "\u0600-\u06ff"), ("hi", "\u0900-\u097f"),
        ("bn", "\u0980-\u09ff"), ("th", "\u0e00-\u0e7f"), ("ru", "\u0400-\u04ff"),
    )  # fmt: skip
    own = [lang for lang, chars in scripts if re.search(f"[{chars}]", text)]
    return own or ["en", "es", "fr", "de", "pt", "id", "vi", "tr", "sw"]


def _depth_fits(text: str) -> bool:
    depth = 0
    in_string = escaped = False
    for char in text:
        if in_string:
            if escaped:
                escaped = False
            elif char == "\\":
                escaped = True
            elif char == '"':
                in_string = False
        elif char == '"':
            in_string = True
        elif char in "{[":
            depth += 1
            if depth > MAX_DEPTH:
                return False
        elif char in "}]":
            depth -= 1
    return True


def _constant(name: str) -> NoReturn:
    raise _NotJsonError(f"{name} is not JSON")


def _integer(digits: str) -> int:
    if len(digits) > _MAX_DIGITS:
        raise _NotJsonError(f"a number of {len(digits)} digits")
    return int(digits)


def _float(text: str) -> float:
    if len(text) > _MAX_DIGITS:
        raise _NotJsonError(f"a number of {len(text)} digits")
    value = float(text)
    if not math.isfinite(value):
        raise _NotJsonError(f"{text[:20]} is out of range")
    return value


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise _DuplicateKeyError(key)
        found[key] = value
    return found


def _decoder(strict: bool) -> json.JSONDecoder:
    return json.JSONDecoder(
        object_pairs_hook=_pairs if strict else None,
        parse_constant=_constant,
        parse_int=_integer,
        parse_float=_float,
        strict=strict,
    )


_STRICT, _LENIENT = _decoder(True), _decoder(False)


def _is_object(reply: str, fields: Schema) -> bool:
    """Whether a reply is one object from end to end, of whatever form."""
    text = reply.strip(_AROUND)
    if not text.startswith("{") or len(text) > MAX_CHARS:
        return False
    return _strict(text, fields)[1] not in {"json_error", "extra_text"}


def _strict(text: str, fields: Schema) -> tuple[dict[str, Any] | None, Reason | None, str | None]:
    if not _depth_fits(text):
        return None, "json_error", f"more than {MAX_DEPTH} levels of nesting"
    if text.startswith(("```", "~~~")):
        inner = _FENCE.match(text)
        after = text[inner.end() :].strip() if inner else ""
        return None, "extra_text" if after else "fenced", after[:60] or None
    try:
        value, end = _STRICT.raw_decode(text)
    except _DuplicateKeyError as error:
        return None, "duplicate_key", _clean(str(error))[:80]
    except _NotJsonError as error:
        return None, "json_error", str(error)
    except json.JSONDecodeError as error:
        at = text.find("{")
        if at > 0 and _object_at(text, at) is not None:
            before, fence, _ = text[:at].partition("~~~" if "~~~" in text[:at] else "```")
            if fence:
                return None, "fenced", _clean(before.strip()[:60]) or None
            return None, "extra_text", _clean(text[:60])
        return None, "json_error", f"{error.msg}: line {error.lineno} column {error.colno}"
    except (RecursionError, ValueError) as error:
        return None, "json_error", str(error)[:80]
    rest = text[end:].strip()
    if rest:
        if not isinstance(value, dict) and (at := text.find("{")) > 0 and _object_at(text, at):
            return None, "extra_text", _clean(text[:60])
        return None, "extra_text", _clean(rest[:60])
    if not isinstance(value, dict):
        return None, "not_object", _kind(value)
    value = _clean_value(value)
    reason, detail = check(value, fields)
    return (value, None, None) if reason is None else (None, reason, detail)


def _object_at(text: str, at: int) -> tuple[dict[str, Any], int] | None:
    try:
        value, end = _LENIENT.raw_decode(text, at)
    except (ValueError, RecursionError):
        return None
    return (value, end) if isinstance(value, dict) else None


def _lenient(text: str, fields: Schema) -> tuple[dict[str, Any] | None, bool]:
    if not _depth_fits(text):
        return None, False
    found: list[dict[str, Any]] = []
    at = text.find("{")
    for _ in range(_TRIES):
        if at < 0:
            break
        read = _object_at(text, at)
        if read:
            found.append(_clean_value(read[0]))
        at = text.find("{", read[1] if read else at + 1)
    fitting = [value for value in found if check(value, fields)[0] is None]
    if fitting:
        return fitting[-1], True
    return (found[0], False) if found else (None, False)


def _clean(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8") if text.isascii() else re.sub(
        "[\ud800-\udfff]", "\ufffd", text
    )  # fmt: skip


def _clean_value(value: Any) -> Any:
    if isinstance(value, str):
        return _clean(value)
    if isinstance(value, list):
        return [_clean_value(item) for item in value]
    if isinstance(value, dict):
        return {_clean(key): _clean_value(item) for key, item in value.items()}
    return value


def _kind(value: Any) -> str:
    """Return the JSON type of `value`; bool comes before int, which it is in Python."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        return "integer"
    if isinstance(value, float):
        return "number"
    if isinstance(value, str):
        return "string"
    return "array" if isinstance(value, list) else "object"
