"""The gate's lines as a reader sees them: warnings apart, empty groups in one row."""

from __future__ import annotations

from pathlib import Path

import reports_sample as sample

from culturegate.gate.verdict import GateResult, Verdict, VerdictStatus
from culturegate.metrics import Estimate
from culturegate.reports import html_summary_prefix, terminal_lines
from culturegate.reports.gate_rows import GateRow, gate_rows
from culturegate.reports.markdown import markdown

HERE = Path("reports/run")
AT_CHANCE = "recall is not certainly above chance: {} of single trials are right"


def lost(culture: str, status: VerdictStatus, reason: str, value: float | None = None) -> Verdict:
    group = (("culture", culture),)
    estimate = Estimate("gap", group, 5, 5, value, undefined=reason if value is None else None)
    return Verdict("lost", "gap", group, "≤ 0.15", "point", status, reason, estimate)


def warning(status: VerdictStatus) -> Verdict:
    return Verdict("postcards", "postcard_rate", (), "≤ 0.1", "point", status, "so.", warn=True)


def test_a_breach_that_only_warns_is_warned_and_stands_after_what_is_unverified():
    rows = gate_rows([warning("breached"), lost("akan", "unverified", "why"), warning("met")])
    assert [row.status for row in rows] == ["unverified", "warned", "met"]


def test_every_report_says_warned_and_none_says_breached():
    run = sample.run(HERE, gate=GateResult("p", (warning("breached"),), 0, "Gate p: met; 1 warned"))
    page = "".join(html_summary_prefix(run)).partition("</style>")[2]
    assert '<tr class="cg-warned"><td class="cg-verdict">warned</td>' in page
    for text in (page, markdown(run), "\n".join(terminal_lines(run))):
        assert "warned" in text
        assert "breached" not in text.lower()


def test_groups_that_all_lack_a_value_for_one_reason_are_one_row():
    verdicts = [
        lost(name, "unverified", AT_CHANCE.format(share))
        for name, share in (("akan", 0.2), ("maya", 0.3))
    ]
    (row,) = gate_rows(verdicts)
    assert row == GateRow(
        "unverified",
        "lost [2 cultures: akan, maya]",
        "undefined",
        "≤ 0.15",
        "recall is not certainly above chance",
        (("akan", AT_CHANCE.format(0.2)), ("maya", AT_CHANCE.format(0.3))),
    )
    page = "".join(html_summary_prefix(sample.run(HERE, gate=GateResult("p", tuple(verdicts), 11,
                                                                        "Gate"))))  # fmt: skip
    assert all(verdict.reason in page for verdict in verdicts)


def test_breached_groups_values_and_other_reasons_stand_apart():
    rows = gate_rows(
        [
            lost("a", "breached", "bad", 0.3),
            lost("b", "breached", "bad", 0.3),
            lost("c", "met", "good", 0.1),
            lost("d", "unverified", "few", 0.2),
            lost("e", "unverified", "few", 0.2),
            lost("f", "unverified", "3 of 9 cases were judged"),
            lost("g", "unverified", "4 of 9 cases were judged"),
            lost("h", "unverified", "nobody knows"),
        ]
    )
    assert [row.name.partition("[")[2] for row in rows] == [
        "culture a]", "culture b]", "culture d]", "culture e]", "2 cultures: f, g]", "culture h]",
        "culture c]",
    ]  # fmt: skip
    assert rows[4].reason == "each like f: 3 of 9 cases were judged"


def test_a_line_without_groups_is_never_folded():
    rows = gate_rows([warning("skipped"), warning("skipped")])
    assert [row.name for row in rows] == ["postcards [warns]"] * 2


def test_many_groups_are_counted():
    (row,) = gate_rows([lost(f"c{n:02}", "skipped", "none ran") for n in range(15)])
    assert row.name.startswith("lost [15 cultures: c00, c01, ")
    assert row.name.endswith("c11 and 3 more]")
    assert (row.reason, row.groups) == ("none ran", ())
