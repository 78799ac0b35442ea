"""--diagnose from the command line to the report, over HTTP."""

from __future__ import annotations

import json

import diagnosis_sample as sample
import pytest
from servers import ScriptedServer, answers, prompt_of
from suites import REPOSITORY, SMALL, Suite, refusal


@pytest.fixture
def diagnosed(suite: Suite) -> Suite:
    """The suite with the diagnosis's test file and the sample's bank."""
    name = "tests/benchmark/test_diagnosis.py"
    (suite.path / name).write_bytes((REPOSITORY / name).read_bytes())
    for old in (suite.path / "items" / "myth").iterdir():
        old.unlink()
    sample.bank(suite.path / "items")
    return suite


def test_a_memoriser_is_exposed_in_every_report_and_no_line_counts_it(diagnosed: Suite):
    with ScriptedServer(answers(lambda body: sample.by_heart(prompt_of(body)))) as server:
        result = diagnosed.ask(server, "--diagnose", *SMALL)
    assert result.ret == 0
    records = diagnosed.records()
    assert {r["passed"] for r in records if r["track"] == "myth"} == {True}
    assert {r["passed"] for r in records if r["condition"] in ("completion", "canary")} == {False}
    told = " ".join(result.stdout.str().split())
    assert "the score depends on the exact wording" in told
    assert "the bank's canary comes back" in told
    assert f"Cases: 24 right, 0 wrong, 0 errors, {len(records) - 24} of the diagnosis." in told
    metrics = json.loads((diagnosed.path / "run" / "metrics.json").read_bytes())
    accuracy = [e for e in metrics["estimates"] if e["metric"] == "accuracy" and not e["where"]]
    assert [(e["value"], e["n"]) for e in accuracy] == [(1, 24)]
    page = (diagnosed.path / "run" / "report.html").read_text("utf-8")
    assert "Diagnosis: what the score owes to form" in page


def test_without_the_option_nothing_of_it_is_asked_and_nothing_is_said(diagnosed: Suite):
    with ScriptedServer(answers(lambda body: sample.honest(prompt_of(body)))) as server:
        result = diagnosed.ask(server, *SMALL)
    result.assert_outcomes(passed=24)
    assert result.ret == 0
    assert server.calls == 24
    assert "iagnos" not in result.stdout.str().replace(str(diagnosed.path), "")


@pytest.mark.parametrize("chosen", [("-m", "diagnosis"), ("tests/benchmark/test_diagnosis.py",)])
def test_choosing_it_without_the_option_is_refused_with_the_option_to_give(
    diagnosed: Suite, chosen
):
    message = "0 cases selected: the diagnosis is asked with --diagnose"
    assert refusal(diagnosed.run("--endpoint", "http://127.0.0.1:9/v1", *chosen)) == message


def test_the_marker_chooses_it(diagnosed: Suite):
    with ScriptedServer(answers(lambda body: sample.honest(prompt_of(body)))) as server:
        result = diagnosed.ask(server, "--diagnose", "-m", "diagnosis", "-k", "canary", *SMALL)
    result.assert_outcomes(passed=1)
