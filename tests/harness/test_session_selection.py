"""Selecting cases, stopping early, and pytest's own options beside the plugin."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET

import pytest
from servers import ScriptedServer, answers
from suites import SMALL, Suite, everything_right, recall_only, small_bank


def asked(suite: Suite, run_dir: str = "run") -> list[str]:
    return [record["case"] for record in suite.records(run_dir)]


RECALL = [f"land0-tale{n}-r1-en" for n in range(3)]
DECODE = [f"land0-tale{n}-d1-en" for n in range(3)]


@pytest.mark.parametrize(
    ("selection", "cases"),
    [
        (("-m", "recall"), RECALL),
        (("-m", "recall or decode"), sorted(RECALL + DECODE)),
        (("-m", "decode and not recall"), DECODE),
        (("-k", "tale1"), [DECODE[1], RECALL[1]]),
        (("-k", "decode and not tale1"), [DECODE[0], DECODE[2]]),
        (("tests/benchmark/test_recall.py",), RECALL),
        ((f"tests/benchmark/test_decode.py::test_decode[{DECODE[2]}]",), DECODE[2:]),
        (("--deselect", "tests/benchmark/test_decode.py"), RECALL),
        (("--culture", "land0"), sorted(RECALL + DECODE)),
    ],
)
def test_only_what_is_selected_is_asked(small, selection, cases):
    with ScriptedServer(answers(everything_right)) as server:
        result = small.ask(server, *SMALL, *selection)
        assert server.calls == len(cases)
    assert asked(small) == cases
    partial = None if len(cases) == 6 else f"{len(cases)} of 6 cases"
    assert small.info()["partial"] == partial
    assert result.ret == (0 if len(cases) == 6 else 11)  # the profile was named
    flagged = [line for line in result.stdout.lines if line.startswith("! A partial run")]
    assert len(flagged) == (partial is not None)


def test_a_printed_node_id_selects_just_that_case_whatever_the_item_is_called(suite):
    names = ["food/01", "a::b", "(x)", "[y]", "春节-01", "a" * 300, "nul\\x00", "A_B c"]
    items = [
        {
            "id": name.replace("\\x00", "."),
            "question": f"Question {n}?",
            "options": ["Right one", "Wrong two", "Wrong three", "Wrong four"],
            "answer": "A",
            "culture": "land0",
            "kind": "recall",
        }
        for n, name in enumerate(names)
    ]
    suite.write_bank({"plain.json": json.dumps(items)})
    options = ("--protocol", "full", "--templates", "1", "--lang", "en", "--gate=off")
    with ScriptedServer(answers(everything_right)) as server:
        listed = suite.ask(server, *options, "--collect-only", "-q")
        ids = [line for line in listed.stdout.lines if "::" in line]
        assert len(set(ids)) == len(names)
        assert server.calls == 0
        for number, nodeid in enumerate(ids):
            assert re.fullmatch(r"[a-z/_.]+::test_recall\[[a-z0-9-]+\]", nodeid)
            assert len(nodeid) < 200
            result = suite.ask(server, *options, nodeid, run_dir=f"run{number}")
            assert result.ret == 0
            assert asked(suite, f"run{number}") == [nodeid.partition("[")[2].rstrip("]")]


def test_a_function_without_a_case_drops_out_while_another_has_some(small):
    bank = (small.path / "items/myth/land0.yaml").read_text("utf-8")
    small.write_bank({"land0.yaml": re.sub(r"(?s)  - id: d1\n.*?(?=- id: land|\Z)", "", bank)})
    with ScriptedServer(answers(everything_right)) as server:
        result = small.ask(server, *SMALL)
    assert result.ret == 0
    result.stdout.fnmatch_lines(["*= 3 passed in *"])
    assert asked(small) == RECALL


def test_collect_only_asks_nobody_and_writes_nothing(small):
    with ScriptedServer(answers(everything_right)) as server:
        result = small.ask(server, *SMALL, "--collect-only", "-q")
        assert server.requests == []
    assert result.ret == 0
    nodeids = [line for line in result.stdout.lines if "::" in line]
    assert [nodeid.partition("[")[2].rstrip("]") for nodeid in nodeids] == DECODE + RECALL
    assert not (small.path / "run").exists()
    assert not (small.path / "reports").exists()


@pytest.mark.parametrize(
    ("option", "asked_cases", "reason"),
    [
        ("-x", DECODE[:1], "stopping after 1 failures"),
        ("--maxfail=2", DECODE[:2], "stopping after 2 failures"),
        ("--sw", DECODE[:1], "Test failed, continuing from this test next run."),
    ],
)
def test_a_run_cut_short_is_not_judged_and_keeps_pytests_code(small, option, asked_cases, reason):
    with ScriptedServer(answers(recall_only)) as server:
        result = small.ask(server, *SMALL, option)
    assert result.ret == (2 if option == "--sw" else 1)
    assert asked(small) == asked_cases
    info = small.info()
    assert info["cut"] == reason
    assert info["partial"] == f"{len(asked_cases)} of 6 cases"
    text = result.stdout.str()
    assert "Gate " not in text
    left = 6 - len(asked_cases)
    assert f"{left} of 6 selected cases were not asked, and no line was judged." in " ".join(
        text.split()
    ).replace(" ! ", " ")


def test_x_with_every_case_right_is_a_whole_run(small):
    with ScriptedServer(answers(everything_right)) as server:
        result = small.ask(server, *SMALL, "-x")
    assert result.ret == 0
    assert small.info()["cut"] is None


def test_lf_without_a_failure_last_time_asks_everything_and_is_no_partial_run(small):
    with ScriptedServer(answers(everything_right)) as server:
        small.ask(server, *SMALL)
        result = small.ask(server, *SMALL, "--lf", run_dir="again")
    assert result.ret == 0
    assert small.info("again")["partial"] is None


def test_the_command_to_ask_again_asks_the_wrong_cases_into_a_run_of_its_own(small):
    with ScriptedServer(answers(recall_only)) as server:
        first = small.ask(server, *SMALL, "-q")
        lines = first.stdout.lines
        command = lines[lines.index("Ask the wrong cases again:") + 1].strip()
        assert command == (
            f"python -m pytest --lf --endpoint {server.base_url} "
            "--protocol quick --gate-profile smoke -q"
        )
        again = small.pytester.runpytest_inprocess(*command.split()[3:])
    assert again.ret == 11
    (run,) = (small.path / "reports").glob("2*")
    assert asked(small, str(run)) == DECODE


def test_two_runs_in_one_reports_folder_stay_apart_and_latest_is_the_last(small):
    with ScriptedServer(answers(everything_right)) as server:
        for _ in range(2):
            small.pytester.runpytest_inprocess("--endpoint", server.base_url, *SMALL)
    runs = sorted((small.path / "reports").glob("2*"))
    assert len(runs) == 2
    assert all((run / "records.jsonl").is_file() for run in runs)
    newest = max(runs, key=lambda run: (run / "run.json").stat().st_mtime_ns)
    assert (small.path / "reports" / "latest").resolve() == newest.resolve()


def test_a_run_folder_elsewhere_is_not_the_latest(small):
    with ScriptedServer(answers(everything_right)) as server:
        small.ask(server, *SMALL)
    assert not (small.path / "reports").exists()


# pytest's own options.


def test_without_pytest_html_there_is_no_page_and_all_else(small):
    with ScriptedServer(answers(everything_right)) as server:
        result = small.ask(server, *SMALL, "-p", "no:html")
    assert result.ret == 0
    assert not (small.path / "run" / "report.html").exists()
    assert len(asked(small)) == 6
    assert "report.html" not in result.stdout.str()


def test_html_puts_the_page_elsewhere(small):
    with ScriptedServer(answers(everything_right)) as server:
        result = small.ask(server, *SMALL, "--html", "elsewhere/page.html")
    assert result.ret == 0
    page = (small.path / "elsewhere" / "page.html").read_text("utf-8")
    assert "land0-tale0-d1-en" in page
    assert not (small.path / "run" / "report.html").exists()
    assert str(small.path / "elsewhere" / "page.html") in result.stdout.lines


def test_junit_tells_wrong_cases_as_failures_in_one_line(small):
    with ScriptedServer(answers(recall_only)) as server:
        result = small.ask(server, *SMALL, "--junit-xml", "out.xml")
    assert result.ret == 0
    suite = ET.parse(small.path / "out.xml").getroot().find("testsuite")
    counts = {name: suite.get(name) for name in ("tests", "failures", "errors", "skipped")}
    assert counts == {"tests": "6", "failures": "3", "errors": "0", "skipped": "0"}
    failure = suite.find("testcase[@name='test_decode[land0-tale0-d1-en]']/failure")
    assert re.fullmatch(
        r"read 'Wrong decode [b-d]0 of land0' \(answered\), expected 'Right decode a0 of land0'",
        failure.text,
    )


@pytest.mark.parametrize(
    "options",
    [
        ("-v",),
        ("-vv",),
        ("-q",),
        ("-qq",),
        ("-s",),
        ("--tb=long", "--showlocals"),
        ("--tb=native",),
        ("--tb=no",),
        ("-rA",),
        ("--durations=3",),
        ("-p", "no:terminal", "-o", "addopts="),
        ("-p", "no:cacheprovider"),
        ("-p", "no:logging"),
        ("-p", "no:xdist"),
        ("-n", "0"),
        ("--color=yes",),
        ("--import-mode=importlib",),
        ("--no-header", "--no-summary"),
        ("--capture=tee-sys",),
        ("-W", "error"),
    ],
)
def test_pytests_own_options_change_neither_code_nor_evidence(small, options):
    with ScriptedServer(answers(recall_only)) as server:
        result = small.ask(server, *SMALL, *options)
    assert result.ret == 0
    assert len(asked(small)) == 6
    assert (small.path / "run" / "report.html").stat().st_size > 10_000
    text = result.stdout.str() + result.stderr.str()
    assert "Traceback" not in text
    assert "AssertionError" not in text


def test_v_names_every_case_with_its_word(small):
    with ScriptedServer(answers(recall_only)) as server:
        result = small.ask(server, *SMALL, "-v")
    for case in DECODE:
        result.stdout.fnmatch_lines([f"*::test_decode[[]{case}] WRONG *"])
    for case in RECALL:
        result.stdout.fnmatch_lines([f"*::test_recall[[]{case}] PASSED *"])


def test_a_case_marked_as_skipped_or_expected_to_fail_is_no_wrong_answer_of_the_sessions(suite):
    suite.write_bank(small_bank(1, 3))
    (suite.path / "tests" / "conftest.py").write_text(
        "import pytest\n"
        "def pytest_collection_modifyitems(items):\n"
        "    for item in items:\n"
        "        if 'tale0-d1' in item.name: item.add_marker(pytest.mark.skip('not today'))\n"
        "        if 'tale1-d1' in item.name: item.add_marker(pytest.mark.xfail(strict=True))\n"
    )
    with ScriptedServer(answers(recall_only)) as server:
        result = suite.ask(server, *SMALL, "--gate=off")
    result.stdout.fnmatch_lines(["*= 3 passed, 1 skipped, 1 xfailed, 1 wrong in *"])
