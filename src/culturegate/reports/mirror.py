"""What the report says of the mirror track: four layers of analysis, and what to do next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from culturegate.metrics.estimate import Estimate
from culturegate.metrics.mirror import LOCALIZED, LOSSES, ORIGINAL, TRACK
from culturegate.metrics.mirror_families import Affected, ends
from culturegate.reports.mirror_figure import losses_figure
from culturegate.reports.run import Run
from culturegate.reports.section import Section, SectionTable
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
LOSS_METRICS = {"language": "language_loss", "culture": "culture_loss"}
MOST_CASES = 8
"""Cases named in a cell; the rest is counted."""
MOST_ROWS = 15


def mirror_section(run: Run) -> Section | None:
    """Return the mirror track's section, None where the run has nothing of it."""
    data = run.metrics.get("mirror")
    if not data:
        return None
    found = Estimates(run.metrics)
    home = run.info.get("home")
    facts = [record.facts for record in run.records if record.facts.track == TRACK]
    groups = _groups(run, facts)
    tables = [
        _arms_table(found, HOME_ARMS if home else ARMS),
        _loss_table(found, data["tests"], groups) if not home else None,
        _regions_table(run, data["regions"]),
        _task_table(found, sorted({str(fact.task) for fact in facts}), bool(home)),
        _family_table(data["affected"]),
        _unsteady_table(data["unsteady"]),
        _sure_table(run, found, sorted({fact.culture for fact in facts}), data),
        _paths_table(run, data["paths"]),
        _advice_table(run, data["advice"]),
    ]
    figure = None if home else losses_figure(_losses(found, groups), found.level)
    return Section(
        "Mirror: what language costs, and what culture",
        _headline(found, home, run),
        tuple(_notes(home, run, data)),
        tuple(table for table in tables if table is not None),
        () if figure is None else (figure,),
    )


def _groups(run: Run, facts: Sequence[Any]) -> dict[str, dict[str, str]]:
    """Return the groups that losses are told by, by the name that a reader sees."""
    groups: dict[str, dict[str, str]] = {"all families": {}}
    for fact, told in (("culture", "{}"), ("task", "task: {}"), ("element", "changed: {}")):
        for value in sorted({str(getattr(each, fact)) for each in facts}):
            name = _title(run, value) if fact == "culture" else value
            groups[told.format(name)] = {fact: value}
    return groups


def _title(run: Run, culture: str) -> str:
    return one_line(run.titles.get(culture) or culture.replace("-", " ").title(), 40)


def _headline(found: Estimates, home: str | None, run: Run) -> str:
    kept = found.get("retention", arm=LOCALIZED)
    if kept is None:
        return "Mirror: no localized case was asked, so nothing is compared."
    if kept.value is None:
        why = one_line(kept.undefined or "", 200)
        return f"Mirror: what the localized arm keeps is undefined: {why}."
    of = f"the arms of {_title(run, home)}" if home else "the original"
    told = (
        f"Mirror: localized problems keep {percent(kept.value)} of {of}'s accuracy "
        f"({limits(kept)}, {kept.clusters} families)"
    )
    language, culture = found.get("language_loss"), found.get("culture_loss")
    if language and culture and language.value is not None and culture.value is not None:
        told += (
            f"; the language costs {points(language.value)} points ({limits(language)}), the "
            f"culture {points(culture.value)} ({limits(culture)})"
        )
    return f"{told}."


def _notes(home: str | None, run: Run, data: Mapping[str, Any]) -> list[str]:
    if home is None:
        notes = [
            "Baseline: each family's original arm, set in North America and in English. "
            "Original − literal is what the language costs, literal − localized what the culture "
            "costs in the same language. The native arm has other content, so it is compared "
            "unpaired and never tested."
        ]
    else:
        notes = [
            f"Baseline: the localized and native arms of {_title(run, home)}, in place of the "
            "originals, which count as the localized arm of North America. Other regions have "
            "other families than the baseline, so nothing is paired, and no arm parts language "
            "from culture."
        ]
    if data["paths"] is not None:
        notes.append(
            "Path scores are a judge model's view of the reasoning, 0 to 2, and have no part in "
            "whether a case passes."
        )
    return notes


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


def _arms_table(found: Estimates, arms: Mapping[str, str]) -> SectionTable:
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


def _losses(
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


def _loss_table(
    found: Estimates,
    tests: Sequence[Mapping[str, Any]],
    groups: Mapping[str, Mapping[str, str]],
) -> SectionTable:
    by_group = {(test["loss"], *sorted(test["where"].items())): test for test in tests}
    rows = []
    for name, losses in _losses(found, groups).items():
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


def _regions_table(run: Run, regions: Sequence[Mapping[str, Any]]) -> SectionTable:
    rows = []
    for row in regions:
        cpg, kept = row.get("cpg"), row.get("retention")
        rows.append(
            (
                f"{_title(run, row['culture'])}, {row['arm']}",
                _share(_estimate(row["accuracy"])),
                "baseline" if cpg is None else _points(_estimate(cpg)),
                "" if kept is None else _kept(_estimate(kept)),
            )
        )
    heads = ("region and arm", "accuracy", "lost to it, points", "retention")
    return SectionTable("By region", heads, tuple(rows))


def _estimate(data: Mapping[str, Any]) -> Estimate:
    return Estimate(**{**data, "where": tuple(sorted(data["where"].items()))})


def _task_table(found: Estimates, tasks: Sequence[str], home: bool) -> SectionTable:
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


def _family_table(data: Sequence[Mapping[str, Any]]) -> SectionTable | None:
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


def _unsteady_table(unsteady: Sequence[Sequence[Any]]) -> SectionTable | None:
    if not unsteady:
        return None
    rows = [(one_line(str(case), 100), percent(share)) for case, share in unsteady[:MOST_ROWS]]
    if len(unsteady) > MOST_ROWS:
        rows.append((f"and {len(unsteady) - MOST_ROWS} more", ""))
    title = f"Cases whose samples agree to less than 60% ({len(unsteady)})"
    return SectionTable(title, ("case", "agreement"), tuple(rows))


def _sure_table(
    run: Run, found: Estimates, cultures: Sequence[str], data: Mapping[str, Any]
) -> SectionTable:
    rows = []
    for culture in ("", *cultures):
        where = {"track": TRACK} | ({"culture": culture} if culture else {})
        wrong = data["confidently_wrong"]
        cases = wrong.get(culture, []) if culture else [c for each in wrong.values() for c in each]
        error = found.get("calibration_error", **where)
        brier = found.get("brier", **where)
        rows.append(
            (
                _title(run, culture) if culture else "all regions",
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


def _paths_table(run: Run, paths: Sequence[Mapping[str, Any]] | None) -> SectionTable | None:
    if paths is None:
        return None
    rows = []
    for row in paths:
        where = row["where"]
        name = _title(run, where["culture"]) if "culture" in where else where.get("arm", "all")
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


def _advice_table(run: Run, advice: Sequence[Mapping[str, Any]]) -> SectionTable:
    rows = tuple(
        (
            each["pattern"] + ("" if each["group"] == "all" else f": {_title(run, each['group'])}"),
            each["shown"],
            each["advice"],
            _cases(each["cases"]),
        )
        for each in advice
    )
    nothing = (("nothing stands out", "", "", ""),)
    heads = ("pattern", "what shows it", "what to do", "cases")
    return SectionTable("What to do next", heads, rows or nothing)
