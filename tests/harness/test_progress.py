"""Progress is one bar on a terminal and a few plain lines everywhere else."""

from __future__ import annotations

import io
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from culturegate.models import Fetching, Progress, Snapshot


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def told(stream: io.StringIO, counts: list[Snapshot], seconds_each: float, **env: str) -> list[str]:
    """Show one snapshot after another on a clock of our own; return the lines written."""
    clock = Clock()
    progress = Progress(lambda: counts[-1], stream, env, clock)
    for now in counts:
        clock.now += seconds_each
        progress.show(now)
    progress.stop()
    return stream.getvalue().splitlines()


def thousand(**more: int) -> list[Snapshot]:
    return [Snapshot(total=1000, done=n, in_flight=32, **more) for n in range(1, 1001)]


@pytest.mark.parametrize("stream", [io.StringIO, Terminal])
@pytest.mark.parametrize("seconds_each", [0.001, 0.5, 10, 3600])
def test_in_ci_there_are_few_lines_and_no_carriage_return_however_long_it_takes(
    stream: Callable[[], io.StringIO], seconds_each: float
) -> None:
    written = stream()
    lines = told(written, thousand(), seconds_each, CI="true")
    assert 5 < len(lines) < 50
    assert "\r" not in written.getvalue()
    assert "\x1b" not in written.getvalue()


def test_a_stuck_run_still_gives_a_sign_of_life_and_few_of_them() -> None:
    stuck = [Snapshot(total=10, done=0, in_flight=4)] * (24 * 3600)
    lines = told(io.StringIO(), stuck, 1.0)
    assert 5 < len(lines) < 30


def test_a_line_says_rate_calls_in_flight_retries_and_time_left() -> None:
    lines = told(io.StringIO(), thousand(retries=3, failed=1, reused=7), 0.5)
    assert "culturegate: 500 of 1000 cases, 2.0 a second, 32 in flight, 3 retries, 1 failed, " + (
        "7 from the store, about 4 min 10 s left"
    ) in [line for line in lines if "500 of" in line]
    assert lines[-1].startswith("culturegate: 1000 of 1000 cases, 2.0 a second")
    assert lines[-1].endswith("after 8 min 20 s")


def test_a_run_of_nothing_ends_with_a_line() -> None:
    assert told(io.StringIO(), [Snapshot()], 1.0) == [
        "culturegate: 0 of 0 cases, 0 in flight, after 1 s"
    ]


def test_on_a_terminal_there_is_one_bar_and_it_is_taken_away() -> None:
    written = Terminal()
    told(written, thousand(retries=2), 0.01)
    assert "\n" not in written.getvalue()
    assert "culturegate:  50%" in written.getvalue()
    assert "500/1000" in written.getvalue()
    assert "32 in flight, 2 retries" in written.getvalue()
    assert written.getvalue().endswith("\r")


def test_counts_of_several_workers_add_up_after_a_journey_as_plain_data() -> None:
    parts = [Snapshot(total=10, done=4, in_flight=2, retries=1), Snapshot(total=9, done=5)]
    travelled = [Snapshot(**part.to_dict()) for part in parts]
    assert Snapshot.total_of(travelled) == Snapshot(total=19, done=9, in_flight=2, retries=1)


def test_it_is_read_and_shown_while_the_main_thread_waits(tmp_path: Path) -> None:
    path = tmp_path / "stderr"
    with path.open("w") as stream:
        done = iter(range(1000))
        progress = Progress(lambda: Snapshot(total=4, done=min(next(done), 4)), stream, {})
        progress.start()
        time.sleep(1.3)
        progress.stop()
        progress.stop()
        stream.write("the stream is still open")
    assert "culturegate: 1 of 4 cases" in path.read_text()
    assert path.read_text().endswith("the stream is still open")


def test_capturing_of_output_does_not_swallow_it(tmp_path: Path) -> None:
    path = tmp_path / "stderr"
    with path.open("w") as stream, Path(os.devnull).open("w") as capture:
        progress = Progress(lambda: Snapshot(total=1, done=1), stream, {})
        # What pytest does to stderr's descriptor while a test runs.
        os.dup2(capture.fileno(), stream.fileno())
        progress.stop()
    assert "1 of 1 cases" in path.read_text()


def test_a_stream_without_a_descriptor_is_written_as_it_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    Progress(lambda: Snapshot(total=1, done=1), env={}).stop()
    assert stream.getvalue().startswith("culturegate: 1 of 1 cases")


def test_fetching_the_model_is_told_in_a_few_plain_lines():
    stream = io.StringIO()
    fetching = Fetching(stream, env={})
    for percent in range(101):
        fetching(percent, 100)
    lines = stream.getvalue().split()
    assert stream.getvalue().count("fetched once") == 5
    assert "\r" not in stream.getvalue()
    assert lines[0] == "culturegate:"


def test_nothing_is_said_where_nothing_is_fetched():
    stream = io.StringIO()
    Fetching(stream, env={})
    assert stream.getvalue() == ""
