"""Whole sessions against a scripted server: what a model does, to an exit code and evidence."""

from __future__ import annotations

import json
import random

import pytest
from servers import HANG, Answer, ScriptedServer, answers, error, prompt_of
from suites import Suite, everything_right, key_letter, recall_only, wrong_letter

ASKED = ("--protocol", "full", "--templates", "1", "--gate-profile", "release")


def ask(suite: Suite, server: ScriptedServer, *arguments: str, run_dir: str = "run"):
    return suite.ask(server, *ASKED, *arguments, run_dir=run_dir)


def test_a_model_that_gets_everything_right_meets_every_line(suite):
    with ScriptedServer(answers(everything_right)) as server:
        result = ask(suite, server)
    assert result.ret == 0
    assert {record["passed"] for record in suite.records()} == {True}
    result.assert_outcomes(passed=96)
    for name in ("report.html", "summary.md", "metrics.json", "efficiency.jsonl", "run.json"):
        assert (suite.path / "run" / name).stat().st_size > 0


def test_a_model_that_knows_and_does_not_use_breaches_the_gap(suite):
    with ScriptedServer(answers(recall_only)) as server:
        result = ask(suite, server)
    assert result.ret == 10
    result.stdout.fnmatch_lines(["*48 passed, 48 wrong*"])
    result.stdout.fnmatch_lines(["*BREACHED*decoding gap*"])


def test_random_answers_leave_the_gap_undefined_and_no_line_on_it_met(suite):
    draw = random.Random(7)
    with ScriptedServer(answers(lambda body: draw.choice("ABCD"))) as server:
        result = ask(suite, server)
    assert result.ret == 10  # recall itself is below its limit
    metrics = (suite.path / "run" / "metrics.json").read_text("utf-8")
    assert "chance" in metrics
    result.stdout.fnmatch_lines(["*UNVERIFIED*decoding gap*"])


def test_one_hang_beyond_the_time_out_is_an_error_and_never_a_wrong_answer(suite):
    hung: list[str] = []

    def hang_once(body: dict, number: int) -> Answer:
        prompt = prompt_of(body)
        if not hung:
            hung.append(prompt)
        delay = HANG if prompt in hung else 0
        return Answer(key_letter(prompt), delay=delay)

    with ScriptedServer(hang_once) as server:
        result = ask(suite, server, "--request-timeout", "0.5", "--gate", "require-all")
    errors = [record for record in suite.records() if record["error"]]
    assert len(errors) == 1
    assert errors[0]["passed"] is None
    assert not [record for record in suite.records() if record["passed"] is False]
    assert result.ret in (0, 11)


def test_a_wrong_key_is_one_message_before_the_first_case(suite, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-not-this-one")
    with ScriptedServer(answers(everything_right), api_key="sk-right") as server:
        result = ask(suite, server)
        assert server.calls == 0
    assert result.ret == 4
    text = result.stderr.str() + result.stdout.str()
    assert server.base_url in text
    assert "sk-not-this-one" not in text
    assert "Traceback" not in text


def test_lf_runs_just_the_wrong_cases_and_judges_nothing(suite):
    wrong: set[str] = set()

    def three_wrong(body: dict) -> str:
        prompt = prompt_of(body)
        if "Right decode" in prompt and len(wrong) < 3:
            wrong.add(prompt)
        return wrong_letter(prompt) if prompt in wrong else key_letter(prompt)

    with ScriptedServer(answers(three_wrong)) as server:
        first = ask(suite, server)
        again = ask(suite, server, "--lf", run_dir="again")
    first.stdout.fnmatch_lines(["*93 passed, 3 wrong*"])
    again.stdout.fnmatch_lines(["*3 wrong*"])
    assert len(suite.records("again")) == 3
    assert again.ret == 11  # a profile was named and nothing could be judged
    again.stdout.fnmatch_lines(["*skipped*"])


def test_decode_alone_judges_its_lines_and_skips_the_gap(suite):
    with ScriptedServer(answers(everything_right)) as server:
        result = ask(suite, server, "-m", "decode")
    assert result.ret == 0
    result.stdout.fnmatch_lines(["*skipped*decoding gap*"])


def test_an_unknown_culture_is_a_usage_error_that_lists_what_there_is(suite):
    with ScriptedServer(answers(everything_right)) as server:
        result = ask(suite, server, "--culture", "zz")
        assert server.calls == 0
    assert result.ret == 4
    assert "land0, land1" in result.stderr.str() + result.stdout.str()


@pytest.mark.parametrize("gate", ["off", "judge"])
def test_the_gate_off_leaves_pytests_own_code(suite, gate):
    with ScriptedServer(answers(recall_only)) as server:
        result = ask(suite, server, "--gate", gate)
    assert result.ret == {"off": 1, "judge": 10}[gate]


def test_without_a_benchmark_case_the_plugin_does_nothing(suite):
    (suite.path / "test_mine.py").write_text("def test_mine(): pass\n")
    result = suite.pytester.runpytest_inprocess("test_mine.py")
    assert result.ret == 0
    assert not (suite.path / "reports").exists()
    assert "culturegate" not in result.stdout.str().replace(str(suite.path), "")


def test_the_report_says_where_the_server_did_not_honour_the_temperature(suite):
    def fixed(body: dict, _number: int) -> Answer:
        if "temperature" in body:
            return error(400, "Unsupported value", code="unsupported_value", param="temperature")
        return Answer(key_letter(prompt_of(body)))

    with ScriptedServer(fixed) as server:
        result = ask(suite, server)
    assert result.ret == 0
    info = json.loads((suite.path / "run" / "run.json").read_text("utf-8"))
    assert info["reply_notes"] == {"temperature not honoured": 96}
    result.stdout.fnmatch_lines(["*temperature not honoured: 96 replies.*"])
