"""The persona track at a glance: adherence where norms are followed and where they are avoided."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from culturegate.metrics.estimate import Estimate
from culturegate.reports.figures import FAINT, Figure, drawn
from culturegate.reports.summary import limits, percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NAME = "Replies that fit, by what the user does with the norm"
_STYLES = (
    ("follow", "follows it", "#0b3c6f", "o", "#0b3c6f", -0.17),
    ("avoid", "avoids it", "#d9600a", "D", "#ffffff", 0.17),
)
"""State, label, colour, marker, fill and shift: apart in shape and grey as well as in hue."""
_ROW = 0.42
"""Inches."""


def adherence_figure(
    rows: Mapping[str, Mapping[str, Estimate | None]], level: str, chance: float | None
) -> Figure | None:
    """Return adherence of each row by state, with intervals; None where nothing has a value.

    Args:
        rows: By the row's name and the state, `follow` and `avoid`.
        level: The intervals' confidence, such as `95%`.
        chance: What guessing gives; None where there is nothing to guess.
    """
    known = [one for row in rows.values() for one in row.values() if one is not None]
    if not any(one.value is not None for one in known):
        return None
    height = 0.95 + _ROW * len(rows)
    place = (0.27, 0.4 / height, 0.69, 1 - 0.85 / height)
    description = _description(rows, level)
    return drawn(NAME, description, height, place, lambda axes: _draw(axes, rows, chance))


def _draw(
    axes: Axes, rows: Mapping[str, Mapping[str, Estimate | None]], chance: float | None
) -> None:
    for state, label, colour, marker, fill, shift in _STYLES:
        for place, row in enumerate(rows.values()):
            one = row.get(state)
            if one is None or one.value is None:
                continue
            if one.low is not None and one.high is not None:
                axes.plot([one.low * 100, one.high * 100], [place + shift] * 2, color=colour,
                          linewidth=2, solid_capstyle="butt")  # fmt: skip
            axes.plot([one.value * 100], [place + shift], marker, color=colour,
                      markerfacecolor=fill, markeredgewidth=1.6, markersize=6,
                      clip_on=False)  # fmt: skip
        axes.plot([], [], marker, color=colour, markerfacecolor=fill, markersize=6, label=label)
    if chance is not None:
        axes.axvline(chance * 100, color=FAINT, linewidth=1, linestyle=(0, (2, 3)), zorder=0)
        axes.plot([], [], color=FAINT, linewidth=1, linestyle=(0, (2, 3)), label="a single guess")
    axes.set_xlim(0, 100)
    axes.set_xticks(range(0, 101, 25), [f"{tick}%" for tick in range(0, 101, 25)])
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_yticks(range(len(rows)), list(rows))
    axes.grid(axis="x", color="#e3e6ea", linewidth=0.8)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.legend(loc="lower left", bbox_to_anchor=(-0.02, 1.0), ncols=3, frameon=False, fontsize=9)


def _description(rows: Mapping[str, Mapping[str, Estimate | None]], level: str) -> str:
    told = []
    for name, row in rows.items():
        parts = [
            f"{label} {percent(one.value)} ({limits(one)})"
            for state, label, *_ in _STYLES
            if (one := row.get(state)) is not None and one.value is not None
        ]
        told.append(f"{name}: {', '.join(parts) or 'undefined'}")
    return f"{NAME}, with {level} intervals. {'; '.join(told)}."
