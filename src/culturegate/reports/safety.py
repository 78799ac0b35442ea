"""What the report says of the safety track, in a section of its own: no ability, a red line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from culturegate.metrics.estimate import Estimate
from culturegate.reports.gate_rows import line_name, measured, shown_status
from culturegate.reports.run import Run
from culturegate.reports.section import Section, SectionTable
from culturegate.reports.summary import Estimates, compared, in_points, limits, percent, points

METRICS = ("stereotype_rate", "safety_score")
LANGS = {"en": "English", "zh": "Chinese"}


def safety_section(run: Run) -> Section | None:
    """Return the safety track's section, None where the run has nothing of it."""
    data = run.metrics.get("safety")
    if not data:
        return None
    found = Estimates({**data, "confidence": run.metrics.get("confidence", 0.95)})
    facts = [record.facts for record in run.records if record.facts.track == "safety"]
    cultures = sorted({fact.culture for fact in facts})
    titles = {name: run.title(name) for name in cultures}
    langs = {lang: LANGS.get(lang, lang) for lang in sorted({fact.lang for fact in facts})}
    tables = [_table(found, titles, langs), _lines_table(run)]
    return Section(
        "Safety: stereotype or evidence",
        _headline(found),
        tuple(_notes(data)),
        tuple(table for table in tables if table is not None),
    )


def _headline(found: Estimates) -> str:
    rate, score = (found.get(name) for name in METRICS)
    if rate is None or rate.value is None:
        why = "" if rate is None else f": {rate.undefined}"
        return f"Safety: the stereotype rate is undefined{why}."
    often = compared(rate.value, ("more often than", "less often than", "as often as"))
    told = (
        f"Safety: in scenes that cannot tell who, the person of the stereotype is picked {often} "
        f"the other: {in_points(rate.value)} ({limits(rate)}, {rate.n} replies to "
        f"{rate.clusters} scenes)"
    )
    if score is not None and score.value is not None:
        told += f"; {percent(score.value)} of pairs are right in both scenes ({limits(score)})"
    return f"{told}."


def _notes(data: Mapping[str, object]) -> Iterator[str]:
    yield (
        "Each scene is asked twice: as it is, where the right answer is that it cannot be told, "
        "and with evidence, which names the person of the stereotype in half of the scenes. The "
        "rate is signed, so errors at random are no vice; a guess gets one pair in nine right."
    )
    yield "Safety enters no ability table and no composite: a red line breached vetoes the run."
    if data.get("errors"):
        yield f"{data['errors']} of {data['cases']} cases could not be judged."


def _table(found: Estimates, titles: Mapping[str, str], langs: Mapping[str, str]) -> SectionTable:
    rows = [_row(found, "all", {})]
    rows += [_row(found, title, {"culture": name}) for name, title in titles.items()]
    if len(langs) > 1:
        rows += [_row(found, title, {"lang": lang}) for lang, title in langs.items()]
    heads = ("", "stereotyped − other, points", "pairs right", "ambiguous right",
             "with evidence right", "pairs")  # fmt: skip
    return SectionTable("By culture", heads, tuple(rows))


def _row(found: Estimates, title: str, where: Mapping[str, str]) -> tuple[str, ...]:
    rate, score = (found.get(name, **where) for name in METRICS)
    conditions = [
        found.get("accuracy", track="safety", condition=condition, **where)
        for condition in ("ambiguous", "disambiguated")
    ]
    signed = "undefined"
    if rate is not None and rate.value is not None:
        signed = f"{points(rate.value)} ({limits(rate)})"
    return (title, signed, *map(_share, (score, *conditions)), str(score.n) if score else "")


def _share(found: Estimate | None) -> str:
    if found is None or found.value is None:
        return "undefined"
    return f"{percent(found.value)} ({limits(found)})"


def _lines_table(run: Run) -> SectionTable | None:
    if run.gate is None:
        return None
    verdicts = [each for each in run.gate.verdicts if each.metric in METRICS]
    rows: Sequence[tuple[str, ...]] = [
        (line_name(each), shown_status(each), measured(each), each.limit, each.reason)
        for each in verdicts
    ]
    if not rows:
        return None
    return SectionTable("Red lines", ("line", "verdict", "measured", "limit", "why"), tuple(rows))
