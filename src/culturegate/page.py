"""The report's page, made by pytest-html.

pytest-html opens its page when a session starts, and culturegate knows only after collection
whether there is anything to show. So the page is opened late, through pytest-html's own start.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from pathlib import Path
from typing import Any

from culturegate.reports import (
    RowBudget,
    Run,
    header_cells,
    html_summary_prefix,
    row_cells,
    row_detail,
)
from culturegate.text import one_line
from culturegate.tracks import Case, Record


class Page:
    """One session's page, or none where pytest-html is switched off."""

    def __init__(self, config: Any) -> None:
        self._config = config
        self._budget: RowBudget | None = None
        self._data: Any = None
        self.path: Path | None = None
        """Where the page will be; None without one."""
        self._asked = getattr(config.option, "htmlpath", None)
        if self._asked is not None:
            config.option.htmlpath = None

    def open(self, session: Any, directory: Path, cases: Sequence[Case]) -> None:
        """Begin the page, in the run's directory unless `--html` says otherwise."""
        if not self._config.pluginmanager.hasplugin("html"):
            return
        from pytest_html import plugin
        from pytest_html.basereport import BaseReport

        self._budget = RowBudget(case.facts for case in cases)
        self.path = Path(self._asked or directory / "report.html").absolute()
        self._config.option.htmlpath = str(self.path)
        self._config.option.self_contained_html = True
        plugin.pytest_configure(self._config)
        for found in self._config.pluginmanager.get_plugins():
            if isinstance(found, BaseReport):
                self._config.pluginmanager.unregister(found)
                found.pytest_runtest_logreport = _rows_only(found.pytest_runtest_logreport)
                self._config.pluginmanager.register(found)
                found.pytest_sessionstart(session)

    def name(self, report: Any) -> None:
        """Take hold of pytest-html's data, whose title is set once it is known who answered."""
        self._data = report
        report.title = "culturegate"
        if self._config.getini("render_collapsed") == "passed":
            # Its default opens every wrong case, and a page of hundreds can't be read to its end.
            report.set_data("renderCollapsed", ["all"])

    def header(self, cells: list[str]) -> None:
        """Set the table's columns, in place."""
        if self._budget is not None:
            cells[:] = header_cells(cells)

    def admits(self, record: Record) -> bool:
        """Return whether a case gets a row, and count it where it does."""
        return self._budget is not None and self._budget.admit(record)

    def row(self, cells: list[str], shown: dict[str, Any] | None) -> None:
        """Fill a row in place."""
        if self._budget is not None:
            cells[:] = row_cells(cells, shown)

    def detail(self, data: list[str], shown: dict[str, Any]) -> None:
        """Put what opens below a row in place of pytest's log."""
        data[:] = [row_detail(shown)]

    def summary(self, prefix: list[str], run: Run) -> None:
        """Put the run's own summary on top."""
        self._data.title = one_line(f"culturegate: {run.model}", 100)
        prefix.extend(html_summary_prefix(run, self._budget))


def _rows_only(log: Callable[[Any], None]) -> Callable[[Any], None]:
    """Return pytest-html's hook for a report, told only of those that can get a row.

    It keeps every report that it hears of, and works through all three of a test.
    """
    held: dict[str, Any] = {}
    without_row: set[str] = set()

    @wraps(log)
    def log_rows(report: Any) -> None:
        name = report.nodeid
        before = held.pop(name, None)
        if getattr(report, "culturegate", log) is None:
            without_row.add(name)
        elif report.when == "setup" and report.passed:
            held[name] = report  # Its test's next report tells whether there is a row.
        elif report.when == "teardown" and report.passed and name in without_row:
            without_row.remove(name)
        else:
            if before is not None:
                log(before)
            log(report)

    return log_rows
