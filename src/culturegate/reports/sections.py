"""Sections that a track adds to the report: plain text in, laid out by the page and by Markdown."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from culturegate.reports.figures import Figure
from culturegate.reports.run import Run


@dataclass(frozen=True, slots=True)
class SectionTable:
    """A table of plain texts; the first cell of a row is its head."""

    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Section:
    """What one track has to say of a run beside the common tables."""

    title: str
    headline: str
    """One plain sentence: what the track found, with its interval and n. Shown at the top of every
    report and on the terminal."""
    notes: tuple[str, ...] = ()
    """Plain sentences, each a paragraph, before the tables."""
    tables: tuple[SectionTable, ...] = ()
    figures: tuple[Figure, ...] = ()


SECTIONS: tuple[Callable[[Run], Section | None], ...] = ()
"""Builders, in the order of the page; None where the run has nothing of that track."""


def sections(run: Run) -> list[Section]:
    """Return the sections that the run has something for."""
    return [found for build in SECTIONS if (found := build(run)) is not None]
