"""What a run says in a terminal and in a pull-request comment."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
import reports_sample as sample

from culturegate.gate.verdict import GateResult, Verdict
from culturegate.metrics import Estimate
from culturegate.reports import markdown, publish, terminal_lines, write_summary
from culturegate.reports.files import ReportError
from culturegate.reports.gate_rows import number
from culturegate.reports.markdown import LIMIT, escape
from culturegate.reports.summary import Summary, percent, points
from culturegate.reports.terminal import columns_of
from culturegate.tracks.base import Judgement

HERE = Path("reports/one")
HOSTILE = "<script>alert(1)</script>|[x](https://evil.test)@team #1 `\u202e\x1b[31m\x00"


def judged(**changes: object) -> sample.Run:
    run = sample.run(HERE)
    return replace(run, gate=sample.gate(dict(run.metrics)), **changes)


def sentence(skill: dict[str, tuple[int, ...]]) -> str:
    return Summary(sample.run(HERE, sample.records(skill))).sentence


def numbers(gap: tuple[float, float, float], p: float) -> dict[str, object]:
    """Return as much of metrics.json as the sentence rests on."""
    found = (
        ("accuracy", {"kind": "recall"}, 0.833, 0.68, 0.92),
        ("accuracy", {"kind": "decode"}, 0.569, 0.41, 0.72),
        ("accuracy", {"kind": "decode", "culture": "norse"}, 0.25, 0.05, 0.68),
        ("gap", {}, *gap),
    )
    return {
        "confidence": 0.95,
        "estimates": [
            Estimate(metric, tuple(where.items()), 72, 36, *values).to_dict()
            for metric, where, *values in found
        ],
        "worst_culture": {
            "decode": {"worst": ["norse"], "cultures": 6, "value": 0.25, "expected": 0.32, "p": p}
        },
    }


def test_the_sentence_says_what_is_known_what_is_used_where_it_is_worst_and_how_sure() -> None:
    run = sample.run(HERE, metrics=numbers((0.264, 0.06, 0.45), p=0.3))
    assert Summary(run).sentence == (
        "qwen3-8b-2025-04-28 knows 83% (recall, 68 to 92%) and uses 57% (decode, 41 to 72%): "
        "a gap of 26 points (6 to 45), more than chance explains; worst is Norse with 25% of "
        "decode (5 to 68%), which may be chance (the worst of 6 equal cultures would get 32% by "
        "chance). Ranges are 95% intervals."
    )


@pytest.mark.parametrize(
    ("gap", "told"),
    [
        ((0.08, -0.05, 0.2), "a gap of 8 points (−5 to 20), which chance alone may explain"),
        ((-0.2, -0.3, -0.1), "a gap of −20 points (−30 to −10), so it uses more than it can name"),
    ],
)
def test_the_sentence_says_how_sure_the_gap_is(gap: tuple[float, float, float], told: str) -> None:
    assert told in Summary(sample.run(HERE, metrics=numbers(gap, p=0.01))).sentence


def test_the_sentence_calls_no_culture_the_worst_of_equals() -> None:
    told = sentence({"recall": (10,) * 6, "decode": (9,) * 6})
    assert "all 6 cultures are alike in decode" in told
    told = sentence({"recall": (10,) * 6, "decode": (9, 9, 9, 9, 3, 3)})
    assert "worst are Japanese and Norse with 25% of decode" in told


def test_the_sentence_says_that_a_culture_is_worse_than_chance_explains() -> None:
    told = sentence({"recall": (12,) * 6, "decode": (12, 12, 12, 12, 12, 0)})
    assert "worst is Norse with 0% of decode" in told
    assert "lower than chance explains" in told


def test_the_sentence_states_no_gap_at_chance_and_does_not_say_that_the_model_knows() -> None:
    told = sentence({"recall": (3,) * 6, "decode": (3,) * 6})
    assert "no gap can be stated: recall is not certainly above chance in single trials" in told
    assert " knows " not in told


def test_the_sentence_says_that_only_one_kind_ran() -> None:
    decode = [one for one in sample.records() if one.facts.kind == "decode"]
    told = Summary(sample.run(HERE, decode)).sentence
    assert "of decode cases right (no gap: no recall case ran)" in told


def test_the_sentence_claims_nothing_where_nothing_was_judged() -> None:
    errors = [sample.record(n, "norse", "decode", "en", None) for n in range(4)]
    summary = Summary(sample.run(HERE, errors, selected=9))
    assert summary.sentence == (
        "Nothing can be said of qwen3-8b-2025-04-28: no case was answered and judged."
    )
    assert summary.caveats == [
        "5 of 9 selected cases left no record.",
        "4 of 4 cases could not be judged; 4 of them: timeout: no reply within 120 s",
    ]
    assert terminal_lines(summary.run)


def test_a_run_without_records_can_be_told() -> None:
    run = sample.run(HERE, [], selected=0)
    assert terminal_lines(run)[-1] == str(HERE)
    assert "Nothing can be said" in markdown(run)


def test_a_run_cut_short_says_so_first() -> None:
    run = sample.run(HERE, sample.records()[:30], selected=144, cut="interrupted")
    assert Summary(run).caveats[0] == (
        "Cut short (interrupted): 114 of 144 selected cases were not asked, and no line was judged."
    )
    assert "### culturegate: cut short, not judged" in markdown(run)


def test_a_partial_run_and_warnings_are_told() -> None:
    run = sample.run(HERE)
    info = {**run.info, "partial": "12 of 300 cases", "warnings": ["no version"]}
    metrics = {**run.metrics, "warnings": ["the order of two cultures reverses"]}
    assert Summary(replace(run, info=info, metrics=metrics)).caveats == [
        "A partial run (12 of 300 cases): it says nothing about the cases left out.",
        "no version",
        "the order of two cultures reverses",
    ]


@pytest.mark.parametrize(("unread", "told"), [(10, True), (9, True), (8, False)])
def test_a_judge_of_whom_next_to_nothing_was_read_is_told_of_first(unread: int, told: bool) -> None:
    verdicts = tuple(
        Judgement("t1", n, "path", 0, None if n < unread else 2.0, detail="unparsed")
        for n in range(10)
    )
    readable = tuple(replace(verdict, score=1.0) for verdict in verdicts)
    first, second, *others = sample.records()
    apart = replace(second, facts=replace(second.facts, track="mirror"), judgements=readable)
    records = [replace(first, judgements=verdicts), apart, *others]
    run = replace(sample.run(HERE, cut="by hand"), records=records)
    caveats = Summary(run).caveats
    assert (
        caveats[0].startswith(f"{unread} of 10 verdicts of the judge on myth could not be") is told
    )


def test_eighty_columns_hold_every_line_but_the_command() -> None:
    lines = terminal_lines(judged(), 80, paths=[HERE / "report.html"])
    command = "  python -m pytest --lf --endpoint http://localhost:8000/v1"
    assert max(columns_of(line) for line in lines if line != command) <= 80
    assert lines[-1] == "reports/one/report.html"
    assert command in lines


def test_the_terminal_shows_table_lines_with_reasons_and_statuses() -> None:
    text = "\n".join(terminal_lines(judged(), 80))
    (norse,) = [line for line in text.splitlines() if line.startswith("Norse  ")]
    assert re.fullmatch(
        r"Norse +67% \(\d+ to \d+\) n=12 +25% \(\d+ to \d+\) n=12 +undefined", norse
    )
    assert re.search(r"\n  BREACHED    decoding gap: 0\.264 \(.*\), limit ≤ 0\.15\n", text)
    assert "\n              0.264 is above 0.15.\n" in text
    assert text.index("BREACHED") < text.index("UNVERIFIED") < text.index("  met")
    assert "Cases: 101 right, 43 wrong, 0 errors." in text
    assert "0 of 72 items reviewed and signed by a\nperson." in text
    assert "Replies: 140 answered, 4 unparsed." in text


def test_a_limit_stays_on_one_line() -> None:
    lines = terminal_lines(judged(), 64)
    assert not [line for line in lines if line.endswith(("≤", "≥", "limit"))]


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "no-such-encoding"])
def test_a_stream_without_utf8_gets_plain_characters(encoding: str) -> None:
    run = judged()
    run = replace(run, info={**run.info, "model": "模型"})
    text = "\n".join(terminal_lines(run, 80, encoding))
    text.encode("ascii" if encoding == "no-such-encoding" else encoding)
    assert "<= 0.15" in text
    assert r"\u6a21\u578b" in text


def test_a_narrow_terminal_gets_the_table_in_parts() -> None:
    lines = terminal_lines(judged(rerun_command=""), 60)
    assert len([line for line in lines if line.startswith("Norse  ")]) == 2
    assert max(map(len, lines)) <= 60


def test_wide_characters_take_two_columns_and_marks_none() -> None:
    assert columns_of("火a") == 3
    assert columns_of("e\u0301") == 1
    records = [
        replace(one, facts=replace(one.facts, culture="北欧" if n % 2 else "greek"))
        for n, one in enumerate(sample.records())
    ]
    lines = terminal_lines(sample.run(HERE, records), 80)
    starts = {columns_of(line[: line.index("%")]) for line in lines if " n=" in line}
    assert len(starts) == 1


def test_many_lines_are_counted_but_breached_ones_all_shown() -> None:
    verdicts = [
        Verdict(f"line {n}", "gap", (), "≤ 0.1", "point", "breached" if n < 50 else "met", "so.")
        for n in range(150)
    ]
    run = sample.run(HERE, gate=GateResult("release", tuple(verdicts), 10, "Gate"))
    text = "\n".join(terminal_lines(run))
    assert text.count("BREACHED") == 50
    assert "  met         60 more, all in summary.md" in text


def test_hostile_text_reaches_no_terminal() -> None:
    run = judged(rerun_command=f"pytest -k '{HOSTILE}'")
    run = replace(run, info={**run.info, "model": HOSTILE})
    text = "".join(terminal_lines(run))
    assert not {"\x1b", "\u202e", "\x00"} & set(text)


def test_summary_md_is_inert_whatever_the_model_is_called() -> None:
    run = judged()
    text = markdown(replace(run, info={**run.info, "model": HOSTILE}))
    assert "<script" not in text.replace("\\<script", "")
    assert "\\[x\\](https\\://evil.test)" in text
    assert "@\u2060team" in text
    assert "#\u20601" in text
    assert "\\|" in text


@pytest.mark.parametrize("text", ["# x", "- x", "1. x", "> x", "+ x", "* x", "| x", "=", "~~~"])
def test_no_text_starts_a_block_of_its_own(text: str) -> None:
    assert "\\" in escape(text)[: len(text)]


def test_a_decimal_number_is_left_alone() -> None:
    assert escape("0.264 is above 0.15.") == "0.264 is above 0.15."


def test_a_command_with_backticks_cannot_leave_its_block() -> None:
    text = markdown(judged(rerun_command="pytest -k '```'"))
    assert "\n````\npytest -k '```'\n````\n" in text


def test_summary_md_fits_a_comment_with_thousands_of_lines() -> None:
    verdicts = tuple(
        Verdict("火" * 80, "gap", (("culture", f"c{n}"),), "≤ 0.1", "point",
                "breached" if n == 2999 else "met", "火" * 300)
        for n in range(3000)
    )  # fmt: skip
    text = markdown(sample.run(HERE, gate=GateResult("release", verdicts, 10, "Gate")))
    assert len(text.encode()) < LIMIT
    assert "more lines did not fit" in text
    assert "culture c2999" in text
    assert "Ask the wrong cases again" in text


def test_the_summary_is_written_and_appended_to_the_step_summary(tmp_path: Path) -> None:
    run = sample.run(tmp_path)
    step = tmp_path / "step.md"
    step.write_text("before\n")
    assert write_summary(run).read_text("utf-8") == markdown(run)
    assert publish(run, {}) is None
    assert publish(run, {"GITHUB_STEP_SUMMARY": str(step)}) == step
    assert step.read_text("utf-8") == f"before\n{markdown(run)}\n"


def test_a_step_summary_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(ReportError, match="cannot append the summary to"):
        publish(sample.run(tmp_path), {"GITHUB_STEP_SUMMARY": str(tmp_path)})


def test_shares_never_round_to_none_or_all() -> None:
    assert [percent(x) for x in (0, 0.001, 0.5, 0.999, 1, None)] == [
        "0%", "<1%", "50%", ">99%", "100%", "?",
    ]  # fmt: skip
    assert [points(x) for x in (-0.21, -0.001, 0.264)] == ["−21", "0", "26"]
    assert [number(x) for x in (0.15, -0.0001, 1.0, -0.5, None)] == [
        "0.15", "0", "1", "−0.5", "undefined",
    ]  # fmt: skip
