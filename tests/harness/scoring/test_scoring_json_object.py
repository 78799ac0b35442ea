from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from culturegate.scoring import read_json_object

ROWS = {
    row["id"]: row
    for row in map(
        json.loads,
        (Path(__file__).parent / "cases" / "json.jsonl").read_text(encoding="utf-8").splitlines(),
    )
}
SCHEMAS: dict[str, dict[str, Any]] = {
    "C08": {"price": {"type": "number", "minimum": 20, "maximum": 100}},
    "C13": {"dish_a": "object"},
    "C16": {"score": "number"},
    "C17": {"score": {"type": "number", "minimum": 0, "maximum": 10}},
    "C18": {"score": "number"},
}
REASONS: dict[str, list[str | None]] = {
    "C01": ["extra_text"], "C03": ["extra_text"], "C05": ["fenced"],
    "C08": ["json_error", "json_error"], "C09": ["json_error"], "C10": ["json_error"],
    "C11": ["duplicate_key"], "C13": ["wrong_type"], "C15": [None] * 3, "C16": ["wrong_type"],
    "C17": ["wrong_type"], "C18": ["refused"], "C20": ["json_error"], "C21": [None, "json_error"],
    "C22": [None], "C23": [None], "C26": ["truncated"], "C27": ["json_error"],
}  # fmt: skip
LENIENT = {
    "C03": {"a": 1},
    "C05": {"a": {"b": 1}, "c": 2},
    "C22": {"e": "🍜"},
    "C23": {"e": "\ufffd"},
    "C27": {"poem": "line one\nline two"},
}


def replies(row: dict[str, Any]) -> list[str]:
    given_ = row["input"]
    if isinstance(given_, dict):
        if "python_expr" in given_:
            return [eval(given_["python_expr"])]
        return given_.get("replies") or [given_["reply"]]
    return given_ if isinstance(given_, list) else [given_]


@pytest.mark.parametrize("case", sorted(ROWS))
def test_a_public_failure_gets_its_reason(case: str) -> None:
    row = ROWS[case]
    given_ = row["input"]
    finish = given_.get("finish_reason") if isinstance(given_, dict) else None
    read = [read_json_object(text, SCHEMAS.get(case, {}), finish) for text in replies(row)]
    assert [reading.reason for reading in read] == REASONS[case]
    assert all(reading.ok == (reading.reason is None) for reading in read)
    if case in LENIENT:
        assert read[0].lenient == LENIENT[case]
    for reading in read:
        json.dumps([reading.value, reading.lenient], ensure_ascii=False).encode()


@pytest.mark.parametrize(
    ("reply", "reason", "detail"),
    [
        ('{"dish": "soup", "tags": []}', None, None),
        ('\ufeff {"dish": "soup", "tags": []}\r\n', None, None),
        ('<think>hm</think>{"dish": "soup", "tags": []}', None, None),
        ('{"dish": "soup", "tags": "a, b"}', "wrong_type", "tags not a list"),
        ('{"dish": true, "tags": null}', "wrong_type", "dish not a string, tags not a list"),
        ('{"dish": "soup"}', "missing_fields", "tags"),
        ("{}", "missing_fields", "dish, tags"),
        ("[1]", "not_object", "array"),
        ('"soup"', "not_object", "string"),
        ('```json\n{"dish": "soup", "tags": []}\n```', "fenced", None),
        ('Here:\n```\n{"dish": "soup", "tags": []}\n```', "fenced", "Here:"),
        ('Sure! {"dish": "soup", "tags": []}', "extra_text", 'Sure! {"dish": "soup", "tags": []}'),
        ('{"dish": "soup", "tags": []} Enjoy!', "extra_text", "Enjoy!"),
        ('{"a": {"b": 1, "b": 2}}', "duplicate_key", "b"),
        ('{"dish": "soup",}', "json_error", None),
        ("I cannot help with that.", "refused", None),
        ("我无法回答这个问题。", "refused", None),
        ("soup", "json_error", "Expecting value: line 1 column 1"),
        ("", "empty", None),
        (None, "empty", None),
    ],
)
def test_each_way_to_fail_has_its_reason_and_detail(
    reply: str | None, reason: str | None, detail: str | None
) -> None:
    reading = read_json_object(reply, {"dish": "string", "tags": "list"})
    assert reading.reason == reason
    if detail is not None:
        assert reading.detail == detail


def test_a_fenced_object_is_read_leniently_and_counted_as_fitting() -> None:
    reading = read_json_object('```json\n{"n": 1}\n```', {"n": "integer"})
    assert (reading.ok, reading.lenient, reading.lenient_ok) == (False, {"n": 1}, True)


def test_a_json_schema_is_taken_as_it_stands() -> None:
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    assert read_json_object('{"n": 2, "more": 1}', schema).ok
    assert read_json_object('{"n": 2.5}', schema).detail == "n not an integer"


def test_a_schema_that_is_none_is_an_error() -> None:
    with pytest.raises(ValueError, match="field 'n' has type 'whole'; valid are string"):
        read_json_object("{}", {"n": "whole"})


@given(st.text())
@settings(deadline=None)
def test_no_text_makes_the_json_reader_raise(text: str) -> None:
    read_json_object(text, {"a": "string"})


@given(st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), st.integers() | st.none()
       | st.booleans() | st.text(st.characters(exclude_categories=["Cs"]))))  # fmt: skip
@settings(deadline=None)
def test_every_plain_object_complies_with_no_demands(value: dict[str, Any]) -> None:
    reading = read_json_object(json.dumps(value), {})
    assert reading.ok
    assert reading.value == value
