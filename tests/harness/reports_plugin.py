"""A conftest as small as can be, wired as the plugin is: records on call reports, rows, a page.

The cases come from the module that the environment variable SAMPLE names.
"""

from __future__ import annotations

import importlib
import os
from pathlib import Path

import pytest

from culturegate import reports

sample = importlib.import_module(os.environ["SAMPLE"])
CASES = {record.facts.case: (record, shown) for record, shown in sample.cases()}


def pytest_configure(config):
    config.option.htmlpath = str(Path("report.html").absolute())
    config.option.self_contained_html = True
    config.budget = reports.RowBudget(record.facts for record, _ in CASES.values())


def pytest_generate_tests(metafunc):
    if "case" in metafunc.fixturenames:
        metafunc.parametrize("case", CASES, ids=list(CASES))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_makereport(item, call):
    if call.when == "teardown" or not hasattr(item, "callspec"):
        return None
    record, shown = CASES[item.callspec.params["case"]]
    if (call.when == "setup") is not (record.passed is None):
        return None
    report = pytest.TestReport(
        item.nodeid, item.location, {}, "passed" if record.passed else "failed",
        None if record.passed else "wrong", call.when, duration=call.duration,
    )  # fmt: skip
    report.culturegate = {"shown": shown}
    return report


def _shown(report):
    return getattr(report, "culturegate", {}).get("shown")


@pytest.hookimpl(tryfirst=True)
def pytest_report_teststatus(report):
    if _shown(report) is not None and report.failed:
        return ("wrong", "w", "WRONG")
    return None


def pytest_html_report_title(report):
    report.title = "culturegate"


def pytest_html_results_table_header(cells):
    cells[:] = reports.header_cells(cells)


class Rows:
    def __init__(self, budget):
        self.budget = budget

    def pytest_html_results_table_row(self, report, cells):
        shown = _shown(report)
        phase = report.when != "call" and report.passed
        if phase or (shown is not None and not self.budget.admit(CASES[shown["case"]][0])):
            cells.clear()
        else:
            cells[:] = reports.row_cells(cells, shown)


def pytest_sessionstart(session):
    config = session.config
    config.pluginmanager.register(Rows(config.budget), "rows")


def pytest_html_results_table_html(report, data):
    if _shown(report) is not None:
        data[:] = [reports.row_detail(_shown(report))]


def pytest_html_results_summary(prefix, session):
    run = sample.run(Path.cwd(), [record for record, _ in CASES.values()])
    prefix.extend(reports.html_summary_prefix(run, session.config.budget))
