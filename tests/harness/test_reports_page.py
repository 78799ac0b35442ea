"""report.html: what has a row, what a row holds, and the whole page through pytest-html."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest
import reports_sample as sample

from culturegate.models.base import Reply
from culturegate.reports import RowBudget, header_cells, html_summary_prefix, row_cells, row_detail
from culturegate.reports.figures import EQUAL_ENDS, figures
from culturegate.reports.section import Section, SectionTable
from culturegate.reports.shown import REPLIES_COST, bounded, shown
from culturegate.reports.summary import Summary
from culturegate.tracks.base import Trial

HERE = Path(__file__).parent
HOSTILE = (
    "<script>alert(1)</script></textarea></template><img src=x onerror=alert(2)>"
    "\"'><svg onload=alert(3)>\x00\u202e\ud800\u2028E <b>\nE </pre></div>{{ 7*7 }}"
)
TAGS = {"div", "pre", "details", "summary"}


class Tags(HTMLParser):
    """The start tags of a document with their attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def one(passed: bool | None = False, lang: str = "en", **changes: object) -> sample.Record:
    return replace(sample.record(0, "norse", "decode", lang, passed), **changes)


def test_what_is_shown_is_plain_data_with_readings_in_the_readers_words() -> None:
    data = sample.as_shown(one(lang="zh"), "答案：B")
    assert json.loads(json.dumps(data)) == data
    assert data["reading"] == "反复做一件每晚都会被拆毁的事"
    assert data["outcome"] == "wrong"
    assert data["replies"] == [
        {"template": "t1", "sample": 0, "text": "答案：B", "status": "answered", "value": "b",
         "correct": False, "order": "abcd"}
    ]  # fmt: skip
    assert "Reply to t1, sample 0, options shown as abcd: answered b: wrong<" in row_detail(data)


def test_an_error_shows_its_cause_and_no_reading() -> None:
    data = sample.as_shown(one(None))
    assert (data["outcome"], data["reading"]) == ("error", "timeout")
    assert data["error"] == "timeout: no reply within 120 s"
    assert data["replies"][0]["text"] == "no reply within 120 s"


def test_a_case_without_a_modal_answer_shows_how_its_trials_differ() -> None:
    trials = (
        Trial("t1", 0, "answered", "a", True),
        Trial("t1", 1, "answered", "b", False),
        Trial("t1", 2, "unparsed", None, False),
    )
    data = sample.as_shown(one(trials=trials, modal=None))
    assert data["reading"] == "1 × a, 1 × b, 1 × unparsed"
    assert sample.as_shown(one(None, trials=(), error="stopped"))["reading"] == "not asked"


def test_a_long_reply_keeps_its_beginning_and_its_end() -> None:
    text = "start " + "x" * 1_000_000 + " Answer: B"
    cut = bounded(text, 1000)
    assert len(cut) < 1100
    assert cut.startswith("start ")
    assert cut.endswith(" Answer: B")
    assert "[… 999016 characters left out …]" in cut
    assert bounded("short", 1000) == "short"
    assert bounded("x" * 1000, 1000) == "x" * 1000


@pytest.mark.parametrize("char", ["x", "<", "火", "😀", '"', "\n"])
def test_a_reply_costs_the_page_no_more_than_is_allowed(char: str) -> None:
    data = shown(one(), "q", "e", [Reply(char * 1_000_000, key=one().facts.case)])
    escaped = json.dumps(row_detail(data)).replace("&", "&amp;").replace('"', "&#34;")
    assert len(escaped) < REPLIES_COST + 2000


def test_hostile_text_becomes_no_element_and_no_second_line() -> None:
    data = shown(one(), HOSTILE, HOSTILE, [Reply(HOSTILE, key=one().facts.case)], {"b": HOSTILE})
    detail = row_detail(data)
    assert {tag for tag, _ in Tags(detail).found} <= TAGS
    assert "\n" not in detail
    assert not {"\x00", "\u202e", "\u2028", "\ud800"} & set(detail)
    for cell in row_cells(["r", "t", "d", "l"], data)[1:]:
        assert [tag for tag, _ in Tags(cell).found] == ["td"]
        # pytest-html reads cells back with these two patterns.
        assert re.search(r"col-(\w+)", cell)
        assert re.search(r"<td.*?>(.*?)</td>", cell)


def test_texts_are_marked_with_their_language_and_find_their_own_direction() -> None:
    detail = row_detail(sample.as_shown(one(lang="zh")))
    pres = [attrs for tag, attrs in Tags(detail).found if tag == "pre"]
    assert all(attrs == {"dir": "auto", "lang": "zh"} for attrs in pres)
    reading = row_cells(["r", "t", "d", "l"], sample.as_shown(one(lang="zh")))[4]
    assert reading.startswith('<td class="col-reading" lang="zh" dir="auto">')


def test_long_texts_are_folded_and_short_ones_are_not() -> None:
    assert "<details>" not in row_detail(sample.as_shown(one(), "B"))
    assert "<details>" in row_detail(sample.as_shown(one(), "B " * 400))


def test_the_columns_stand_under_their_heads_for_other_tests_too() -> None:
    cells = ['<td class="col-result">Passed</td>', '<td class="col-testId">t</td>', "d", "l"]
    heads = [re.search(r'type="(\w+)"', cell) for cell in header_cells(_heads())]
    for row in (row_cells(cells, None), row_cells(cells, sample.as_shown(one()))):
        names = [re.search(r"col-(\w+)", cell) for cell in row]
        assert [found and found[1] for found in names] == [found and found[1] for found in heads]
        assert row[0] == cells[0]


def _heads() -> list[str]:
    return [f'<th class="sortable" data-column-type="{name}">' for name in ("result", "testId")] + [
        '<th data-column-type="duration">',
        "<th>Links",
    ]


def test_every_case_has_a_row_where_they_fit() -> None:
    records = sample.records()
    budget = RowBudget(each.facts for each in records)
    assert all(budget.admit(each) for each in records)
    assert budget.kept == budget.cases == 144


def test_wrong_cases_of_every_culture_are_kept_before_right_ones() -> None:
    records = sample.records() * 20
    budget = RowBudget((each.facts for each in records), limit=300)
    kept = [each for each in records if budget.admit(each)]
    groups = {(each.facts.culture, each.facts.kind) for each in kept}
    right = sum(each.passed is True for each in kept)
    assert len(kept) == budget.kept <= 300
    assert len(groups) == 12
    assert right == 12 * (18 // 4)
    assert len(kept) - right > 200


def test_a_group_in_which_most_went_wrong_keeps_its_wrong_rows() -> None:
    wrong = [sample.record(n, "norse", "decode", "en", False) for n in range(50)]
    right = [sample.record(n, "greek", "decode", "en", True) for n in range(850)]
    budget = RowBudget(each.facts for each in [*wrong, *right])
    assert all(budget.admit(each) for each in wrong)
    assert budget.left_out == 0


def test_errors_are_kept_as_wrong_cases_are() -> None:
    errors = [sample.record(n, "norse", "decode", "en", None) for n in range(600)]
    budget = RowBudget((each.facts for each in errors), limit=500)
    assert sum(budget.admit(each) for each in errors) == 500


def test_a_case_that_was_not_planned_gets_no_row() -> None:
    budget = RowBudget([one().facts], limit=5)
    greek = sample.record(0, "greek", "decode", "en", True)
    assert not budget.admit(greek)
    assert budget.admit(one())
    assert not budget.admit(one())


def test_figures_are_the_same_every_time_and_well_formed() -> None:
    summary = Summary(sample.run(HERE))
    once, again = figures(summary), figures(summary)
    assert once == again
    assert [figure.title for figure in once] == [
        "Recall and decode by culture", "Gap: recall − decode, in points",
    ]  # fmt: skip
    for figure in once:
        ElementTree.fromstring(figure.svg)


def test_figures_keep_their_text_as_text_and_say_what_they_show() -> None:
    run = sample.run(HERE)
    records = [
        replace(each, facts=replace(each.facts, culture="北欧"))
        if each.facts.culture == "norse"
        else each
        for each in run.records
    ]
    first, second = figures(Summary(sample.run(HERE, records)))
    assert ">北欧</text>" in first.svg
    assert "北欧: recall 67% (" in first.description
    assert "All cultures: 26 (" in second.description
    assert 'role="img"' in first.svg
    assert "<desc id=" in first.svg
    ids = [set(re.findall(r' id="([^"]+)"', figure.svg)) for figure in (first, second)]
    assert not ids[0] & ids[1]


def test_the_gap_figure_shows_the_lines_limit() -> None:
    run = sample.run(HERE)
    run = replace(run, gate=sample.gate(dict(run.metrics)))
    _, gap = figures(Summary(run))
    assert ">limit 15</text>" in gap.svg
    assert "Limit 15." in gap.description


def test_a_note_explains_intervals_that_end_alike_where_some_do() -> None:
    accuracy, gap = figures(Summary(sample.run(HERE)))
    assert (accuracy.note, gap.note) == (EQUAL_ENDS, "")
    assert EQUAL_ENDS in "".join(html_summary_prefix(sample.run(HERE)))
    one = [each for each in sample.records() if each.facts.culture == "norse"]
    assert figures(Summary(sample.run(HERE, one)))[0].note == ""


def test_figures_are_left_out_where_there_is_nothing_to_draw() -> None:
    chance = sample.records({"recall": (3,) * 6, "decode": (3,) * 6})
    assert len(figures(Summary(sample.run(HERE, chance)))) == 1
    assert figures(Summary(sample.run(HERE, []))) == []
    assert html_summary_prefix(sample.run(HERE, []))


def test_importing_the_reports_does_not_import_matplotlib() -> None:
    code = "import sys, culturegate.reports; print('matplotlib' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_the_top_of_the_page_says_everything_in_order() -> None:
    run = sample.run(HERE)
    run = replace(run, gate=sample.gate(dict(run.metrics)))
    text = "".join(html_summary_prefix(run, RowBudget(each.facts for each in run.records)))
    order = ["Gate release: breached", '"cg-sentence"', "<svg", "decoding gap", "By culture",
             "0 of 72 items reviewed and signed by a person", "0 of 144 cases have a row below",
             "--lf", "How this run was made", "thresholds hash"]  # fmt: skip
    text = text.partition("</style>")[2]
    places = [text.index(part) for part in order]
    assert places == sorted(places)
    assert "http-equiv" not in text


@pytest.mark.parametrize(("rows", "folded"), [(15, False), (16, True)])
def test_a_long_table_of_a_track_is_folded(rows: int, folded: bool) -> None:
    table = SectionTable("Times", ("", "n"), (("en", "1"),) * rows)
    run = sample.run(HERE, sections=(Section("Efficiency", "", tables=(table,)),))
    text = "".join(html_summary_prefix(run))
    assert ("<summary>1 more table: Efficiency</summary><h4>Times" in text) is folded
    assert "<h4>Times</h4>" in text


def test_hostile_facts_of_a_run_become_no_element() -> None:
    run = sample.run(HERE, rerun_command=HOSTILE)
    info = {**run.info, "model": HOSTILE, HOSTILE: {HOSTILE: [HOSTILE]}}
    plain = Tags("".join(html_summary_prefix(run))).found
    hostile = Tags("".join(html_summary_prefix(replace(run, info=info)))).found
    assert {tag for tag, _ in hostile} == {tag for tag, _ in plain}
    assert not [attrs for _, attrs in hostile if any(name.startswith("on") for name in attrs)]


BIG = """
import sys
sys.path.insert(0, {here!r})
import reports_sample as sample
from dataclasses import replace

HOSTILE = {hostile!r}

def cases():
    long = "<think>" + "weighing \\u706b the options " * 800 + "</think>"
    for round in range(35):
        for record in sample.records():
            facts = replace(record.facts, case=f"{{record.facts.case}}-{{round}}")
            trials = tuple(replace(trial, reply_key=facts.case) for trial in record.trials)
            record = replace(record, facts=facts, trials=trials)
            text = HOSTILE * 9000 if round == 0 else long + HOSTILE
            yield record, sample.as_shown(record, text)

def run(directory, records):
    return sample.run(directory, records)
"""


def test_a_page_of_five_thousand_cases_is_small_harmless_and_needs_no_network(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SAMPLE", "big_sample")
    monkeypatch.syspath_prepend(str(pytester.path))
    big = BIG.format(here=str(HERE), hostile=HOSTILE)
    pytester.makepyfile(big_sample=big, test_it="def test_decode(case): pass")
    pytester.makeconftest((HERE / "reports_plugin.py").read_text("utf-8"))
    result = pytester.runpytest_subprocess("-q", "--tb=no", "-p", "no:cacheprovider")
    result.stdout.fnmatch_lines(["*3535 passed, 1505 wrong*"])

    page = (pytester.path / "report.html").read_text("utf-8")
    assert len(page.encode()) < 10_000_000
    tags = Tags(page).found
    (blob,) = [attrs["data-jsonblob"] for _, attrs in tags if "data-jsonblob" in attrs]
    rows = [row for rows in json.loads(blob or "")["tests"].values() for row in rows]
    assert 400 < len(rows) <= 500
    assert {row["result"] for row in rows} == {"Passed", "Failed"}
    assert {row["kind"] for row in rows} == {"recall", "decode"}
    assert {tag for row in rows for tag, _ in Tags(row["log"]).found} <= TAGS
    assert f"{len(rows)} of 5040 cases have a row below" in page

    loaded = [
        value
        for tag, attrs in tags
        for name, value in attrs.items()
        if name in ("src", "href", "xlink:href", "srcset", "data", "action") and value
        # A link loads nothing until a reader follows it.
        if tag != "a" and not value.startswith("#")
    ]
    assert loaded == []
    assert not re.search(r"@import|url\((?!#)", page)
