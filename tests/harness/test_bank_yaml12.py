from __future__ import annotations

import json
import math
import time
from pathlib import Path
from typing import Any

import pytest

from culturegate.bank.yaml12 import MAX_DEPTH, load
from culturegate.errors import InputError

FILE = Path("bank.yaml")


def data(text: str, **options: Any) -> Any:
    return load(text, FILE, **options).data


def problems(text: str) -> list[tuple[int | None, str]]:
    with pytest.raises(InputError) as caught:
        load(text, FILE)
    assert all(problem.file == FILE for problem in caught.value.problems)
    return [(problem.line, problem.message) for problem in caught.value.problems]


def test_words_that_yaml_1_1_made_booleans_stay_words() -> None:
    text = "culture: no\nalso: [no, sv, yes, on, off, y, n, NO]"
    assert data(text) == {
        "culture": "no",
        "also": ["no", "sv", "yes", "on", "off", "y", "n", "NO"],
    }


def test_keys_are_text_whatever_they_look_like() -> None:
    assert data("no: Norsk\n1: one\ntrue: t\nnull: n") == {
        "no": "Norsk", "1": "one", "true": "t", "null": "n",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("scalar", "value"),
    [
        ("21:30", "21:30"),
        ("2024-02-10", "2024-02-10"),
        ("1_000", "1_000"),
        ("0b11", "0b11"),
        ("=", "="),
        ("true", True),
        ("False", False),
        ("~", None),
        ("null", None),
        ("", None),
        ("None", "None"),
        ("010", 10),
        ("0o17", 15),
        ("0x1F", 31),
        ("-0o7", "-0o7"),
        ("+12", 12),
        ("1.", 1.0),
        (".5", 0.5),
        ("1e3", 1000.0),
        ("1.2.3", "1.2.3"),
        ("-.inf", -math.inf),
        ("nan", "nan"),
        ('"no"', "no"),
        ("'12'", "12"),
    ],
)
def test_plain_scalars_follow_the_core_schema(scalar: str, value: object) -> None:
    found = data(f"a: {scalar}")["a"]
    assert found == value
    assert type(found) is type(value)


def test_a_date_survives_json() -> None:
    assert json.loads(json.dumps(data("festival: 2024-02-10"))) == {"festival": "2024-02-10"}


def test_the_text_schema_keeps_what_was_written() -> None:
    text = "a: 1.10\nb: null\nc: true\nd:\ne: 007"
    assert data(text, schema="text") == {
        "a": "1.10",
        "b": "null",
        "c": "true",
        "d": None,
        "e": "007",
    }


def test_not_a_number_is_read_as_one() -> None:
    assert math.isnan(data("a: .nan")["a"])


def test_every_duplicate_key_is_named_with_its_line() -> None:
    assert problems("id: a1\nquestion: first\nquestion: {x: 1}\nid: 2\nz: 1") == [
        (3, "duplicate key 'question'; keep one of them"),
        (4, "duplicate key 'id'; keep one of them"),
    ]


def test_an_alias_bomb_is_refused_at_once() -> None:
    bomb = (
        "a: &a ["
        + ",".join("l" * 9)
        + "]\n"
        + "".join(
            f"{q}: &{q} [" + ",".join(["*" + p] * 9) + "]\n"
            for p, q in zip("abcdefgh", "bcdefghi", strict=True)
        )
    )
    start = time.perf_counter()
    found = problems(bomb)
    assert time.perf_counter() - start < 1
    assert found[0] == (1, "an anchor (&a); write the content out")
    assert (2, "an alias (*a); write the content out") in found


def test_a_large_file_without_aliases_loads() -> None:
    text = "".join(f"- {{id: i{n}, question: {'word ' * 40}}}\n" for n in range(26_000))
    assert len(text) > 5_500_000
    assert len(data(text)) == 26_000


def test_merge_keys_and_tags_are_refused() -> None:
    assert problems("a: !!str 1\nb: !x {c: 1}\n<<: {d: 1}\n") == [
        (1, "a tag (tag:yaml.org,2002:str); use quotes for text and no tags"),
        (2, "a tag (!x); use quotes for text and no tags"),
        (3, "a merge key ('<<'); write the fields out"),
    ]


def test_a_second_document_is_refused() -> None:
    assert problems("a: 1\n---\nb: 2\n") == [
        (2, "a second document ('---'); use one file for each")
    ]


def test_an_alias_as_a_key_is_refused_and_reading_goes_on() -> None:
    assert [line for line, _ in problems("a: &x 1\n*x : 2\nb: 1\nb: 2")] == [1, 2, 4]


def test_a_mapping_as_a_key_is_refused() -> None:
    assert problems("? {a: 1}\n: 2\n")[0] == (
        1, "a key that is itself a list or mapping; keys are text",
    )  # fmt: skip


@pytest.mark.parametrize("opening", ["[", "{a: "])
def test_deep_nesting_is_refused_without_a_traceback(opening: str) -> None:
    found = problems(opening * 5000)
    assert f"nested more than {MAX_DEPTH} levels" in found[0][1] or "nesting" in found[0][1]


def test_broken_yaml_says_where() -> None:
    ((line, message),) = problems("a: 1\nb: c: d\n")
    assert line == 2
    assert message.startswith("not YAML: mapping values are not allowed")


def test_a_control_character_is_an_error_with_its_line() -> None:
    ((line, message),) = problems("a: é\nb: x\x00y\n")
    assert line == 2
    assert message.startswith("not YAML: control characters are not allowed")


def test_half_a_surrogate_is_an_error_with_its_line() -> None:
    assert problems("a: 1\nb: \ud800\n")[0][0] == 2


def test_invisible_line_breaks_are_errors() -> None:
    assert problems("a: 1\nb: x\u2028y\n") == [
        (2, "U+2028, a line break that cannot be seen; write a plain one")
    ]


def test_a_byte_order_mark_and_crlf_change_nothing() -> None:
    assert data("\ufeffa: 1\r\nb: x\r\n") == {"a": 1, "b": "x"}


def test_the_line_of_any_part_is_known() -> None:
    document = load(
        "# head\nepisodes:\n  - id: e1\n    items:\n      - {id: r1,\n         q: x}\n"
        "      - id: d1\n",
        FILE,
    )
    assert document.line() == 2
    assert document.line(("episodes", 0)) == 3
    assert document.line(("episodes", 0, "items")) == 4
    assert document.line(("episodes", 0, "items", 0, "q")) == 6
    assert document.line(("episodes", 0, "items", 1, "id")) == 7
    assert document.line(("episodes", 0, "items", 1, "missing", "deeper")) == 7
    assert document.line(("episodes", 9)) == 2
    assert str(document.problem("odd", ("episodes", 0), "e1")) == "bank.yaml:3: e1: odd"


def test_an_empty_file_is_none() -> None:
    assert data("# nothing\n") is None
