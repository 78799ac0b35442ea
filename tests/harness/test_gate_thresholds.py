"""thresholds.yaml: what is read of it, and every mistake with its line before a model is asked."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from made_records import made

from culturegate.errors import CulturegateError, InputError
from culturegate.gate import Validity, load_thresholds, parse_thresholds

REPOSITORY = Path(__file__).parents[2]
FILE = Path("thresholds.yaml")


def problems(text: str) -> list[str]:
    with pytest.raises(InputError) as caught:
        parse_thresholds(text, FILE)
    return [str(problem) for problem in caught.value.problems]


def line(text: str) -> list[str]:
    """Return the problems of one line in an otherwise good file, without its place."""
    head = "profiles:\n  release:\n    lines:\n"
    return [p.removeprefix("thresholds.yaml:4: ") for p in problems(f"{head}      - {{{text}}}\n")]


def test_the_projects_own_file_is_good():
    thresholds = load_thresholds(REPOSITORY / "thresholds.yaml")
    assert list(thresholds.profiles) == ["smoke", "release", "upgrade"]
    text = (REPOSITORY / "thresholds.yaml").read_bytes()
    assert thresholds.sha256 == hashlib.sha256(text).hexdigest()
    assert thresholds.profile("smoke").validity == Validity(0.9, 1, 1)


def test_a_line_is_read_whole():
    text = """
confidence: 0.9
weights: {myth: 1}
contaminated_weight: 0
profiles:
  p:
    validity: {min_clusters: 3}
    lines:
      - name: norwegian
        metric: accuracy
        where: {culture: no, difficulty: 2, public: true}
        by: kind
        min: .5
        judge: pass_certain
        min_n: 7
        min_clusters: 2
        redline: true
"""
    thresholds = parse_thresholds(text, FILE)
    (found,) = thresholds.profile("p").lines
    assert (thresholds.confidence, dict(thresholds.weights)) == (0.9, {"myth": 1.0})
    assert thresholds.profile("p").validity == Validity(min_clusters=3)
    assert found.where == (("culture", "no"), ("difficulty", "2"), ("public", "true"))
    assert (found.by, found.judge, found.min_n, found.min_clusters) == (
        "kind",
        "pass_certain",
        7,
        2,
    )
    assert (found.limit, found.bound, found.shown, found.place) == (0.5, "min", "≥ 0.5", 9)
    assert (found.redline, found.warn) == (True, False)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name: a, metric: accuracy, min: 1.2", "a: min is 1.2; it must be from 0 to 1"),
        ("name: a, metric: gap, max: -2", "a: max is -2; it must be from -1 to 1"),
        ("name: a, metric: accuracy, min: .nan", "a: min is nan; it must be from 0 to 1"),
        (
            "name: a, metric: retention, where: {arm: x}, min: -1",
            "a: min is -1; it must be 0 or more",
        ),
        ("name: a, metric: accuracy, min: yes", "a: min is 'yes'; it must be a number"),
        ("name: a, metric: accuracy, min: true", "a: min is true; it must be a number"),
        ("name: a, metric: accuracy", "a: the line has no limit; it needs either min or max"),
        (
            "name: a, metric: accuracy, min: 0.1, max: 0.2",
            "a: the line has min and max; it needs either min or max",
        ),
        (
            "name: a, metric: accuracy, max_drop: 0.2",
            "a: the line has max_drop; it needs either min or max, or max_drop with "
            "against: baseline",
        ),
        (
            "name: a, metric: accuracy, min: 0.2, against: baseline",
            "a: the line has min; it needs max_drop and no other limit",
        ),
        (
            "name: a, metric: accuracy, max_drop: 0.2, against: yesterday",
            "a: against is 'yesterday'; it can only be baseline",
        ),
        (
            "name: a, metric: accuracy, min: 0.2, judge: sure",
            "a: unknown judge 'sure' (there are: point, breach_certain, pass_certain)",
        ),
        (
            "name: a, metric: calibration_error, max: 0.2, judge: breach_certain",
            "a: calibration_error has no interval; judge it by point",
        ),
        (
            "name: a, metric: gap, max: 0.2, where: {kind: recall}",
            "a: gap compares 'recall' with 'decode', so no group may fix kind",
        ),
        (
            "name: a, metric: gap, max: 0.2, by: kind",
            "a: gap compares 'recall' with 'decode', so no group may fix kind",
        ),
        (
            "name: a, metric: cpg, max: 0.2",
            "a: cpg compares one arm with 'original'; name it by where: {arm: …} or by: arm",
        ),
        (
            "name: a, metric: cpg, max: 0.2, where: {arm: original}",
            "a: cpg can't compare 'original' with itself",
        ),
        (
            "name: a, metric: accuracy, min: 0.2, where: {lang: en}, by: lang",
            "a: where already fixes lang, so by has nothing to split",
        ),
        (
            "name: a, metric: accuracy, min: 0.2, redline: true, warn: true",
            "a: a red line vetoes and a warning never fails; keep one",
        ),
        (
            "name: a, metric: accuracy, min: 0.2, min_n: 0",
            "a: min_n is 0; it must be a whole number from 1",
        ),
        (
            "name: a, metric: accuracy, min: 0.2, warn: maybe",
            "a: warn is 'maybe'; it must be true or false",
        ),
        (
            "name: a, metric: accuracy, min: 0.2, where: {lang: [en, zh]}",
            "a: lang is a list; it must be one value, such as a name",
        ),
        (
            "metric: accuracy, min: 0.2",
            "a line has no name; give it a few words, quoted where in doubt",
        ),
    ],
)
def test_a_line_that_cannot_be_judged_is_refused(text, message):
    assert line(text) == [message]


def test_a_typo_is_named_with_what_was_meant_and_what_there_is():
    (metric,) = line("name: a, metric: accurcy, min: 0.2")
    assert metric.startswith("a: unknown metric 'accurcy'; did you mean 'accuracy'? (there are: ")
    (fact,) = line("name: a, metric: accuracy, min: 0.2, where: {cultur: greek}")
    assert fact.startswith("a: unknown fact 'cultur'; did you mean 'culture'? (there are: case, ")
    (key,) = line("name: a, metric: accuracy, min: 0.2, judgement: point")
    assert key.startswith(
        "a: unknown key 'judgement' in a line; did you mean 'judge'? (there are: "
    )


def test_every_mistake_is_told_at_once_in_the_order_of_lines():
    text = """confidence: 95
weights: {safety: 1}
profile: {}
profiles:
  release:
    validity: {max_unparsed_rate: 2, min_clusters: none}
    lines:
      - {name: a, metric: accuracy, min: 2}
      - {name: b, metric: accuracy, min: 0.5}
      - {name: b, metric: accuracy, min: 0.6}
      - hello
  empty:
"""
    assert [told.split(" (there are")[0].split(";")[0] for told in problems(text)] == [
        "thresholds.yaml:1: confidence is 95",
        "thresholds.yaml:2: unknown key 'safety' in weights",
        "thresholds.yaml:2: weights has no track above 0",
        "thresholds.yaml:3: unknown key 'profile' in the file",
        "thresholds.yaml:6: max_unparsed_rate is 2",
        "thresholds.yaml:6: min_clusters is 'none'",
        "thresholds.yaml:8: a: min is 2",
        "thresholds.yaml:10: a second line named 'b'",
        "thresholds.yaml:11: a line is 'hello'",
        "thresholds.yaml:12: profile 'empty' is empty",
    ]


@pytest.mark.parametrize(
    "text", ["", "[]", "profiles:", "profiles: []", "a: [", "profiles: {p: {}}"]
)
def test_a_file_without_lines_is_refused(text):
    assert problems(text)


def test_a_missing_file_is_one_clear_message(tmp_path):
    with pytest.raises(InputError, match=r"thresholds.yaml: no such file"):
        load_thresholds(tmp_path / "thresholds.yaml")


def test_hostile_text_stays_short_and_plain_in_messages():
    (told,) = line(f'name: a, metric: "{"x" * 10_000}\\u001b[31m", min: 0.2')
    assert len(told) < 1200
    assert "\x1b" not in told


GROUPS = """
profiles:
  release:
    lines:
      - {name: typo, metric: accuracy, where: {culture: greeek}, min: 0.5}
      - {name: good, metric: accuracy, where: {culture: greek, lang: zh}, min: 0.5}
      - {name: arms, metric: accuracy, by: arm, min: 0.5}
  other:
    lines:
      - {name: level, metric: accuracy, where: {difficulty: 7}, min: 0.5}
"""


def test_groups_that_no_planned_case_is_in_are_mistakes_with_their_line():
    planned = [made(True, difficulty=2).facts, made(True, culture="norse").facts]
    thresholds = parse_thresholds(GROUPS, FILE)
    with pytest.raises(InputError) as caught:
        thresholds.check("release", planned)
    assert [str(problem) for problem in caught.value.problems] == [
        "thresholds.yaml:5: typo: no planned case has culture 'greeek'; did you mean 'greek'? "
        "(there are: greek, norse)",
        "thresholds.yaml:7: arms: by arm: no planned case has that fact",
    ]
    with pytest.raises(InputError, match="no planned case has difficulty '7'"):
        thresholds.check("other", planned)


def test_an_unknown_profile_lists_those_there_are():
    with pytest.raises(
        CulturegateError, match=r"no gate profile 'nightly' in thresholds\.yaml; there"
    ):
        parse_thresholds(GROUPS, FILE).profile("nightly")
