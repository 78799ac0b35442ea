from __future__ import annotations

import csv
from pathlib import Path

import pytest

from culturegate.bank import load_bank
from culturegate.bank.sheet import read_sheet, write_sheet
from culturegate.bank.signing import sign
from culturegate.errors import InputError

BANK = """\
# A comment that must stay.
canary: x
culture: greek
title: {en: Greek, zh: 希腊}
authors: [An Author]
episodes:
  - id: greek-fire
    title: {en: The theft, zh: 盗火}
    source: {work: Theogony, section: lines 521-569}
    items:
      - id: r1
        kind: recall
        difficulty: 1
        question: {en: "=Who?", zh: "谁？"}   # folded, too
        options:
          a: {en: one, zh: 甲}
          b: {en: two, zh: 乙, tag: surface}
        answer: a
        reviews: []
      - id: r2
        kind: recall
        difficulty: 1
        question: {en: "Where?", zh: "哪里？"}
        options:
          a: {en: one, zh: 甲}
          b: {en: two, zh: 乙, tag: surface}
        answer: a
      - id: r3
        kind: recall
        difficulty: 1
        question: {en: "When?", zh: "何时？"}
        options:
          a: {en: one, zh: 甲}
          b: {en: two, zh: 乙, tag: surface}
        reviews:
          - reviewer: First Reader
            date: 2024-04-01
        answer: a
"""
AGREES = {"your_answer": "A", "verdict": "OK", "reviewer": "Hé Lǐ", "date": "2024-05-01"}


def written(folder: Path, text: str = BANK) -> tuple[Path, Path]:
    file = folder / "greek.yaml"
    file.write_text(text, encoding="utf-8", newline="")
    sheet = folder / "sheet" / "sheet.csv"
    sheet.parent.mkdir(exist_ok=True)
    write_sheet(load_bank([file]), sheet)
    return file, sheet


def fill(sheet: Path, cells: dict[str, dict[str, str]]) -> None:
    with sheet.open(encoding="utf-8-sig", newline="") as stream:
        reader = csv.DictReader(stream)
        rows = list(reader)
    with sheet.open("w", encoding="utf-8-sig", newline="") as stream:
        # A German spreadsheet saves with semicolons.
        writer = csv.DictWriter(stream, reader.fieldnames or [], delimiter=";")
        writer.writeheader()
        writer.writerows(row | cells.get(row["item"], {}) for row in rows)


def test_the_sheet_shows_texts_and_sources_and_no_key(tmp_path: Path) -> None:
    _, sheet = written(tmp_path)
    with sheet.open(encoding="utf-8-sig", newline="") as stream:
        row = next(csv.DictReader(stream))
    assert row["item"] == "greek-fire-r1"
    assert row["question_en"] == "'=Who?"
    assert (row["a_zh"], row["b_en"], row["source"]) == ("甲", "two", "Theogony, lines 521-569")
    assert "answer" not in row
    assert not any(row[name] for name in ("your_answer", "verdict", "reviewer", "date", "note"))


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_signatures_go_into_the_yaml_and_nothing_else_changes(end: str, tmp_path: Path) -> None:
    file, sheet = written(tmp_path, BANK.replace("\n", end))
    note = 'says: "fine", #1'
    fill(sheet, {f"greek-fire-r{n}": AGREES | {"note": note if n == 2 else ""} for n in (1, 2, 3)})
    signatures, problems = read_sheet(load_bank([file]), sheet)
    assert problems == []
    assert sign(signatures) == []
    one, two, three = load_bank([file]).myth
    assert [review.reviewer for review in one.reviews] == ["Hé Lǐ"]
    assert [review.note for review in two.reviews] == [note]
    assert [review.reviewer for review in three.reviews] == ["First Reader", "Hé Lǐ"]
    new = file.read_bytes().decode().split(end)
    old = BANK.split("\n")
    added = [line for line in new if line not in old]
    assert [line.strip() for line in added] == [
        '- {reviewer: "Hé Lǐ", date: "2024-05-01"}',
        f'- {{reviewer: "Hé Lǐ", date: "2024-05-01", note: "{note}"}}'.replace(
            '"says: "fine", #1"', '"says: \\"fine\\", #1"'
        ),
        '- {reviewer: "Hé Lǐ", date: "2024-05-01"}',
    ]
    assert [line for line in old if line not in new] == ["        reviews: []"]


def test_rows_that_sign_nothing_are_named(tmp_path: Path) -> None:
    file, sheet = written(tmp_path)
    bank = load_bank([file])

    def why(**cells: str) -> list[str]:
        write_sheet(bank, sheet)
        fill(sheet, {"greek-fire-r3": AGREES | cells})
        signatures, problems = read_sheet(bank, sheet)
        assert signatures == []
        assert {problem.item for problem in problems} == {"greek-fire-r3"}
        return [problem.message for problem in problems]

    assert why(your_answer="b") == ["answered B, the key is A; mend or drop the item"]
    assert why(your_answer="") == ["your_answer is empty"]
    assert why(your_answer="z") == ["your_answer 'z'; one of a, b"]
    assert why(verdict="drop", note="two are right") == [
        "the reader asks to drop it: two are right"
    ]
    assert why(verdict="fine") == ["verdict 'fine'; one of ok, change, drop"]
    assert why(date="1 May") == ["date '1 May'; write it like 2024-05-01"]
    assert why(reviewer="an author") == ["an author is an author and can't review it"]
    assert why(reviewer="FIRST reader") == [
        "FIRST reader has signed it; two reviews need two people"
    ]
    assert why(content="0" * 12) == [
        "the item was changed since the sheet was written; read it again in a new sheet"
    ]


def test_rows_nobody_filled_in_are_passed_over(tmp_path: Path) -> None:
    file, sheet = written(tmp_path)
    assert read_sheet(load_bank([file]), sheet) == ([], [])


def test_another_table_is_no_sheet(tmp_path: Path) -> None:
    file, sheet = written(tmp_path)
    sheet.write_text("item,note\nx,y\n", encoding="utf-8")
    with pytest.raises(
        InputError, match="lacks the columns content, your_answer, verdict, reviewer, date"
    ):
        read_sheet(load_bank([file]), sheet)


def test_a_sheet_saved_as_unicode_text_is_read(tmp_path: Path) -> None:
    file, sheet = written(tmp_path)
    fill(sheet, {"greek-fire-r1": AGREES | {"note": "'=1"}})
    with sheet.open(encoding="utf-8-sig", newline="") as stream:
        rows = list(csv.reader(stream, delimiter=";"))
    with sheet.open("w", encoding="utf-16", newline="") as stream:
        csv.writer(stream, delimiter="\t").writerows(
            [[rows[0][0].upper(), *rows[0][1:]], *rows[1:]]
        )
    (signature,), problems = read_sheet(load_bank([file]), sheet)
    assert (signature.item.id, signature.review.note) == ("greek-fire-r1", "=1")
    assert problems == []


def test_a_row_with_an_unquoted_comma_signs_nothing(tmp_path: Path) -> None:
    file, sheet = written(tmp_path)
    sheet.write_text(
        "item,content,your_answer,verdict,reviewer,date,note\n"
        "greek-fire-r1,x,A,ok,A Reader,2024-05-01,fine, I think\n"
    )
    with pytest.raises(InputError, match="line 2 has more cells than columns; quote cells with"):
        read_sheet(load_bank([file]), sheet)
    sheet.write_text("item,content,your_answer,verdict,reviewer,date,note,note\n")
    with pytest.raises(InputError, match="columns that stand twice: note"):
        read_sheet(load_bank([file]), sheet)


def test_an_item_on_one_line_is_left_to_a_person(tmp_path: Path) -> None:
    head = BANK.split("      - id: r1")[0]
    text = head + (
        "      - {id: r1, kind: recall, difficulty: 1, question: {en: Q?}, "
        "options: {a: {en: x}, b: {en: y}}, answer: a}\n"
    )
    file, sheet = written(tmp_path, text)
    fill(sheet, {"greek-fire-r1": AGREES})
    signatures, _ = read_sheet(load_bank([file]), sheet)
    (problem,) = sign(signatures)
    assert problem.message == "the item's fields share a line; add the signature by hand"
    assert file.read_text(encoding="utf-8") == text
