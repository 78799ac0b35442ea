"""Sessions that are interrupted or killed: what was answered is kept, and not asked again."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import time
from collections import Counter
from contextlib import closing
from pathlib import Path

from servers import Answer, ScriptedServer, answers, prompt_of
from suites import SMALL, everything_right, key_letter, recall_only, small_bank

WAIT = 60


def until(condition) -> None:
    end = time.monotonic() + WAIT
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)


def slow_for(*tales: int):
    """Answer everything at once but for some tales, which take until long after the test."""

    def answer(body: dict, _number: int) -> Answer:
        prompt = prompt_of(body)
        slow = any(f" {tale}, " in prompt for tale in tales)
        return Answer(key_letter(prompt), delay=WAIT if slow else 0)

    return answer


def prompts(server: ScriptedServer) -> Counter:
    return Counter(prompt_of(request.body) for request in server.chats)


def stored(run: Path) -> int:
    """Return how many replies a run has kept."""
    try:
        with closing(
            sqlite3.connect(f"{(run / 'replies.sqlite').as_uri()}?mode=ro", uri=True)
        ) as db:
            return int(db.execute("SELECT count(*) FROM replies").fetchone()[0])
    except sqlite3.OperationalError:
        return 0  # Not made yet.


def stop(process, number: int) -> tuple[str, str]:
    os.killpg(process.pid, number)
    return process.communicate(timeout=WAIT)


def test_ctrl_c_is_2_and_keeps_all_that_was_answered_even_ahead_of_the_case_waited_for(small):
    with ScriptedServer(slow_for(1)) as server:
        process = small.start(server, *SMALL)
        until(lambda: server.calls == 6 and stored(small.path / "run") == 4)
        stdout, stderr = stop(process, signal.SIGINT)
    assert process.returncode == 2
    # pytest was waiting for a case of tale 1; what stood behind it had been answered.
    assert [record["case"] for record in small.records()] == [
        f"land0-tale{tale}-{kind}-en" for tale in (0, 2) for kind in ("d1", "r1")
    ]
    assert {record["passed"] for record in small.records()} == {True}
    info = small.info()
    assert (info["cut"], info["partial"]) == ("interrupted", "4 of 6 cases")
    assert "2 of 6 selected cases were not asked, and no line was judged." in " ".join(
        stdout.split()
    )
    assert "Gate " not in stdout
    assert "Traceback" not in stdout + stderr
    assert (small.path / "run" / "report.html").is_file()


def test_ctrl_c_with_workers_is_2_and_keeps_the_records_that_were_reported(small):
    with ScriptedServer(slow_for(2)) as server:
        process = small.start(server, *SMALL, "-n", "2", "-v")
        until(lambda: server.calls == 6 and stored(small.path / "run") == 4)
        time.sleep(1)
        stop(process, signal.SIGINT)
    assert process.returncode == 2
    info = small.info()
    assert info["cut"] == "interrupted"
    assert {record["passed"] for record in small.records()} == {True}
    assert 1 <= len(small.records()) <= 4


def test_after_kill_9_half_way_resume_asks_only_what_is_missing(suite):
    suite.write_bank(small_bank(1, 10))
    options = ("--protocol", "full", "--templates", "1", "--lang", "en", "--gate=off")
    reports = suite.path / "reports"
    with ScriptedServer(slow_for(5, 6, 7, 8, 9)) as server:
        process = suite.start(server, *options, run_dir="reports/killed")
        until(lambda: server.calls == 20 and stored(reports / "killed") == 10)
        stop(process, signal.SIGKILL)
        first = prompts(server)
        server.behaviour = answers(everything_right)
        server.requests.clear()
        result = suite.pytester.runpytest_inprocess(
            "--endpoint", server.base_url, *options, "--resume"
        )
        again = prompts(server)
    assert result.ret == 0
    assert sorted(first.values()) == [1] * 20
    assert len(again) == 10
    assert all(any(f" {tale}, " in prompt for tale in (5, 6, 7, 8, 9)) for prompt in again)
    assert len(suite.records(str(reports / "killed"))) == 20
    assert suite.info(str(reports / "killed"))["cut"] is None
    assert [run.name for run in reports.iterdir() if not run.is_symlink()] == ["killed"]


def test_an_interrupted_run_is_resumed_and_a_finished_one_is_not(small):
    reports = small.path / "reports"
    with ScriptedServer(answers(recall_only)) as server:
        options = ("--endpoint", server.base_url, *SMALL)
        small.pytester.runpytest_inprocess(*options, "-x")
        (run,) = reports.glob("2*")
        kept, calls = stored(run), server.calls
        assert kept > 0
        result = small.pytester.runpytest_inprocess(*options, "--resume")
        # A call that was in flight when the run was cut has no reply, and is made again.
        assert server.calls - calls == 6 - kept
        assert result.ret == 0
        assert (reports / "latest").resolve() == run
        finished = small.pytester.runpytest_inprocess(*options, "--resume")
    assert finished.ret == 4
    finished.stderr.fnmatch_lines(["ERROR: --resume: there is no unfinished run in *"])


def test_a_run_is_not_gone_on_with_under_other_options(small):
    reports = small.path / "reports"
    with ScriptedServer(answers(recall_only)) as server:
        options = ("--endpoint", server.base_url, *SMALL)
        small.pytester.runpytest_inprocess(*options, "-x")
        calls = server.calls
        result = small.pytester.runpytest_inprocess(*options, "--samples", "3", "--resume")
        assert server.calls == calls
    (run,) = reports.glob("2*")
    assert result.ret == 4
    result.stderr.fnmatch_lines([f"ERROR: --resume: {run} was asked differently: *samples*"])
    assert not (run / "run.json").exists() or small.info(str(run))["cut"]


def test_the_latest_run_may_be_named_to_go_on_with(small):
    reports = small.path / "reports"
    with ScriptedServer(answers(recall_only)) as server:
        options = ("--endpoint", server.base_url, *SMALL)
        small.pytester.runpytest_inprocess(*options, "-x")
        result = small.pytester.runpytest_inprocess(
            *options, "--resume", f"--run-dir={reports}/latest"
        )
    assert result.ret == 0
    (run,) = reports.glob("2*")
    assert (reports / "latest").resolve() == run
    assert len(small.records(str(run))) == 6


def test_the_default_asks_afresh(small):
    with ScriptedServer(answers(everything_right)) as server:
        small.ask(server, *SMALL)
        small.ask(server, *SMALL, run_dir="again")
        assert set(prompts(server).values()) == {2}


def test_samples_of_one_prompt_are_replies_of_their_own_when_a_run_is_resumed(small):
    draw = random.Random(3)
    options = (*SMALL, "--samples", "3")
    with ScriptedServer(answers(lambda body: draw.choice("ABCD"))) as server:
        small.ask(server, *options)
        first = small.records()
        calls = server.calls
        small.ask(server, *options, "--resume")
        assert server.calls == calls == 18
    assert small.records() == first
    assert any(len({t["value"] for t in record["trials"]}) > 1 for record in first)


def test_a_recorded_run_is_replayed_without_a_model(small):
    with ScriptedServer(answers(recall_only)) as server:
        small.ask(server, *SMALL)
    result = small.run(f"--replay={small.path}/run", *SMALL, run_dir="replayed")
    assert result.ret == 0
    result.stdout.fnmatch_lines(["*= 3 passed, 3 wrong in *"])
    for name in ("metrics.json", "records.jsonl"):
        assert (small.path / "run" / name).read_bytes() == (
            small.path / "replayed" / name
        ).read_bytes()
    info = small.info("replayed")
    assert (info["model_kind"], info["model"]) == ("replay", "scripted-2026-01-01")


def test_replies_of_another_tool_are_replayed_by_item_and_language(small):
    lines = [
        f'{{"item": "land0-tale{n}-{kind}", "lang": "en", "reply": "{reply}"}}'
        for n in range(3)
        for kind, reply in (
            ("d1", "I don't know."),
            ("r1", f"Right recall {'abcd'[n]}{n} of land0"),
        )
    ]
    (small.path / "replies.jsonl").write_text("\n".join(lines[:-1]) + "\n")
    result = small.run(f"--replay={small.path}/replies.jsonl", *SMALL)
    assert {record["case"]: record["passed"] for record in small.records()} == {
        **{f"land0-tale{n}-d1-en": False for n in range(3)},
        **{f"land0-tale{n}-r1-en": True for n in range(2)},
    }
    assert result.ret == 11  # a case without a reply is left out: smoke's one line judges nothing
    assert "5 of 6 cases ran" in result.stdout.str()


def test_a_bad_line_to_replay_is_named_and_nothing_is_left(small):
    (small.path / "replies.jsonl").write_text('{"item": "x", "lang": "en"}\n{"reply"\n')
    result = small.run("--replay=replies.jsonl", *SMALL)
    assert result.ret == 4
    message = result.stderr.str()
    assert message.startswith("ERROR: 2 problems in the replies to replay:\n  replies.jsonl:1: ")
    assert "replies.jsonl:2: not JSON" in message
    assert not (small.path / "run").exists()


def test_under_rate_limits_and_server_errors_no_case_is_wrong(suite, hurried):
    suite.write_bank(small_bank(2, 10))
    draw = random.Random(0)

    def troubled(body: dict, _number: int) -> Answer:
        luck = draw.random()
        if luck < 0.25:
            return Answer(status=429, body="slow down", headers={"Retry-After": "0"})
        if luck < 0.35:
            return Answer(status=500, body="oops")
        return Answer(everything_right(body))

    options = ("--protocol", "full", "--templates", "1", "--lang", "en", "--gate-profile", "smoke")
    with ScriptedServer(troubled) as server:
        result = suite.ask(server, *options)
    records = suite.records()
    assert len(records) == 40
    assert {record["passed"] for record in records} <= {True, None}
    errors = [record for record in records if record["passed"] is None]
    assert result.ret == (10 if errors else 0)


def test_an_answer_that_came_after_retries_leaves_a_trace(small, hurried):
    def third_time_lucky(body: dict, number: int) -> Answer | str:
        prompt = prompt_of(body)
        if "recall 0" in prompt and prompts(server)[prompt] < 3:
            return Answer(status=500, body="oops")
        return everything_right(body)

    with ScriptedServer(third_time_lucky) as server:
        result = small.ask(server, *SMALL, "--junit-xml", "out.xml")
    assert result.ret == 0
    result.stdout.fnmatch_lines(["On the way: 2 retries, 2 waits, * in all."])
    assert '<property name="retries" value="2" />' in (small.path / "out.xml").read_text()
