"""A sample for a person to judge again, what comes back, and the agreement in the reports."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from pathlib import Path

import pytest
from framing_sample import made
from made_records import several
from servers import ScriptedServer, answers
from suites import SMALL, Suite, recall_only

from culturegate.__main__ import main
from culturegate.errors import InputError
from culturegate.metrics.agreement import agreement
from culturegate.reports.human import HUMAN_LOOK
from culturegate.reports.sampling import (
    COLUMNS,
    Sampled,
    draw,
    human_lines,
    keep_human,
    read_sample,
    write_sample,
)
from culturegate.tracks.base import Record
from culturegate.tracks.choice import SHOWN

REPLY = '=HYPERLINK("http://x"), I "think" so\nB'


def judged(track: str, count: int) -> list[Record]:
    return [
        replace(one, trials=tuple(replace(t, reply_key=f"{one.facts.case}") for t in one.trials))
        for one in several(count // 2, count, track=track)
    ]


def reply_of(_: Sampled) -> str:
    return REPLY


def sheet(path: Path, records: list[Record], n: int = 6) -> list[dict[str, str]]:
    write_sample(path, draw(records, n, 1), lambda _: ("What?", "B. soup"), reply_of)
    return list(csv.DictReader(io.StringIO(path.read_text("utf-8-sig"), newline="")))


def filled(path: Path, rows: list[dict[str, str]], delimiter: str = ",") -> Path:
    with path.open("w", encoding="utf-8-sig", newline="") as stream:
        writer = csv.DictWriter(stream, rows[0].keys(), delimiter=delimiter)
        writer.writeheader()
        writer.writerows(rows)
    return path


def faults(error: pytest.ExceptionInfo[InputError]) -> list[str]:
    return [problem.message for problem in error.value.problems]


def test_a_draw_is_seeded_even_over_tracks_and_grows_from_the_front():
    records = [*judged("myth", 40), *judged("persona", 4)]
    first, again, other = (draw(records, 10, seed) for seed in (1, 1, 2))
    assert first == again != other
    tracks = [one.record.facts.track for one in first]
    assert tracks.count("persona") == 4
    assert draw(records, 20, 1)[:10] == first
    assert len(draw(records, 1000, 1)) == 44
    assert {one.record.facts.track for one in draw(records, 5, 1, "persona")} == {"persona"}


def test_what_was_not_judged_is_not_drawn():
    assert draw(made(lambda *_: None, samples=3), 10, 0) == []


def test_the_table_shows_neither_verdict_nor_condition_and_holds_no_formula(tmp_path):
    rows = sheet(tmp_path / "a.csv", judged("myth", 8))
    assert len(rows) == 6
    assert tuple(rows[0]) == COLUMNS
    assert not {"correct", "status", "condition", "value", "reason"} & set(rows[0])
    for row in rows:
        assert (row["verdict"], row["signed"], row["right_is"]) == ("", "", "B. soup")
        assert row["reply"].startswith("'=")


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_what_a_person_fills_in_comes_back_with_the_agreement(tmp_path, delimiter):
    records = judged("myth", 8)
    rows = sheet(tmp_path / "a.csv", records, 8)
    right = {record.facts.case: bool(record.passed) for record in records}
    for row in rows[:6]:
        row |= {"verdict": " Right" if right[row["case"]] else "WRONG", "signed": "Ana Pérez"}
    rows[0]["verdict"] = "wrong" if right[rows[0]["case"]] else "right"
    found = read_sample(filled(tmp_path / "b.csv", rows, delimiter), records, reply_of)
    assert (found["open"], found["signed_by"]) == (2, {"Ana Pérez": 6})
    assert (found["agreement"]["all"]["n"], found["agreement"]["myth"]["agreed"]) == (6, 5)
    assert len(found["verdicts"]) == 6


def test_every_row_that_cannot_be_used_is_named_with_its_line(tmp_path):
    records = judged("myth", 8)
    rows = sheet(tmp_path / "a.csv", records, 6)
    rows[0] |= {"verdict": "maybe", "signed": "Ana"}
    rows[1] |= {"verdict": "right", "signed": ""}
    rows[2] |= {"verdict": "right", "signed": "Ana", "reply_hash": "sha256:0"}
    rows[3] |= {"verdict": "right", "signed": "Ana", "case": "elsewhere"}
    rows[4] |= {"verdict": "right", "signed": "Ana"}
    with pytest.raises(InputError) as error:
        read_sample(filled(tmp_path / "b.csv", [*rows, rows[4]]), records, reply_of)
    assert faults(error) == [
        "verdict: 'maybe' is not one of right, wrong",
        "signed: empty; a verdict needs the name of who gave it",
        "the reply is another one now; draw a new sample",
        "the run has no such trial; read the table with the run that it was drawn from",
        "a second verdict about this trial; leave one of them",
    ]
    assert all(problem.line for problem in error.value.problems)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "there is no row in it"),
        (b"case,verdict\n", "the first row lacks the columns template, sample"),
        (b"\xff\x00", "not UTF-8"),
        (",".join(COLUMNS).encode() + b"\n", "no row has a verdict"),
    ],
)
def test_a_table_that_is_none_is_a_problem_and_no_traceback(tmp_path, data, message):
    path = tmp_path / "a.csv"
    path.write_bytes(data)
    with pytest.raises(InputError) as error:
        read_sample(path, [], reply_of)
    assert message in faults(error)[0]


def test_agreement_gives_its_reference_values():
    # Cohen (1960): 20 both right, 15 both wrong, 5 and 10 apart: kappa 0.4.
    pairs = [(True, True)] * 20 + [(False, False)] * 15 + [(True, False)] * 5
    found = agreement([*pairs, *[(False, True)] * 10])
    assert (found.n, found.agreed, found.first_right, found.second_right) == (50, 35, 5, 10)
    assert found.kappa == pytest.approx(0.4)
    assert (found.low, found.high) == pytest.approx((0.5625, 0.8090), abs=1e-4)
    assert agreement([(True, True)] * 3).kappa is None
    with pytest.raises(ValueError, match="at least one reply"):
        agreement([])


def test_reports_say_nothing_until_somebody_has_looked(tmp_path):
    assert human_lines(tmp_path) == HUMAN_LOOK.markdown(tmp_path, {}) == []
    assert HUMAN_LOOK.html(tmp_path, {}) == '<div id="cg-human"></div><!--cg-human-->'
    (tmp_path / "human.json").write_text('{"signed_by": 3}')
    assert human_lines(tmp_path) == []


def test_a_later_look_takes_the_place_of_an_earlier_one_and_hostile_names_are_inert(tmp_path):
    (tmp_path / "summary.md").write_text("### run\n")
    (tmp_path / "report.html").write_text(f"<p>a</p>{HUMAN_LOOK.html(tmp_path, {})}<p>b</p>")
    for name in ("</div><script>", "@everyone \\1 | [x](y)"):
        found = {
            "signed_by": {name: 1},
            "open": 0,
            "agreement": {"all": agreement([(True, True)]).to_dict()},
        }
        keep_human(tmp_path, found)
        HUMAN_LOOK.show(tmp_path, {})
        page = (tmp_path / "report.html").read_text("utf-8")
        assert "<script>" not in page
        assert page.startswith("<p>a</p>")
        assert page.endswith("<p>b</p>")
    markdown = (tmp_path / "summary.md").read_text("utf-8")
    assert markdown.count("A human look") == 1
    assert "\\[x\\]" in markdown
    assert page.count("agree on 1 of 1") == 1


def test_a_sample_of_a_myth_run_goes_to_a_person_and_back(small: Suite, capsys):
    with ScriptedServer(answers(recall_only)) as server:
        small.ask(server, *SMALL, "--templates", "2")
    run, table = small.path / "run", small.path / "run" / "sample.csv"
    capsys.readouterr()
    assert main(["sample", str(run), str(small.path / "items"), "--n", "9", "--seed", "3"]) == 0
    assert capsys.readouterr().out == f"{table}: 9 trials to judge again, seed 3\n"
    rows = list(csv.DictReader(io.StringIO(table.read_text("utf-8-sig"), newline="")))
    assert all(row["right_is"].startswith("Right") for row in rows)
    trials = {(r["case"], t["template"]): t for r in small.records() for t in r["trials"]}
    for row in rows:
        trial = trials.pop((row["case"], row["template"]))
        letter = SHOWN[trial["option_order"].index(trial["key"])]
        assert f"\n{letter}. {row['right_is']}" in row["asked"], "as that trial showed it"
    assert {t["option_order"] for t in trials.values()} != {"abcd"}
    # What a person has not filled in is not written over, and not read back.
    assert main(["sample", str(run), str(small.path / "items")]) == 1
    assert main(["sample", str(run), "--read", str(table)]) == 1
    for row in rows:
        row |= {"verdict": "right", "signed": "Ana"}
    filled(table, rows)
    capsys.readouterr()
    assert main(["sample", str(run), "--read", str(table)]) == 0
    assert "agree on " in capsys.readouterr().out
    kept = json.loads((run / "human.json").read_bytes())
    assert kept["agreement"]["all"]["n"] == 9
    assert "A human look" in (run / "report.html").read_text("utf-8")


@pytest.mark.parametrize(
    ("arguments", "code"), [(["no-such-run"], 2), ([".", "--n", "0"], 2), (["."], 1)]
)
def test_a_run_that_is_none_is_a_sentence(tmp_path, monkeypatch, capsys, arguments, code):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "items").mkdir()
    assert main(["sample", *arguments]) == code
    assert "Traceback" not in capsys.readouterr().err
