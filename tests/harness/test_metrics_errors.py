"""Errors could have been anything: what the gate assumes of them holds every way they could be."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import product

import pytest
from framing_sample import made as framed
from made_records import asked, made
from test_gate_judging import gate

from culturegate.metrics import METRICS, Table, estimate, measure
from culturegate.tracks.base import Judgement, Record, Trial
from culturegate.tracks.outcome import record

Ends = Callable[[Trial], Iterable[Trial]]


def completed(records: Sequence[Record], ends: Ends) -> Iterator[list[Record]]:
    """Yield the records with their failed calls answered, in every way there is."""
    failed = [(at, t) for at, r in enumerate(records) for t in r.trials if t.correct is None]
    for answers in product(*(list(ends(trial)) for _, trial in failed)):
        by_trial = {
            (at, trial.sample): answer for (at, trial), answer in zip(failed, answers, strict=True)
        }
        yield [
            record(one.facts, [by_trial.get((at, trial.sample), trial) for trial in one.trials])
            for at, one in enumerate(records)
        ]


def bounds(metric: str, records: Sequence[Record], ends: Ends) -> tuple[list[float], list[float]]:
    """Return the least and greatest value that the gate assumes, and that there could be."""
    table, named = Table(records), METRICS[metric]
    assumed = [measure(named, table, {}, 0.95, fills=fills).value for fills in named.scenarios]
    possible = [estimate(metric, whole).value for whole in completed(records, ends)]
    found = []
    for values in (assumed, possible):
        known = [value for value in values if value is not None]
        assert len(known) == len(values)
        found.append([min(known), max(known)])
    return found[0], found[1]


def framing_ends(trial: Trial) -> Iterator[Trial]:
    yield replace(trial, status="answered", correct=True, reason=None)
    for reason in ("fenced", "refused"):
        yield replace(trial, status="answered", correct=False, reason=reason)


FAILED = (("control", 0, 0), ("unaware-low", 1, 1), ("aware-high", 0, 2), ("aware-low", 2, 0))


@pytest.mark.parametrize(
    "metric",
    ["framing_interaction", "control_gap", "wording_spread", "repeat_stability",
     "awareness_effect_low", "framing_effect_aware"],
)  # fmt: skip
def test_failed_calls_of_a_contrast_are_scored_against_each_other(metric):
    def outcome(*place: object) -> bool | None:
        condition, sample, number = place
        return None if place in FAILED else (len(str(condition)) + sample + number) % 3 > 0

    assumed, possible = bounds(metric, framed(outcome, samples=3, rounds=3), framing_ends)
    assert assumed == pytest.approx(possible)
    assert assumed[0] < assumed[1]


def test_the_size_of_awareness_is_least_where_failed_calls_leave_no_effect():
    def outcome(condition: str, sample: int, number: int) -> bool | None:
        if sample == 0:
            return None
        return condition.startswith("aware") or number == 0

    assumed, possible = bounds(
        "awareness_size", framed(outcome, samples=2, rounds=1), lambda trial: framing_ends(trial)
    )
    assert assumed == pytest.approx([0, 0.5])
    assert possible == pytest.approx(assumed)


def test_failed_calls_neither_agree_nor_disagree():
    def one(answers: str) -> Record:
        trials = asked([None if each == "e" else each for each in answers]).trials
        failed = [
            replace(t, status="error", correct=None) if each == "e" else t
            for t, each in zip(trials, answers, strict=True)
        ]
        return record(made(True).facts, failed)

    assert estimate("consistency", [one("CCCCe")]).value == 1
    assert estimate("low_agreement_rate", [one("CCIee")]).value == 0
    assert estimate("consistency", [one("Ceeee")]).undefined

    def ends(trial: Trial) -> Iterator[Trial]:
        for value in ("C", "I", "Z"):
            yield replace(trial, status="answered", value=value, correct=value == "C")
        yield replace(trial, status="unparsed", value=None, correct=False)

    for metric in ("consistency", "low_agreement_rate"):
        assumed, possible = bounds(metric, [one("CCIee"), one("CCCIe")], ends)
        assert assumed == pytest.approx(possible)


def written(name: str, verdicts: Sequence[str | None]) -> Record:
    """Return a persona case whose reply a judge scored; None is a verdict that nobody could read.

    The reply is taken for wrong where a point is surely not met.
    """
    facts = replace(
        made(
            True, track="persona", kind="persona", chance=None, cluster=name, arm="implicit"
        ).facts,
        condition="follow",
    )
    judgements = tuple(
        Judgement("write", 0, str(point), call, None if said is None else float(said == "met"),
                  detail=said or "unparsed")
        for point, said in enumerate(verdicts)
        for call in (0, 1)
    )  # fmt: skip
    right = False if "not met" in verdicts else None if None in verdicts else True
    trial = Trial("write", 0, "unscored" if right is None else "answered", correct=right)
    return replace(record(facts, [trial]), judgements=judgements)


ADHERENT = "name: fits, metric: adherence, min: 0.6"


@pytest.mark.parametrize(("unscored", "status"), [(1, "met"), (2, "unverified")])
def test_points_that_no_judge_could_score_leave_a_line_open_where_they_could_matter(
    unscored, status
):
    # Of four points three are met at most; without the unscored ones it looks like two of three.
    points = ["met", "met", "not met"] if unscored == 2 else ["met", "met", "met", "not met"]
    records = [written(f"p{number}", points + [None] * unscored) for number in range(10)]
    assert estimate("adherence", records).value == pytest.approx(points.count("met") / len(points))
    (verdict,) = gate(ADHERENT, records).verdicts
    assert verdict.status == status


def test_replies_that_the_model_wrote_choose_no_postcard_even_where_no_judge_saw_them():
    records = [written("p1", ["met"]), replace(written("p2", ["not met"]), judgements=())]
    assert estimate("postcard_rate", records).undefined == "no reply was chosen among four"


def test_a_line_split_by_arm_has_a_group_for_each_arm_of_its_own_track():
    chats = [made(True, track="persona", arm=arm) for arm in ("implicit", "hint", "none")]
    families = [
        made(True, track="mirror", cluster=f"f{n}", arm=arm, chance=0.0)
        for n in range(20)
        for arm in ("original", "literal", "localized")
    ]
    kept = gate("name: kept, metric: retention, by: arm, min: 0.8", chats + families)
    assert [v.group for v in kept.verdicts] == [(("arm", "literal"),), (("arm", "localized"),)]
    assert kept.exit_code == 0
    fits = gate("name: fits, metric: adherence, by: arm, min: 0.5", chats + families)
    assert [dict(v.group)["arm"] for v in fits.verdicts] == ["hint", "implicit", "none"]


def test_repeats_are_judged_by_the_control_alone():
    records = framed(lambda condition, *_: condition == "control", samples=30, rounds=2)
    cut = [
        replace(one, trials=tuple(replace(trial, status="truncated") for trial in one.trials))
        if one.facts.condition != "control"
        else one
        for one in records
    ]
    assert gate("name: same, metric: repeat_stability, min: 0.95", cut).exit_code == 0


@pytest.mark.parametrize(
    "metric", ["awareness_effect_low", "framing_interaction", "awareness_size", "control_gap"]
)
def test_one_condition_with_few_judged_notes_leaves_its_contrasts_unverified(metric):
    records = framed(
        lambda condition, sample, _: None if condition == "unaware-low" and sample < 11 else True,
        samples=40,
    )
    assert estimate(metric, records).clusters == 29
    (verdict,) = gate(f"name: x, metric: {metric}, max: 0.9", records).verdicts
    assert (verdict.status, verdict.reason) == ("unverified", "clusters: 29, at least 30 needed")
