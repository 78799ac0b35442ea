"""What a session's exit code says: pytest's own codes, and the gate's 0, 10 and 11."""

from __future__ import annotations

import json
import threading
from collections import Counter

import pytest
from servers import Answer, ScriptedServer, answers, prompt_of
from suites import SMALL, Suite, everything_right, recall_only, small_bank, wrong_letter

LINES = """\
profiles:
  mine:
    validity: {{max_unparsed_rate: {unparsed}, max_truncated_rate: 0.02, min_clusters: 1}}
    lines:
      - {{name: the line, {line}}}
"""


def judged_by(suite: Suite, line: str, unparsed: float = 0.05) -> tuple[str, ...]:
    text = LINES.format(line=line, unparsed=unparsed)
    (suite.path / "thresholds.yaml").write_text(text)
    return ("--protocol", "quick", "--gate-profile", "mine")


def gate_lines(result: pytest.RunResult) -> list[str]:
    """Return the gate's sentence and what stands below it, in single spaces."""
    lines = [" ".join(line.split()) for line in result.stdout.lines]
    start = next(n for n, line in enumerate(lines) if line.startswith("Gate "))
    return lines[start : lines.index("", start)]


def outcomes(suite: Suite) -> Counter:
    names = {True: "right", False: "wrong", None: "error"}
    return Counter(names[record["passed"]] for record in suite.records())


def test_wrong_answers_do_not_fail_a_build_whose_lines_are_met(small):
    with ScriptedServer(answers(recall_only)) as server:
        result = small.ask(server, *judged_by(small, "metric: accuracy, min: 0.5"))
    assert result.ret == 0
    result.stdout.fnmatch_lines(["*= 3 passed, 3 wrong in *"])
    assert gate_lines(result) == [
        "Gate mine: met (1 of 1 lines judged)",
        "met the line: 0.5 (0.065 to 0.935), limit ≥ 0.5",
        "0.5 is at least 0.5",
    ]


def test_a_breached_line_is_10_and_named(small):
    with ScriptedServer(answers(recall_only)) as server:
        result = small.ask(server, *judged_by(small, "metric: accuracy, min: 0.6"))
    assert result.ret == 10
    assert gate_lines(result)[0] == "Gate mine: breached (1 of 1 lines: the line)"


def test_a_wrong_case_is_one_line_without_a_traceback(small):
    with ScriptedServer(answers(recall_only)) as server:
        result = small.ask(server, *SMALL, "-v")
    assert result.ret == 0
    result.stdout.fnmatch_lines(
        ["tests/benchmark/test_decode.py::test_decode[[]land0-tale0-d1-en] WRONG *"]
    )
    text = result.stdout.str()
    assert "Error" not in text
    assert "= FAILURES =" not in text


def test_a_failing_test_of_ones_own_is_1_whatever_the_gate_says(small):
    (small.path / "tests" / "benchmark" / "test_mine.py").write_text("def test_mine(): assert 0\n")
    with ScriptedServer(answers(recall_only)) as server:
        met = small.ask(server, *SMALL)
        line = judged_by(small, "metric: accuracy, min: 0.6")
        breached = small.ask(server, *line, run_dir="again")
    assert met.ret == breached.ret == 1
    met.stdout.fnmatch_lines(["*= 1 failed, 3 passed, 3 wrong in *"])
    assert gate_lines(breached)[0] == "Gate mine: breached (1 of 1 lines: the line)"


def test_a_bug_in_a_benchmark_function_is_1_and_no_wrong_answer(small):
    file = small.path / "tests" / "benchmark" / "test_decode.py"
    file.write_text(file.read_text().replace("assert outcome", "outcome.pased\n    assert outcome"))
    with ScriptedServer(answers(everything_right)) as server:
        result = small.ask(server, *SMALL)
    assert result.ret == 1
    result.stdout.fnmatch_lines(["*AttributeError: 'Outcome' object has no attribute 'pased'*"])
    result.stdout.fnmatch_lines(["*= 3 failed, 3 passed in *"])


def test_a_file_that_cannot_be_collected_is_2_and_asks_nobody(small):
    (small.path / "tests" / "benchmark" / "test_mine.py").write_text("import no_such_module\n")
    with ScriptedServer(answers(everything_right)) as server:
        result = small.ask(server, *SMALL)
        assert server.calls == 0
        assert not (small.path / "run").exists()
        went_on = small.ask(server, *SMALL, "--continue-on-collection-errors")
        assert server.calls == 6
    assert result.ret == 2
    assert went_on.ret == 1
    result.stdout.fnmatch_lines(["*No module named 'no_such_module'*"])


def test_nothing_selected_is_5_and_leaves_no_run(small):
    with ScriptedServer(answers(everything_right)) as server:
        result = small.ask(server, *SMALL, "-k", "atlantis")
        assert server.calls == 0
    assert result.ret == 5
    assert not (small.path / "run").exists()


def test_a_session_that_goes_down_on_a_server_that_dies_has_errors_and_no_wrong_answers(
    small, hurried
):
    def dies_after_two(body: dict, number: int) -> Answer | str:
        if number >= 2:
            threading.Thread(target=server.stop).start()
            return Answer(drop=True)
        return everything_right(body)

    with ScriptedServer(dies_after_two) as server:
        result = small.ask(server, *SMALL, "--max-connections", "1")
    assert outcomes(small) == {"right": 2, "error": 4}
    assert result.ret == 10  # cases were asked: at most no error at all
    result.stdout.fnmatch_lines(["*= 2 passed, 4 errors in *"])


def test_errors_that_could_change_a_verdict_are_11(small, hurried):
    def fails_for_one(body: dict, _number: int) -> Answer | str:
        prompt = prompt_of(body)
        return Answer(status=500, body="down") if "decode 0" in prompt else everything_right(body)

    with ScriptedServer(fails_for_one) as server:
        result = small.ask(server, *judged_by(small, "metric: accuracy, min: 0.9"))
    assert outcomes(small) == {"right": 5, "error": 1}
    assert result.ret == 11
    assert gate_lines(result) == [
        "Gate mine: unverified (1 of 1 lines unverified: the line)",
        "UNVERIFIED the line: 1 (0.139 to 1), limit ≥ 0.9",
        "5 of 6 cases were fully judged, and the errors in the others could",
        "change the verdict",
    ]


def test_an_outage_after_a_good_check_is_no_score_at_all(small, hurried):
    """A server that is there when the session starts and then refuses every connection."""

    def gone(_body: dict, _number: int) -> Answer:
        threading.Thread(target=server.stop).start()
        return Answer(drop=True)

    with ScriptedServer(gone) as server:
        result = small.ask(server, *judged_by(small, "metric: accuracy, min: 0.0"))
    assert outcomes(small) == {"error": 6}
    assert result.ret == 11
    metrics = json.loads((small.path / "run" / "metrics.json").read_bytes())
    whole = [e for e in metrics["estimates"] if e["metric"] == "accuracy" and not e["where"]]
    assert [estimate["value"] for estimate in whole] == [None]
    result.stdout.fnmatch_lines(["Nothing can be said of *: no case was answered and judged."])


def test_an_outage_is_not_told_of_case_by_case(suite, hurried):
    suite.write_bank(small_bank(2, 12))
    with ScriptedServer(lambda _body, _number: Answer(status=500, body="down")) as server:
        result = suite.ask(server, *judged_by(suite, "metric: accuracy, min: 0.9"))
    text = result.stdout.str()
    assert text.count("ERROR at setup of") == 10
    assert text.count("\nERROR tests/benchmark") == 10
    result.stdout.fnmatch_lines(["14 more cases could not be asked.", "*= culturegate =*"])
    result.stdout.fnmatch_lines(["*= 24 errors in *"])


def test_one_case_right_and_nine_in_error_pass_no_line(suite, hurried):
    suite.write_bank(small_bank(1, 5))

    def one_in_ten(body: dict, _number: int) -> Answer | str:
        prompt = prompt_of(body)
        good = "recall 0" in prompt
        return everything_right(body) if good else Answer(status=500, body="down")

    with ScriptedServer(one_in_ten) as server:
        result = suite.ask(server, *judged_by(suite, "metric: accuracy, min: 0.9"))
    assert outcomes(suite) == {"right": 1, "error": 9}
    assert result.ret == 11
    result.stdout.fnmatch_lines(["! 9 of 10 cases could not be judged; *"])


def test_replies_that_are_mostly_empty_are_unverified_and_said_to_be(suite):
    suite.write_bank(small_bank(1, 50))

    def empty(body: dict, _number: int) -> Answer | str:
        return everything_right(body) if "recall 7," in prompt_of(body) else Answer("")

    line = judged_by(suite, "metric: accuracy, max: 0.5")
    with ScriptedServer(empty) as server:
        result = suite.ask(server, *line, "--protocol", "full", "--templates", "1", "--lang", "en")
    assert result.ret == 11
    result.stdout.fnmatch_lines(["Replies: 99 empty, 1 answered."])
    result.stdout.fnmatch_lines(["! most replies are empty: 99% of them"])
    assert gate_lines(result)[2] == "99.0% of its replies could not be parsed; at most 5.0% may be"


def test_a_spent_budget_ends_the_run_unverified_and_keeps_what_was_answered(small):
    with ScriptedServer(answers(everything_right)) as server:
        line = judged_by(small, "metric: accuracy, min: 0.1")
        options = (*line, "--max-tokens-total", "25", "--max-connections", "1")
        result = small.ask(server, *options)
        assert server.calls == 3  # of 11 tokens each
    assert outcomes(small) == {"right": 3, "error": 3}
    assert result.ret == 11
    assert "25 tokens" in " ".join(result.stdout.str().split())


def test_an_undefined_metric_is_unverified(small):
    with ScriptedServer(answers(lambda body: wrong_letter(prompt_of(body)))) as server:
        result = small.ask(server, *judged_by(small, "metric: gap, max: 1"))
    assert result.ret == 11
    assert gate_lines(result)[:2] == [
        "Gate mine: unverified (1 of 1 lines unverified: the line)",
        "UNVERIFIED the line: undefined, limit ≤ 1",
    ]


@pytest.mark.parametrize(("named", "code"), [(True, 11), (False, 1)])
def test_nothing_judged_is_11_where_a_profile_was_named_and_else_pytests_own(small, named, code):
    line = judged_by(small, "metric: gap, max: 1")
    if not named:
        text = (small.path / "thresholds.yaml").read_text().replace("mine:", "release:")
        (small.path / "thresholds.yaml").write_text(text)
        line = line[:2]
    with ScriptedServer(answers(recall_only)) as server:
        result = small.ask(server, *line, "-m", "decode")
    assert result.ret == code
    assert "skipped the line: not computed, limit ≤ 1" in gate_lines(result)


@pytest.mark.parametrize("option", [("--gate=require-all",), ("--gate", "require-all")])
def test_require_all_makes_a_skipped_line_11(small, option):
    recall = "metric: accuracy, where: {kind: recall}, min: 0"
    line = judged_by(small, recall + "}\n      - {name: the gap, metric: gap, max: 1")
    with ScriptedServer(answers(everything_right)) as server:
        strict = small.ask(server, *line, "-m", "recall", *option)
        lax = small.ask(server, *line, "-m", "recall", "--gate=judge", run_dir="lax")
    assert strict.ret == 11
    assert lax.ret == 0


def test_gate_off_leaves_pytests_own_code_and_judges_nothing(small):
    with ScriptedServer(answers(recall_only)) as server:
        wrong = small.ask(server, *SMALL, "--gate=off")
        right = small.ask(server, *SMALL, "--gate=off", "-m", "recall", run_dir="right")
    assert (wrong.ret, right.ret) == (1, 0)
    assert "Gate " not in wrong.stdout.str()
    assert small.info()["gate"] == "off"
