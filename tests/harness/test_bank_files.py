from __future__ import annotations

import json
from pathlib import Path

import pytest

from culturegate.bank import Bank, load_bank
from culturegate.bank.files import MAX_DOCUMENT, read_text
from culturegate.errors import InputError

LINE = {"id": "a", "culture": "greek", "kind": "recall", "question": "Q?",
        "options": ["tea", "soup"], "answer": "A"}  # fmt: skip
HEADER = "id,culture,kind,question,a,b,answer"


def bank(folder: Path, content: str | bytes, name: str) -> Bank:
    raw = content.encode() if isinstance(content, str) else content
    (folder / name).write_bytes(raw)
    return load_bank([folder])


def problems(folder: Path, content: str | bytes, name: str) -> list[str]:
    with pytest.raises(InputError) as caught:
        bank(folder, content, name)
    return [str(problem).removeprefix(f"{folder}/") for problem in caught.value.problems]


def line(**fields: object) -> str:
    return json.dumps(LINE | fields, ensure_ascii=False)


def test_a_byte_order_mark_at_the_start_or_inside_drops_no_record(tmp_path: Path) -> None:
    text = f"\ufeff{line()}\n\ufeff{line(id='b', question='R?')}\n"
    assert [item.id for item in bank(tmp_path, text, "x.jsonl").myth] == ["a", "b"]


def test_a_canary_on_the_first_line_is_no_item(tmp_path: Path) -> None:
    text = f'{{"canary": "GUID"}}\n{line()}\n'
    found = bank(tmp_path, text, "x.jsonl")
    assert [item.id for item in found.myth] == ["a"]
    assert found.canaries == {tmp_path / "x.jsonl": "GUID"}


@pytest.mark.parametrize("row", ["canary,GUID,,,,,", "# canary: GUID", "canary,GUID"])
def test_a_table_may_carry_its_canary_on_top(row: str, tmp_path: Path) -> None:
    found = bank(tmp_path, f"{row}\n{HEADER}\nx,NA,recall,Q?,tea,soup,a\n", "x.csv")
    assert found.canaries == {tmp_path / "x.csv": "GUID"}
    assert len(found.myth) == 1


def test_a_json_list_may_carry_its_canary_first(tmp_path: Path) -> None:
    found = bank(tmp_path, f'[{{"canary": "GUID"}}, {line()}]', "x.json")
    assert (len(found.myth), found.canaries[tmp_path / "x.json"]) == (1, "GUID")


def test_a_json_document_may_have_a_byte_order_mark(tmp_path: Path) -> None:
    assert len(bank(tmp_path, f"\ufeff[{line()}]", "x.json").myth) == 1


def test_line_separators_inside_a_json_string_end_no_record(tmp_path: Path) -> None:
    (found,) = problems(tmp_path, line(question="a\u2028b?"), "x.jsonl")
    assert found == "x.jsonl:1: a: question.en: holds the control character U+2028; remove it"


def test_na_none_and_null_are_text(tmp_path: Path) -> None:
    text = f"{HEADER}\n1,NA,recall,Q1?,None,null,a\n2,NE,recall,Q2?,null,nan,a\n"
    found = bank(tmp_path, text, "x.csv")
    assert found.cultures == ("na", "ne")
    assert found.titles == {"na": {"en": "NA"}, "ne": {"en": "NE"}}
    assert [item.options[item.answer].text["en"] for item in found.myth] == ["None", "null"]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_quoted_newlines_commas_and_any_line_end_are_read(end: str, tmp_path: Path) -> None:
    rows = ["\ufeff" + HEADER, 'x,greek,recall,"Who, and', 'why?",tea,"so ""up""",b', ""]
    item = bank(tmp_path, end.join(rows), "x.csv").myth[0]
    assert item.question["en"].split() == ["Who,", "and", "why?"]
    assert item.options["b"].text["en"] == 'so "up"'
    assert item.line == 2


def test_semicolons_and_tabs_part_cells_too(tmp_path: Path) -> None:
    text = f"{HEADER}\nx,greek,recall,Q?,tea,soup,a\n"
    for name, mark in (("x.csv", ";"), ("x.tsv", "\t")):
        (tmp_path / name[-3:]).mkdir()
        assert len(bank(tmp_path / name[-3:], text.replace(",", mark), name).myth) == 1


def test_every_bad_row_of_a_table_is_named(tmp_path: Path) -> None:
    text = f"{HEADER}\nx,greek,recall,Q?,tea\ny,greek,recall,R?,tea,soup,c\nz,,recall,S?,t,s,a\n"
    assert problems(tmp_path, text, "x.csv") == [
        "x.csv:2: 5 cells under 7 columns; quote cells with commas",
        "x.csv:3: y: answer: 'c' is not among the options a, b",
        "x.csv:4: z: field 'culture' is missing",
    ]


def test_a_quote_left_open_is_an_error(tmp_path: Path) -> None:
    (found,) = problems(tmp_path, f'{HEADER}\nx,greek,recall,"Q?,tea,soup,a\n', "x.csv")
    assert found == "x.csv:2: not CSV: unexpected end of data"


def test_columns_that_stand_twice_are_an_error(tmp_path: Path) -> None:
    (found,) = problems(tmp_path, "id,id,question\n1,2,Q?\n", "x.csv")
    assert found == "x.csv:1: columns that stand twice: id"


def test_every_bad_line_of_json_lines_is_named(tmp_path: Path) -> None:
    text = f'{line()}\n{{"id": \n[1]\n{{"id": 1, "id": 2}}\n' + "[" * 20_000
    found = problems(tmp_path, text, "x.jsonl")
    assert [one.split(": ", 1)[0] for one in found] == [f"x.jsonl:{n}" for n in (2, 3, 4, 5)]
    assert found[2] == "x.jsonl:4: duplicate key 'id'; keep one of them"


def test_duplicate_keys_in_json_are_named_with_their_line(tmp_path: Path) -> None:
    text = '[\n{"id": "a",\n "question": "first",\n "question": "second"}]'
    assert problems(tmp_path, text, "x.json") == [
        "x.json:4: duplicate key 'question'; keep one of them"
    ]


def test_json_numbers_stay_as_written(tmp_path: Path) -> None:
    text = '[{"id": 7, "culture": "greek", "kind": "recall", "question": "Q?", ' \
           '"options": [1.10, 1789, true], "answer": "A"}]'  # fmt: skip
    texts = [
        option.text["en"] for option in bank(tmp_path, text, "x.json").myth[0].options.values()
    ]
    assert texts == ["1.10", "1789", "true"]


def test_emoji_written_as_surrogate_pairs_cost_no_line_numbers(tmp_path: Path) -> None:
    text = json.dumps([LINE, LINE | {"id": "b", "question": "\U0001f525?"}], indent=1)
    assert "\\ud83d" in text
    one, two = bank(tmp_path, text, "x.json").myth
    assert (one.line, two.line) == (2, 13)


def test_half_a_surrogate_is_an_error(tmp_path: Path) -> None:
    text = json.dumps([LINE | {"question": "\ud800?"}])
    (found,) = problems(tmp_path, text, "x.json")
    assert "holds the control character U+D800" in found


def test_bytes_that_are_no_utf8_are_named_with_their_line(tmp_path: Path) -> None:
    assert problems(tmp_path, b"a: 1\nb: caf\xe9\n", "x.yaml") == [
        "x.yaml:2: not UTF-8 (byte 0xe9); save it as UTF-8"
    ]
    (tmp_path / "x.yaml").unlink()
    assert problems(tmp_path, "a: 1".encode("utf-16"), "y.yaml") == [
        "y.yaml: UTF-16; save it as UTF-8"
    ]


def test_a_file_over_the_stated_size_is_not_read(tmp_path: Path) -> None:
    file = tmp_path / "x.yaml"
    with file.open("wb") as stream:
        stream.truncate(MAX_DOCUMENT + 1)
    with pytest.raises(InputError, match="32 MB; at most 32 MB are read; split it, or write"):
        read_text(file)


def test_texts_are_composed_and_keep_what_cannot_be_seen(tmp_path: Path) -> None:
    text = line(question="be\u0323\u0302nh?", options=["برنامه\u200cها", "문서"], lang="fa")
    item = bank(tmp_path, text, "x.jsonl").myth[0]
    assert item.question["fa"] == "b\u1ec7nh?"
    assert [option.text["fa"] for option in item.options.values()] == ["برنامه\u200cها", "문서"]


def test_a_hundred_items_come_from_json_lines_as_from_json(tmp_path: Path) -> None:
    rows = [line(id=f"i{n}", question=f"Q{n}?") for n in range(100)]
    (tmp_path / "l").mkdir()
    (tmp_path / "j").mkdir()
    lines = bank(tmp_path / "l", "\n".join(rows), "x.jsonl")
    document = bank(tmp_path / "j", "[" + ",\n".join(rows) + "]", "x.json")
    assert lines.sha256 == document.sha256
