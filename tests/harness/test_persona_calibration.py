"""A blind reader's and a person's verdicts, from a run to its reports."""

from __future__ import annotations

import csv
import io
import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from made_records import made
from persona_sample import culture, shown, write
from servers import ScriptedServer, answers
from suites import REPOSITORY, Suite

from culturegate.__main__ import main
from culturegate.bank.loader import load_bank
from culturegate.errors import InputError
from culturegate.metrics.persona_judge import calibration, calibrations
from culturegate.persona_check import chats, questions, reveals
from culturegate.reports.checklist import (
    CALIBRATION,
    COLUMNS,
    JUDGE,
    JudgedPoint,
    read_checklist,
    write_checklist,
)
from culturegate.reports.persona_chats import CHATS
from culturegate.tracks.base import Judgement, Record


def rows_of(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(path.read_text("utf-8-sig"), newline="")))


def filled(path: Path, rows: list[dict[str, str]]) -> Path:
    with path.open("w", encoding="utf-8-sig", newline="") as stream:
        writer = csv.DictWriter(stream, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)
    return path


def test_kappa_is_over_the_three_verdicts_and_what_is_unscored_stands_apart():
    pairs = [("met", "met")] * 4 + [("not met", "not met")] * 3 + [("cannot tell", "not met")]
    found = calibration([*pairs, ("met", "not met"), ("not met", "met"), (None, "met")])
    assert (found.points, found.alike, found.unscored) == (10, 7, 1)
    assert (found.judge_met, found.person_met) == (1, 1)
    assert (found.low, found.high) == pytest.approx((0.3968, 0.8922), abs=1e-4)
    # By chance alike: met 0.5 · 0.5, not met 0.4 · 0.5, cannot tell 0.1 · 0.
    assert found.kappa == pytest.approx((0.7 - 0.45) / (1 - 0.45))
    alone = calibration([("met", "met")] * 3)
    assert (alone.share, alone.kappa) == (1, None)
    assert alone.undefined == "both gave one and the same verdict throughout"
    assert calibration([(None, "met")]).undefined == "no point was judged by both"


def test_calibrations_are_by_culture_after_all():
    def one(culture: str, judge: str) -> dict[str, str]:
        return {"culture": culture, "judge": judge, "person": "met"}

    found = calibrations([one("nepali", "met"), one("afghan", "not met"), one("nepali", "met")])
    assert list(found) == ["all", "afghan", "nepali"]
    assert [each["share"] for each in found.values()] == [pytest.approx(2 / 3), 0, 1]


def judged(case: str) -> Record:
    record = made(True, case=case, track="persona", kind="persona", culture="nepali")
    trial = replace(record.trials[0], template="write-1", sample=0, reply_key=case)
    verdicts = [Judgement("write-1", 0, "follow-1", call, 1.0, detail="met") for call in (0, 1)]
    verdicts += [Judgement("write-1", 0, "follow-2", call, None) for call in (0, 1, 2)]
    return replace(record, trials=(trial,), judgements=tuple(verdicts))


def points(case: str, reply: str = "=A reply") -> list[JudgedPoint]:
    shared = (case, "write-1", 0)
    return [
        JudgedPoint(*shared, "follow-1", "What?", reply, "Says so.", "met"),
        JudgedPoint(*shared, "follow-2", "What?", reply, "Says more.", None),
    ]


def test_the_table_leaves_the_verdict_to_the_person_and_holds_no_formula(tmp_path):
    path = tmp_path / "checklist.csv"
    write_checklist(path, points("a"))
    rows = rows_of(path)
    assert tuple(rows[0]) == COLUMNS
    assert [(row["verdict"], row["judge"]) for row in rows] == [("", "met"), ("", "unscored")]
    assert rows[0]["reply"] == "'=A reply"


def test_every_row_of_a_checklist_that_cannot_be_used_is_told_with_its_line(tmp_path):
    path = tmp_path / "checklist.csv"
    write_checklist(path, [*points("a"), *points("b"), *points("c", "Of another run")])
    rows = rows_of(path)
    rows[0] |= {"verdict": "perhaps", "signed": "Ana"}
    rows[1] |= {"verdict": "met"}
    rows[2] |= {"verdict": "Met", "signed": "Ana"}
    rows[3] |= {"verdict": "met", "signed": "Ana", "aspect": "avoid-1"}
    rows[4] |= {"verdict": "met", "signed": "Ana"}
    records = [judged(case) for case in "abc"]
    with pytest.raises(InputError) as error:
        read_checklist(filled(path, [*rows, rows[2]]), records, lambda _: "=A reply")
    assert [(one.line, one.message) for one in error.value.problems] == [
        (2, "verdict: 'perhaps' is not one of met, not met or cannot tell"),
        (3, "signed: empty; a verdict needs the name of who gave it"),
        (5, "the run's judge decided no such point; read the table with the run that wrote it"),
        (6, "the reply is another one; read the table with the run that wrote it"),
        (8, "a second verdict about this point; leave one of them"),
    ]
    write_checklist(path, points("a"))
    with pytest.raises(InputError, match="no row has a verdict"):
        read_checklist(path, records, lambda _: "=A reply")


def test_a_point_that_the_judge_left_unscored_is_counted_and_not_compared(tmp_path):
    path = tmp_path / "checklist.csv"
    write_checklist(path, points("a"))
    rows = [row | {"verdict": "met", "signed": "Ana"} for row in rows_of(path)]
    found = read_checklist(filled(path, rows), [judged("a")], lambda _: "=A reply")
    assert found["signed_by"] == {"Ana": 2}
    assert found["agreement"]["nepali"]["points"] == 1
    assert found["agreement"]["nepali"]["unscored"] == 1


def test_what_cannot_be_read_back_is_as_if_nobody_had_looked(tmp_path):
    facts = {"sha256": "x", "cultures": {"nepali": {"title": "Nepali", "reveals": 2}}}
    for text in ("", "[]", '{"chats": "x"}', '{"chats": "y", "recovered": {}}'):
        (tmp_path / "persona_check.json").write_text(text)
        told = CHATS.told(tmp_path, {"persona_chats": facts})
        assert told.table.rows[2] == ("Nepali", *["not checked"] * 3, "", "2")
    (tmp_path / CALIBRATION).write_text('{"signed_by": 3}')
    assert "the judge is not calibrated" in JUDGE.told(tmp_path, {}).notes[0]
    assert CHATS.told(tmp_path, {}) is None


def test_telling_words_are_counted_by_persona_and_chats_have_a_hash_of_their_own(tmp_path):
    told = culture()
    told["norms"][0]["chats"]["follow"][0]["user"] += " As they do in Freedonia, and in Freedonia."
    bank = load_bank([write(tmp_path / "a", [told])]).persona
    plain = load_bank([write(tmp_path / "b", [culture()])]).persona
    holding = {
        each.persona.id
        for each in questions(bank, 0)
        if any("in Freedonia" in one.exchange.user for one in each.history)
    }
    assert reveals(bank, 0) == {"freedonian": len(holding)} != {"freedonian": 0}
    assert reveals(plain, 0) == {"freedonian": 0}
    hashes = {chats(one, seed)["sha256"] for one in (bank, plain) for seed in (0, 1)}
    assert len(hashes) == 4


@pytest.fixture
def run(suite: Suite) -> Path:
    """A finished run of personas of two cultures, with a judge that calls every point met."""
    source = REPOSITORY / "tests" / "benchmark" / "test_persona.py"
    (suite.path / "tests" / "benchmark" / source.name).write_bytes(source.read_bytes())
    write(suite.path / "items", [culture(), culture("sylvanian")])

    def judge(body):
        options = shown(str(body["messages"][-1]["content"]))
        return next((k for k, text in options.items() if text.startswith("Met")), "none")

    model = answers(lambda body: "I would.")
    with ScriptedServer(model) as server, ScriptedServer(answers(judge)) as reader:
        suite.ask(
            server,
            "tests/benchmark/test_persona.py",
            *("--protocol", "quick", "--gate-profile", "smoke"),
            *("--judge-model", "scripted", "--judge-endpoint", reader.base_url),
        )
    return suite.path / "run"


def reports(run: Path) -> tuple[str, str]:
    return tuple((run / name).read_text("utf-8") for name in ("report.html", "summary.md"))


def test_a_finished_run_takes_in_what_a_reader_and_a_person_found(run, tmp_path, capsys):
    items = str(run.parent / "items")
    for text in reports(run):
        assert "Whether the chats show the norms was not checked" in text
        assert "the judge is not calibrated" in text
        assert "explicit reveals" in text
    rows = rows_of(run / "checklist.csv")
    assert len(rows) == 2 * len((run / "records.jsonl").read_text("utf-8").splitlines())
    assert {(row["judge"], row["verdict"], row["reply"]) for row in rows} == {
        ("met", "", "I would.")
    }
    # The front of the table is a sample: not one culture after the other.
    assert len({row["case"].split("-")[1] for row in rows[:16]}) == 2

    table = tmp_path / "states.csv"
    assert main(["persona", items, "--sheet", str(table), "--run", str(run)]) == 0
    states = {
        (each.persona.id, each.norm.id): each.persona.states[each.norm.id]
        for each in questions(load_bank([Path(items)]).persona, 0)
    }
    named = [
        row | {"state": states[row["persona"], row["norm"]], "signed": "Ana"}
        for row in rows_of(table)
        if row["persona"].startswith("persona-freed")
    ]
    filled(table, named)
    capsys.readouterr()
    assert main(["persona", items, "--check", str(table), "--run", str(run)]) == 0
    assert capsys.readouterr().out.splitlines()[-3:] == [
        str(run / name) for name in ("persona_check.json", "report.html", "summary.md")
    ]
    kept = json.loads((run / "persona_check.json").read_bytes())
    assert (kept["kind"], kept["readers"]) == ("person", {"Ana": len(named)})
    assert kept["recovered"]["freedonian"]["value"] == 1
    page, summary = reports(run)
    for text in (page, summary):
        assert "was not checked" not in text
        assert text.count("1.000 (") == 2, "all and Freedonian"
        assert "0.947" in text
    assert f"Ana ({len(named)})" in page
    assert "| Sylvanian | not checked | not checked | not checked |  | 0 |" in summary

    for row in rows[:6]:
        row |= {"verdict": "met", "signed": "Ben"}
    rows[0]["verdict"] = "not met"
    copy = filled(tmp_path / "copy.csv", rows)
    assert main(["checklist", str(run), str(copy)]) == 0
    assert "all: alike 83% (" in capsys.readouterr().out
    assert json.loads((run / CALIBRATION).read_bytes())["open"] == len(rows) - 6
    for text in reports(run):
        assert "not calibrated" not in text
        assert "83% (44% to 97%)" in text.replace("\\", "")
        assert "1.000 (" in text, "the other place is as it was"

    # Chats that were not this run's say nothing of it, and no model is asked about them.
    other = tmp_path / "items"
    shutil.copytree(items, other)
    write(other, [culture("lilliputian")])
    capsys.readouterr()
    assert main(["persona", str(other), "--check", str(table), "--run", str(run)]) == 1
    assert "was asked with other chats than those of this bank" in capsys.readouterr().err
    assert main(["persona", items, "--check", str(table), "--run", str(run), "--seed", "1"]) == 1


def test_a_model_that_reads_the_chats_is_named_in_the_run(tmp_path, capsys):
    items = write(tmp_path / "items", [culture()])
    bank = load_bank([items]).persona
    info = {"bank_seed": 3, "persona_chats": chats(bank, 3)}
    (tmp_path / "run.json").write_text(json.dumps(info))
    (tmp_path / "records.jsonl").write_text("")
    reader = ("--judge-model", "reader-2026-01-01")

    def read(body):
        options = shown(str(body["messages"][-1]["content"]))
        return next((letter for letter, text in options.items() if "keeps" in text), "A")

    with ScriptedServer(answers(read)) as server:
        reader = (*reader, "--judge-endpoint", server.base_url)
        assert main(["persona", str(items), "--check", "--run", str(tmp_path), *reader]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == str(tmp_path / "persona_check.json")
    kept = json.loads((tmp_path / "persona_check.json").read_bytes())
    asked = questions(bank, 3)
    assert (kept["kind"], kept["readers"]) == ("model", {"reader-2026-01-01": len(asked)})
    assert (kept["recovered"]["all"]["follow"], kept["recovered"]["all"]["avoid"]) == (1, 0)
    told = CHATS.told(tmp_path, info)
    assert "by a model: reader-2026-01-01" in told.notes[0]
    assert told.table.rows[1][2:5] == ("1.000", "0.000", f"{len(asked)} / 10")


def test_a_check_of_a_run_that_is_none_is_a_sentence(tmp_path, capsys):
    items = str(write(tmp_path / "items", [culture()]))
    assert main(["persona", items, "--check", "--run", str(tmp_path / "none")]) == 2
    assert main(["persona", "persona-freedonian-01", items, "--run", str(tmp_path)]) == 2
    assert main(["persona", items, "--check", "--run", str(tmp_path)]) == 1
    assert main(["checklist", str(tmp_path), str(tmp_path / "none.csv")]) == 1
    assert "Traceback" not in capsys.readouterr().err
    (tmp_path / "run.json").write_text('{"bank_seed": 0}')
    (tmp_path / "records.jsonl").write_text("")
    assert main(["persona", items, "--check", "--run", str(tmp_path)]) == 1
    assert "asked no persona" in capsys.readouterr().err
