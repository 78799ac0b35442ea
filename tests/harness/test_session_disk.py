"""Disks that are full and files that cannot be written, once a session is under way."""

from __future__ import annotations

import errno
import os
import sqlite3

from servers import Answer, ScriptedServer, answers
from suites import SMALL, everything_right

from culturegate.models import replyfile, store


def no_room(*_: object) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "a file")


def test_evidence_that_cannot_be_written_is_unverified_and_one_message_a_file(small, monkeypatch):
    def full_from_here(_body: dict, _number: int) -> str:
        full.setattr("culturegate.reports.files.os.fsync", no_room)
        return everything_right(_body)

    with ScriptedServer(full_from_here) as server, monkeypatch.context() as full:
        result = small.ask(server, *SMALL)
    assert result.ret == 11
    run = small.path / "run"
    for name in ("records.jsonl", "run.json", "metrics.json", "efficiency.jsonl"):
        result.stdout.fnmatch_lines([f"cannot write {run / name}: the disk is full*"])
    assert "Traceback" not in result.stdout.str() + result.stderr.str()
    # The replies were kept, and make the run whole once there is room.
    assert small.run(f"--replay={run}", *SMALL, run_dir="later").ret == 0
    assert len(small.records("later")) == 6


def test_a_disk_that_is_full_from_the_start_ends_the_run_before_the_first_case(small, monkeypatch):
    with ScriptedServer(answers(everything_right)) as server, monkeypatch.context() as full:
        full.setattr("culturegate.reports.files.os.fsync", no_room)
        result = small.ask(server, *SMALL)
        assert server.calls == 0
    assert result.ret == 4
    result.stderr.fnmatch_lines(["ERROR: cannot write *: the disk is full*"])


def test_a_page_that_cannot_be_written_takes_nothing_else_with_it(small):
    (small.path / "page.html").mkdir()
    with ScriptedServer(answers(everything_right)) as server:
        result = small.ask(server, *SMALL, "--html", "page.html", "-n", "0")
    assert result.ret == 0
    result.stdout.fnmatch_lines([f"cannot write {small.path / 'page.html'}: Is a directory"])
    assert len(small.records()) == 6
    assert "Traceback" not in result.stdout.str() + result.stderr.str()


def test_a_store_without_room_stops_the_run_and_is_no_wrong_answer(small, monkeypatch):
    insert = replyfile.insert
    stored: list[int] = []

    def full_after_two(connection: sqlite3.Connection, rows: list) -> None:
        if len(stored) >= 2:
            raise sqlite3.OperationalError("database or disk is full")
        stored.append(len(rows))
        insert(connection, rows)

    monkeypatch.setattr(store, "insert", full_after_two)

    def in_a_while(body: dict, _number: int) -> Answer:
        return Answer(everything_right(body), delay=0.05)

    with ScriptedServer(in_a_while) as server:
        result = small.ask(server, *SMALL, "--max-connections", "1")
    assert result.ret in (10, 11)
    assert {record["passed"] for record in small.records()} <= {True, None}
    assert None in {record["passed"] for record in small.records()}
    message = " ".join(result.stdout.str().split())
    assert f"{small.path / 'run' / 'replies.sqlite'}" in message.replace(" ! ", " ")
    assert "disk is full" in message
