"""Sessions that cannot start: one whole message, exit 4, nobody asked, nothing left behind."""

from __future__ import annotations

import os

import pytest
from servers import Answer, ScriptedServer, answers
from suites import SMALL, Suite, everything_right, refusal


def nothing_left(suite: Suite) -> bool:
    return not (suite.path / "run").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("--gate-profile", "releese"),
            "no gate profile 'releese' in {path}/thresholds.yaml; there are: smoke, release, "
            "upgrade",
        ),
        (
            ("--culture", "land0", "--culture", "zz", "--culture", "aa"),
            "--culture aa, zz: no such culture in the bank; there are: land0",
        ),
        (("--lang", "xx"), "--lang xx: there are: en, zh"),
        (("--protocol", "fast"), "--protocol: 'fast' is not one of quick, standard, full"),
        (("--gate", "on"), "--gate: 'on' is not one of judge, require-all, off"),
        (("--templates", "0"), "--templates: '0' cannot be used: 0 is below 1"),
        (
            ("--max-minutes", "soon"),
            "--max-minutes: 'soon' cannot be used: could not convert string to float: 'soon'",
        ),
        (("-o", "samples=none"), "ini key samples: 'none' cannot be used: {int}"),
        (
            ("--endpoint", "ftp://host/v1"),
            "base URL 'ftp://host/v1': it is not an http or https URL with a host. Give one such "
            "as http://localhost:8000/v1 (--endpoint or OPENAI_BASE_URL)",
        ),
        (
            ("--thresholds", "limits.yaml"),
            "1 problem in the files:\n  limits.yaml: no such file; name a file",
        ),
        (
            ("--resume",),
            "--resume: there is no run to go on with in {path}/run",
        ),
        (
            ("--replay", "old-run"),
            "--replay old-run: no recorded replies there: old-run: No such file or directory",
        ),
        (
            ("--model", "other"),
            "Cannot ask model 'other' at {url}: no such model or path (404: no such model). Check "
            "the model's name (--model) and the base URL (--endpoint). The server has: "
            "'scripted-2026-01-01'.",
        ),
    ],
)
def test_a_wrong_option_is_one_message_that_says_what_there_is(small, arguments, message):
    missing = Answer(status=404, body={"error": {"message": "no such model"}})

    def named_one_only(body: dict, _number: int) -> Answer | str:
        return missing if body["model"] == "other" else everything_right(body)

    with ScriptedServer(named_one_only) as server:
        result = small.ask(server, *SMALL, *arguments)
        assert server.calls == (1 if "--model" in arguments else 0)  # the model check's own
    whole = message.format(
        path=small.path,
        url=server.base_url,
        int="invalid literal for int() with base 10: 'none'",
    )
    assert refusal(result) == whole
    assert nothing_left(small)


def test_an_unknown_marker_on_the_command_line_is_named_and_asks_nobody(small):
    with ScriptedServer(answers(everything_right)) as server:
        message = refusal(small.ask(server, *SMALL, "-m", "recal"))
        assert server.calls == 0
    assert "-m" in message
    assert "recal" in message
    assert nothing_left(small)


def test_an_unreachable_server_is_named_with_the_cause(small):
    server = ScriptedServer()
    with server:
        url = server.base_url
    result = small.ask(server, *SMALL)
    assert refusal(result) == (
        f"Cannot ask at {url}: connection refused: no server listens there. Start the server or "
        "mend the base URL (--endpoint or OPENAI_BASE_URL)."
    )
    assert nothing_left(small)


BROKEN_BANK = {
    "a.yaml": "canary: [1\n",
    "b.yaml": "culture: x\nfoo: 1\nfoo: 2\n",
}


@pytest.mark.parametrize("selection", [(), ("-k", "land0"), ("-m", "recall"), ("--collect-only",)])
def test_every_fault_of_every_file_of_the_bank_comes_at_once(small, selection):
    small.write_bank(BROKEN_BANK)
    with ScriptedServer(answers(everything_right)) as server:
        message = refusal(small.ask(server, *SMALL, *selection))
        assert server.calls == 0
    assert "items/myth/a.yaml:2: not YAML" in message
    assert "items/myth/b.yaml:3: " in message
    assert int(message.split()[0]) == len(message.splitlines()) - 1
    assert nothing_left(small)


def test_a_typo_in_thresholds_is_named_with_file_and_line(small):
    (small.path / "thresholds.yaml").write_text(
        "profiles:\n  smoke:\n    lines:\n      - {name: a, metric: acuracy, min: 0.5}\n"
        "      - {name: b, metric: accuracy, mn: 0.5}\n"
    )
    with ScriptedServer(answers(everything_right)) as server:
        message = refusal(small.ask(server, *SMALL))
        assert server.calls == 0
    file = small.path / "thresholds.yaml"
    assert f"{file}:4: a: unknown metric 'acuracy'; did you mean 'accuracy'?" in message
    assert f"{file}:5: b: unknown key 'mn' in a line; did you mean 'min'?" in message


def test_an_empty_selection_of_language_and_culture_is_no_green_build(small):
    english = (small.path / "items/myth/land0.yaml").read_text("utf-8")
    only = "\n".join(line for line in english.splitlines() if not line.strip().startswith("zh:"))
    small.write_bank({"land0.yaml": only.replace("  zh: 故事", "  ")})
    with ScriptedServer(answers(everything_right)) as server:
        message = refusal(small.ask(server, *SMALL, "--lang", "zh"))
        assert server.calls == 0
    assert message == (
        "0 cases selected by --culture any and --lang zh; the bank has 6 "
        "items, cultures land0, languages en"
    )


def test_a_folder_that_holds_a_run_is_not_written_over(small):
    with ScriptedServer(answers(everything_right)) as server:
        assert small.ask(server, *SMALL).ret == 0
        before = (small.path / "run" / "records.jsonl").read_bytes()
        calls = server.calls
        message = refusal(small.ask(server, *SMALL))
        assert server.calls == calls
    assert message == (
        f"{small.path}/run holds a run already; give another --run-dir, or --resume to go on "
        "with this one"
    )
    assert (small.path / "run" / "records.jsonl").read_bytes() == before


@pytest.mark.parametrize("place", ["file", "file/below"])
def test_a_run_folder_that_cannot_be_made_is_named(small, place):
    (small.path / "file").write_text("mine")
    with ScriptedServer(answers(everything_right)) as server:
        message = refusal(small.ask(server, *SMALL, run_dir=place))
        assert server.calls == 0
    assert message.startswith(f"cannot make the run's folder {small.path / place}: a file stands")
    assert (small.path / "file").read_text() == "mine"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_write_protected_reports_folder_is_named(small):
    folder = small.path / "locked"
    folder.mkdir(mode=0o500)
    with ScriptedServer(answers(everything_right)) as server:
        message = refusal(small.ask(server, *SMALL, run_dir="locked/run"))
        assert server.calls == 0
    assert message.startswith(f"cannot make the run's folder {folder / 'run'}: ")


def test_an_expression_that_pytest_cannot_read_asks_nobody(small):
    with ScriptedServer(answers(everything_right)) as server:
        result = small.ask(server, *SMALL, "-m", "recall and")
        assert server.calls == 0
    assert "Wrong expression passed to '-m'" in refusal(result)
    assert nothing_left(small)


def test_a_refused_session_is_no_unfinished_run_and_not_the_latest(small):
    server = ScriptedServer()
    with server:
        pass
    result = small.pytester.runpytest_inprocess("--endpoint", server.base_url, *SMALL)
    assert result.ret == 4
    assert list((small.path / "reports").glob("*")) == []
    result = small.pytester.runpytest_inprocess("--endpoint", server.base_url, "--resume")
    assert refusal(result) == f"--resume: there is no unfinished run in {small.path}/reports"


def test_a_marker_that_nobody_registered_is_a_fault_of_the_file_that_uses_it(small):
    file = small.path / "tests" / "benchmark" / "test_recall.py"
    file.write_text(file.read_text().replace("pytest.mark.recall", "pytest.mark.recal"))
    with ScriptedServer(answers(everything_right)) as server:
        result = small.ask(server, *SMALL)
        assert server.calls == 0
    assert result.ret == 2
    result.stdout.fnmatch_lines(["*'recal' not found in `markers` configuration option*"])
