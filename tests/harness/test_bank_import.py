from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from culturegate.bank import load_bank
from culturegate.bank.foreign import Import, import_file, write_items
from culturegate.errors import CulturegateError

CULTURE = {"culture": "greek"}


def brought(folder: Path, name: str, content: object, **options: Any) -> Import:
    file = folder / name
    text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
    file.write_text(text, encoding="utf-8")
    mapping = options.pop("mapping", {})
    return import_file(file, mapping, constants=CULTURE, **options)


def keys(found: Import) -> list[str]:
    return [item["options"][item["answer"]] for item in found.items]


ROW = {"question": "Who?", "choices": ["tea", "soup", "rice"]}


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([ROW | {"answer": "soup"}], ["soup"]),
        ([ROW | {"answer": "B"}], ["soup"]),
        ([ROW | {"answer": "(b)"}], ["soup"]),
        ([ROW | {"answer": 0}, ROW | {"question": "R?", "answer": 2}], ["tea", "rice"]),
        ([ROW | {"answer": 3}, ROW | {"question": "R?", "answer": 1}], ["rice", "tea"]),
        ([ROW | {"gold": ["rice"]}], ["rice"]),
        ([ROW | {"answer": "['rice']"}], ["rice"]),
        ([ROW | {"choices": '["tea", "soup"]', "label": "A"}], ["tea"]),
        ([ROW | {"choices": "['tea', 'so\"up']", "label": "B"}], ['so"up']),
        ([ROW | {"choices": {"A": "tea", "B": "soup"}, "answer": "B"}], ["soup"]),
        (
            [ROW | {"choices": {"text": ["tea", "soup"], "label": ["A", "B"]}, "answerKey": "B"}],
            ["soup"],
        ),
        ([{"question": "Q?", "A": "tea", "B": "soup", "answer": "B"}], ["soup"]),
        (
            [{"prompt": "Q?", "prompt_option_a": "tea", "prompt_option_b": "soup",
              "answer_idx": "B"}],
            ["soup"],
        ),
        ([{"question": "Q?", "opa": "tea", "opb": "soup", "correct_answer": "tea"}], ["tea"]),
        ([{"question": "Q?", "choice1": "tea", "choice2": "soup", "label": 0},
          {"question": "R?", "choice1": "t", "choice2": "s", "label": 1}], ["tea", "s"]),
        ([ROW | {"choices": ["A. tea", "B. soup"], "answer": "B"}], ["soup"]),
    ],
)  # fmt: skip
def test_common_layouts_are_read_without_a_map(
    rows: list[dict[str, Any]], expected: list[str], tmp_path: Path
) -> None:
    found = brought(tmp_path, "x.json", rows)
    assert found.problems == []
    assert keys(found) == expected


def test_columns_can_be_mapped(tmp_path: Path) -> None:
    found = brought(
        tmp_path,
        "x.csv",
        "nr,frage,richtig,eins,zwei,land\n7,Wer?,zwei,eins,zwei,NA\n",
        mapping={"id": "nr", "question": "frage", "answer": "richtig", "a": "eins", "b": "zwei",
                 "culture": "land"},
    )  # fmt: skip
    (item,) = found.items
    assert (item["id"], item["culture"], item["question"]) == ("7", "NA", "Wer?")
    assert keys(found) == ["zwei"]


def test_a_table_without_a_header_has_numbered_columns(tmp_path: Path) -> None:
    found = brought(
        tmp_path,
        "x.tsv",
        "Who?\ttea\tsoup\t1\nWhom?\trice\tstew\t0\n",
        mapping={"question": "1", "a": "2", "b": "3", "answer": "4"},
        header=False,
    )
    assert keys(found) == ["soup", "rice"]


def test_rows_that_give_no_item_are_reported_by_line(tmp_path: Path) -> None:
    rows = [
        'Q1?,"[""tea"", ""soup""]",A',
        'Q2?,"[""tea"", ""soup""]",',
        'Q3?,"[""tea"", "" Tea""]",A',
        '"Q1? ","[""soup"", ""tea""]",B',
        'Q5?,"[""tea"", ""soup""]",E',
        'Q6?,"[""tea"", ""soup""]","A,B"',
        'Q7?,"[""tea""]",A',
        'Q8?,"[""tea"", """"]",A',
        ',"[""tea"", ""soup""]",A',
        "Q10?,tea and soup,A",
    ]
    found = brought(tmp_path, "x.csv", "\n".join(["question,choices,answer", *rows]))
    assert len(found.items) == 1
    assert [(problem.line, problem.message) for problem in found.problems] == [
        (3, "no gold answer"),
        (4, "options A and B are equal"),
        (5, "the same question and options as on line 2"),
        (6, "the gold answer 'E' is no letter of an option"),
        (7, "2 gold answers; an item has one key"),
        (8, "1 options; at least two are needed"),
        (9, "an option is empty"),
        (10, "no question"),
        (11, "options 'tea and soup' are no list"),
    ]


def test_indices_that_could_count_from_0_or_1_are_asked_about(tmp_path: Path) -> None:
    rows = [ROW | {"answer": 1}, ROW | {"question": "R?", "answer": 2}]
    with pytest.raises(CulturegateError, match="say --answer index0 or --answer index1"):
        brought(tmp_path, "x.json", rows)
    assert keys(brought(tmp_path, "x.json", rows, answer_as="index1")) == ["tea", "soup"]


def test_alphabetical_options_get_an_order_of_their_own(tmp_path: Path) -> None:
    rows = [
        {"question": f"Q{n}?", "choices": ["ale", "bread", "cake", "dill"], "answer": "ale"}
        for n in range(40)
    ] + [{"question": "R?", "choices": ["ale", "bread", "Both A and B"], "answer": "ale"}]
    found = brought(tmp_path, "x.json", rows)
    assert found.shuffled == 40
    assert set(keys(found)) == {"ale"}
    counts = [[item["answer"] for item in found.items].count(label) for label in "abcd"]
    assert min(counts) >= 4
    assert list(found.items[-1]["options"].values()) == ["ale", "bread", "Both A and B"]
    assert brought(tmp_path, "x.json", rows).items == found.items


def test_what_is_written_loads_and_keeps_the_canary(tmp_path: Path) -> None:
    lines = [
        {"canary": "GUID"},
        ROW | {"answer": "soup"},
        ROW | {"question": "谁？", "answer": "tea"},
    ]
    found = brought(tmp_path, "x.jsonl", "\n".join(json.dumps(line) for line in lines))
    out = tmp_path / "out.jsonl"
    write_items(found, out)
    bank = load_bank([out])
    assert bank.canaries == {out: "GUID"}
    assert [(item.id, item.langs) for item in bank.myth] == [("x-1", ("en",)), ("x-2", ("zh",))]


@pytest.mark.parametrize(
    ("row", "mapping", "message"),
    [
        ({"q": "Q?"}, {}, "no column for question, answer, options; name it with --map question="),
        (ROW, {"answer": "key"}, "--map answer=key: .* has no column 'key'; there are question"),
        (ROW, {"colour": "x"}, "--map colour=x: no field 'colour'; there are id, culture"),
        (ROW | {"answer": "an essay"}, {}, "are neither texts, letters nor indices"),
        (ROW | {"answer": ""}, {}, "no row has a gold answer"),
    ],
)
def test_a_layout_that_is_not_understood_says_what_to_do(
    row: dict[str, Any], mapping: dict[str, str], message: str, tmp_path: Path
) -> None:
    with pytest.raises(CulturegateError, match=message):
        brought(tmp_path, "x.json", [row], mapping=mapping)
