from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from bank_sample import sample_bank, spoiled, write_bank

from culturegate.bank import Bank, MythItem, load_bank
from culturegate.bank.layout import file_schema
from culturegate.errors import InputError

ROOT = Path(__file__).parents[2]
HEAD = """\
culture: greek
title: {en: Greek, zh: 希腊}
authors: [A Person]
episodes:
  - id: greek-fire
    title: {en: The theft, zh: 盗火}
    source: {work: Theogony, section: lines 521-569}
    items:
"""
ITEM = """\
      - id: r1
        kind: recall
        difficulty: 1
        question: {en: "Who?", zh: "谁？"}
        options:
          a: {en: one, zh: 甲}
          b: {en: two, zh: 乙, tag: surface}
        answer: a
"""


def load(folder: Path, text: str, name: str = "greek.yaml") -> Bank:
    folder.mkdir(exist_ok=True, parents=True)
    (folder / name).write_text(text, encoding="utf-8")
    return load_bank([folder])


def problems(folder: Path, text: str, name: str = "greek.yaml") -> list[str]:
    with pytest.raises(InputError) as caught:
        load(folder, text, name)
    return [str(problem).replace(f"{folder}{os.sep}", "") for problem in caught.value.problems]


def plain(**fields: Any) -> dict[str, Any]:
    options = ["A. tea", "B. soup"]
    item = {"id": 1, "culture": "Greek", "type": "recall", "question": "Q?", "answer": "B"}
    return item | {"options": options} | fields


def only(bank: Bank) -> MythItem:
    (item,) = bank.myth
    return item


def test_a_bank_file_becomes_flat_items(tmp_path: Path) -> None:
    item = only(load(tmp_path, HEAD + ITEM))
    assert (item.id, item.cluster, item.culture, item.kind) == (
        "greek-fire-r1", "greek-fire", "greek", "recall",
    )  # fmt: skip
    assert item.question == {"en": "Who?", "zh": "谁？"}
    assert item.langs == ("en", "zh")
    assert item.options["b"].text == {"en": "two", "zh": "乙"}
    assert item.options["b"].tag == "surface"
    assert (item.answer, item.authors, item.public) == ("a", ("A Person",), True)
    assert item.source is not None
    assert item.source.section == "lines 521-569"
    assert item.title == {"en": "The theft", "zh": "盗火"}
    assert item.line == 9


def test_text_fields_hold_text_whatever_it_looks_like(tmp_path: Path) -> None:
    text = HEAD + ITEM.replace("en: one, zh: 甲", "en: no, zh: 1.10").replace(
        "en: two, zh: 乙", "en: null, zh: 21:30"
    )
    options = only(load(tmp_path, text)).options
    assert options["a"].text == {"en": "no", "zh": "1.10"}
    assert options["b"].text == {"en": "null", "zh": "21:30"}


def test_every_problem_of_every_file_comes_at_once_with_its_line_and_item(tmp_path: Path) -> None:
    broken = HEAD + ITEM.replace("answer: a", "answer: e").replace("difficulty", "dificulty")
    (tmp_path / "other.yaml").write_text("culture: x\nculture: y\n", encoding="utf-8")
    (tmp_path / "plain.json").write_text("[{]", encoding="utf-8")
    assert problems(tmp_path, broken) == [
        "greek.yaml:9: greek-fire-r1: field 'difficulty' is missing",
        "greek.yaml:11: greek-fire-r1: unknown field 'dificulty'; did you mean 'difficulty'?",
        "other.yaml:2: duplicate key 'culture'; keep one of them",
        "plain.json:1: not JSON: Expecting property name enclosed in double quotes",
    ]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("answer: a", "answer: c", "16: greek-fire-r1: answer: 'c' is not among the options a, b"),
        ("zh: 乙", "zh: 甲", "15: greek-fire-r1: options A and B are equal in zh and one is the"),
        ("en: two", 'en: "ONE "', "15: greek-fire-r1: options A and B are equal in en and one is"),
        ("tag: surface", "tag: tempting", "15: greek-fire-r1: options.b: tag 'tempting'; one of"),
        ("zh: 甲", "zh: 甲, tag: literal", "14: greek-fire-r1: options.a: the key carries no tag"),
        (", zh: 乙", "", "15: greek-fire-r1: options.b: no text in zh"),
        ("zh: 乙", "zh: 乙, fr: deux", "15: greek-fire-r1: options.b: fr is neither a language"),
        ("b: {en", "c: {en", "13: greek-fire-r1: options: labels run from a without a gap, got"),
        ("difficulty: 1", "difficulty: 4", "11: greek-fire-r1: difficulty: one of 1, 2 or 3 was"),
        ("kind: recall", "kind: guess", "10: greek-fire-r1: kind: one of 'recall' or 'decode'"),
        ("id: r1", "id: R_1", "9: greek-fire-R_1: id: 'R_1' is no slug: lower-case letters"),
        ('en: "Who?"', 'en: " "', "12: greek-fire-r1: question.en: the text is empty"),
        ('en: "Who?"', "en: [x]", "12: greek-fire-r1: question.en: text was expected, got a list"),
        (
            '"Who?"',
            '"W\\0ho"',
            "12: greek-fire-r1: question.en: holds the control character U+0000",
        ),
        ('"Who?"', '"W\\u202eho"', "12: greek-fire-r1: question.en: holds the control character"),
        ("answer: a", "answer: a\n        form: proverb", "17: greek-fire-r1: form: only decode"),
        (
            "answer: a",
            "answer: a\n        variant_of: r9",
            "9: greek-fire-r1: variant_of: there is",
        ),
        ("answer: a", "answer: a\n        variant_of: r1", "9: greek-fire-r1: variant_of: an item"),
        ("id: greek-fire", "id: norse-fire", "5: norse-fire: id: an episode's id starts with its"),
        ("culture: greek", "culture: Greek", "1: culture: 'Greek' is no slug"),
        (
            "section: lines",
            "sect: lines",
            "7: greek-fire: unknown field 'source.sect'; did you mean",
        ),
        ("[A Person]", "[]", "3: authors: List should have at least 1 item"),
    ],
)
def test_a_fault_is_named_where_it_stands(old: str, new: str, message: str, tmp_path: Path) -> None:
    found = problems(tmp_path, (HEAD + ITEM).replace(old, new, 1))
    assert any(problem.startswith(f"greek.yaml:{message}") for problem in found), found


def test_one_id_in_two_files_is_an_error_that_says_whether_they_differ(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(
        "id,culture,kind,question,a,b,answer\nx1,greek,recall,long text?,tea,soup,a\n"
    )
    text = json.dumps([plain(id="x1", question="short?")])
    assert problems(tmp_path, text, "b.json") == [
        "b.json:1: x1: id x1 is also at a.csv:2, content differs; an id stands once in a directory"
    ]


def test_the_number_1_and_the_text_1_are_one_id(tmp_path: Path) -> None:
    found = problems(tmp_path, json.dumps([plain(id=1), plain(id="1")]), "a.json")
    assert "id 1 is also at" in found[0]
    assert "content is the same" in found[0]


def test_an_episode_stands_once_in_a_directory(tmp_path: Path) -> None:
    load(tmp_path, HEAD + ITEM)
    (found,) = problems(tmp_path, HEAD + ITEM.replace("id: r1", "id: r2"), "greek2.yaml")
    assert found.startswith("greek2.yaml:5: greek-fire: the episode is also at ")


def test_a_later_directory_replaces_and_adds(tmp_path: Path) -> None:
    load(tmp_path / "one", HEAD + ITEM)
    second = ITEM.replace("Who?", "Whom?") + ITEM.replace("id: r1", "id: r2").replace(
        "answer: a", "answer: a\n        public: false"
    )
    load(tmp_path / "two", HEAD + second)
    bank = load_bank([tmp_path / "one", tmp_path / "two"])
    assert [(item.id, item.question["en"], item.public) for item in bank.myth] == [
        ("greek-fire-r1", "Whom?", True),
        ("greek-fire-r2", "Who?", False),
    ]
    assert {item.cluster for item in bank.myth} == {"greek-fire"}


def test_a_private_variant_may_word_a_public_item_anew(tmp_path: Path) -> None:
    load(tmp_path / "one", HEAD + ITEM)
    (tmp_path / "two").mkdir()
    text = HEAD + ITEM.replace("id: r1", "id: r2\n        variant_of: r1")
    (tmp_path / "two" / "greek.yaml").write_text(text, encoding="utf-8")
    bank = load_bank([tmp_path / "one", tmp_path / "two"])
    assert bank.myth[1].variant_of == "greek-fire-r1"


def test_hidden_files_and_the_schema_are_passed_over(tmp_path: Path) -> None:
    for name in (".git/x.yaml", "x.schema.json", "README.md"):
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        file.write_text("nonsense: [", encoding="utf-8")
    assert len(load(tmp_path / "myth", HEAD + ITEM).myth) == 1
    assert load_bank([tmp_path]).files == (tmp_path / "myth" / "greek.yaml",)


@pytest.mark.parametrize("track", ["mirror", "persona", "framing", "safety"])
def test_what_is_wrong_in_another_tracks_folder_is_told_too(track: str, tmp_path: Path) -> None:
    (tmp_path / track).mkdir()
    # framing reads files by their names.
    for name in ("x.yaml", "notes.yaml"):
        (tmp_path / track / name).write_text("nonsense: [", encoding="utf-8")
    load(tmp_path / "myth", HEAD + ITEM)
    with pytest.raises(InputError, match=r"not YAML"):
        load_bank([tmp_path])


def test_a_missing_or_empty_folder_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such folder"):
        load_bank([tmp_path / "nowhere"])
    with pytest.raises(InputError, match=r"no items found; files that are read end in \.csv"):
        load_bank([tmp_path])


@pytest.mark.parametrize(("name", "text"), [("x.json", "[]"), ("x.csv", "id,culture\n"),
                                          ("x.jsonl", "\n"), ("x.yaml", "[]")])  # fmt: skip
def test_a_file_without_items_is_an_error(name: str, text: str, tmp_path: Path) -> None:
    assert problems(tmp_path, text, name) == [f"{name}: holds no items; fill it or take it away"]


@pytest.mark.parametrize(
    "text",
    ["", "a", "- 1", "episodes: 1", "culture: x\nepisodes: [1]", "- {id: [1], options: {a: 1}}",
     "episodes: [{items: [1, {id: [x]}]}]", "- {id: x, question: {en: [1]}, answer: {a: 1}}"],
)  # fmt: skip
def test_data_of_any_shape_ends_in_problems_and_not_in_a_traceback(
    text: str, tmp_path: Path
) -> None:
    assert problems(tmp_path, text)


def test_the_plain_list_that_people_start_with_loads_unchanged(tmp_path: Path) -> None:
    rows = [plain(), plain(id="b", type="decode", question="谁？", answer="a")]
    one, two = load(tmp_path, json.dumps(rows), "items.json").myth
    assert (one.id, one.cluster, one.culture, one.langs) == ("1", "1", "greek", ("en",))
    assert {label: option.text["en"] for label, option in one.options.items()} == {
        "a": "tea", "b": "soup",
    }  # fmt: skip
    assert (one.answer, one.difficulty, one.kind) == ("b", None, "recall")
    assert (two.cluster, two.langs, two.kind, two.line) == ("b", ("zh",), "decode", 1)


def test_a_plain_list_may_be_yaml_too(tmp_path: Path) -> None:
    text = "- {id: no, culture: no, kind: recall, question: Q?, options: [yes, no], answer: B}\n"
    item = only(load(tmp_path, text, "x.yaml"))
    assert (item.id, item.culture, item.options["b"].text["en"]) == ("no", "no", "no")


def test_an_option_that_only_looks_lettered_keeps_its_text(tmp_path: Path) -> None:
    rows = [plain(options=["A. Schmidt", "Karl May"])]
    options = only(load(tmp_path, json.dumps(rows), "x.json")).options
    assert options["a"].text["en"] == "A. Schmidt"


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"answer": "2"}, "answer: '2' is not among the options a, b"),
        ({"options": "tea, soup"}, "options: text that is no JSON list; `culturegate import`"),
        ({"options": [["x"], ["y"]]}, "options: a list of something else than texts"),
        ({"explanation": "why"}, "unknown field 'explanation'; known are id, culture, kind,"),
        ({"question": None}, "question: should be a valid dictionary, got None"),
        ({"type": "trivia"}, "kind: one of 'recall' or 'decode' was expected, got 'trivia'"),
    ],
)
def test_a_plain_item_at_fault_is_named(
    fields: dict[str, Any], message: str, tmp_path: Path
) -> None:
    (found,) = problems(tmp_path, json.dumps([plain(**fields)]), "x.json")
    assert found.startswith(f"x.json:1: 1: {message}")


def test_ids_become_unique_slugs_and_keep_the_original(tmp_path: Path) -> None:
    ids = ["春节-01", "春 节-01", "food/01", "food:01", "a::b", "(x)", "[y]", "a\\b", "a" * 300]
    rows = [plain(id=name, question=f"Q {n}?") for n, name in enumerate(ids)]
    bank = load(tmp_path, json.dumps(rows), "x.json")
    slugs = [item.id for item in bank.myth]
    assert len(set(slugs)) == len(ids)
    assert {item.original_id for item in bank.myth} == set(ids)
    assert all(len(slug) < 110 and set(slug) <= set("abcdefghijklmnopqrstuvwxyz0123456789-")
               for slug in slugs)  # fmt: skip


def test_a_very_long_question_stays_out_of_the_id(tmp_path: Path) -> None:
    item = only(load(tmp_path, json.dumps([plain(question="x" * 40_000)]), "x.json"))
    assert item.id == "1"
    assert len(item.question["en"]) == 40_000


def test_the_hash_depends_on_content_and_not_on_layout(tmp_path: Path) -> None:
    one = load(tmp_path / "one", HEAD + ITEM)
    moved = load(tmp_path / "two", "# a comment\n" + HEAD + ITEM, "renamed.yaml")
    signed = ITEM + "        reviews: [{reviewer: A Reader, date: 2024-05-01}]\n"
    reviewed = load(tmp_path / "three", HEAD + signed)
    changed = load(tmp_path / "four", HEAD + ITEM.replace("Who?", "Whom?"))
    assert one.sha256 == moved.sha256 == reviewed.sha256 != changed.sha256
    assert (one.signed, reviewed.signed) == (0, 1)


def test_order_and_hash_depend_on_no_hash_seed(tmp_path: Path) -> None:
    for name in ("sample", "second", "third"):
        write_bank(tmp_path, sample_bank(name, episodes=2), f"{name}.yaml")
    code = (
        "import sys; from pathlib import Path; from culturegate.bank import load_bank\n"
        "b = load_bank([Path(sys.argv[1])]); print([i.id for i in b.myth], b.sha256, b.files)"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code, str(tmp_path)],
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1


def test_the_schema_for_editors_is_the_one_of_the_models() -> None:
    kept = json.loads((ROOT / "items" / "myth.schema.json").read_text(encoding="utf-8"))
    assert kept == file_schema(), (
        "write json.dumps(culturegate.bank.layout.file_schema(), indent=2, ensure_ascii=False) "
        "to items/myth.schema.json"
    )


def test_the_schema_accepts_a_bank_and_refuses_what_the_loader_refuses() -> None:
    validator = jsonschema.Draft202012Validator(file_schema())
    bank = sample_bank(episodes=1)
    assert list(validator.iter_errors(bank)) == []
    for field, value in (("kind", "guess"), ("difficulty", 4), ("form", "riddle"), ("odd", 1)):
        broken = spoiled(bank)
        broken["episodes"][0]["items"][0][field] = value
        assert list(validator.iter_errors(broken)), field


def test_the_projects_own_bank_loads() -> None:
    bank = load_bank([ROOT / "items"])
    assert bank.myth
    assert all(item.source for item in bank.myth)
