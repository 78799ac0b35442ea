"""The mirror track at a glance: what language costs and what culture costs, by group."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from culturegate.metrics.estimate import Estimate
from culturegate.reports.figures import FAINT, Figure, drawn
from culturegate.reports.summary import limits, points

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NAME = "What language and culture cost, in points"
_STYLES = (
    ("language", "#0b3c6f", "o", "#0b3c6f", -0.17),
    ("culture", "#d9600a", "D", "#ffffff", 0.17),
)
"""Loss, colour, marker, fill and shift: apart in shape and grey as well as in hue."""
_ROW = 0.42
"""Inches."""


def losses_figure(losses: Mapping[str, tuple[Estimate | None, ...]], level: str) -> Figure | None:
    """Return both losses of each group with their intervals; None where none has a value.

    Args:
        losses: Language, culture and further losses by the group's name, in the order shown.
        level: The intervals' confidence, such as `95%`.
    """
    if not any(one is not None and one.value is not None for two in losses.values() for one in two):
        return None
    height = 0.95 + _ROW * len(losses)
    place = (0.38, 0.55 / height, 0.59, 1 - 1.0 / height)
    return drawn(NAME, _description(losses, level), height, place, lambda a: _draw(a, losses))


def _draw(axes: Axes, losses: Mapping[str, tuple[Estimate | None, ...]]) -> None:
    axes.axvline(0, color=FAINT, linewidth=1, zorder=0)
    edges = [0.0]
    for number, (loss, colour, marker, fill, shift) in enumerate(_STYLES):
        for row, found in enumerate(losses.values()):
            one = found[number]
            if one is None or one.value is None:
                if number == 0:
                    axes.text(1, row, "undefined", color=FAINT, fontsize=9, va="center")
                continue
            if one.low is not None and one.high is not None:
                axes.plot([one.low * 100, one.high * 100], [row + shift] * 2, color=colour,
                          linewidth=2, solid_capstyle="butt")  # fmt: skip
                edges += [one.low * 100, one.high * 100]
            axes.plot([one.value * 100], [row + shift], marker, color=colour, markerfacecolor=fill,
                      markeredgewidth=1.6, markersize=6, clip_on=False)  # fmt: skip
            edges.append(one.value * 100)
        axes.plot([], [], marker, color=colour, markerfacecolor=fill, markersize=6, label=loss)
    axes.set_xlim(min(-10.0, *edges) - 3, max(30.0, *edges) + 3)
    axes.set_ylim(len(losses) - 0.5, -0.5)
    axes.set_yticks(range(len(losses)), list(losses))
    axes.locator_params(axis="x", nbins=6)
    axes.grid(axis="x", color="#e3e6ea", linewidth=0.8)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=2, frameon=False, fontsize=9)


def _description(losses: Mapping[str, tuple[Estimate | None, ...]], level: str) -> str:
    told = []
    for name, found in losses.items():
        parts = [
            f"{loss} {points(one.value)} ({limits(one)})"
            for (loss, *_), one in zip(_STYLES, found, strict=False)
            if one is not None and one.value is not None
        ]
        told.append(f"{name}: {', '.join(parts) or 'undefined'}")
    return f"{NAME}, with {level} intervals. {'; '.join(told)}."
