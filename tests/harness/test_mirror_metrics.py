"""Mirror metrics: a hand-worked example, what scripted models lose, coverage, agreement, advice."""

from __future__ import annotations

import importlib.util
import random
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from made_records import made
from mirror_sample import bank, records
from sklearn.metrics import cohen_kappa_score

from culturegate.errors import InputError
from culturegate.metrics import Table, estimate, summarise
from culturegate.metrics.mirror import loss_tests
from culturegate.metrics.mirror_advice import (
    EASIER,
    JUDGES,
    LANGUAGE,
    OVERSURE,
    SETTING,
    UNSTEADY,
    WEAK,
    mirror_advice,
)
from culturegate.metrics.mirror_families import affected, ends
from culturegate.metrics.mirror_paths import agreement, compare_scorers, paths_summary
from culturegate.reports.path_scores import read_path_scores, write_path_scores
from culturegate.tracks.base import Judgement, Record

_FILE = Path(__file__).parents[2] / "benchmarks" / "coverage.py"
_SPEC = importlib.util.spec_from_file_location("mirror_coverage", _FILE)
simulation = importlib.util.module_from_spec(_SPEC)
sys.modules["mirror_coverage"] = simulation
_SPEC.loader.exec_module(simulation)

PATTERNS = {
    # original, literal, localized, native; how many families
    (1, 1, 1, 1): 8,
    (1, 1, 0, 1): 5,
    (1, 0, 0, 1): 3,
    (1, 0, 1, 0): 1,
    (0, 1, 1, 0): 1,
    (0, 0, 0, 1): 2,
}
"""Twenty families by hand: 17, 14, 10 and 18 of 20 right."""
ARMS = ("original", "literal", "localized", "native")


def hand_worked() -> list[Record]:
    found = []
    number = 0
    for pattern, count in PATTERNS.items():
        for _ in range(count):
            family = f"family{number:02d}"
            for arm, right in zip(ARMS, pattern, strict=True):
                found.append(
                    made(
                        bool(right),
                        case=f"{family}-{arm}",
                        cluster=family,
                        track="mirror",
                        kind="mirror",
                        culture="china" if number < 10 else "mexico",
                        chance=0.1,
                        arm=arm,
                        task="arithmetic",
                        element="scene",
                        confidence=0.9,
                    )
                )
            number += 1
    return found


def value(metric: str, **where: str) -> float | None:
    return estimate(metric, hand_worked(), where).value


def test_losses_of_the_hand_worked_example():
    # 17/20 − 14/20, 14/20 − 10/20, 17/20 − 10/20, and 17/20 − 17/20 for the native arm.
    assert value("language_loss") == pytest.approx(3 / 20)
    assert value("culture_loss") == pytest.approx(4 / 20)
    assert value("cpg", arm="localized") == pytest.approx(7 / 20)
    assert value("cpg", arm="literal") == pytest.approx(3 / 20)
    assert value("cpg", arm="native") == pytest.approx(-1 / 20)
    assert value("retention", arm="localized") == pytest.approx(10 / 17)
    assert value("retention", arm="literal") == pytest.approx(14 / 17)


def test_language_and_culture_add_up_to_both():
    both = value("cpg", arm="localized")
    assert both == pytest.approx(value("language_loss") + value("culture_loss"))


def test_paired_tests_of_the_hand_worked_example():
    # Discordant families: language 4 against 1, culture 5 against 1, both 8 against 1.
    found = {(t.loss, *t.where.items()): t for t in loss_tests(Table(hand_worked()))}
    language, culture, both = (found[loss,] for loss in ("language", "culture", "both"))
    assert (language.only_first, language.only_second) == (4, 1)
    assert (culture.only_first, culture.only_second) == (5, 1)
    assert (both.only_first, both.only_second) == (8, 1)
    # Two-sided exact McNemar: 2·P(X ≤ k) of a fair coin.
    assert language.p == pytest.approx(2 * (1 + 5) / 2**5)
    assert culture.p == pytest.approx(2 * (1 + 6) / 2**6)
    assert both.p == pytest.approx(2 * (1 + 9) / 2**9)
    assert (language.verdict, both.verdict) == ("no difference shown", "different")
    assert {t.families for t in found.values() if not t.where} == {20}
    china, mexico = (found["both", ("culture", name)] for name in ("china", "mexico"))
    assert mexico.p < china.p
    assert mexico.p_holm == pytest.approx(2 * mexico.p)
    assert china.p_holm == pytest.approx(max(china.p, mexico.p_holm))
    assert not any(t.loss == "native" for t in found.values())


def test_the_native_arm_is_compared_unpaired():
    # The same records with native outcomes dealt out to other families: nothing may change.
    mixed = []
    natives = [r for r in hand_worked() if r.facts.arm == "native"]
    shuffled = [r.passed for r in natives]
    random.Random(3).shuffle(shuffled)
    for record in hand_worked():
        if record.facts.arm == "native":
            record = replace(record, passed=shuffled.pop())
        mixed.append(record)
    one = estimate("retention", hand_worked(), {"arm": "native"})
    two = estimate("retention", mixed, {"arm": "native"})
    assert (one.low, one.high) == pytest.approx((two.low, two.high))
    assert "correlation 0.00" in (one.method or "")


def test_families_are_named_by_what_they_lose():
    found = affected(hand_worked())
    assert [(one.first, one.second) for one in found[:8]] == [(1, 0)] * 8
    assert (found[-1].family, found[-1].loss) == ("family17", -1)
    most, least = ends(found)
    assert [one.loss for one in most] == [1, 1, 1]
    assert least[0].family == "family17"


@pytest.fixture(scope="module")
def families(tmp_path_factory):
    return bank(tmp_path_factory.mktemp("items"), 24)


def metrics(found, right, **extra):
    data = summarise(records(found, right, **extra))
    whole = {one["metric"]: one for one in data["estimates"] if one["where"] == {}}
    by_arm = {
        (one["metric"], one["where"]["arm"]): one
        for one in data["estimates"]
        if set(one["where"]) == {"arm"}
    }
    return data, whole, by_arm


def test_a_model_that_fails_the_localized_arm_alone_loses_to_culture(families):
    data, whole, by_arm = metrics(families, lambda case, s: case.arm.name != "localized")
    assert whole["language_loss"]["value"] == 0
    assert whole["culture_loss"]["value"] == 1
    assert whole["culture_loss"]["low"] > 0.5
    assert by_arm["retention", "localized"]["value"] == 0
    advice = {(one["pattern"], one["group"]) for one in data["mirror"]["advice"]}
    assert advice == {(SETTING, "china"), (SETTING, "mexico")}


def test_a_model_that_fails_every_arm_that_is_not_english_loses_to_language(families):
    data, whole, by_arm = metrics(families, lambda case, s: case.arm.lang == "en")
    assert whole["language_loss"]["value"] == 1
    assert whole["language_loss"]["low"] > 0.5
    assert whole["culture_loss"]["value"] == 0
    assert whole["culture_loss"]["low"] < 0 < whole["culture_loss"]["high"]
    assert by_arm["cpg", "localized"]["value"] == 1
    advice = {(one["pattern"], one["group"]) for one in data["mirror"]["advice"]}
    assert advice == {(LANGUAGE, "china"), (LANGUAGE, "mexico")}


def test_a_model_that_guesses_has_no_losses_and_raises_no_alarm(families):
    for seed in range(5):
        rng = random.Random(seed)
        data, whole, by_arm = metrics(
            families, lambda case, s, rng=rng: bool(case.arm.options) and rng.random() < 0.25
        )
        for one in (whole["language_loss"], whole["culture_loss"], *by_arm.values()):
            if one["metric"] in ("language_loss", "culture_loss", "cpg", "retention"):
                assert one["value"] is None
                assert "above chance" in one["undefined"]
        patterns = {one["pattern"] for one in data["mirror"]["advice"]}
        assert not patterns & {SETTING, LANGUAGE, EASIER}
        assert WEAK in patterns


def test_with_another_home_regions_are_compared_with_its_arms(families):
    data, whole, by_arm = metrics(
        families, lambda case, s: case.facts.arm == "original", home="mexico"
    )
    assert whole["language_loss"]["undefined"] == "no literal case was asked and judged"
    assert by_arm["cpg", "localized"]["value"] == 1
    rows = {(row["culture"], row["arm"]): row for row in data["mirror"]["regions"]}
    assert rows["china", "localized"]["cpg"]["value"] == 1
    assert rows["north-america", "localized"]["retention"]["value"] == 0
    assert "cpg" not in rows["mexico", "original"]
    assert data["mirror"]["tests"] == []


def test_steadiness_and_overconfidence_lead_to_advice_with_their_cases(families):
    data, *_ = metrics(families, lambda case, s: s == 0, sure=95)
    found = {(one["pattern"], one["group"]): one for one in data["mirror"]["advice"]}
    assert found[UNSTEADY, "all"]["cases"]
    assert len(found[OVERSURE, "china"]["cases"]) == 24 * 4
    assert set(data["mirror"]["confidently_wrong"]) == {"china", "mexico"}


def test_a_region_that_stands_out_is_no_strength_yet(families):
    data, *_ = metrics(
        families, lambda case, s: case.facts.culture == "china" or hash_of(case) % 2 == 0
    )
    (found,) = (one for one in data["mirror"]["advice"] if one["pattern"] == EASIER)
    assert found["group"] == "china"
    assert all(case.endswith("-localized") for case in found["cases"])


def hash_of(case) -> int:
    return sum(map(ord, case.facts.case))


@pytest.mark.parametrize("families", [20, 100])
@pytest.mark.parametrize(("original", "arm", "icc"), [(0.8, 0.6, 0.2), (0.9, 0.72, 0.0)])
def test_the_retention_interval_holds_the_truth(families, original, arm, icc):
    truth = simulation.ArmTruth(families, original, arm, icc)
    held, width, undefined = simulation.retention_coverage(truth, runs=400)
    # 400 draws of 95 % have a standard error of 1.1 points.
    assert 0.93 - 0.011 <= held <= 0.97 + 0.011
    assert undefined == 0
    assert width < 1


def scored(case: str, *calls: float | None, culture: str = "china", mark: bool = False) -> Record:
    record = made(True, case=case, cluster=case, track="mirror", kind="mirror", culture=culture,
                  arm="native")  # fmt: skip
    judgements = tuple(
        Judgement("solve-1", 0, aspect, number, score, mark)
        for number, score in enumerate(calls)
        for aspect in ("path", "culture")
    )
    return replace(record, judgements=judgements)


def test_path_scores_are_means_over_replies_with_what_is_apart_counted():
    found = [
        scored("a", 2, 2),
        scored("b", 2, 1),
        scored("c", 0, 2, 0),
        scored("d", None, None),
        scored("e", 1, 1, 1, mark=True),
    ]
    whole = next(row for row in paths_summary(found, 0.95) if not row["where"])
    assert whole["n"] == 3
    assert whole["mean"] == pytest.approx((2 + 1.5 + 0) / 3)
    assert 0 <= whole["low"] < whole["mean"] < whole["high"] <= 2
    assert (whole["unscored"], whole["nonstandard"], whole["arbitrated"]) == (1, 1, 2)
    assert whole["calls"]["pairs"] == 4
    assert paths_summary([made(True)], 0.95) is None


def test_kappa_is_cohens_with_quadratic_weights():
    # Worked by hand for three scores: observed and expected squared distances.
    first, second = [0, 1, 2, 2, 1, 0], [0, 1, 2, 1, 1, 1]
    observed = 2 / 6
    expected = sum((a - b) ** 2 for a in first for b in second) / 36
    found = agreement(first, second)
    assert found.kappa == pytest.approx(1 - observed / expected)
    assert found.kappa == pytest.approx(cohen_kappa_score(first, second, weights="quadratic"))
    assert found.equal == pytest.approx(4 / 6)
    same = agreement([1, 1], [1, 1])
    assert (same.kappa, same.equal) == (None, 1)
    assert same.undefined
    assert agreement([], []).undefined == "no reply was scored by both"


def test_judges_that_are_apart_lead_to_the_rubric():
    found = [scored(f"case{n}", n % 3, (n + 1) % 3, 1) for n in range(12)]
    advice = [one for one in mirror_advice(Table(found)) if one.pattern == JUDGES]
    assert {one.group for one in advice} == {"china"}
    assert len(advice[0].cases) == 12


def test_a_persons_scores_are_read_back_and_compared_with_the_judges(tmp_path):
    found = [scored("a", 2, 2), scored("b", 0, 0), scored("c", 1, 2), scored("d", None, None)]
    path = write_path_scores(tmp_path, found)
    assert write_path_scores(tmp_path, [made(True)]) is None
    assert path is not None
    same = read_path_scores(path)
    assert same["c", "solve-1", 0, "path"] == 1.5
    assert len(same) == 6  # an empty score is none
    assert compare_scorers(found, same)[0]["kappa"] == pytest.approx(1)
    text = path.read_text("utf-8-sig").replace('"b","solve-1","0","path","0"',
                                               '"b","solve-1","0","path","2"')  # fmt: skip
    person = tmp_path / "person.csv"
    person.write_text(text, encoding="utf-8")
    row = next(r for r in compare_scorers(found, read_path_scores(person)) if not r["where"])
    assert (row["aspect"], row["pairs"]) == ("path", 3)
    assert row["equal"] == pytest.approx(2 / 3)
    assert row["difference"] == pytest.approx(-2 / 3)


def test_every_row_of_a_persons_scores_that_cannot_be_used_is_told_with_its_line(tmp_path):
    path = tmp_path / "person.csv"
    path.write_text(
        "case,template,sample,aspect,score\n"
        "a,solve-1,0,path,3\n"
        "a,solve-1,x,path,1\n"
        "a,solve-1,0,taste,1\n"
        "a,solve-1,0,culture,\n"
        "a,solve-1,0,culture,1\n"
        "a,solve-1,0,culture,2\n"
        ",solve-1,0,path,2\n",
        encoding="utf-8",
    )
    with pytest.raises(InputError) as caught:
        read_path_scores(path)
    told = [str(one).removeprefix(str(tmp_path)) for one in caught.value.problems]
    assert told == [
        "/person.csv:2: a: score: 0, 1 or 2 was expected, got '3'",
        "/person.csv:3: a: sample: a whole number was expected, got 'x'",
        "/person.csv:4: a: aspect: one of path, culture was expected, got 'taste'",
        "/person.csv:7: a: scored twice; keep one row",
        "/person.csv:8: case and template say which reply is meant; fill them in",
    ]
    path.write_text("case,score\na,1\n", encoding="utf-8")
    with pytest.raises(InputError, match="lacks the columns template, sample, aspect"):
        read_path_scores(path)
