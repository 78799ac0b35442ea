"""The content of metrics.json: whole, deterministic and quick."""

from __future__ import annotations

import json
import random
import time

from made_records import episodes, made, several

from culturegate.metrics import Table, summarise, worst_culture


def bank(cultures: int, count: int) -> list:
    draw = random.Random(5)
    return [
        made(
            draw.random() < (0.9 if kind == "recall" else 0.6),
            kind=kind,
            cluster=f"c{culture}-{number}",
            culture=f"c{culture:02d}",
            difficulty=1 + number % 3,
            public=number % 2 == 0,
            lang=lang,
        )
        for culture in range(cultures)
        for number in range(count)
        for kind in ("recall", "decode")
        for lang in ("en", "zh")
    ]


def found(metrics: dict, metric: str, **where: str) -> dict:
    (estimate,) = [
        each for each in metrics["estimates"] if each["metric"] == metric and each["where"] == where
    ]
    return estimate


def test_the_summary_does_not_depend_on_the_order_of_arrival():
    records = bank(4, 6)
    first = json.dumps(summarise(records, seed=1))
    random.Random(1).shuffle(records)
    assert json.dumps(summarise(records, seed=1)) == first


def test_the_summary_is_plain_json_without_nan_and_with_short_floats():
    text = json.dumps(summarise([*bank(3, 4), made(None)], seed=1), allow_nan=False)
    assert all(len(number) <= 10 for number in text.split() if number.startswith("0."))


def test_the_summary_has_every_group_that_a_report_shows():
    metrics = summarise(bank(3, 6), seed=1)
    assert found(metrics, "accuracy", kind="recall")["n"] == 36
    assert found(metrics, "accuracy", culture="c01", kind="decode")["n"] == 12
    assert found(metrics, "gap", culture="c01")["clusters"] == 6
    assert found(metrics, "accuracy", difficulty="2", kind="decode")["n"] == 12
    assert found(metrics, "gap", lang="zh")["n"] == 36
    assert found(metrics, "public_gap")["n"] == 72
    assert found(metrics, "composite")["undefined"]
    assert (metrics["cases"], metrics["clusters"], metrics["errors"]) == (72, 18, 0)


def test_no_group_is_estimated_twice():
    metrics = summarise(bank(2, 6), seed=1)
    names = [(e["metric"], *sorted(e["where"].items())) for e in metrics["estimates"]]
    assert len(names) == len(set(names))


def test_accuracy_is_split_by_contamination_with_n():
    metrics = summarise([*several(3, 4), *several(1, 2, contaminated=True)])
    assert found(metrics, "accuracy", contaminated="true")["n"] == 2
    assert found(metrics, "accuracy", contaminated="false")["value"] == 0.75


def test_statuses_outcomes_and_errors_are_counted():
    metrics = summarise([made(True), made(False, status="unparsed"), made(None)])
    assert metrics["statuses"] == {"answered": 1, "error": 1, "unparsed": 1}
    assert metrics["outcomes"] == {"passed": 1, "wrong": 1, "error": 1}


def test_an_empty_run_is_a_summary_too():
    metrics = summarise([])
    assert metrics["cases"] == 0
    assert all(each["undefined"] for each in metrics["estimates"])


def test_safety_stands_apart():
    metrics = summarise([*several(4, 4), *several(0, 4, track="safety", kind="scene")])
    assert found(metrics, "accuracy")["value"] == 1.0
    assert metrics["safety"]["cases"] == 4
    assert not [e for e in metrics["estimates"] if "scene" in e["where"].values()]


def test_rows_that_repeat_one_question_are_warned_about():
    metrics = summarise(several(3, 6, cluster="only"))
    assert metrics["clusters"] == 1
    assert metrics["warnings"] == ["all 6 cases come from one cluster: they count as one draw"]


def test_an_order_that_reverses_in_every_group_is_warned_about():
    counts = {
        ("en", 1): (81, 87),
        ("en", 3): (192, 263),
        ("zh", 1): (234, 270),
        ("zh", 3): (55, 80),
    }
    records = [
        made(n < right, lang=lang, difficulty=difficulty)
        for (lang, difficulty), (right, of) in counts.items()
        for n in range(of)
    ]
    assert summarise(records)["warnings"] == [
        "lang zh leads en over all cases but trails it at every difficulty: "
        "read the groups, not the total"
    ]


def test_the_worst_culture_stands_beside_what_chance_gives():
    records = [
        record for n in range(6) for record in episodes(10, [], [True, n > 0, n > 0], f"land{n}")
    ]
    worst = worst_culture(Table(records).view({"kind": "decode"}), seed=4)
    assert worst["worst"] == ["land0"]
    assert 1 / 2001 <= worst["p"] < 0.01
    assert worst["value"] < worst["unlikely_below"] < worst["expected"]
    assert worst == worst_culture(Table(records).view({"kind": "decode"}), seed=4)
    assert (worst["seed"], worst["clusters"], worst["cultures"]) == (4, 60, 6)


def test_equal_cultures_have_no_worst_beyond_chance():
    alike = [r for n in range(6) for r in episodes(10, [], [True, False], f"land{n}")]
    worst = worst_culture(Table(alike).view(), seed=4)
    assert worst["p"] == 1.0
    assert len(worst["worst"]) == 6


def test_one_culture_has_no_worst():
    assert worst_culture(Table(several(3, 4)).view(), seed=1)["undefined"] == (
        "1 cultures have judged cases; two are needed"
    )


def test_ten_thousand_records_take_seconds_at_most():
    records = bank(26, 100)
    assert len(records) > 10_000
    start = time.perf_counter()
    summarise(records, seed=1)
    assert time.perf_counter() - start < 4
