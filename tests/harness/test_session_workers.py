"""Sessions spread over xdist workers: the same evidence, whatever happens to a worker."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

from servers import Answer, ScriptedServer, answers, prompt_of
from suites import SMALL, Suite, everything_right, key_letter, recall_only, refusal, small_bank

FULL = ("--protocol", "full", "--templates", "1", "--lang", "en", "--gate-profile", "smoke")


def prompts(server: ScriptedServer) -> Counter:
    return Counter(prompt_of(request.body) for request in server.chats)


def told(junit: Path) -> list[tuple[str | None, ...]]:
    """Return what JUnit's file tells of each test, but for its time, in order of name."""
    return sorted(
        (case.get("classname"), case.get("name"), failure.get("message"), failure.text)
        for case in ElementTree.parse(junit).iter("testcase")
        for failure in case.findall("failure") or [case]
    )


def test_replies_in_any_order_of_arrival_give_the_same_bytes(suite):
    suite.write_bank(small_bank(2, 8))
    draw = random.Random(5)

    def some_time(body: dict, _number: int) -> Answer:
        return Answer(recall_only(body), delay=draw.random() * 0.2)

    with ScriptedServer(some_time) as server:
        junit = "--junit-xml={}.xml".format
        alone = suite.ask(server, *FULL, junit("alone"), run_dir="alone")
        both = suite.ask(server, *FULL, junit("both"), "-n", "2", run_dir="both")
        assert set(prompts(server).values()) == {2}
        assert server.most_in_flight <= 32
    assert alone.ret == both.ret == 0
    both.stdout.fnmatch_lines(["*= 16 passed, 16 wrong in *"])
    for name in ("metrics.json", "records.jsonl"):
        one, other = suite.path / "alone" / name, suite.path / "both" / name
        assert one.read_bytes() == other.read_bytes()
    assert told(suite.path / "alone.xml") == told(suite.path / "both.xml")
    assert (suite.path / "both" / "report.html").is_file()
    same = ("partial", "cut", "bank_hash", "prompt_hash", "model", "base_url")
    assert {k: suite.info("alone")[k] for k in same} == {k: suite.info("both")[k] for k in same}


def test_a_worker_that_dies_leaves_its_case_named_and_the_run_unverified(suite):
    suite.write_bank(small_bank(1, 4))
    lost = "land0-tale2-d1-en"
    (suite.path / "tests" / "conftest.py").write_text(
        f"import os\ndef pytest_runtest_call(item):\n    if '{lost}' in item.name: os._exit(1)\n"
    )
    with ScriptedServer(answers(everything_right)) as server:
        result = suite.ask(server, *FULL, "-n", "2")
    assert result.ret == 11
    cases = {record["case"] for record in suite.records()}
    assert len(cases) == 7
    assert lost not in cases
    result.stdout.fnmatch_lines([f"! 1 of 8 cases left no record: {lost}"])
    assert suite.info()["partial"] == "7 of 8 cases"


def test_x_with_workers_is_not_judged(suite):
    suite.write_bank(small_bank(1, 12))
    with ScriptedServer(answers(recall_only)) as server:
        result = suite.ask(server, *FULL, "-n", "2", "-x")
    assert result.ret == 2  # as xdist has it
    assert "Gate " not in result.stdout.str()
    # How many failures have come in by then is a matter of luck.
    assert suite.info()["cut"].startswith("stopping after ")
    assert len(suite.records()) < 24


def test_another_way_to_distribute_works_too(small):
    with ScriptedServer(answers(recall_only)) as server:
        result = small.ask(server, *SMALL, "-n", "2", "--dist", "loadscope")
        assert set(prompts(server).values()) == {1}
    assert result.ret == 0
    assert len(small.records()) == 6


def test_tests_of_ones_own_beside_the_cases_keep_their_say(small):
    (small.path / "tests" / "benchmark" / "test_mine.py").write_text("def test_mine(): assert 0\n")
    with ScriptedServer(answers(recall_only)) as server:
        result = small.ask(server, *SMALL, "-n", "2")
    assert result.ret == 1
    assert len(small.records()) == 6
    result.stdout.fnmatch_lines(["*= 1 failed, 3 passed, 3 wrong in *"])


def test_a_broken_bank_is_one_message_with_workers_too(small):
    small.write_bank({"a.yaml": "canary: [1\n", "b.yaml": "culture: x\n"})
    with ScriptedServer(answers(everything_right)) as server:
        result = small.ask(server, *SMALL, "-n", "2")
        assert server.requests == []
    message = refusal(result)
    assert "items/myth/a.yaml:2: not YAML" in message
    assert "items/myth/b.yaml:1: field 'title' is missing" in message
    assert message.count("problems in the bank:") == 1
    assert not (small.path / "run").exists()


def test_a_wrong_key_is_one_message_with_workers_too(small, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-this-is-not-the-one")
    with ScriptedServer(answers(everything_right), api_key="sk-right") as server:
        result = small.ask(server, *SMALL, "-n", "2")
        assert server.calls == 0
    assert refusal(result) == (
        f"Cannot ask at {server.base_url}: it refused the key (401: Incorrect API key provided). "
        "Check OPENAI_API_KEY."
    )
    assert not (small.path / "run").exists()


def test_what_is_collected_depends_on_no_hash_seed(suite: Suite):
    suite.write_bank(small_bank(3, 9))

    def collected(seed: str) -> list[str]:
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "--collect-only", "-q", "--protocol", "quick"],
            cwd=suite.path,
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        )
        return [line for line in done.stdout.splitlines() if "::" in line]

    first = collected("1")
    assert len(first) == 36
    assert first == collected("4242")


def test_the_first_sentence_says_with_which_seed_the_sample_was_drawn(suite):
    suite.write_bank(small_bank(1, 9))
    draws = []
    for seed in ("3", "3", "4"):
        with ScriptedServer(answers(everything_right)) as server:
            run_dir = f"run{len(draws)}"
            result = suite.ask(server, *SMALL, "--bank-seed", seed, run_dir=run_dir)
        draws.append({record["case"] for record in suite.records(run_dir)})
        result.stdout.fnmatch_lines([f"culturegate: 12 cases, 12 requests *, bank seed {seed}, *"])
    assert draws[0] == draws[1] != draws[2]


def test_two_sessions_at_once_share_a_reports_folder(small):
    def slow(body: dict, _number: int) -> Answer:
        return Answer(key_letter(prompt_of(body)), delay=0.3)

    with ScriptedServer(slow) as server:
        names = [f"reports/2026{n}" for n in range(2)]
        processes = [small.start(server, *SMALL, run_dir=name) for name in names]
        for process in processes:
            process.communicate(timeout=60)
    assert [process.returncode for process in processes] == [0, 0]
    for name in names:
        assert len(small.records(name)) == 6
    assert (small.path / "reports" / "latest").resolve().name in {"20260", "20261"}
