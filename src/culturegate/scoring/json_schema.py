"""The form that a reply's object must have: a JSON Schema, or plain fields with their types."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Literal

_TYPES: Mapping[str, str] = {
    **dict.fromkeys(("string", "str", "text"), "string"),
    **dict.fromkeys(("number", "float"), "number"),
    **dict.fromkeys(("integer", "int"), "integer"),
    **dict.fromkeys(("boolean", "bool"), "boolean"),
    **dict.fromkeys(("array", "list"), "array"),
    **dict.fromkeys(("object", "dict"), "object"),
    "null": "null",
}
_ARTICLES = {
    "string": "a string", "number": "a number", "integer": "an integer", "boolean": "a boolean",
    "array": "a list", "object": "an object", "null": "null",
}  # fmt: skip

Misfit = Literal["missing_fields", "wrong_type"]
Schema = Mapping[str, Any]


def as_schema(schema: Mapping[str, Any]) -> Schema:
    """Return `schema` as a JSON Schema; raises `ValueError` for what is none."""
    if "properties" in schema or "$schema" in schema or isinstance(schema.get("required"), list):
        _validator(json.dumps(schema, sort_keys=True))
        return schema
    if schema.get("type") == "object" and len(schema) == 1:
        return schema
    properties = {name: _field(name, kind) for name, kind in schema.items()}
    made = {"type": "object", "properties": properties, "required": list(properties)}
    _validator(json.dumps(made, sort_keys=True))
    return made


def _field(name: str, kind: Any) -> Any:
    if isinstance(kind, str):
        if kind not in _TYPES:
            message = f"field {name!r} has type {kind!r}; valid are {', '.join(_TYPES)}"
            raise ValueError(message)
        return {"type": _TYPES[kind]}
    if isinstance(kind, Mapping):
        return dict(kind)
    message = f"field {name!r} must be given a type's name or a schema, not {kind!r}"
    raise ValueError(message)


@lru_cache(maxsize=256)
def _validator(schema: str) -> Any:
    import jsonschema

    data = json.loads(schema)
    try:
        jsonschema.Draft202012Validator.check_schema(data)
    except jsonschema.SchemaError as error:
        message = f"not a JSON Schema: {error.message}"
        raise ValueError(message) from error
    return jsonschema.Draft202012Validator(data)


def check(value: dict[str, Any], schema: Schema) -> tuple[Misfit | None, str | None]:
    """Return how an object misses a schema, and where; None twice where it fits."""
    missing: list[str] = []
    wrong: list[str] = []
    for error in _validator(json.dumps(schema, sort_keys=True)).iter_errors(value):
        place = ".".join(map(str, error.absolute_path))
        if error.validator == "required":
            names = [name for name in error.validator_value if name not in error.instance]
            missing += [f"{place}.{name}" if place else name for name in names]
        elif error.validator == "type":
            kinds = error.validator_value
            kinds = [kinds] if isinstance(kinds, str) else kinds
            wanted = " or ".join(_ARTICLES.get(kind, kind) for kind in kinds)
            wrong.append(f"{place or 'the object'} not {wanted}")
        else:
            wrong.append(f"{place or 'the object'} breaks {error.validator}")
    if missing:
        return "missing_fields", ", ".join(dict.fromkeys(missing))
    if wrong:
        return "wrong_type", ", ".join(wrong)
    return None, None
