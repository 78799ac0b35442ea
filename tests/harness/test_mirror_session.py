"""Whole sessions of the mirror track against a scripted server."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from mirror_sample import LINES, REGIONS, document, family, write
from servers import ScriptedServer, answers, prompt_of
from suites import REPOSITORY, Suite

from culturegate.__main__ import main
from culturegate.bank.mirror import Arm, Family
from culturegate.bank.mirror_reading import load_mirror

FAMILIES = 12


@pytest.fixture
def mirrored(suite: Suite) -> Suite:
    """The suite with a mirror bank of two regions and the benchmark's mirror test."""
    test = "test_mirror.py"
    source = REPOSITORY / "tests" / "benchmark" / test
    (suite.path / "tests" / "benchmark" / test).write_bytes(source.read_bytes())
    kinds = ("number", "choice")
    files = {
        f"{region}.yaml": document(
            region, [family(region, n, kinds[n % 2]) for n in range(FAMILIES)]
        )
        for region in REGIONS
    }
    write(suite.path / "items", files)
    return suite


def scripted(suite: Suite, right: Callable[[Family, Arm], bool]) -> ScriptedServer:
    """Return a server that knows every key, and a judge that is half content."""
    found, _ = load_mirror([suite.path / "items"])
    arms = {arm.text: (one, arm) for one in found.families for arm in one.arms.values()}

    def choose(body: Mapping[str, Any]) -> str:
        prompt = prompt_of(body)
        if "reasonable_nonstandard" in prompt:
            return json.dumps({"path": 1, "culture": 2, "reasonable_nonstandard": False})
        text = next(text for text in arms if text in prompt)
        one, arm = arms[text]
        shown = dict(re.findall(r"^([A-D])\. (.+)$", prompt, flags=re.M))
        if shown:
            key = next(x for x, option in shown.items() if option == arm.options[arm.answer])
            given = key if right(one, arm) else next(x for x in shown if x != key)
        else:
            given = arm.answer if right(one, arm) else "77777"
        answer, confidence = LINES[arm.lang]
        return f"4 × 3 = 12.\n{answer} {given}\n{confidence} 60%"

    return ScriptedServer(answers(choose))


def test_a_run_says_what_culture_costs_and_what_the_judge_thinks(mirrored):
    with scripted(mirrored, lambda one, arm: arm.name != "localized") as server:
        result = mirrored.ask(
            server, "-m", "mirror", "--samples", "1", "--judge-model", "scripted-2026-01-01"
        )
        judged = sum("reasonable_nonstandard" in prompt_of(chat.body) for chat in server.chats)
    assert result.ret == 10
    result.assert_outcomes(passed=3 * 2 * FAMILIES)
    assert judged == 2 * 4 * 2 * FAMILIES
    records = mirrored.records()
    assert {record["arm"]: record["passed"] for record in records} == {
        "original": True, "literal": True, "localized": False, "native": True,
    }  # fmt: skip
    assert all(len(record["judgements"]) == 4 for record in records)
    metrics = json.loads((mirrored.path / "run" / "metrics.json").read_bytes())
    found = {one["metric"]: one["value"] for one in metrics["estimates"] if one["where"] == {}}
    assert (found["language_loss"], found["culture_loss"]) == (0, 1)
    summary = (mirrored.path / "run" / "summary.md").read_text("utf-8")
    told = " ".join(summary.split())
    assert (
        "Mirror: localized problems keep 0% of the accuracy of the originals (0 to 14, 24 "
        "families); lost to the language: 0 points (−14 to 14), to the "
        "culture: 100 (80 to 100)." in told
    )
    page = (mirrored.path / "run" / "report.html").read_text("utf-8")
    for words in (
        "Mirror: what language costs, and what culture",
        "the setting costs: China",
        "set in North America and in English",
        "The reasoning, as the judge model",
    ):
        assert words in page


def test_a_persons_scores_of_the_reasoning_are_held_against_the_judges(mirrored, capsys):
    with scripted(mirrored, lambda one, arm: True) as server:
        mirrored.ask(
            server, "-m", "mirror", "--samples", "1", "--judge-model", "scripted-2026-01-01"
        )
    run = mirrored.path / "run"
    file = run / "path_scores.csv"
    lines = file.read_text("utf-8-sig").splitlines()
    assert lines[0].startswith('"case","template","sample","aspect","score"')
    assert len(lines) == 1 + 2 * len(mirrored.records())
    capsys.readouterr()
    assert main(["path-scores", str(run), str(file)]) == 0
    told = capsys.readouterr().out
    assert f"path, all: {len(mirrored.records())} replies scored by both, 100% alike" in told
    file.write_text("case,score\nx,9\n", encoding="utf-8")
    assert main(["path-scores", str(run), str(file)]) == 1


def test_a_family_of_ones_own_that_does_not_add_up_is_told_of(mirrored):
    wrong = family("mexico", 30)
    wrong["arms"]["localized"]["results"]["answer"] += 1
    write(mirrored.path / "own", {"mexico.yaml": document("mexico", [wrong])})
    with scripted(mirrored, lambda one, arm: True) as server:
        own = f"--items={mirrored.path / 'own'}"
        result = mirrored.ask(server, "-m", "mirror", "--samples", "1", own)
    told = " ".join(result.stdout.str().split())
    assert "Your own families have faults, 1 in all; culturegate lint: " in told
    assert "mexico-number-30" in told


def test_with_another_home_the_report_says_which_arms_are_the_baseline(mirrored):
    with scripted(mirrored, lambda one, arm: one.region == "mexico" and arm.lang == "es") as server:
        result = mirrored.ask(server, "-m", "mirror", "--samples", "1", "--home", "mexico")
    assert result.ret == 10
    assert mirrored.info()["home"] == "mexico"
    page = (mirrored.path / "run" / "report.html").read_text("utf-8")
    assert "Baseline: the localized and native arms of Mexico" in page
    assert "keep 0% of the accuracy of Mexico" in page
    assert {record["arm"] for record in mirrored.records()} == {"original", "localized", "native"}


def test_a_home_that_no_family_is_of_stops_before_any_call(mirrored):
    with scripted(mirrored, lambda one, arm: True) as server:
        result = mirrored.ask(server, "-m", "mirror", "--home", "peru")
        assert server.calls == 0
    assert result.ret == 4
    assert "no mirror family is at home in 'peru'; the regions are china, mexico" in (
        result.stderr.str()
    )


def test_without_mirror_families_the_mirrors_lines_are_skipped(suite):
    with ScriptedServer("A") as server:
        result = suite.ask(server, "--protocol", "quick", "-k", "land0-tale1")
    lines = result.stdout.str()
    assert "there is no mirror track in the bank" in lines
    assert re.search(r"skipped +unsteady answers", lines)
