"""A run as people and machines read it.

At a session's start `claim` makes the run's folder, which `run_name` or the user named, and
`collect_provenance` says with what it is made. At its end the plugin hands a `Run` to
`write_evidence` (records.jsonl, run.json, metrics.json, efficiency.jsonl and more), `write_summary`
(summary.md), `point_latest` and `terminal_lines`. `report.html` is pytest-html's page: the
plugin's pytest-html hooks call `html_summary_prefix`, `header_cells`, `row_cells` and
`row_detail`; `RowBudget` says which cases get a row, and `shown` is what travels to it.

What cannot be written raises `ReportError`, a `CulturegateError` that names the file and the cause.
"""

from culturegate.reports.directory import (
    claim,
    point_latest,
    run_name,
    unfinished_run,
)
from culturegate.reports.disputed import (
    DISPUTED_FILE,
    Decisions,
    Disputed,
    read_decisions,
    write_disputed,
)
from culturegate.reports.evidence import read_comparable, read_run, write_evidence
from culturegate.reports.files import ReportError
from culturegate.reports.framing_rows import write_framing
from culturegate.reports.markdown import markdown, publish, write_summary
from culturegate.reports.page import html_summary_prefix
from culturegate.reports.provenance import collect_provenance
from culturegate.reports.rows import ROW_LIMIT, RowBudget, header_cells, row_cells, row_detail
from culturegate.reports.run import Run
from culturegate.reports.sections import Section, SectionTable, sections
from culturegate.reports.shortcuts import shortcuts
from culturegate.reports.shown import shown
from culturegate.reports.terminal import terminal_lines

__all__ = [
    "DISPUTED_FILE",
    "ROW_LIMIT",
    "Decisions",
    "Disputed",
    "ReportError",
    "RowBudget",
    "Run",
    "Section",
    "SectionTable",
    "claim",
    "collect_provenance",
    "header_cells",
    "html_summary_prefix",
    "markdown",
    "point_latest",
    "publish",
    "read_comparable",
    "read_decisions",
    "read_run",
    "row_cells",
    "row_detail",
    "run_name",
    "sections",
    "shortcuts",
    "shown",
    "terminal_lines",
    "unfinished_run",
    "write_disputed",
    "write_evidence",
    "write_framing",
    "write_summary",
]
