"""What the report says of the composite: its parts beside the whole."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from culturegate.reports.run import Run
from culturegate.reports.section import Section, SectionTable
from culturegate.reports.summary import percent
from culturegate.text import one_line

_HEADS = ("track", "what counts", "weight", "value", "n", "contaminated", "contribution")


def composite_section(run: Run) -> Section | None:
    """Return the composite's section, None where fewer than two tracks were asked."""
    data = run.metrics.get("composite")
    if not data:
        return None
    # Without a corpus nobody knows what is contaminated, and a 0 would say that nothing is.
    searched = run.contamination is not None or any(r.facts.contaminated for r in run.records)
    rows = [_row(part) for part in data["parts"]]
    rows.append(("composite", "", "", _share(data), str(data["n"]), "", _points(data["value"])))
    shown = [place for place, head in enumerate(_HEADS) if searched or head != "contaminated"]
    counts = f" A contaminated case counts {data['contaminated_weight']:g}." if searched else ""
    level = percent(float(run.metrics["confidence"]))
    return Section(
        "Composite: the parts beside the whole",
        _headline(data),
        (
            "Weights are those of thresholds.yaml, as shares of their sum; a contribution is the "
            f"share × the value, in points of 100.{counts} Where a track has no judged case the "
            "whole is undefined: leaving it out would reward not asking. Safety is no part: its "
            "red lines veto whatever the composite says.",
            *(f"Warning: {one_line(told, 300)}." for told in data["reversals"]),
        ),
        (
            SectionTable(
                f"Parts, with {level} intervals",
                tuple(_HEADS[place] for place in shown),
                tuple(tuple(row[place] for place in shown) for row in rows),
            ),
        ),
    )


def _headline(data: Mapping[str, Any]) -> str:
    warned = "; an order reverses within the tracks, see there" if data["reversals"] else ""
    if data["value"] is None:
        return f"Composite: undefined, {one_line(data['undefined'], 200)}{warned}."
    told = f"Composite: {100 * data['value']:.0f} of 100 ({_limits(data)}); "
    told += ", ".join(
        f"{part['track']} {percent(part['value'])} × {percent(part['portion'])}"
        for part in data["parts"]
    )
    return f"{told}{warned}."


def _row(part: Mapping[str, Any]) -> tuple[str, ...]:
    return (
        part["track"],
        part["meaning"],
        f"{part['weight']:g} ({percent(part['portion'])})",
        _share(part),
        str(part["n"]),
        str(part["contaminated"]),
        _points(part["contribution"]),
    )


def _share(data: Mapping[str, Any]) -> str:
    return "undefined" if data["value"] is None else f"{percent(data['value'])} ({_limits(data)})"


def _limits(data: Mapping[str, Any]) -> str:
    return f"{100 * data['low']:.0f} to {100 * data['high']:.0f}"


def _points(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f}"
