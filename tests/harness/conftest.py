"""Fixtures of the harness's own tests."""

from __future__ import annotations

import pytest
from suites import Suite

pytest_plugins = ["pytester"]


@pytest.fixture
def suite(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Suite:
    """A project with the benchmark, the repository's thresholds and a small bank."""
    for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY", "GITHUB_STEP_SUMMARY", "CI"):
        monkeypatch.delenv(name, raising=False)
    return Suite(pytester)
