"""Readings in dispute: written for a person, decided, read back, and counted."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from pathlib import Path

import pytest
from servers import ScriptedServer, answers, prompt_of
from suites import SMALL, Suite, everything_right, key_letter, wrong_letter

from culturegate.errors import InputError
from culturegate.reports import Disputed, ReportError, read_decisions, write_disputed
from culturegate.reports.disputed import COLUMNS, MOST_ROWS
from culturegate.tracks import Decision, Trial, adjudicate, hash_reply, unapplied
from culturegate.tracks.base import CaseFacts, Record
from culturegate.tracks.outcome import record as judged

TRIAL = Trial("plain-1", 0, "ambiguous", None, False, "mention", option_order="ba", reply_key="k0")
FACTS = CaseFacts("land0-tale0-r1-en", "myth", "recall", "land0-tale0-r1", "tale0", "land0", "en")
LETTERS = {"land0-tale0-r1-en": "ABCD"}.get
DECIDED = Decision(FACTS.case, "plain-1", 0, "k0", hash_reply("A or B"), "A", "Ana Pérez")


class TwoOptions:
    """A case with the options a and b, of which b is right."""

    facts = FACTS
    question = "Which?"
    letters = "AB"

    def as_shown(self, trial: Trial) -> dict[str, str]:
        return dict(zip("AB", trial.option_order or "", strict=True))

    def decided(self, trial: Trial, letter: str | None) -> Trial:
        value = None if letter is None else self.as_shown(trial)[letter]
        status = "abstained" if letter is None else "answered"
        return replace(trial, status=status, value=value, correct=value == "b")


def one(**changes: object) -> Disputed:
    whole: dict[str, object] = {
        "case": FACTS.case,
        "trial": TRIAL,
        "question": "Which?",
        "options": {"A": "tea", "B": "soup"},
        "reply": "A or B",
    }
    return Disputed(**(whole | changes))  # type: ignore[arg-type]


def table(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(path.read_text("utf-8-sig"), newline="")))


def written(path: Path, *readings: Disputed) -> list[dict[str, str]]:
    write_disputed(path, readings)
    return table(path)


def decide(path: Path, rows: list[dict[str, str]], delimiter: str = ",") -> Path:
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), delimiter=delimiter)
        writer.writeheader()
        writer.writerows(rows)
    return path


def filled(path: Path, **cells: str) -> list[dict[str, str]]:
    return [row | {"decision": "A", "signed": "Ana Pérez"} | cells for row in written(path, one())]


def problems(path: Path) -> list[str]:
    with pytest.raises(InputError) as caught:
        read_decisions(path, LETTERS)
    return [str(problem).removeprefix(str(path)) for problem in caught.value.problems]


def test_a_row_says_what_a_person_needs_to_decide(tmp_path):
    (row,) = written(tmp_path / "disputed.csv", one(reply="甲或乙"))
    assert tuple(row) == COLUMNS
    assert row["case"] == FACTS.case
    assert row["question"] == "Which?"
    assert row["options"] == "A. tea\nB. soup"
    assert row["reply"] == "甲或乙"
    assert row["reading"] == "ambiguous"
    assert row["decision"] == row["signed"] == ""


def test_the_file_opens_in_a_spreadsheet_with_its_chinese(tmp_path):
    write_disputed(tmp_path / "disputed.csv", [one(question="谁偷了火？")])
    data = (tmp_path / "disputed.csv").read_bytes()
    assert data.startswith(b"\xef\xbb\xbf")
    assert "谁偷了火？" in data.decode("utf-8-sig")


@pytest.mark.parametrize(
    "reply",
    ["=1+1", "+1", "-1", "@SUM(A1)", "  =1+1", '"=1+1', "＝1+1", "a;=1+1", "a\n=1+1", "a\t=1+1",
     'a;"=1+1', "\r=1+1"],
)  # fmt: skip
def test_no_cell_begins_like_a_formula(tmp_path, reply):
    (row,) = written(tmp_path / "disputed.csv", one(reply=reply, question=reply))
    for cell in (row["reply"], row["question"]):
        for part in cell.replace(";", "\n").replace("\t", "\n").split("\n"):
            assert part.lstrip(' "')[:1] not in ("=", "+", "-", "@", "＝")


def test_a_hostile_reply_is_bounded_and_valid_text(tmp_path):
    reply = "\ud800\x00\u202e" + "x=" * 500_000 + "\nAnswer"
    (row,) = written(tmp_path / "disputed.csv", one(reply=reply))
    assert len(row["reply"]) < 32_767
    assert row["reply"].endswith("Answer")
    assert not set("\ud800\x00\u202e") & set(row["reply"])


def test_no_more_rows_are_written_than_a_person_can_use(tmp_path):
    rows = written(tmp_path / "disputed.csv", *[one()] * (MOST_ROWS + 5))
    assert len(rows) == MOST_ROWS


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_a_decision_comes_back_whatever_parts_the_columns(tmp_path, delimiter):
    rows = filled(tmp_path / "disputed.csv", decision="b")
    path = decide(tmp_path / "decided.csv", rows, delimiter)
    (decision,) = read_decisions(path, LETTERS).each
    assert decision == replace(DECIDED, letter="B")


def test_none_says_that_the_reply_names_no_option(tmp_path):
    path = decide(tmp_path / "decided.csv", filled(tmp_path / "d.csv", decision="None"))
    assert read_decisions(path, LETTERS).each == (replace(DECIDED, letter=None),)


def test_utf16_as_spreadsheets_save_it_is_read(tmp_path):
    path = decide(tmp_path / "decided.csv", filled(tmp_path / "d.csv"), "\t")
    path.write_bytes(path.read_text("utf-8-sig").encode("utf-16"))
    assert read_decisions(path, LETTERS).each == (DECIDED,)


def test_a_row_that_nobody_decided_is_no_decision(tmp_path):
    write_disputed(tmp_path / "disputed.csv", [one()])
    assert read_decisions(tmp_path / "disputed.csv", LETTERS).each == ()


def test_every_bad_row_is_told_at_once_by_its_line(tmp_path):
    (good,) = filled(tmp_path / "disputed.csv")
    rows = [
        good | {"signed": ""},
        good | {"decision": "F", "sample": "x"},
        good | {"decision": ""},
        good | {"signed": "a\nb"},
        good | {"reply_key": ""},
        good,
        good | {"decision": "B"},
    ]
    path = decide(tmp_path / "decided.csv", rows)
    # A row takes two lines here, since its options do, and one with a name over two takes three.
    assert problems(path) == [
        f":2: {FACTS.case}: signed: empty; a decision needs the name of who made it",
        f":4: {FACTS.case}: sample: 'x' is no number; "
        "decision: 'F' is not one of A, B, C, D or none",
        f":6: {FACTS.case}: signed, but decision is empty",
        f":8: {FACTS.case}: signed: one line of at most 100 characters is needed",
        f":11: {FACTS.case}: reply_key: empty; leave what the run wrote there",
        f":15: {FACTS.case}: a second decision about this trial; leave one of them",
    ]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "there is no row in it"),
        (b"case,reply\na,b\n", "the first row lacks the columns template, sample, decision"),
        (b"\xff\x00\xd8", "not UTF-8; save it from the spreadsheet"),
        (b'case,"template', "is no CSV"),
        (b"PK\x03\x04\x14\x00\x06\x00\xe4", "not UTF-8; save it from the spreadsheet"),
    ],
)
def test_a_file_that_is_no_table_of_decisions_says_so(tmp_path, data, message):
    path = tmp_path / "decided.csv"
    path.write_bytes(data)
    assert message in problems(path)[0]


def test_a_file_that_is_not_there_says_so(tmp_path):
    with pytest.raises(ReportError, match=r"cannot read .*nowhere\.csv"):
        read_decisions(tmp_path / "nowhere.csv", LETTERS)


def applied(decision: Decision, trial: Trial = TRIAL, reply: str = "A or B") -> Record:
    return adjudicate(TwoOptions(), judged(FACTS, [trial]), {"k0": reply}, [decision])


def test_a_decision_gives_the_trial_its_answer_and_judges_the_case_anew():
    record = applied(DECIDED)
    (trial,) = record.trials
    assert record.passed is True
    assert record.modal == "b"
    assert (trial.status, trial.value, trial.rule) == ("answered", "b", "adjudicated")
    assert trial.detail == "was ambiguous; signed by Ana Pérez"


def test_a_decision_for_none_makes_the_reply_an_abstention():
    record = applied(replace(DECIDED, letter=None))
    assert record.trials[0].status == record.modal == "abstained"
    assert record.passed is False


@pytest.mark.parametrize(
    ("decision", "trial", "reply", "why"),
    [
        (replace(DECIDED, reply_key="k1"), TRIAL, "A or B", "about another reply"),
        (DECIDED, TRIAL, "B or A", "about another reply"),
        (replace(DECIDED, sample=1), TRIAL, "A or B", "about a trial that this run did not ask"),
        (replace(DECIDED, case="x"), TRIAL, "A or B", "about a trial that this run did not ask"),
        (DECIDED, replace(TRIAL, status="answered", value="a"), "A or B",
         "about a reading that is not in dispute"),
        (DECIDED, replace(TRIAL, status="error", correct=None), "A or B",
         "about a call that failed"),
    ],
)  # fmt: skip
def test_a_decision_that_does_not_fit_changes_nothing_and_is_counted(decision, trial, reply, why):
    fits = [decision] if decision.case == FACTS.case else []
    before = judged(FACTS, [trial])
    after = adjudicate(TwoOptions(), before, {"k0": reply}, fits)
    assert after == before
    assert unapplied([decision], {FACTS.case: after}) == {why: 1}


def test_an_applied_decision_is_not_counted_as_left_over():
    assert unapplied([DECIDED], {FACTS.case: applied(DECIDED)}) == {}


def wavering(body: dict) -> str:
    """Answer recall right; of decode name two letters, the right one second."""
    prompt = prompt_of(body)
    if "recall" in prompt:
        return key_letter(prompt)
    return f"Either {wrong_letter(prompt)} or {key_letter(prompt)} would fit here."


def disputed_run(small: Suite) -> list[dict[str, str]]:
    with ScriptedServer(answers(wavering)) as server:
        result = small.ask(server, *SMALL)
    result.stdout.fnmatch_lines(["*3 readings in dispute*", "*disputed.csv"])
    return table(small.path / "run" / "disputed.csv")


def settled(rows: list[dict[str, str]]) -> list[dict[str, str]]:
    """Decide all rows but the last by the letter that the reply names second."""
    done = [row | {"decision": row["reply"].split()[3], "signed": "Ana Pérez"} for row in rows[:-1]]
    return [*done, rows[-1]]


@pytest.mark.parametrize("processes", ["0", "2"])
def test_a_run_in_dispute_is_decided_replayed_and_counted(small, processes):
    rows = disputed_run(small)
    assert [row["case"] for row in rows] == [f"land0-tale{n}-d1-en" for n in range(3)]
    assert all("What of decode" in row["question"] for row in rows)
    assert all(row["options"].count("\n") == 3 for row in rows)
    path = decide(small.path / "decided.csv", settled(rows))
    replay = (f"--replay={small.path / 'run'}", f"--adjudicated={path}", "-n", processes)
    if processes == "0":
        result = small.run(*SMALL, *replay, run_dir="again")
    else:
        where = (f"--run-dir={small.path / 'again'}",)
        result = small.pytester.runpytest_subprocess(*where, *SMALL, *replay)
    result.stdout.fnmatch_lines(
        ["*5 passed, 1 wrong*"] if processes == "0" else ["*2 readings adjudicated*"]
    )
    by_case = {record["case"]: record for record in small.records("again")}
    decided = by_case["land0-tale0-d1-en"]
    assert decided["passed"] is True
    assert decided["trials"][0]["rule"] == "adjudicated"
    assert by_case["land0-tale2-d1-en"]["trials"][0]["status"] == "ambiguous"
    told = small.info("again")["adjudicated"]
    assert {key: told[key] for key in ("file", "decisions", "applied", "not_applied")} == {
        "file": "decided.csv", "decisions": 2, "applied": 2, "not_applied": {}
    }  # fmt: skip
    assert told["signed_by"] == {"Ana Pérez": 2}
    sentence = "2 readings adjudicated by a person, signed by Ana Pérez."
    for name in ("summary.md", "report.html"):
        assert sentence in (small.path / "again" / name).read_text("utf-8")
    assert len(table(small.path / "again" / "disputed.csv")) == 1


def test_decisions_about_other_replies_are_left_and_the_run_says_so(small):
    path = decide(small.path / "decided.csv", settled(disputed_run(small)))
    with ScriptedServer(answers(lambda body: f"{wavering(body)} Hm.")) as server:
        result = small.ask(server, *SMALL, f"--adjudicated={path}", run_dir="other")
    assert small.info("other")["adjudicated"]["not_applied"] == {"about another reply": 2}
    assert not [r for r in small.records("other") if r["trials"][0]["rule"] == "adjudicated"]
    result.stdout.fnmatch_lines(["! 2 of 2 decisions in decided.csv were not applied: 2 about*"])


def test_bad_decisions_stop_the_session_before_the_first_case(small):
    rows = [row | {"decision": "E"} for row in disputed_run(small)]
    path = decide(small.path / "decided.csv", rows)
    with ScriptedServer(answers(everything_right)) as server:
        result = small.ask(server, *SMALL, f"--adjudicated={path}", run_dir="other")
        assert server.calls == 0
    assert result.ret == 4
    text = result.stderr.str()
    assert "3 problems in the decisions:" in text
    assert "decision: 'E' is not one of A, B, C, D or none; signed: empty" in text


def test_a_run_without_disputes_has_no_such_file_and_no_such_sentence(small):
    with ScriptedServer(answers(everything_right)) as server:
        result = small.ask(server, *SMALL)
    assert not (small.path / "run" / "disputed.csv").exists()
    result.stdout.no_fnmatch_line("*readings in dispute*")
    assert small.info()["adjudicated"] is None
