"""A model upgrade is held against an earlier run, case by case."""

from __future__ import annotations

import pytest
from servers import ScriptedServer, answers, prompt_of
from suites import Suite, key_letter, wrong_letter

ASKED = ("--protocol", "full", "--templates", "1", "--gate-profile", "upgrade")
LINES = """
profiles:
  upgrade:
    validity: {min_clusters: 1}
    lines:
      - {name: no drop, metric: accuracy, against: baseline, max_drop: 0.05}
"""


def right(body: dict) -> str:
    return key_letter(prompt_of(body))


def worse(body: dict) -> str:
    prompt = prompt_of(body)
    return wrong_letter(prompt) if "decode" in prompt else key_letter(prompt)


@pytest.fixture
def upgrade(suite: Suite) -> Suite:
    (suite.path / "thresholds.yaml").write_text(LINES)
    with ScriptedServer(answers(right)) as server:
        first = suite.run("--endpoint", server.base_url, *ASKED, run_dir="old")
    first.stdout.fnmatch_lines(["*skipped*no drop*", "*there is no baseline*"])
    return suite


def test_an_upgrade_that_drops_is_stopped(upgrade):
    with ScriptedServer(answers(worse)) as server:
        result = upgrade.run("--endpoint", server.base_url, *ASKED, "--baseline=old")
    assert result.ret == 10
    result.stdout.fnmatch_lines(["*BREACHED*no drop*"])


def test_an_upgrade_that_answers_alike_is_let_through(upgrade):
    with ScriptedServer(answers(right)) as server:
        result = upgrade.run("--endpoint", server.base_url, *ASKED, "--baseline=old")
    assert result.ret == 0


def test_a_run_under_another_protocol_is_not_compared(upgrade):
    with ScriptedServer(answers(right)) as server:
        result = upgrade.run(
            "--endpoint", server.base_url, *ASKED, "--samples", "2", "--baseline=old"
        )
        assert server.calls == 0
    assert result.ret == 4
    assert "was asked differently and can't be compared: protocol_overrides" in result.stderr.str()


def test_more_wordings_than_there_are_is_a_usage_error(suite):
    result = suite.run("--templates", "7")
    assert result.ret == 4
    assert "--templates 7: there are 5 wordings" in result.stderr.str()


def test_a_language_without_prompts_is_named_before_the_baseline_is_compared(upgrade):
    result = upgrade.run("--lang", "xx", "--baseline=old")
    assert result.ret == 4
    assert "--lang xx: there are: en, zh" in result.stderr.str()
    assert "Traceback" not in result.stderr.str()
