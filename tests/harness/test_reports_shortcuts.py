"""The report sets the model beside guessers that read for no meaning."""

from __future__ import annotations

import html

from servers import ScriptedServer, answers, prompt_of
from suites import key_letter

from culturegate.bank import load_bank
from culturegate.reports import shortcuts
from culturegate.tracks import PROTOCOLS, Record, myth_cases
from culturegate.tracks.base import Trial


def tried(right):
    return Trial("t1", 0, "answered", "a", right)


def test_a_guesser_is_measured_on_the_items_that_were_asked_and_judged(suite):
    bank = load_bank([suite.path / "items"])
    cases = myth_cases(bank.myth, PROTOCOLS["full"].myth, 0)
    decode = [case for case in cases if case.facts.kind == "decode" and case.lang == "en"]
    # Two of three wordings right pass a case; a guesser has one try.
    records = [
        Record(case.facts, tuple(tried(n % 2 == 0 and t < 2) for t in range(3)), n % 2 == 0)
        for n, case in enumerate(decode[1:], 1)
    ]
    records.append(Record(decode[0].facts, (Trial("t1", 0, "error"),), None, error="timeout"))
    (found,) = shortcuts(bank.myth, records)
    assert (found.kind, found.lang) == ("decode", "en")
    assert found.baselines.n == len(decode) - 1 == 23
    assert found.model == 22 / 69
    assert found.baselines.chance == 0.25


def test_the_page_and_the_summary_print_the_shortcuts_beside_the_model(suite):
    with ScriptedServer(answers(lambda body: key_letter(prompt_of(body)))) as server:
        suite.run("--endpoint", server.base_url, "--protocol", "full", "--templates", "1")
    summary = (suite.path / "run" / "summary.md").read_text("utf-8")
    assert "- decode, zh (24 items): 100% of the model's single trials are right; always" in summary
    page = (suite.path / "run" / "report.html").read_text("utf-8")
    assert "What shortcuts would score" in page
    # Here, as in most projects, no setting says that rows begin folded.
    assert '"renderCollapsed": ["all"]' in html.unescape(page)
