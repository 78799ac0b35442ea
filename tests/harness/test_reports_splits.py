"""How a model fails: by difficulty, and by what tempted it."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from made_records import made
from servers import ScriptedServer, answers, prompt_of
from suites import wrong_letter

from culturegate.reports.splits import lures
from culturegate.tracks import Trial


def test_only_wrong_answers_fall_for_something():
    trials = (
        Trial("t", 0, "answered", "b", False, reason="surface"),
        Trial("t", 1, "answered", "c", False, reason="neighbour"),
        Trial("t", 2, "answered", "d", False),
        Trial("t", 3, "answered", "a", True),
        Trial("t", 4, "unparsed", None, False),
        Trial("t", 5, "error", reason="timeout"),
    )
    record = replace(made(False, kind="decode"), trials=trials)
    assert lures([record]) == {"decode": Counter(surface=1, neighbour=1, untagged=1)}


def test_the_page_says_what_the_wrong_answers_fell_for_and_how_hard_they_were(suite):
    with ScriptedServer(answers(lambda body: wrong_letter(prompt_of(body)))) as server:
        suite.run("--endpoint", server.base_url, "--protocol", "full", "--templates", "1")
    page = (suite.path / "run" / "report.html").read_text("utf-8")
    assert "What the wrong answers fell for" in page
    assert "decode, 48 wrong answers" in page
    assert "100% (48)" in page
    assert "By difficulty" in page
