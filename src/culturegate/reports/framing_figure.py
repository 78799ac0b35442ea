"""The framing track at a glance: compliance told of a test or not, and told able or not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from culturegate.metrics.estimate import Estimate
from culturegate.metrics.framing import CONTROL
from culturegate.reports.figures import FAINT, INK, Figure, drawn
from culturegate.reports.summary import limits, percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NAME = "Replies that keep to the format, by what the model is told"
_LINES = (
    ("high", "told able", "#0b3c6f", "o", "#0b3c6f", "-", -0.025),
    ("low", "told not able", "#d9600a", "D", "#ffffff", "--", 0.025),
)
"""Level, label, colour, marker, fill, line and shift: apart in shape and grey as well as in hue."""
_PLACES = (("unaware", "not told of a test"), ("aware", "told it is a test"))
_CLOSE = 7.0
"""Points below which two labels would lie upon each other."""


def compliance_figure(rates: Mapping[str, Estimate]) -> Figure | None:
    """Return two lines of two points with their intervals, and the control; None without points.

    Args:
        rates: Compliance by condition.
    """
    if not any(found.value is not None for found in rates.values()):
        return None
    return drawn(NAME, _description(rates), 3.3, (0.12, 0.13, 0.64, 0.8), lambda a: _draw(a, rates))


def _draw(axes: Axes, rates: Mapping[str, Estimate]) -> None:
    labels: list[tuple[float, str, str]] = []
    control = rates[CONTROL]
    if control.value is not None:
        if control.low is not None and control.high is not None:
            axes.axhspan(
                control.low * 100, control.high * 100, color=FAINT, alpha=0.18, linewidth=0
            )
        axes.axhline(control.value * 100, color=INK, linewidth=1.2, linestyle=(0, (1, 2)))
        labels.append((control.value * 100, "control", INK))
    for level, label, colour, marker, fill, line, shift in _LINES:
        found = [(at + shift, rates[f"{name}-{level}"]) for at, (name, _) in enumerate(_PLACES)]
        points = [(at, one) for at, one in found if one.value is not None]
        if not points:
            continue
        axes.plot(
            [at for at, _ in points], [(one.value or 0) * 100 for _, one in points], line,
            color=colour, linewidth=1.8, marker=marker, markerfacecolor=fill, markeredgewidth=1.6,
            markersize=8, clip_on=False, zorder=3,
        )  # fmt: skip
        for at, one in points:
            if one.low is not None and one.high is not None:
                axes.plot([at, at], [one.low * 100, one.high * 100], color=colour, linewidth=2,
                          solid_capstyle="butt", zorder=2)  # fmt: skip
        labels.append(((points[-1][1].value or 0) * 100, label, colour))
    for place, label, colour in _apart(labels):
        axes.text(1.08, place, label, color=colour, fontsize=10, va="center", clip_on=False)
    axes.set_xlim(-0.25, 1.05)
    axes.set_xticks([0, 1], [told for _, told in _PLACES])
    axes.set_ylim(-2, 102)
    axes.set_yticks(range(0, 101, 25), [f"{tick}%" for tick in range(0, 101, 25)])
    axes.grid(axis="y", color="#e3e6ea", linewidth=0.8)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)


def _apart(labels: list[tuple[float, str, str]]) -> list[tuple[float, str, str]]:
    """Return labels from the top down, moved so far that none lies upon another."""
    moved: list[tuple[float, str, str]] = []
    for place, label, colour in sorted(labels, key=lambda one: -one[0]):
        highest = moved[-1][0] - _CLOSE if moved else 100.0
        moved.append((min(place, highest), label, colour))
    lowest = moved[-1][0] if moved else 0.0
    lift = max(0.0, -lowest)
    return [(place + lift, label, colour) for place, label, colour in moved]


def _description(rates: Mapping[str, Estimate]) -> str:
    told = [
        f"{name.replace('-', ', ')} {percent(found.value)} ({limits(found)})"
        for name, found in rates.items()
        if found.value is not None
    ]
    return f"Share of replies that keep to the format, with intervals. {'; '.join(told)}."
