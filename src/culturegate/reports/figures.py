"""Figures of a run as SVG, with text kept as text so that the browser's fonts draw every script.

matplotlib takes half a second to import, so it is imported where a figure is drawn. Nothing in a
figure depends on the clock, on chance or on a display.
"""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from culturegate.metrics.estimate import Estimate
from culturegate.reports.summary import ALL, Row, Summary, limits, percent, points

if TYPE_CHECKING:
    from matplotlib.axes import Axes

INK, FAINT, LIMIT = "#1b1f24", "#8a919a", "#a40000"
STYLES: Mapping[str, tuple[str, str, str]] = {
    "recall": ("#0b3c6f", "o", "#0b3c6f"),
    "decode": ("#d9600a", "D", "#ffffff"),
}
"""Colour, marker and fill by kind: apart in shape and in grey as well as in hue."""
_OTHER = ("#3f7d4f", "s", "#ffffff")

EQUAL_ENDS = (
    "Intervals over few episodes often end at the same place: no upper limit is below that of a "
    "result without a right answer, no lower one above that of a result without a wrong one. Equal "
    "ends are no fault of the chart."
)
"""Said of intervals over few episodes; metrics/shares.py sets those limits."""

_WIDTH = 5.0
"""Inches; 360 points, so that text has its own size on a phone."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One picture and what it says to a reader who cannot see it."""

    title: str
    description: str
    svg: str
    """An `<svg>` element, safe to stand in HTML, as wide as what holds it."""
    note: str = ""
    """What stands below it, for a reader who wonders at what it shows."""


def figures(summary: Summary) -> list[Figure]:
    """Return the figures that the run has numbers for: accuracy by culture, and the gap."""
    rows = summary.rows
    if not summary.has_values:
        return []
    drawn = [_accuracy(summary, rows)]
    if any(row.gap is not None and row.gap.value is not None for row in rows):
        drawn.append(_gap(summary, rows))
    return drawn


def _accuracy(summary: Summary, rows: Sequence[Row]) -> Figure:
    name = f"{' and '.join(summary.kinds[:3])} by culture".capitalize()
    told = [
        f"{row.title}: "
        + ", ".join(
            f"{kind} {percent(one.value)} ({limits(one)})"
            for kind, one in row.accuracy.items()
            if one is not None and one.value is not None
        )
        for row in rows
    ]
    kinds = summary.kinds[:3]
    facts = (record.facts for record in summary.run.records)
    chances = {fact.chance for fact in facts if fact.track == "myth"}
    chance = chances.pop() if len(chances) == 1 else None

    def draw(axes: Axes) -> None:
        step = 0.5 / max(len(kinds) - 1, 1)
        for number, kind in enumerate(kinds):
            offset = -0.25 + step * number if len(kinds) > 1 else 0.0
            for place, row in enumerate(rows):
                _dot(axes, row.accuracy[kind], place + offset, STYLES.get(kind, _OTHER))
            colour, marker, fill = STYLES.get(kind, _OTHER)
            axes.plot([], [], marker, color=colour, markerfacecolor=fill, markersize=7, label=kind)
        if chance is not None:
            axes.axvline(chance * 100, color=FAINT, linewidth=1, linestyle=(0, (2, 3)), zorder=0)
            axes.plot(
                [], [], color=FAINT, linewidth=1, linestyle=(0, (2, 3)), label="a single guess"
            )
        axes.set_xlim(0, 100)
        axes.set_xticks(range(0, 101, 25), [f"{tick}%" for tick in range(0, 101, 25)])

    found = _figure(name, f"{name}, with {summary.estimates.level} intervals. {_list(told)}",
                    rows, draw)  # fmt: skip
    return replace(found, note=EQUAL_ENDS if _has_equal_ends(rows) else "")


def _has_equal_ends(rows: Sequence[Row]) -> bool:
    """Return whether unlike values have intervals that end alike, as a reader sees them."""
    found = [
        one for row in rows for one in row.accuracy.values()
        if one is not None and one.value is not None and one.low is not None
    ]  # fmt: skip
    values: dict[tuple[str, str], set[str]] = {}
    for one in found:
        for side, end in (("low", one.low), ("high", one.high)):
            values.setdefault((side, percent(end)), set()).add(percent(one.value))
    return any(len(unlike) > 1 for unlike in values.values())


def _gap(summary: Summary, rows: Sequence[Row]) -> Figure:
    name = "Gap: recall − decode, in points"
    told = [
        f"{row.title}: "
        + ("undefined" if row.gap is None or row.gap.value is None
           else f"{points(row.gap.value)} ({limits(row.gap)})")
        for row in rows
    ]  # fmt: skip
    bounds = _limits(summary)
    values = [
        edge * 100
        for row in rows
        if row.gap is not None
        for edge in (row.gap.value, row.gap.low, row.gap.high)
        if edge is not None
    ]
    low = min([-10.0, *values])
    high = max([40.0, *values, *(bound * 100 for bound in bounds)])

    def draw(axes: Axes) -> None:
        axes.axvline(0, color=FAINT, linewidth=1, zorder=0)
        for number, bound in enumerate(bounds):
            label = f"limit {points(bound)}" if number == 0 else None
            axes.axvline(bound * 100, color=LIMIT, linewidth=1.5, linestyle=(0, (5, 2)), zorder=0,
                         label=label)  # fmt: skip
        for place, row in enumerate(rows):
            if row.gap is None or row.gap.value is None:
                axes.text(1, place, "undefined", color=FAINT, fontsize=9, va="center")
            else:
                _dot(axes, row.gap, place, (INK, "o", INK))
        axes.set_xlim(low - 3, high + 3)
        axes.locator_params(axis="x", nbins=6)

    limit = f" Limit {', '.join(points(bound) for bound in bounds)}." if bounds else ""
    description = f"{name}, with {summary.estimates.level} intervals.{limit} {_list(told)}"
    return _figure(name, description, rows, draw)


def _limits(summary: Summary) -> list[float]:
    """Return the limits that lines set on the gap, as shares."""
    found = set()
    gate = summary.run.gate
    for verdict in () if gate is None else gate.verdicts:
        number = re.search(r"-?\d+(\.\d+)?", verdict.limit.replace("−", "-"))
        if verdict.metric == "gap" and number is not None:
            found.add(float(number.group()))
    return sorted(found)


def _list(told: Sequence[str]) -> str:
    return "; ".join(told) + "."


def _dot(axes: Axes, found: Estimate | None, place: float, style: tuple[str, str, str]) -> None:
    if found is None or found.value is None:
        return
    colour, marker, fill = style
    if found.low is not None and found.high is not None:
        axes.plot([found.low * 100, found.high * 100], [place, place], color=colour, linewidth=2,
                  solid_capstyle="butt")  # fmt: skip
    axes.plot([found.value * 100], [place], marker, color=colour, markerfacecolor=fill,
              markeredgewidth=1.6, markersize=7, clip_on=False)  # fmt: skip


def _figure(name: str, description: str, rows: Sequence[Row], draw: Any) -> Figure:
    height = 0.95 + 0.36 * len(rows)

    def lay_out(axes: Axes) -> None:
        draw(axes)
        axes.set_ylim(len(rows) - 0.4, -0.6)
        axes.set_yticks(range(len(rows)), [row.title for row in rows])
        if rows[0].name == ALL:
            axes.axhline(0.5, color=FAINT, linewidth=0.6)
            axes.get_yticklabels()[0].set_fontweight("bold")
        axes.grid(axis="x", color="#e3e6ea", linewidth=0.8)
        for side in ("top", "right", "left"):
            axes.spines[side].set_visible(False)
        if axes.get_legend_handles_labels()[0]:
            axes.legend(loc="lower left", bbox_to_anchor=(-0.02, 1.0), ncols=4, frameon=False,
                        borderaxespad=0.2, handletextpad=0.5, columnspacing=1.4)  # fmt: skip

    place = (0.27, 0.33 / height, 0.69, (height - 0.75) / height)
    return drawn(name, description, height, place, lay_out)


def drawn(
    name: str,
    description: str,
    height: float,
    place: tuple[float, float, float, float],
    draw: Callable[[Axes], None],
) -> Figure:
    """Return a figure with one pair of axes.

    Args:
        name: Its title, unique on the page.
        description: What it says to a reader who cannot see it.
        height: Inches; the width is the page's.
        place: Left, bottom, width and height of the axes, as shares of the figure.
        draw: Fills the axes.
    """
    import matplotlib as mpl
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure as Canvas

    rc: Any = {"svg.fonttype": "none", "svg.hashsalt": name, "font.family": ["sans-serif"],
          "font.sans-serif": ["DejaVu Sans"], "font.size": 10, "text.color": INK,
          "axes.edgecolor": FAINT, "axes.labelcolor": INK, "xtick.color": INK,
          "ytick.color": INK}  # fmt: skip
    with mpl.rc_context(rc), warnings.catch_warnings():
        # The browser has the glyphs; matplotlib only measures with its own font.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        canvas = Canvas(figsize=(_WIDTH, height), facecolor="white")
        FigureCanvasSVG(canvas)
        axes = canvas.add_axes(place)
        draw(axes)
        axes.tick_params(length=0)
        axes.set_axisbelow(True)
        file = io.StringIO()
        nothing = dict.fromkeys(("Creator", "Date", "Format", "Type"))
        canvas.savefig(file, format="svg", metadata=nothing)
    return Figure(name, description, _inline(file.getvalue(), name, description))


def _inline(svg: str, name: str, description: str) -> str:
    """Return matplotlib's document as an element that can stand in a page beside others."""
    prefix = re.sub(r"[^a-z]+", "-", name.lower()).strip("-")
    body = svg[svg.index(">", svg.index("<svg")) + 1 :]
    box = re.search(r'viewBox="([^"]+)"', svg)
    assert box is not None
    # Its style sheet speaks of every element, and would of the whole page.
    body = re.sub(r"<style.*?</style>", "", body, flags=re.DOTALL)
    body = re.sub(r"<!--.*?-->\n?", "", body, flags=re.DOTALL)
    body = re.sub(r'( id="|url\(#|href="#)', rf"\1{prefix}-", body)
    body = body.replace("'DejaVu Sans', sans-serif", "system-ui, sans-serif")
    head = Markup(
        '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" '
        'class="cg-figure" viewBox="{0}" width="100%" role="img" stroke-linejoin="round" '
        'aria-labelledby="{1}-title {1}-desc"><title id="{1}-title">{2}</title>'
        '<desc id="{1}-desc">{3}</desc>'
    ).format(box.group(1), prefix, name, description)
    return head + Markup(body.strip())
