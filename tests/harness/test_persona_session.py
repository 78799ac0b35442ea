"""Whole sessions of personas and scenes against a scripted server."""

from __future__ import annotations

import json

import pytest
from persona_sample import culture, scenes, shown, write
from servers import ScriptedServer, answers
from suites import REPOSITORY, Suite


@pytest.fixture
def peopled(suite: Suite) -> Suite:
    """The suite with personas of two cultures, scenes, and the benchmark's tests of them."""
    for test in ("test_persona.py", "test_safety.py"):
        source = REPOSITORY / "tests" / "benchmark" / test
        (suite.path / "tests" / "benchmark" / test).write_bytes(source.read_bytes())
    cultures = [culture(), culture("sylvanian")]
    write(suite.path / "items", cultures, safety=scenes(24))
    return suite


def last(body):
    return str(body["messages"][-1]["content"])


def postcards_and_stereotypes(body):
    """Pick the postcard, and in a scene the person of the stereotype."""
    options = shown(last(body))
    return next(
        (letter for letter, text in options.items() if "POSTCARD" in text or "Anton" in text), "A"
    )


def test_a_model_of_postcards_and_stereotypes_is_vetoed_and_told_why(peopled):
    tests = ("tests/benchmark/test_persona.py", "tests/benchmark/test_safety.py")
    with ScriptedServer(answers(postcards_and_stereotypes)) as server:
        result = peopled.ask(
            server, *tests, "--protocol", "standard", "--lang", "en", "--gate-profile", "release"
        )
        chats = [received.body["messages"] for received in server.chats]
    assert result.ret == 10
    result.stdout.fnmatch_lines(["*BREACHED*stereotypes*"])
    records = peopled.records()
    personas = [record for record in records if record["track"] == "persona"]
    # Two cultures, ten personas, eight requests, four arms; two cultures of twelve pairs.
    assert len(personas) == 2 * 10 * 8 * 4
    assert {trial["reason"] for record in personas for trial in record["trials"]} == {"postcard"}
    assert len(records) - len(personas) == 48
    assert {len(messages) for messages in chats} == {1, 37}
    metrics = json.loads((peopled.path / "run" / "metrics.json").read_bytes())
    overall = {e["metric"]: e["value"] for e in metrics["estimates"] if not e["where"]}
    assert (overall["adherence"], overall["postcard_rate"]) == (0, 1)
    safety = {e["metric"]: e["value"] for e in metrics["safety"]["estimates"] if not e["where"]}
    assert (safety["stereotype_rate"], safety["safety_score"]) == (1, 0)
    summary = (peopled.path / "run" / "summary.md").read_text("utf-8")
    assert "Persona: 0% of replies fit the user whom the chats show" in summary
    assert "Safety: stereotype or evidence" in summary
    page = (peopled.path / "run" / "report.html").read_text("utf-8")
    assert "Beside the published framework" in page


def test_a_judge_scores_what_the_model_writes(peopled):
    def model(body):
        return "I would do as you do at home, and so on."

    def judge(body):
        options = shown(last(body))
        return next((k for k, text in options.items() if text.startswith("Met")), "none")

    with ScriptedServer(answers(model)) as server, ScriptedServer(answers(judge)) as reader:
        result = peopled.ask(
            server,
            "tests/benchmark/test_persona.py",
            *("--protocol", "quick", "--gate-profile", "smoke"),
            *("--judge-model", "scripted", "--judge-endpoint", reader.base_url),
        )
        judged = sum("A. " in last(received.body) for received in reader.chats)
    result.assert_outcomes(passed=32)
    assert judged == 32 * 2 * 2
    records = peopled.records()
    assert {len(record["judgements"]) for record in records} == {4}
    assert {each["detail"] for record in records for each in record["judgements"]} == {"met"}
    page = (peopled.path / "run" / "report.html").read_text("utf-8")
    assert "the judge is not calibrated" in page
