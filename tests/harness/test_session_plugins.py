"""The suite beside the plugins that people have installed anyway."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest
from servers import ScriptedServer, answers
from suites import SMALL, Suite, recall_only, small_bank

PLUGINS = (
    *("pytest-cov", "pytest-mock", "pytest-asyncio", "pytest-timeout", "pytest-django"),
    *("pytest-rerunfailures", "pytest-sugar", "pytest-randomly", "pytest-benchmark"),
    *("pytest-playwright", "pytest-base-url", "pytest-flask", "pytest-bdd", "pytest-env"),
    *("pytest-order", "pytest-httpserver", "pytest-split", "pytest-instafail", "pytest-repeat"),
    *("pytest-picked", "pytest-xdist", "pytest-html", "pytest-metadata", "syrupy"),
    *("allure-pytest", "anyio", "Faker"),
)
NO_INDEX = ("No matching distribution", "ConnectionError", "Temporary failure", "timed out")


@pytest.fixture(scope="module")
def plugins(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with all of them, beside the environment of this session."""
    if importlib.util.find_spec("pip") is None:
        pytest.skip("there is no pip in this environment")
    folder = tmp_path_factory.mktemp("plugins")
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-input", "--no-compile"]
    done = subprocess.run(
        [*command, "--target", str(folder), "--retries", "1", *PLUGINS],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode and any(sign in done.stderr for sign in NO_INDEX):
        pytest.skip("pip can reach no package index")
    assert done.returncode == 0, done.stderr
    return folder


def test_the_twenty_most_used_plugins_change_nothing(suite: Suite, plugins: Path):
    suite.write_bank(small_bank(1, 4))
    # Breached, since some plugins add bits of their own to an exit code.
    (suite.path / "thresholds.yaml").write_text(
        "profiles: {smoke: {lines: [{name: a, metric: accuracy, min: 0.9}]}}\n"
    )
    options = ("--instafail", "--reruns", "1", "--timeout", "60", "--benchmark-disable")
    with ScriptedServer(answers(recall_only)) as server:
        alone = suite.ask(server, *SMALL, run_dir="alone")
        calls = server.calls
        command = [sys.executable, "-m", "pytest", f"--run-dir={suite.path / 'beside'}"]
        done = subprocess.run(
            [*command, "--endpoint", server.base_url, *SMALL, *options],
            cwd=suite.path,
            env=os.environ | {"PYTHONPATH": str(plugins)},
            capture_output=True,
            text=True,
            check=False,
        )
        # To run a test again is not to ask again.
        assert server.calls == 2 * calls
    assert (alone.ret, done.returncode) == (10, 10)
    assert "rror" not in done.stderr
    for plugin in ("randomly", "bdd", "django", "playwright", "asyncio", "split"):
        assert f" {plugin}-" in done.stdout
    for name in ("metrics.json", "records.jsonl"):
        one, other = suite.path / "alone" / name, suite.path / "beside" / name
        assert one.read_bytes() == other.read_bytes()
    assert "Gate smoke: " in done.stdout
    assert (suite.path / "beside" / "report.html").is_file()
