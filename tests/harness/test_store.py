"""No reply is lost, none is mixed up, and what cannot be kept stops the run with one sentence."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sqlite3
import subprocess
import sys
import textwrap
import time
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from culturegate.errors import CallError, CulturegateError, InputError
from culturegate.models import (
    Engine,
    Message,
    ModelInfo,
    Prompt,
    ReplayModel,
    Reply,
    ReplyStore,
    Usage,
    read_recording,
)

INFO = ModelInfo("m-1", "endpoint", "http://one/v1")
PROMPT = Prompt((Message("user", "who stole the fire"),), case="greek-fire-r1-en")


def reply(text: str | None, prompt: Prompt = PROMPT, info: ModelInfo = INFO) -> Reply:
    return Reply(
        text=text,
        finish_reason="stop",
        usage=Usage(3, None),
        latency=0.25,
        ttft=0.1,
        retries=2,
        model="m-1-x",
        fingerprint="fp",
        key=prompt.key(info.name),
        notes=("prompt probably truncated",),
    )


def rows(path: Path) -> int:
    with sqlite3.connect(path) as connection:
        count: int = connection.execute("SELECT count(*) FROM replies").fetchone()[0]
    connection.close()
    return count


def test_a_reply_comes_back_as_it_was_put(tmp_path: Path) -> None:
    hostile = 'Prometheus 普罗米修斯 \ud800 \x00 \u202e"\n'
    with ReplyStore(tmp_path / "run" / "replies.sqlite") as store:
        store.put(PROMPT, reply(hostile), INFO)
        store.flush()
        assert store.get(PROMPT.key("m-1"), INFO.base_url) == reply(hostile)
        assert store.get(PROMPT.key("m-1"), "http://two/v1") is None


def test_requests_that_differ_in_anything_have_keys_of_their_own(tmp_path: Path) -> None:
    other = ModelInfo("m-1", "endpoint", "http://two/v1")
    asked = [
        (PROMPT, INFO),
        (PROMPT, other),
        (PROMPT, ModelInfo("m-2", "endpoint", INFO.base_url)),
        (replace(PROMPT, sample=1), INFO),
        (replace(PROMPT, temperature=0.7), INFO),
        (replace(PROMPT, max_tokens=33), INFO),
        (replace(PROMPT, messages=(Message("system", "who stole the fire"),)), INFO),
    ]
    with ReplyStore(tmp_path / "replies.sqlite") as store:
        for number, (prompt, info) in enumerate(asked):
            store.put(prompt, reply(f"answer {number}", prompt, info), info)
        store.flush()
        for number, (prompt, info) in enumerate(asked):
            stored = store.get(prompt.key(info.name), info.base_url)
            assert stored is not None
            assert stored.text == f"answer {number}"
    assert rows(tmp_path / "replies.sqlite") == len(asked)


def test_who_asks_is_not_part_of_the_key() -> None:
    assert PROMPT.key("m") == replace(PROMPT, case="other", trial=3).key("m")


def test_an_empty_reply_is_a_reply(tmp_path: Path) -> None:
    with ReplyStore(tmp_path / "replies.sqlite") as store:
        store.put(PROMPT, reply(None), INFO)
        store.flush()
        stored = store.get(PROMPT.key("m-1"), INFO.base_url)
    assert stored is not None
    assert stored.text is None


WRITER = """
    import sys
    from pathlib import Path
    from culturegate.models import Message, ModelInfo, Prompt, Reply, ReplyStore
    worker, count = sys.argv[2], int(sys.argv[3])
    info = ModelInfo("m", "endpoint", "http://one/v1")
    with ReplyStore(Path(sys.argv[1])) as store:
        for n in range(count):
            prompt = Prompt((Message("user", f"{worker}/{n}"),))
            store.put(prompt, Reply(f"{worker}/{n} " + "x" * 20000, key=prompt.key("m")), info)
            if n == 100:
                store.flush()
                print("flushed", flush=True)
"""


def writer(path: Path, name: str, count: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(WRITER), str(path), name, str(count)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_eight_processes_write_one_store_and_no_reply_is_lost_or_torn(tmp_path: Path) -> None:
    path = tmp_path / "replies.sqlite"
    processes = [writer(path, f"w{n}", 150) for n in range(8)]
    for process in processes:
        _, errors = process.communicate(timeout=60)
        assert errors == ""
        assert process.returncode == 0
    with sqlite3.connect(path) as connection:
        stored = connection.execute("SELECT prompt, reply FROM replies").fetchall()
    connection.close()
    texts = {json.loads(prompt)["messages"][0]["content"]: reply for prompt, reply in stored}
    assert len(stored) == len(texts) == 1200
    assert all(json.loads(reply)["text"].startswith(f"{name} ") for name, reply in texts.items())


def test_a_killed_writer_leaves_a_sound_store_with_what_it_had_written(tmp_path: Path) -> None:
    path = tmp_path / "replies.sqlite"
    process = writer(path, "w", 1_000_000)
    assert process.stdout is not None
    assert process.stdout.readline() == "flushed\n"
    time.sleep(0.1)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate(timeout=10)
    with ReplyStore(path) as store:
        for n in range(101):
            assert store.get(Prompt((Message("user", f"w/{n}"),)).key("m"), "http://one/v1")
    with sqlite3.connect(path) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    connection.close()


FULL = """
    import resource, sys
    from pathlib import Path
    from culturegate.errors import CulturegateError
    from culturegate.models import Message, ModelInfo, Prompt, Reply, ReplyStore
    resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))
    info = ModelInfo("m", "endpoint", "http://one/v1")
    try:
        with ReplyStore(Path(sys.argv[1])) as store:
            for n in range(100):
                prompt = Prompt((Message("user", str(n)),))
                store.put(prompt, Reply("x" * 20000, key=prompt.key("m")), info)
                store.flush()
    except CulturegateError as error:
        print(n, error)
"""


def test_a_disk_without_room_is_one_sentence_and_what_was_stored_stays(tmp_path: Path) -> None:
    pytest.importorskip("resource")
    path = tmp_path / "replies.sqlite"
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(FULL), str(path)],
        capture_output=True,
        text=True,
        timeout=30,
        check=True,
    )
    assert done.stderr == ""
    number, message = done.stdout.split(" ", 1)
    assert message.startswith(f"{path}: replies cannot be kept or read here: the disk ")
    assert "--resume" in message
    assert rows(path) >= int(number) > 0


@dataclass
class Parrot:
    """Repeats the prompt and counts."""

    calls: int = 0

    async def check(self) -> ModelInfo:
        return INFO

    async def ask(self, prompt: Prompt) -> Reply:
        self.calls += 1
        await asyncio.sleep(0)
        return Reply(prompt.messages[0].content.upper(), "stop", latency=0.5)

    async def aclose(self) -> None: ...


@dataclass(frozen=True)
class Facts:
    case: str
    item: str
    lang: str


@dataclass(frozen=True)
class Case:
    item: str
    lang: str = "en"
    trials: int = 2

    @property
    def facts(self) -> Facts:
        return Facts(f"{self.item}-{self.lang}", self.item, self.lang)

    async def run(self, ask) -> list[str | None]:
        async def trial(n: int) -> str | None:
            prompt = Prompt((Message("user", f"{self.facts.case} wording {n}"),))
            try:
                return (await ask(prompt)).text
            except CallError as error:
                return f"{error.kind}: {error}"

        return await asyncio.gather(*(trial(n) for n in range(self.trials)))


PLAN = [Case(f"tale-{n}") for n in range(20)]


def results(model, plan, **options) -> tuple[list[list[str | None]], Engine]:
    engine = Engine(model, plan, max_connections=4, **options)
    engine.start()
    try:
        return [engine.outcome(case) for case in plan], engine
    finally:
        engine.close()


def test_a_resumed_run_asks_only_what_is_missing(tmp_path: Path) -> None:
    first, second = Parrot(), Parrot()
    with ReplyStore(tmp_path / "replies.sqlite") as store:
        half, _ = results(first, PLAN[:12], store=store)
    with ReplyStore(tmp_path / "replies.sqlite") as store:
        whole, engine = results(second, PLAN, store=store, resume=True)
    assert (first.calls, second.calls) == (24, 16)
    assert whole[:12] == half
    assert engine.snapshot().reused == 24


def test_without_resume_everything_is_asked_afresh(tmp_path: Path) -> None:
    model = Parrot()
    for _ in range(2):
        with ReplyStore(tmp_path / "replies.sqlite") as store:
            results(model, PLAN, store=store)
    assert model.calls == 80
    assert rows(tmp_path / "replies.sqlite") == 40


def test_a_failed_call_is_no_stored_reply_and_is_asked_again(tmp_path: Path) -> None:
    class Failing(Parrot):
        async def ask(self, prompt: Prompt) -> Reply:
            raise CallError("server", "status 500")

    with ReplyStore(tmp_path / "replies.sqlite") as store:
        results(Failing(), PLAN, store=store)
        store.flush()
        assert rows(tmp_path / "replies.sqlite") == 0
        model = Parrot()
        results(model, PLAN, store=store, resume=True)
    assert model.calls == 40


def fetch_slowly(engine: Engine, plan: list[Case]) -> None:
    for case in plan:
        engine.outcome(case)
        time.sleep(0.002)


def test_a_store_that_breaks_stops_the_run(tmp_path: Path) -> None:
    with ReplyStore(tmp_path / "replies.sqlite") as store:
        # The page limit makes SQLite report a full disk, wherever the test runs.
        store._writer.execute("PRAGMA max_page_count = 20")
        plan = [Case(f"{'long ' * 2000}{n}") for n in range(200)]
        model = Parrot()
        engine = Engine(model, plan, max_connections=2, store=store)
        engine.start()
        with pytest.raises(CulturegateError, match="the disk is full; make room"):
            fetch_slowly(engine, plan)
        engine.close()
        assert "disk is full" in str(engine.fault)
        assert model.calls < 400


def test_a_store_that_breaks_at_the_very_end_is_told_by_the_engine(tmp_path: Path) -> None:
    with ReplyStore(tmp_path / "replies.sqlite") as store:
        store._writer.execute("PRAGMA max_page_count = 1")
        _, engine = results(Parrot(), [Case("long " * 20_000)], store=store)
        assert "disk is full" in str(engine.fault)


@pytest.mark.parametrize("content", [b"not a database at all" * 100, b"SQLite format 3\0" * 100])
def test_a_file_that_is_no_store_is_named(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "replies.sqlite"
    path.write_bytes(content)
    with pytest.raises(CulturegateError, match=r"replies\.sqlite: replies cannot be kept or read"):
        ReplyStore(path)
    assert path.read_bytes() == content


def test_another_programs_database_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "replies.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE mail (text)")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(CulturegateError, match="the file is no reply store"):
        ReplyStore(path)
    assert path.read_bytes() == before


def test_a_folder_that_cannot_be_made_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "run").write_text("a file")
    with pytest.raises(CulturegateError, match="replies cannot be kept"):
        ReplyStore(tmp_path / "run" / "replies.sqlite")


def test_closing_twice_does_no_harm(tmp_path: Path) -> None:
    store = ReplyStore(tmp_path / "replies.sqlite")
    store.close()
    store.close()


def test_a_recorded_run_replays_without_a_model(tmp_path: Path) -> None:
    with ReplyStore(tmp_path / "replies.sqlite") as store:
        asked, _ = results(Parrot(), PLAN, store=store)
    for path in (tmp_path, tmp_path / "replies.sqlite"):
        model = ReplayModel(path)
        replayed, engine = results(model, PLAN)
        assert replayed == asked
        assert engine.replies("tale-19-en")[0][1].latency is None
        assert engine.replies("tale-19-en")[0][1].key != ""
    info = asyncio.run(ReplayModel(tmp_path).check())
    assert info == ModelInfo("m-1", "replay", "http://one/v1")


def test_a_prompt_that_was_not_recorded_is_a_failed_call(tmp_path: Path) -> None:
    with ReplyStore(tmp_path / "replies.sqlite") as store:
        results(Parrot(), PLAN[:1], store=store)
    replayed, _ = results(ReplayModel(tmp_path), PLAN[:2])
    assert replayed[0] == ["TALE-0-EN WORDING 0", "TALE-0-EN WORDING 1"]
    assert (
        replayed[1] == [f"missing: {tmp_path}: this prompt was not asked in the recorded run"] * 2
    )


def test_a_store_on_a_write_protected_medium_replays(tmp_path: Path) -> None:
    with ReplyStore(tmp_path / "replies.sqlite") as store:
        asked, _ = results(Parrot(), PLAN[:3], store=store)
    tmp_path.chmod(0o555)
    try:
        assert results(ReplayModel(tmp_path), PLAN[:3])[0] == asked
    finally:
        tmp_path.chmod(0o755)


def test_replies_of_two_models_are_not_replayed_as_one(tmp_path: Path) -> None:
    with ReplyStore(tmp_path / "replies.sqlite") as store:
        store.put(PROMPT, reply("A"), INFO)
        other = ModelInfo("m-2", "embedded")
        store.put(PROMPT, reply("B", PROMPT, other), other)
    with pytest.raises(CulturegateError, match=r"got m-1 at http://one/v1; m-2 at no URL"):
        ReplayModel(tmp_path)


def test_a_missing_recording_is_named(tmp_path: Path) -> None:
    with pytest.raises(CulturegateError, match="no recorded replies there") as caught:
        ReplayModel(tmp_path / "nowhere.jsonl")
    assert "nowhere.jsonl" in str(caught.value)
    with pytest.raises(CulturegateError, match=r"replies\.sqlite"):
        ReplayModel(tmp_path)


def lines(path: Path, *data: object) -> Path:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in data), "utf-8")
    return path


def no_options(_case: str) -> str:
    return ""


def test_a_file_of_another_tool_is_replayed_by_item_language_and_trial(tmp_path: Path) -> None:
    path = lines(
        tmp_path / "theirs.jsonl",
        {"item": "tale-0", "lang": "en", "reply": "first"},
        {"item": "tale-1", "lang": "en", "reply": "普罗米修斯", "latency": 3},
        {"item": "tale-0", "lang": "en", "reply": "second", "finish_reason": "length"},
        {"case": "tale-2-en", "reply": ""},
        {"item": "not-in-this-session", "lang": "en", "reply": "x"},
    )
    plan = PLAN[:3]
    found = read_recording(path, [case.facts for case in plan], no_options)
    replayed, engine = results(ReplayModel(path, found), plan)
    assert replayed[0] == ["first", "second"]
    assert replayed[1][0] == "普罗米修斯"
    message = f"{path}: 1 replies recorded for case tale-1-en, trial 2 was asked"
    assert replayed[1][1] == f"unrecorded: {message}"
    assert replayed[2][0] == ""
    assert engine.replies("tale-0-en")[1][1].finish_reason == "length"


def test_every_bad_line_is_listed_at_once(tmp_path: Path) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_bytes(
        b'\xef\xbb\xbf{"item": "a", "lang": "en", "reply": "fine"}\n'
        b"\n"
        b"nonsense\n"
        b"[1, 2]\n"
        b'{"item": "a", "lang": "en", "reply": null}\n'
        b'{"item": 7, "lang": "en", "reply": "x"}\n'
        b'{"item": "a", "reply": "x"}\n'
        b'\xff{"item": "a"}\n' + b"[" * 100_000 + b"\n"
        b'{"item": "twice", "lang": "en", "reply": "x"}\n'
        b'{"item": "a", "lang": "en", "reply": "A", "option_order": 3}\n'
        b'{"item": "b", "lang": "en", "reply": "A", "option_order": "dcbb"}\n'
        b'{"item": "n", "lang": "en", "reply": "4", "option_order": "ab"}\n'
        b'{"item": "a", "lang": "en", "rep'
    )
    facts = [
        Facts("b-en", "b", "en"),
        Facts("n-en", "n", "en"),
        Facts("twice-told", "twice", "en"),
        Facts("twice-untold", "twice", "en"),
    ]
    with pytest.raises(InputError) as caught:
        read_recording(path, facts, lambda case: "abcd" if case == "b-en" else "")
    found = {problem.line: problem.message for problem in caught.value.problems}
    assert sorted(found) == list(range(3, 15))
    assert found[4] == 'got [1, 2], expected {"item": …, "lang": …, "reply": …}'
    assert found[5] == (
        "'reply' must be a text, got null; leave the line out where the call failed"
    )
    assert found[6] == "'item' must be a text, got 7"
    assert found[7] == "'lang' must be a text, it is not there"
    assert found[8].startswith("not UTF-8")
    assert found[9].startswith("not JSON")
    assert 'is asked in 2 cases: give "case" instead, such as twice-told' in found[10]
    assert found[11] == "'option_order' must be a text, got 3"
    assert found[12] == "'option_order' must name each of 'abcd' once, got \"dcbb\""
    assert found[13] == "'option_order' must name no option: n-en has none, got \"ab\""
    assert found[14].endswith("the last line looks cut off: take it away")


def test_a_file_without_lines_and_a_file_of_rubbish_are_bounded_errors(tmp_path: Path) -> None:
    (tmp_path / "empty.jsonl").write_bytes(b"\n\n")
    with pytest.raises(InputError, match="there is no line in it"):
        read_recording(tmp_path / "empty.jsonl", [], no_options)
    (tmp_path / "rubbish.jsonl").write_bytes(b"x\n" * 100_000)
    with pytest.raises(InputError) as caught:
        read_recording(tmp_path / "rubbish.jsonl", [], no_options)
    assert len(caught.value.problems) == 101
