"""What a track adds to the report: plain text in, laid out by the page and by Markdown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from culturegate.reports.figures import Figure

if TYPE_CHECKING:
    from culturegate.reports.place import Place


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
    report and on the terminal; empty where it has nothing for the top."""
    notes: tuple[str, ...] = ()
    """Plain sentences, each a paragraph, before the tables."""
    tables: tuple[SectionTable, ...] = ()
    figures: tuple[Figure, ...] = ()
    places: tuple[Place, ...] = ()
    """Where more is said when the run is over, after the tables."""
