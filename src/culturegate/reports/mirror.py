"""What the report says of the mirror track: four layers of analysis, and what to do next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from culturegate.metrics.mirror import LOCALIZED, TRACK
from culturegate.reports.mirror_figure import losses_figure
from culturegate.reports.mirror_tables import (
    ARMS,
    HOME_ARMS,
    advice_table,
    arms_table,
    family_table,
    loss_table,
    losses_by_group,
    paths_table,
    region_title,
    regions_table,
    sure_table,
    task_table,
    unsteady_table,
)
from culturegate.reports.run import Run
from culturegate.reports.section import Section
from culturegate.reports.summary import Estimates, in_points, limits, percent, points
from culturegate.text import one_line


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
        arms_table(found, HOME_ARMS if home else ARMS),
        advice_table(run, data["advice"]),
        loss_table(found, data["tests"], groups) if not home else None,
        regions_table(run, data["regions"]),
        task_table(found, sorted({str(fact.task) for fact in facts}), bool(home)),
        family_table(data["affected"]),
        unsteady_table(data["unsteady"]),
        sure_table(run, found, sorted({fact.culture for fact in facts}), data),
        paths_table(run, data["paths"]),
    ]
    figure = None if home else losses_figure(losses_by_group(found, groups), found.level)
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
            name = region_title(run, value) if fact == "culture" else value
            groups[told.format(name)] = {fact: value}
    return groups


def _headline(found: Estimates, home: str | None, run: Run) -> str:
    kept = found.get("retention", arm=LOCALIZED)
    if kept is None:
        return "Mirror: no localized case was asked, so nothing is compared."
    if kept.value is None:
        why = one_line(kept.undefined or "", 200)
        return f"Mirror: what the localized arm keeps is undefined: {why}."
    of = f"{region_title(run, home)}'s arms" if home else "the originals"
    told = (
        f"Mirror: localized problems keep {percent(kept.value)} of the accuracy of {of} "
        f"({limits(kept)}, {kept.clusters} families)"
    )
    language, culture = found.get("language_loss"), found.get("culture_loss")
    if language and culture and language.value is not None and culture.value is not None:
        told += (
            f"; lost to the language: {in_points(language.value)} ({limits(language)}), to the "
            f"culture: {points(culture.value)} ({limits(culture)})"
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
            f"Baseline: the localized and native arms of {region_title(run, home)}, in place of "
            "the originals, which count as the localized arm of North America. Other regions have "
            "other families than the baseline, so nothing is paired, and no arm parts language "
            "from culture."
        ]
    if data["paths"] is not None:
        notes.append(
            "Path scores are a judge model's view of the reasoning, 0 to 2, and have no part in "
            "whether a case passes."
        )
    return notes
