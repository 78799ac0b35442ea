"""Hostile replies and secrets: neither gets where it must not be."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from servers import MODEL, Answer, ScriptedServer, answers, prompt_of
from suites import SMALL, Suite, everything_right, key_letter, small_bank, wrong_letter

KEY = "sk-canary-5f2e8b7d91c34a60"

HOSTILE = [
    "\x1b]0;owned\x07\x1b[31mA\x1b[0m",
    "A\x00B\x00",
    "\u202egnorw si A\u2066",
    "</script><script>alert('pwned-script')</script><img src=x onerror=alert('pwned-image')>",
    "\x9b31mA \x85 \u2028 \u2029",
    "x" * 1_000_000,
    "]]> & &amp; {{7*7}} ${7*7} \r\nA\r\b\b",
    "\ud83d",
]
"""One reply for each kind of harm."""
FORBIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


wrong_letter_of = answers(wrong_letter)


def files(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


@pytest.mark.parametrize("options", [(), ("-v", "-rA"), ("--tb=long", "-s")])
def test_hostile_replies_reach_no_terminal_raw_and_no_page_alive(suite, options):
    suite.write_bank(small_bank(1, len(HOSTILE) // 2))
    replies = dict(enumerate(HOSTILE))

    with ScriptedServer(lambda _body, number: Answer(replies[number])) as server:
        result = suite.ask(
            server, *SMALL, *options, "--max-connections", "1", "--junit-xml", "run/junit.xml"
        )
    text = result.stdout.str() + result.stderr.str()
    assert not FORBIDDEN.search(text.replace("\n", ""))
    assert len(text) < 20_000
    assert len(suite.records()) == len(HOSTILE)
    assert {record["error"] for record in suite.records()} == {None}
    left = files(suite.path / "run")
    page = left["report.html"].decode("utf-8")
    assert "<script>alert('pwned-script')" not in page
    assert "<img src=x" not in page
    assert "pwned-script" in page  # it is shown, as text
    for name in ("report.html", "summary.md", "junit.xml"):
        assert not FORBIDDEN.search(left[name].decode("utf-8")), name
    assert len(left["report.html"]) < 1_000_000


def test_a_hostile_model_name_and_fingerprint_reach_no_terminal_raw(small):
    def odd(body: dict, _number: int) -> dict:
        return {
            "model": "m\x1b[31m\u202e</script>",
            "system_fingerprint": "f\x00\x9b",
            "choices": [{"message": {"content": everything_right(body)}, "finish_reason": "stop"}],
        }

    with ScriptedServer(odd, models=["x\x1b[2J-2026-01-01"]) as server:
        result = small.ask(server, *SMALL)
    assert result.ret == 0
    assert not FORBIDDEN.search((result.stdout.str() + result.stderr.str()).replace("\n", ""))
    assert '</script>"' not in (small.path / "run" / "report.html").read_text("utf-8")


def secrets_in(suite: Suite, result: pytest.RunResult, *secrets: str) -> list[str]:
    """Return where a secret stands: in the output or in any file of the project."""
    found = [
        name
        for name, text in (("stdout", result.stdout.str()), ("stderr", result.stderr.str()))
        if any(secret in text for secret in secrets)
    ]
    raw = [secret.encode() for secret in secrets]
    found += [
        name for name, data in files(suite.path).items() if any(secret in data for secret in raw)
    ]
    return found


def echo(body: dict, number: int) -> Answer | str:
    """Give the key back in every place that a server can put it in."""
    if number % 3 == 0:
        return Answer(
            f"{key_letter(prompt_of(body))} {KEY}",
            extra={"reasoning_content": f"The key is {KEY}."},
            headers={"X-Request-Id": KEY},
        )
    if number % 3 == 1:
        error = {"message": f"server error near {KEY}", "type": KEY, "code": KEY}
        return Answer(status=500, body={"error": error})
    return {
        "model": f"model-{KEY}",
        "system_fingerprint": KEY,
        "choices": [{"message": {"content": wrong_letter(prompt_of(body))}, "finish_reason": KEY}],
    }


@pytest.mark.parametrize("workers", ["0", "2"])
def test_the_key_reaches_no_file_and_no_output_also_where_the_server_echoes_it(
    small, monkeypatch, hurried, workers
):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(small.path / "step.md"))
    with ScriptedServer(echo, api_key=KEY) as server:
        options = ("-v", "-rA", "--showlocals", "--junit-xml", "junit.xml", "-n", workers)
        result = small.ask(server, *SMALL, *options)
    assert len(small.records()) == 6
    assert (small.path / "step.md").read_text("utf-8")
    assert secrets_in(small, result, KEY) == []


def test_the_key_is_in_no_message_where_the_session_cannot_start(small, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    said = Answer(status=401, body={"error": {"message": f"Incorrect API key provided: {KEY}"}})
    with ScriptedServer(said, models=None) as server:
        result = small.ask(server, *SMALL, "--model", "m", "--full-trace", "--tb=long")
    assert result.ret == 4
    assert secrets_in(small, result, KEY) == []
    assert "***" in result.stderr.str()


def test_secrets_of_a_judge_reach_no_file_and_no_output(small, monkeypatch, hurried):
    monkeypatch.setenv("CULTUREGATE_JUDGE_API_KEY", KEY)
    with ScriptedServer(wrong_letter_of) as server, ScriptedServer(echo, api_key=KEY) as judge:
        url = f"{judge.base_url}?api-key={KEY}"
        result = small.ask(server, *SMALL, "--judge-model", MODEL, f"--judge-endpoint={url}")
        assert all(KEY not in str(request.headers) for request in server.requests)
    assert len(small.records()) == 6
    assert secrets_in(small, result, KEY) == []


def test_a_judge_without_its_key_is_named_by_its_own_variable(small, monkeypatch):
    monkeypatch.delenv("CULTUREGATE_JUDGE_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with ScriptedServer("A") as server, ScriptedServer("A", api_key=KEY) as judge:
        result = small.ask(
            server, *SMALL, "--judge-model", MODEL, f"--judge-endpoint={judge.base_url}"
        )
    assert result.ret == 4
    result.stderr.fnmatch_lines(["*Set CULTUREGATE_JUDGE_API_KEY*"])


@pytest.mark.parametrize("form", ["user", "query"])
def test_secrets_of_the_endpoints_url_reach_no_file_and_no_output(small, hurried, form):
    with ScriptedServer(echo) as server:
        host = server.base_url.removeprefix("http://")
        url = {
            "user": f"http://someone:{KEY}@{host}",
            "query": f"http://{host}?api-key={KEY}",
        }[form]
        options = ("--endpoint", url, *SMALL, "--showlocals", "--junit-xml", "junit.xml")
        result = small.run(*options)
        assert len(small.records()) == 6
        if form == "query":
            assert all(KEY in request.path for request in server.requests)
        again = small.run(*options)  # refused: the folder holds a run
    assert again.ret == 4
    assert secrets_in(small, result, KEY) == []
    assert secrets_in(small, again, KEY) == []
    shown = f"--endpoint http://{host} "
    assert shown in result.stdout.str()
    assert small.info()["base_url"] == f"http://{host}"


def test_a_url_that_cannot_be_used_is_shown_without_its_secrets(small):
    result = small.run("--endpoint", f"ftp://someone:{KEY}@host/v1?key={KEY}", *SMALL)
    assert result.ret == 4
    assert secrets_in(small, result, KEY) == []


def test_the_settings_of_a_session_show_no_secret_when_printed(small, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    (small.path / "tests" / "benchmark" / "test_mine.py").write_text(
        "def test_mine(model):\n    print(repr(model.settings))\n    assert not model.settings\n"
    )
    with ScriptedServer(answers(everything_right)) as server:
        url = server.base_url.replace("http://", f"http://someone:{KEY}@")
        result = small.run("--endpoint", url, *SMALL, "--showlocals", "--tb=long")
    assert result.ret == 1
    assert "Settings(root=" in result.stdout.str()
    assert secrets_in(small, result, KEY) == []


def test_a_large_run_of_long_replies_makes_a_report_that_opens(suite):
    suite.write_bank(small_bank(3, 100))
    long = "thinking … " * 1800
    with ScriptedServer(answers(lambda body: long + everything_right(body))) as server:
        options = ("--protocol", "full", "--templates", "1", "--lang", "en", "--gate=off")
        result = suite.ask(server, *options)
    assert len(suite.records()) == 600
    told = result.stdout.lines + result.stderr.lines
    assert len([line for line in told if line.startswith("culturegate: ")]) < 50
    assert "\r" not in result.stdout.str() + result.stderr.str()
    assert result.ret in (0, 1)
    run = suite.path / "run"
    assert (run / "report.html").stat().st_size < 10_000_000
    assert MODEL in (run / "report.html").read_text("utf-8")
    # The full texts are kept in the store.
    assert (run / "replies.sqlite").stat().st_size > 600 * 10_000
