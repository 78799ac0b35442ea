"""Places in the reports for what is said of a run when it is over, also after they were made."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from markupsafe import Markup

from culturegate.reports.escaping import escape
from culturegate.reports.files import mended, write_text
from culturegate.reports.section import SectionTable
from culturegate.reports.tables import markdown_table, section_table, titled
from culturegate.text import clean


@dataclass(frozen=True, slots=True)
class Told:
    """What is said at a place."""

    notes: tuple[str, ...]
    """Plain sentences."""
    table: SectionTable | None = None
    title: str | None = None
    """Of a place that stands on its own; None inside a section."""


@dataclass(frozen=True, slots=True)
class Place:
    """A place that the reports keep, found again in them by its name."""

    name: str
    """A slug."""
    told: Callable[[Path, Mapping[str, Any]], Told | None]
    """Says what stands there, from a run's folder and the content of its run.json; None where
    there is nothing to say yet. It never fails for a file that can't be read."""

    def html(self, directory: Path, info: Mapping[str, Any]) -> Markup:
        """Return the place in report.html, empty where there is nothing to say yet."""
        found = self.told(directory, info)
        body = Markup("")
        if found is not None:
            parts = [Markup("<p>{}</p>").format(clean(note, 2000)) for note in found.notes]
            parts += [section_table(found.table)] if found.table is not None else []
            body = Markup("").join(parts)
            body = titled(found.title, body) if found.title is not None else body
        return Markup('<div id="cg-{}">{}</div><!--cg-{}-->').format(self.name, body, self.name)

    def markdown(self, directory: Path, info: Mapping[str, Any]) -> list[str]:
        """Return the lines of the place in summary.md; none where there is nothing to say yet."""
        found = self.told(directory, info)
        if found is None:
            return []
        lines = [f"<!-- {self.name} -->"]
        lines += [f"**{escape(found.title)}**", ""] if found.title is not None else []
        lines += [f"- {escape(note, 500)}" for note in found.notes]
        lines += ["", *markdown_table(found.table)] if found.table is not None else []
        return [*lines, f"<!-- end of {self.name} -->"]

    def show(self, directory: Path, info: Mapping[str, Any]) -> list[Path]:
        """Say it anew in the run's reports that are there, and return their paths.

        Raises:
            ReportError: Where a report can't be read or written.
        """
        shown = []
        for name, change in (("report.html", self._into_html), ("summary.md", self._into_markdown)):
            path = directory / name
            if not path.is_file():
                continue
            with mended("read", path):
                text = path.read_text("utf-8")
            write_text(path, (change(text, directory, info),))
            shown.append(path)
        return shown

    def _into_html(self, text: str, directory: Path, info: Mapping[str, Any]) -> str:
        place = rf'<div id="cg-{self.name}">.*?</div><!--cg-{self.name}-->'
        found = str(self.html(directory, info))
        return re.sub(place, lambda _: found, text, count=1, flags=re.DOTALL)

    def _into_markdown(self, text: str, directory: Path, info: Mapping[str, Any]) -> str:
        place = rf"<!-- {self.name} -->.*?<!-- end of {self.name} -->"
        told = "\n".join(self.markdown(directory, info))
        new, count = re.subn(place, lambda _: told, text, count=1, flags=re.DOTALL)
        return new if count else f"{text.rstrip()}\n\n{told}\n"
