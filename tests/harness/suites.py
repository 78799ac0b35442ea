"""A small bank, a server that knows its keys, and a session to run the benchmark in."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from servers import ScriptedServer, prompt_of

REPOSITORY = Path(__file__).parents[2]
CANARY = "culturegate-canary 6f1d0a52-3b7e-4c19-9e84-52c7d8b1f0ae"
LETTERS = "ABCD"
INI = "[pytest]\nstrict = true\naddopts = -ra\ntestpaths = tests/benchmark\n"


def small_bank(cultures: int = 2, episodes: int = 12) -> dict[str, str]:
    """Return YAML files by name: each episode has one recall and one decode item, in two languages.

    A key starts with the word "Right", or "对", so that a scripted server can find it.
    """
    return {f"land{n}.yaml": _culture(f"land{n}", episodes) for n in range(cultures)}


def _culture(name: str, episodes: int) -> str:
    data = {
        "canary": CANARY,
        "culture": name,
        "title": {"en": name.title(), "zh": f"{name}之地"},
        "authors": ["tests"],
        "episodes": [_episode(name, n) for n in range(episodes)],
    }
    return yaml.safe_dump(data, allow_unicode=True, sort_keys=False)


def _episode(culture: str, number: int) -> dict[str, object]:
    return {
        "id": f"{culture}-tale{number}",
        "title": {"en": f"Tale {number}", "zh": f"故事{number}"},
        "source": {"work": "A test", "section": str(number), "checked": False},
        "items": [_item(culture, number, "recall"), _item(culture, number, "decode")],
    }


def _item(culture: str, number: int, kind: str) -> dict[str, object]:
    labels = "abcd"
    answer = labels[number % 4]
    options = {}
    for label in labels:
        right = label == answer
        text = {
            "en": f"{'Right' if right else 'Wrong'} {kind} {label}{number} of {culture}",
            "zh": f"{'对' if right else '错'}{kind}{label}{number}{culture}",
        }
        options[label] = text if right else text | {"tag": "surface"}
    return {
        "id": f"{kind[0]}1",
        "kind": kind,
        **({"form": "metaphor"} if kind == "decode" else {}),
        "difficulty": 1 + number % 3,
        "public": True,
        "question": {
            "en": f"What of {kind} {number}, {culture}?",
            "zh": f"{culture}{kind}{number}？",
        },
        "options": options,
        "answer": answer,
    }


def shown_options(prompt: str) -> dict[str, str]:
    """Return letter → text of the options that a prompt shows."""
    return dict(re.findall(r"^([A-D])\. (.+)$", prompt, flags=re.M))


def key_letter(prompt: str) -> str:
    """Return the letter of the small bank's key in a prompt."""
    return next(
        letter for letter, text in shown_options(prompt).items() if text.startswith(("Right", "对"))
    )


def wrong_letter(prompt: str) -> str:
    """Return a letter that is not the key's."""
    return next(letter for letter in LETTERS if letter != key_letter(prompt))


def everything_right(body: Mapping[str, Any]) -> str:
    """Answer a chat request with the letter of the small bank's key."""
    return key_letter(prompt_of(body))


def recall_only(body: Mapping[str, Any]) -> str:
    """Answer recall right and decode wrong."""
    prompt = prompt_of(body)
    return key_letter(prompt) if "recall" in prompt else wrong_letter(prompt)


class Suite:
    """A benchmark project in a folder of its own."""

    def __init__(self, pytester: pytest.Pytester) -> None:
        self.pytester = pytester
        self.path = pytester.path
        for name in ("conftest.py", "thresholds.yaml"):
            (self.path / name).write_bytes((REPOSITORY / name).read_bytes())
        tests = self.path / "tests" / "benchmark"
        tests.mkdir(parents=True)
        for name in ("test_recall.py", "test_decode.py"):
            (tests / name).write_bytes((REPOSITORY / "tests" / "benchmark" / name).read_bytes())
        (self.path / "pytest.ini").write_text(INI)
        self.write_bank(small_bank())

    def write_bank(self, files: Mapping[str, str]) -> None:
        """Replace the bank by these YAML files."""
        folder = self.path / "items" / "myth"
        folder.mkdir(parents=True, exist_ok=True)
        for old in folder.iterdir():
            old.unlink()
        for name, text in files.items():
            (folder / name).write_text(text, encoding="utf-8")

    def run(self, *arguments: str, run_dir: str = "run") -> pytest.RunResult:
        """Run pytest here in this process, with the evidence in `run_dir`."""
        return self.pytester.runpytest_inprocess(f"--run-dir={self.path / run_dir}", *arguments)

    def start(
        self, server: ScriptedServer, *arguments: str, run_dir: str = "run"
    ) -> subprocess.Popen[str]:
        """Start the suite against a server in a process, and process group, of its own."""
        where = (f"--run-dir={self.path / run_dir}", "--endpoint", server.base_url)
        return subprocess.Popen(
            [sys.executable, "-m", "pytest", *where, *arguments],
            cwd=self.path,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def ask(
        self, server: ScriptedServer, *arguments: str, run_dir: str = "run"
    ) -> pytest.RunResult:
        """Run the suite against a server."""
        return self.run("--endpoint", server.base_url, *arguments, run_dir=run_dir)

    def records(self, run_dir: str = "run") -> list[dict[str, Any]]:
        """Return the records that a run has left."""
        lines = (self.path / run_dir / "records.jsonl").read_text("utf-8").splitlines()
        return [json.loads(line) for line in lines]

    def info(self, run_dir: str = "run") -> dict[str, Any]:
        """Return a run's run.json."""
        info: dict[str, Any] = json.loads((self.path / run_dir / "run.json").read_bytes())
        return info


SMALL = ("--protocol", "quick", "--gate-profile", "smoke")
"""Options for a short session: one wording, English, and the one line that cases were asked."""


def refusal(result: pytest.RunResult) -> str:
    """Return the whole message of a session that ended with exit 4, before any case."""
    assert result.ret == 4
    assert "Traceback" not in result.stdout.str() + result.stderr.str()
    head, message = result.stderr.str().split("ERROR: ")
    assert not head.strip()
    return message.strip()
