from __future__ import annotations

import csv
import json
import subprocess
import sys
from pathlib import Path

import pytest
from bank_sample import sample_bank, write_bank

from culturegate.__main__ import main

Capture = pytest.CaptureFixture[str]


def test_lint_of_a_sound_folder_exits_0_and_prints_the_table(
    tmp_path: Path, capsys: Capture
) -> None:
    write_bank(tmp_path, sample_bank())
    assert main(["lint", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert out.startswith("50 items, 1 cultures, 1 files, 0 signed by a person\n")
    assert "sample  recall en       25       10      0     25%" in out


def test_lint_exits_1_on_findings_and_on_files_that_do_not_load(
    tmp_path: Path, capsys: Capture
) -> None:
    bank = sample_bank()
    bank["episodes"][0]["items"][0]["question"]["zh"] = "Ποιος έκλεψε"
    file = write_bank(tmp_path, bank)
    assert main(["lint", str(tmp_path)]) == 1
    assert capsys.readouterr().out.endswith("1 finding: script 1\n")
    file.write_text("a: [", encoding="utf-8")
    assert main(["lint", str(tmp_path)]) == 1
    assert "1 problem in the bank" in capsys.readouterr().err


def test_the_projects_own_bank_is_held_to_its_size(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_bank(tmp_path / "items" / "myth", sample_bank())
    monkeypatch.chdir(tmp_path)
    assert main(["lint"]) == 1
    assert "1 cultures; at least 12 [count]" in capsys.readouterr().out
    assert main(["lint", "items/myth/sample.yaml"]) == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ["lint", "nowhere"],
        ["lint", "--read-sheet", "nowhere.csv", "."],
        ["show", "no-such-item", "."],
        ["import", "nowhere.csv"],
        ["import", "https://example.org/x.csv"],
        ["import", "bank/sample.yaml", "--map", "question"],
        ["new-item", "文化"],
    ],
)
def test_wrong_usage_exits_2_without_a_traceback(
    arguments: list[str], tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_bank(tmp_path / "bank", sample_bank(episodes=1))
    monkeypatch.chdir(tmp_path)
    assert main(arguments) == 2
    assert capsys.readouterr().err.startswith(f"culturegate {arguments[0]}: ")


def test_an_unknown_command_exits_2() -> None:
    with pytest.raises(SystemExit) as caught:
        main(["polish"])
    assert caught.value.code == 2


def test_show_prints_both_languages_and_the_source(tmp_path: Path, capsys: Capture) -> None:
    bank = sample_bank(episodes=1)
    write_bank(tmp_path, bank)
    item = bank["episodes"][0]["items"][0]
    assert main(["show", "sample-episode-0-r1", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert item["question"]["en"] in out
    assert item["question"]["zh"] in out
    assert f"  A. {item['options']['a']['en']} *\n" in out
    assert "source: A Work, line 0 (not checked yet)" in out
    assert "signed by: nobody yet" in out


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("japan-takeout-tax-localized", ["mirror, japan, ja, localized", "right: 1458 円"]),
        ("japan-takeout-tax", ["-original: mirror", "right: 33 dollars"]),
        ("persona-nepali-03", ["persona, nepali", "more cases: persona-nepali-03-"]),
    ],
)
def test_show_prints_cases_of_any_track(
    name: str, words: list[str], monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.chdir(Path(__file__).parents[2])
    assert main(["show", name]) == 0
    out = capsys.readouterr().out
    assert all(each in out for each in words)


def test_show_of_an_unknown_item_names_near_ones(tmp_path: Path, capsys: Capture) -> None:
    write_bank(tmp_path, sample_bank(episodes=1))
    assert main(["show", "sample-episode-0-r7", str(tmp_path)]) == 2
    assert "there are sample-episode-0-r" in capsys.readouterr().err


def test_a_new_item_passes_lint_as_it_is(tmp_path: Path, capsys: Capture) -> None:
    assert main(["new-item", "Māori"]) == 0
    (tmp_path / "maori.yaml").write_text(capsys.readouterr().out, encoding="utf-8")
    assert main(["lint", str(tmp_path)]) == 0


def test_import_writes_good_rows_and_exits_1_if_any_were_left_out(
    tmp_path: Path, capsys: Capture
) -> None:
    file = tmp_path / "set.csv"
    file.write_text("stem,A,B,answer\nWho?,tea,soup,B\nWhom?,tea,tea,A\n", encoding="utf-8")
    out = tmp_path / "out.jsonl"
    arguments = ["import", str(file), "--map", "question=stem", "--culture", "greek"]
    assert main([*arguments, "--out", str(out)]) == 1
    assert [json.loads(line)["answer"] for line in out.read_text().splitlines()] == ["b"]
    assert capsys.readouterr().err.splitlines() == [
        f"{file}:3: row 2: options A and B are equal",
        "1 items, 1 rows left out, 0 with alphabetical options put in another order",
    ]


def test_a_sheet_goes_out_and_comes_back(tmp_path: Path, capsys: Capture) -> None:
    bank, sheet = tmp_path / "bank", tmp_path / "sheet.csv"
    assert main(["new-item", "norse"]) == 0
    bank.mkdir()
    (bank / "norse.yaml").write_text(capsys.readouterr().out, encoding="utf-8")
    assert main(["lint", str(bank), "--review-sheet", str(sheet)]) == 0
    assert f"{sheet}: 2 items to review" in capsys.readouterr().out
    with sheet.open(encoding="utf-8-sig", newline="") as stream:
        rows = list(csv.DictReader(stream))
    signed = {"your_answer": "D", "verdict": "ok", "reviewer": "A Reader", "date": "2024-05-01"}
    with sheet.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, rows[0])
        writer.writeheader()
        writer.writerows(row | signed for row in rows)
    assert main(["lint", str(bank), "--read-sheet", str(sheet)]) == 1
    out = capsys.readouterr().out
    assert out.startswith("1 signatures added\n")
    assert "norse-first-episode-r1: answered D, the key is A; mend or drop the item" in out
    assert "2 items, 1 cultures, 1 files, 1 signed by a person" in out


def test_help_is_quick_to_load() -> None:
    code = "import sys, culturegate.__main__ as m; print(sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"'scipy'", "'pydantic'", "'openai'", "'pytest'"} & set(
        done.stdout.strip("[]\n").split(", ")
    )


def test_score_prints_a_summary_and_writes_the_readings(tmp_path: Path, capsys: Capture) -> None:
    file, out = tmp_path / "replies.jsonl", tmp_path / "readings.jsonl"
    line = {"id": "q1", "reply": "The answer is B.", "options": {"A": "tea", "B": "soup"}}
    file.write_text(json.dumps(line | {"gold": "B"}) + "\nnot json\n", encoding="utf-8")
    assert main(["score", str(file)]) == 1
    assert f"{file}:2: is not JSON" in capsys.readouterr().err
    assert main(["score", str(file), "--skip-bad", "--out", str(out)]) == 1
    assert json.loads(capsys.readouterr().out)["accuracy"] == 1.0
    (reading,) = [json.loads(text) for text in out.read_text(encoding="utf-8").splitlines()]
    assert (reading["id"], reading["value"], reading["correct"]) == ("q1", "B", True)
    file.write_text(json.dumps(line | {"gold": "B"}) + "\n", encoding="utf-8")
    assert main(["score", str(file), "--track", "choice"]) == 0


def test_score_of_a_missing_file_or_an_unknown_language_is_wrong_usage(
    tmp_path: Path, capsys: Capture
) -> None:
    assert main(["score", str(tmp_path / "nowhere.jsonl")]) == 2
    file = tmp_path / "replies.jsonl"
    file.write_text("{}\n", encoding="utf-8")
    assert main(["score", str(file), "--lang", "??"]) == 2
    assert capsys.readouterr().err.count("culturegate score: ") == 2
