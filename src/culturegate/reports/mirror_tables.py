"""The tables of the mirror track's section."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from culturegate.metrics.estimate import Estimate
from culturegate.metrics.mirror import LOCALIZED, LOSSES, ORIGINAL, TRACK
from culturegate.metrics.mirror_families import Affected, ends
from culturegate.reports.run import Run
from culturegate.reports.section import SectionTable
from culturegate.reports.summary import Estimates, limits, percent, points
from culturegate.text import one_line

ARMS = {
    "original": "original: North American, English",
    "literal": "literal: the original, translated",
    "localized": "localized: same skeleton, home setting",
    "native": "native: a fresh problem of that culture",
}
HOME_ARMS = {
    "original": "baseline: arms of the home region",
    "localized": "localized: other regions",
    "native": "native: other regions",
}
MOST_CASES = 8
"""Cases named in a cell; the rest is counted."""
MOST_ROWS = 15


def region_title(run: Run, culture: str) -> str:
    """Return a region's name, short enough for a table."""
    return one_line(run.title(culture), 40)


def _share(found: Estimate | None) -> str:
    if found is None or found.value is None:
        return "–"
    return f"{percent(found.value)} ({limits(found)})"


def _points(found: Estimate | None) -> str:
    if found is None:
        return "–"
    if found.value is None:
        return "undefined"
    return f"{points(found.value)} ({limits(found)})"


def arms_table(found: Estimates, arms: Mapping[str, str]) -> SectionTable:
    """Return the first layer: each arm over all families."""
    rows = []
    for arm, told in arms.items():
        one = found.get("accuracy", track=TRACK, arm=arm)
        if one is None:
            continue
        rows.append(
            (
                told,
                _share(one),
                str(one.n),
                "baseline" if arm == ORIGINAL else _points(found.get("cpg", arm=arm)),
                "" if arm == ORIGINAL else _kept(found.get("retention", arm=arm)),
            )
        )
    heads = ("arm", "accuracy", "cases", "lost to it, points", "retention")
    return SectionTable("1 · The arms over all families", heads, tuple(rows))


def _kept(found: Estimate | None) -> str:
    return "undefined" if found is not None and found.value is None else _share(found)


def losses_by_group(
    found: Estimates, groups: Mapping[str, Mapping[str, str]]
) -> dict[str, tuple[Estimate | None, ...]]:
    """Return language, culture and both of each group."""
    return {
        name: (
            found.get("language_loss", **where),
            found.get("culture_loss", **where),
            found.get("cpg", arm=LOCALIZED, **where),
        )
        for name, where in groups.items()
    }


def loss_table(
    found: Estimates,
    tests: Sequence[Mapping[str, Any]],
    groups: Mapping[str, Mapping[str, str]],
) -> SectionTable:
    """Return what language, culture and both cost in each group, with the paired tests."""
    by_group = {(test["loss"], *sorted(test["where"].items())): test for test in tests}
    rows = []
    for name, losses in losses_by_group(found, groups).items():
        cells = []
        for (loss, _, _), one in zip(LOSSES, losses, strict=True):
            test = by_group.get((loss, *sorted(groups[name].items())))
            told = _points(one)
            if test is not None and one is not None and one.value is not None:
                told += f", p {_p(test['p_holm'])}"
            cells.append(told)
        families = by_group.get(("both", *sorted(groups[name].items())), {}).get("families", 0)
        rows.append((name, *cells, str(families)))
    heads = ("", "language", "culture", "both", "families")
    title = "What is lost, in points, with paired tests over families (p adjusted by Holm)"
    return SectionTable(title, heads, tuple(rows))


def _p(value: float) -> str:
    return f"{value:.3f}" if value >= 0.001 else "< 0.001"


def regions_table(run: Run, regions: Sequence[Mapping[str, Any]]) -> SectionTable:
    """Return each region's arms against its baseline."""
    rows = []
    for row in regions:
        cpg, kept = row.get("cpg"), row.get("retention")
        rows.append(
            (
                f"{region_title(run, row['culture'])}, {row['arm']}",
                _share(_estimate(row["accuracy"])),
                "baseline" if cpg is None else _points(_estimate(cpg)),
                "" if kept is None else _kept(_estimate(kept)),
            )
        )
    heads = ("region and arm", "accuracy", "lost to it, points", "retention")
    return SectionTable("By region", heads, tuple(rows))


def _estimate(data: Mapping[str, Any]) -> Estimate:
    return Estimate(**{**data, "where": tuple(sorted(data["where"].items()))})


def task_table(found: Estimates, tasks: Sequence[str], home: bool) -> SectionTable:
    """Return the second layer: each arm by task type."""
    arms = tuple(HOME_ARMS if home else ARMS)
    rows = tuple(
        (
            task,
            *(_share(found.get("accuracy", track=TRACK, arm=arm, task=task)) for arm in arms),
            _points(found.get("cpg", arm=LOCALIZED, task=task)),
        )
        for task in tasks
    )
    heads = ("task", *arms, "lost to localized, points")
    return SectionTable("2 · By task type", heads, rows)


def family_table(data: Sequence[Mapping[str, Any]]) -> SectionTable | None:
    """Return the third layer: the families that lose most and least; None without any."""
    families = [Affected(**each) for each in data]
    rows = []
    for task in sorted({family.task for family in families}):
        most, least = ends([family for family in families if family.task == task])
        rows.append((task, "; ".join(map(_told, most)) or "none loses any",
                     "; ".join(map(_told, least)) or "–"))  # fmt: skip
    if not rows:
        return None
    title = "3 · Families that lose most and least (samples right, original → localized)"
    return SectionTable(title, ("task", "most affected", "least affected"), tuple(rows))


def _told(family: Affected) -> str:
    return f"{family.family} ({percent(family.first)} → {percent(family.second)})"


def unsteady_table(unsteady: Sequence[Sequence[Any]]) -> SectionTable | None:
    """Return the cases whose samples agree to less than 60 %; None without any."""
    if not unsteady:
        return None
    rows = [(one_line(str(case), 100), percent(share)) for case, share in unsteady[:MOST_ROWS]]
    if len(unsteady) > MOST_ROWS:
        rows.append((f"and {len(unsteady) - MOST_ROWS} more", ""))
    title = f"Cases whose samples agree to less than 60% ({len(unsteady)})"
    return SectionTable(title, ("case", "agreement"), tuple(rows))


def sure_table(
    run: Run, found: Estimates, cultures: Sequence[str], data: Mapping[str, Any]
) -> SectionTable:
    """Return the fourth layer: stated confidence against correctness, by region."""
    rows = []
    for culture in ("", *cultures):
        where = {"track": TRACK} | ({"culture": culture} if culture else {})
        wrong = data["confidently_wrong"]
        cases = wrong.get(culture, []) if culture else [c for each in wrong.values() for c in each]
        error = found.get("calibration_error", **where)
        brier = found.get("brier", **where)
        rows.append(
            (
                region_title(run, culture) if culture else "all regions",
                _share(found.get("overconfidence", **where)),
                _share(found.get("overconfidence_when_wrong", **where)),
                _share(found.get("abstention_rate", **where)),
                _number(error),
                _number(brier),
                _share(found.get("consistency", **where)),
                _cases(cases),
            )
        )
    heads = (
        "region", "wrong and over 80% sure", "of the wrong ones", "abstains",
        "calibration error", "Brier", "consistency", "cases confidently wrong",
    )  # fmt: skip
    return SectionTable("4 · Confidence against correctness", heads, tuple(rows))


def _number(found: Estimate | None) -> str:
    return "–" if found is None or found.value is None else f"{found.value:.2f}"


def _cases(cases: Sequence[str]) -> str:
    if not cases:
        return "none"
    more = f" and {len(cases) - MOST_CASES} more" if len(cases) > MOST_CASES else ""
    return ", ".join(one_line(case, 100) for case in cases[:MOST_CASES]) + more


def paths_table(run: Run, paths: Sequence[Mapping[str, Any]] | None) -> SectionTable | None:
    """Return the judge's scores of the reasoning; None without a judge."""
    if paths is None:
        return None
    rows = []
    for row in paths:
        where = row["where"]
        name = (
            region_title(run, where["culture"]) if "culture" in where else where.get("arm", "all")
        )
        mean = "–" if row["mean"] is None else (
            f"{row['mean']:.2f} ({row['low']:.2f} to {row['high']:.2f})"
        )  # fmt: skip
        kappa = row["calls"]["kappa"]
        rows.append(
            (
                f"{row['aspect']}, {name}",
                mean,
                str(row["n"]),
                str(row["nonstandard"]),
                str(row["unscored"]),
                str(row["arbitrated"]),
                "undefined" if kappa is None else f"{kappa:.2f}",
            )
        )
    heads = (
        "aspect and group", "mean, 0 to 2", "replies", "reasonable, not standard", "unscored",
        "third call", "kappa of two calls",
    )  # fmt: skip
    return SectionTable("The reasoning, as the judge model scores it", heads, tuple(rows))


def advice_table(run: Run, advice: Sequence[Mapping[str, Any]]) -> SectionTable:
    """Return what to do next, a row a pattern."""
    rows = tuple(
        (
            each["pattern"]
            + ("" if each["group"] == "all" else f": {region_title(run, each['group'])}"),
            each["shown"],
            each["advice"],
            _cases(each["cases"]),
        )
        for each in advice
    )
    nothing = (("nothing stands out", "", "", ""),)
    heads = ("pattern", "what shows it", "what to do", "cases")
    return SectionTable("What to do next", heads, rows or nothing)
