"""A person's second look in the reports, also where it comes after they were made."""

from __future__ import annotations

import re
from pathlib import Path

from markupsafe import Markup

from culturegate.reports.escaping import escape
from culturegate.reports.files import mended, write_text
from culturegate.reports.sampling import human_lines
from culturegate.reports.tables import titled

TITLE = "A human look"
_HTML = re.compile(r'<div id="cg-human">.*?</div>', re.DOTALL)
_BEGIN, _END = "<!-- human look -->", "<!-- end of human look -->"
_MARKDOWN = re.compile(rf"\n?{_BEGIN}.*?{_END}\n?", re.DOTALL)


def human_html(directory: Path) -> Markup:
    """Return the place of a person's second look in report.html, empty until there is one."""
    told = Markup("").join(Markup("<p>{}</p>").format(line) for line in human_lines(directory))
    return Markup('<div id="cg-human">{}</div>').format(titled(TITLE, told) if told else "")


def human_markdown(directory: Path) -> list[str]:
    """Return the lines of a person's second look in summary.md; none where there is no such."""
    found = human_lines(directory)
    if not found:
        return []
    told = [f"- {escape(line, 500)}" for line in found]
    return [_BEGIN, f"**{TITLE}**", "", *told, _END]


def show_human(directory: Path) -> list[Path]:
    """Put what human.json says into the run's reports that are there, and return their paths.

    Raises:
        ReportError: Where a report can't be read or written.
    """
    shown = []
    for name, change in (("report.html", _into_html), ("summary.md", _into_markdown)):
        path = directory / name
        if not path.is_file():
            continue
        with mended("read", path):
            text = path.read_text("utf-8")
        write_text(path, (change(text, directory),))
        shown.append(path)
    return shown


def _into_html(text: str, directory: Path) -> str:
    return _HTML.sub(lambda _: str(human_html(directory)), text, count=1)


def _into_markdown(text: str, directory: Path) -> str:
    return (
        _MARKDOWN.sub("", text).rstrip("\n") + "\n\n" + "\n".join(human_markdown(directory)) + "\n"
    )
