"""Fixtures of the harness's own tests."""

from __future__ import annotations

from pathlib import Path

# In-process sessions forget what they imported: what is heavy is imported here, once for all.
import aiohttp  # noqa: F401
import hypothesis  # noqa: F401
import matplotlib.backends.backend_svg
import matplotlib.pyplot  # noqa: F401
import openai  # noqa: F401
import pytest
import scipy.stats  # noqa: F401
from matplotlib import get_cachedir
from suites import Suite, small_bank

pytest_plugins = ["pytester"]


@pytest.fixture
def suite(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Suite:
    """A project with the benchmark, the repository's thresholds and a small bank."""
    for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY", "GITHUB_STEP_SUMMARY", "CI"):
        monkeypatch.delenv(name, raising=False)
    # pytester moves the home directory, and matplotlib would list the machine's fonts anew.
    monkeypatch.setenv("MPLCONFIGDIR", str(Path(get_cachedir())))
    return Suite(pytester)


@pytest.fixture
def small(suite: Suite) -> Suite:
    """The same with one culture, three episodes and so six cases a language."""
    suite.write_bank(small_bank(1, 3))
    return suite


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Retries that wait no time, in sessions of this process."""
    monkeypatch.setattr("culturegate.models.endpoint.backoff", lambda _retry: 0.001)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Make warnings errors here, and not in the benchmark, where a third party may warn."""
    for item in items:
        if item.path.is_relative_to(Path(__file__).parent):
            item.add_marker(pytest.mark.filterwarnings("error"))
