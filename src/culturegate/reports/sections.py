"""The sections that tracks add to the report."""

from __future__ import annotations

from collections.abc import Callable

from culturegate.reports.advice import advice_section
from culturegate.reports.composite import composite_section
from culturegate.reports.contaminated import contaminated_section
from culturegate.reports.diagnosis import diagnosis_section
from culturegate.reports.efficiency import efficiency_section
from culturegate.reports.framing import framing_section
from culturegate.reports.mirror import mirror_section
from culturegate.reports.persona import persona_section
from culturegate.reports.run import Run
from culturegate.reports.safety import safety_section
from culturegate.reports.section import Section, SectionTable

__all__ = ["SECTIONS", "Section", "SectionTable", "sections"]

SECTIONS: tuple[Callable[[Run], Section | None], ...] = (
    composite_section,
    mirror_section,
    persona_section,
    framing_section,
    safety_section,
    contaminated_section,
    diagnosis_section,
    advice_section,
    efficiency_section,
)
"""Builders, in the order of the page; None where the run has nothing of that track."""


def sections(run: Run) -> list[Section]:
    """Return the sections that the run has something for."""
    return [found for build in SECTIONS if (found := build(run)) is not None]
