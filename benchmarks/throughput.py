"""How fast and how heavy the harness is: `python benchmarks/throughput.py [--items 2000 10000]`.

Everything is measured in one run, side by side, against a mock server in a process of its own. The
bare aiohttp loop of the same run is the limit that the rest is a ratio of. Whole-run rate counts
from a process's start to its exit; steady rate from the first to the last request at the server;
CPU is that of the process and its children; memory is the highest sum over the process tree. With
`--peers FOLDER` other tools ask the same items, each in an environment that is made in that folder.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import resource
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import peers
import psutil

HERE = Path(__file__).parent
PROJECT = HERE.parent
CULTURES = 10
CANARY = "culturegate-canary 00000000-0000-0000-0000-000000000000"


@dataclass(frozen=True)
class Measured:
    """One contestant's run over one number of items."""

    name: str
    items: int
    requests: int
    duplicates: int
    whole: float
    """Items a second."""
    steady: float
    """Requests a second."""
    cpu: float
    """Milliseconds an item."""
    memory: float
    """Megabytes."""


def write_items(path: Path, count: int) -> None:
    """Write a bank of four-option items, one request each, as JSON Lines."""
    with path.open("w", encoding="utf-8") as file:
        file.write(json.dumps({"canary": CANARY}) + "\n")
        for number in range(count):
            item = {
                "id": f"item-{number}",
                "culture": f"land{number % CULTURES}",
                "kind": "recall" if number % 2 else "decode",
                "episode": f"land{number % CULTURES}-tale{number // (4 * CULTURES)}",
                "question": f"In tale {number}, which thing does the traveller bring home at last?",
                "options": [f"thing {letter} of tale {number}" for letter in "wxyz"],
                "answer": "ABCD"[number // 2 % 4],
            }
            file.write(json.dumps(item) + "\n")


def write_project(folder: Path, items: Path) -> None:
    """Lay out a benchmark project with these items."""
    for name in ("conftest.py", "thresholds.yaml", "pyproject.toml"):
        shutil.copy(PROJECT / name, folder)
    shutil.copytree(PROJECT / "tests" / "benchmark", folder / "tests" / "benchmark")
    (folder / "items" / "myth").mkdir(parents=True)
    shutil.copy(items, folder / "items" / "myth" / "bench.jsonl")


@contextlib.contextmanager
def mock_server(latency: float) -> Iterator[str]:
    """Run the mock server; give its base address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen([sys.executable, HERE / "mock_server.py", str(port), str(latency)])
    address = f"http://127.0.0.1:{port}"
    try:
        for _ in range(100):
            with contextlib.suppress(OSError):
                stats(address)
                break
            time.sleep(0.1)
        yield address
    finally:
        process.kill()
        process.wait()


def stats(address: str) -> dict[str, float]:
    """Return what the server counted since the last look."""
    with urllib.request.urlopen(f"{address}/stats", timeout=5) as response:
        found: dict[str, float] = json.load(response)
    return found


class Memory:
    """The highest sum of resident memory over a process tree, looked at 20 times a second."""

    def __init__(self, pid: int) -> None:
        self.peak = 0
        self._root = psutil.Process(pid)
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def _watch(self) -> None:
        while not self._over.wait(0.05):
            with contextlib.suppress(psutil.Error):
                tree = [self._root, *self._root.children(recursive=True)]
                self.peak = max(self.peak, sum(process.memory_info().rss for process in tree))

    def stop(self) -> float:
        """Return the peak in megabytes."""
        self._over.set()
        self._thread.join()
        return self.peak / 1e6


def measure(name: str, command: list[str], folder: Path, address: str, items: int) -> Measured:
    """Run one contestant to its end."""
    stats(address)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.perf_counter()
    with (folder / "output.txt").open("w") as output:
        environment = {**os.environ, **peers.QUIET, "OPENAI_API_KEY": "none"}
        process = subprocess.Popen(
            command, cwd=folder, stdout=output, stderr=subprocess.STDOUT, env=environment
        )
        memory = Memory(process.pid)
        process.wait()
    seconds = time.perf_counter() - started
    peak = memory.stop()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    found = stats(address)
    if found["requests"] < items:
        tail = "\n".join((folder / "output.txt").read_text().splitlines()[-20:])
        raise RuntimeError(
            f"{name}: {found['requests']} requests for {items} items; it said:\n{tail}"
        )
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Measured(
        name=name,
        items=items,
        requests=int(found["requests"]),
        duplicates=int(found["duplicates"]),
        whole=items / seconds,
        steady=(found["requests"] - 1) / found["seconds"],
        cpu=cpu / items * 1000,
        memory=peak,
    )


def contestants(url: str, connections: int, items: Path) -> dict[str, list[str]]:
    """Return each contestant's command line."""
    bare = [sys.executable, str(HERE / "bare_loop.py")]
    ours = [
        # Hypothesis, which is here for the harness's own tests, costs 0.4 s.
        *(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"),
        *("-p", "no:hypothesispytest"),
        *("--endpoint", url, "--model", "mock-2026-01-01"),
        *("--max-connections", str(connections), "--gate", "off"),
        *("--protocol", "standard", "--lang", "en", "--templates", "1"),
    ]
    return {
        "bare aiohttp loop": [*bare, "aiohttp", url, str(connections), str(items)],
        "bare AsyncOpenAI loop": [*bare, "openai", url, str(connections), str(items)],
        "culturegate": ours,
        "culturegate -n 2": [*ours, "-n", "2"],
    }


def head(items: int) -> str:
    """Return the heading of the table of one number of items."""
    columns = "".join(f"{name:>10}" for name in ("whole/s", "steady/s", "of limit", "CPU ms", "MB"))
    return f"\n{f'{items} items':24}{columns}{'twice':>10}"


def line(row: Measured, limit: Measured) -> str:
    """Return one contestant's line, its steady rate also as a share of the limit's."""
    return (
        f"{row.name:24}{row.whole:10.0f}{row.steady:10.0f}{row.steady / limit.steady:10.2f}"
        f"{row.cpu:10.2f}{row.memory:10.0f}{row.duplicates:10}"
    )


def main() -> None:
    """Measure every contestant over every number of items."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--items", type=int, nargs="+", default=[2000, 10_000])
    parser.add_argument("--connections", type=int, default=64)
    parser.add_argument("--peers", type=Path, metavar="FOLDER", help="Measure other tools too")
    parser.add_argument("--latency", type=float, default=0.05, help="Seconds a reply takes")
    options = parser.parse_args()
    bins = peers.install(options.peers) if options.peers else None
    with mock_server(options.latency) as address:
        for count in options.items:
            rows: list[Measured] = []
            print(head(count))
            with tempfile.TemporaryDirectory() as name:
                items = Path(name) / "items.jsonl"
                write_items(items, count)
                plain = Path(name) / "plain.jsonl"
                plain.write_text("".join(items.open().readlines()[1:]))
                commands = contestants(f"{address}/v1", options.connections, plain)
                if bins is not None:
                    others = peers.commands(bins, f"{address}/v1", options.connections, plain)
                    commands |= others
                for number, (contestant, command) in enumerate(commands.items()):
                    folder = Path(name) / str(number)
                    folder.mkdir()
                    write_project(folder, items)
                    try:
                        rows.append(measure(contestant, command, folder, address, count))
                        print(line(rows[-1], rows[0]), flush=True)
                    except RuntimeError as error:
                        print(f"  {error}", flush=True)


if __name__ == "__main__":
    main()
