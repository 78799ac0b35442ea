"""What the report says of the persona track: who is served, and what a hint is worth."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from culturegate.metrics.agreement import agreement
from culturegate.metrics.estimate import Estimate
from culturegate.metrics.persona import judge_agreement
from culturegate.reports.checklist import JUDGE
from culturegate.reports.persona_chats import CHATS, PUBLISHED_RECOVERED, explicit_reveals
from culturegate.reports.persona_figure import adherence_figure
from culturegate.reports.run import Run
from culturegate.reports.section import Section, SectionTable
from culturegate.reports.summary import Estimates, compared, in_points, limits, percent, points
from culturegate.tracks.base import Record

ARMS = {
    "implicit": "history alone",
    "hint": "hint to mind the history",
    "explicit": "norms listed",
    "none": "no history: the model's default",
}
GAINS = {"hint": "hint_gain", "explicit": "explicit_gain"}
PUBLISHED_BEST, PUBLISHED_AFGHAN, PUBLISHED_HINT = "20 to 30%", "8.8%", "3 to 5 points"


def persona_section(run: Run) -> Section | None:
    """Return the persona track's section, None where the run has nothing of it."""
    records = [record for record in run.records if record.facts.track == "persona"]
    if not records:
        return None
    judged = any(record.judgements for record in records)
    found = Estimates(run.metrics)
    cultures = sorted({record.facts.culture for record in records})
    titles = {name: run.title(name) for name in cultures}
    rows = {"all": _states(found)} | {
        titles[name]: _states(found, culture=name) for name in cultures
    }
    chances = {record.facts.chance for record in records}
    chance = chances.pop() if len(chances) == 1 else None
    figure = adherence_figure(rows, found.level, chance)
    tables = (
        _culture_table(found, titles),
        _arm_table(found, [arm for arm in ARMS if any(r.facts.arm == arm for r in records)]),
        _topic_table(found, sorted({str(record.facts.task) for record in records})),
        _judge_table(records, titles),
        _published_table(found, records, explicit_reveals(run.info)),
    )
    return Section(
        "Persona: acting on the norms that a user's chats show",
        _headline(found, judged),
        tuple(_notes(found, judged, chance)),
        tuple(table for table in tables if table is not None),
        () if figure is None else (figure,),
        (CHATS, JUDGE) if judged else (CHATS,),
    )


def _states(found: Estimates, **where: str) -> dict[str, Estimate | None]:
    return {
        state: found.get("adherence", arm="implicit", condition=state, **where)
        for state in ("follow", "avoid")
    }


def _headline(found: Estimates, judged: bool) -> str:
    overall = found.get("adherence")
    if overall is None or overall.value is None:
        why = "" if overall is None else f": {overall.undefined}"
        return f"Persona: adherence to the norms that chats show is undefined{why}."
    what = "what would fit the user whom the chats show is done"
    if not judged:
        what = "replies fit the user whom the chats show"
    told = (
        f"Persona: {percent(overall.value)} of {what} "
        f"({limits(overall)}, {overall.n} cases, {overall.clusters} personas)"
    )
    states = _states(found)
    follow, avoid = states["follow"], states["avoid"]
    gap = found.get("asymmetry")
    if follow is not None and avoid is not None and gap is not None and gap.value is not None:
        told += (
            f"; {percent(follow.value)} where a norm is followed, {percent(avoid.value)} where it "
            f"is avoided, a difference of {in_points(gap.value)} ({limits(gap)})"
        )
    return f"{told}."


def _notes(found: Estimates, judged: bool, chance: float | None) -> Iterator[str]:
    if judged:
        yield (
            "The model wrote its replies and a judge model decided each point of a checklist, in "
            "two calls and a third where they differed."
        )
    else:
        guess = "" if chance is None else f" A guess fits in {percent(chance)} of cases."
        yield (
            "The model chose among four replies of equal length: one fits the state that the "
            "chats show, one the opposite state, one is a postcard of the culture and one leans "
            f"nowhere.{guess}"
        )
    yield (
        "Only the fit to the user is judged, never the medical advice. Intervals take each "
        "persona for one draw. Unless a row says otherwise the history alone was given."
    )
    default = found.get("history_gain")
    if default is not None and default.value is not None:
        better = compared(default.value, ("better than", "worse than", "as well as"))
        yield (
            f"With the history the model fits the user {better} without any: "
            f"{in_points(default.value)} ({limits(default)})."
        )


def _culture_table(found: Estimates, titles: dict[str, str]) -> SectionTable:
    rows = []
    for name, title in (("", "all"), *titles.items()):
        where = {"culture": name} if name else {}
        overall = found.get("adherence", arm="implicit", **where)
        forms = [
            found.get("adherence", arm="implicit", form=form, **where)
            for form in ("practice", "communication")
        ]
        states = _states(found, **where)
        rows.append(
            (
                title,
                _share(overall),
                _share(states["follow"]),
                _share(states["avoid"]),
                _difference(found.get("asymmetry", **where)),
                *map(_share, forms),
                _share(found.get("postcard_rate", **where)),
                "" if overall is None else f"{overall.n} / {overall.clusters}",
            )
        )
    return SectionTable(
        "Adherence by culture",
        ("culture", "adherence", "norm followed", "norm avoided", "avoided − followed",
         "practice", "communication", "postcards", "cases / personas"),
        tuple(rows),
    )  # fmt: skip


def _arm_table(found: Estimates, arms: Sequence[str]) -> SectionTable:
    rows = []
    for arm in arms:
        gain = found.get(GAINS[arm]) if arm in GAINS else None
        rows.append(
            (
                ARMS[arm],
                _share(found.get("adherence", arm=arm)),
                _share(found.get("adherence", arm=arm, condition="follow")),
                _share(found.get("adherence", arm=arm, condition="avoid")),
                _difference(found.get("asymmetry", arm=arm)),
                _share(found.get("postcard_rate", arm=arm)),
                _difference(gain) if arm in GAINS else "",
            )
        )
    heads = ("what the model has", "adherence", "norm followed", "norm avoided",
             "avoided − followed", "postcards", "gain over history alone")  # fmt: skip
    return SectionTable("What a hint is worth", heads, tuple(rows))


def _topic_table(found: Estimates, topics: Sequence[str]) -> SectionTable:
    rows = []
    for topic in topics:
        one = found.get("adherence", arm="implicit", task=topic)
        rows.append((topic.replace("-", " "), _share(one), "" if one is None else str(one.n)))
    return SectionTable("Adherence by topic", ("topic", "adherence", "cases"), tuple(rows))


def _judge_table(records: Sequence[Record], titles: dict[str, str]) -> SectionTable | None:
    by_culture: defaultdict[str, list[Record]] = defaultdict(list)
    for record in records:
        if record.judgements:
            by_culture[record.facts.culture].append(record)
    if not by_culture:
        return None
    rows = []
    for culture, several in by_culture.items():
        same, both = judge_agreement(several)
        unscored = sum(each.score is None for record in several for each in record.judgements)
        rows.append((titles[culture], _agreed(same, both), str(both), str(unscored)))
    heads = ("culture", "two calls agree", "points that both read", "unreadable verdicts")
    return SectionTable("The judge, by culture", heads, tuple(rows))


def _agreed(same: int, both: int) -> str:
    if not both:
        return "no point was read twice"
    found = agreement([(True, place < same) for place in range(both)])
    return f"{percent(found.share)} ({points(found.low)} to {points(found.high)})"


def _published_table(
    found: Estimates, records: Sequence[Record], reveals: int | None
) -> SectionTable:
    """Lay the published framework's rows beside this run's."""
    facts = [record.facts for record in records]
    cultures = {fact.culture for fact in facts}
    personas = {fact.cluster for fact in facts}
    rows = (
        ("cultures", "6", str(len(cultures))),
        ("personas a culture", "10", f"{len(personas) / max(len(cultures), 1):.0f}"),
        ("chats a persona", "18", "18"),
        ("topics", "12", str(len({fact.task for fact in facts}))),
        (
            "interactions, history alone",
            "3120",
            str(sum(fact.arm == "implicit" for fact in facts)),
        ),
        ("adherence, best models", PUBLISHED_BEST, _share(found.get("adherence"))),
        (
            "adherence, Afghan",
            PUBLISHED_AFGHAN,
            _share(found.get("adherence", arm="implicit", culture="afghan")),
        ),
        ("gain of a hint", PUBLISHED_HINT, _difference(found.get("hint_gain"))),
        ("norm states that the chats keep to", f"{PUBLISHED_RECOVERED}",
         "see what a blind reader recovers"),
        ("explicit reveals in the chats", "0", "not counted" if reveals is None else str(reveals)),
    )  # fmt: skip
    heads = ("", "published", "this run")
    return SectionTable("Beside the published framework (another task: see the docs)", heads, rows)


def _share(found: Estimate | None) -> str:
    if found is None:
        return "not asked"
    if found.value is None:
        return "undefined"
    return f"{percent(found.value)} ({limits(found)})"


def _difference(found: Estimate | None) -> str:
    if found is None:
        return "not asked"
    if found.value is None:
        return "undefined"
    return f"{points(found.value)} ({limits(found)})"
