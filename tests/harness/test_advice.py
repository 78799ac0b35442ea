"""Advice on the gap: four patterns, judged by intervals, each with the cases that show it."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
import reports_sample
from made_records import episodes, made

from culturegate.reports.advice import gap_advice
from culturegate.reports.sections import sections

LINES = {"recall": 0.6, "decode": 0.55}


def advice(records, lines=LINES):
    found = gap_advice(records, lambda kind, chance: lines[kind])
    return {one.group: one for one in found}


def patterns(records):
    return {group: one.pattern for group, one in advice(records).items()}


KNOWN = (True, True)
LOST = (False, False)


@pytest.mark.parametrize(
    ("recall", "decode", "pattern"),
    [
        (KNOWN, LOST, "known, not used"),
        (LOST, LOST, "not known"),
        (KNOWN, KNOWN, "sound"),
        (LOST, KNOWN, "used, not known"),
    ],
)
def test_each_pattern_has_its_advice(recall, decode, pattern):
    assert patterns(episodes(20, recall, decode)) == {None: pattern}


def test_a_certain_gap_is_use_even_where_decode_is_not_certainly_below_its_line():
    records = episodes(12, KNOWN, (True, False)) + episodes(4, KNOWN, KNOWN)
    one = advice(records)[None]
    assert one.decode.low < LINES["decode"] < one.decode.high
    assert one.pattern == "known, not used"


def test_a_gap_below_zero_that_chance_explains_is_noise():
    records = [made(n % 2 == 0, kind="recall", cluster=f"t{n}") for n in range(16)]
    records += [made(n % 2 == 0 or n == 1, kind="decode", cluster=f"t{n}") for n in range(16)]
    one = advice(records)[None]
    assert one.gap.value < 0 < one.gap.high
    assert one.pattern == "reversed by chance"


def test_few_episodes_give_no_advice_whatever_the_values():
    assert patterns(episodes(2, (True,), (False,))) == {None: "nothing certain"}


def test_an_accuracy_above_its_line_is_not_high_while_chance_may_give_it():
    records = [made(n < 7, kind=kind, cluster=f"t{n}", chance=0.5)
               for n in range(10) for kind in ("recall", "decode")]  # fmt: skip
    low_lines = {"recall": 0.2, "decode": 0.2}
    assert advice(records, low_lines)[None].pattern == "not above chance"


def test_cultures_are_advised_on_apart():
    records = episodes(20, KNOWN, LOST, "greek") + episodes(20, LOST, LOST, "norse")
    records += episodes(20, KNOWN, KNOWN, "maori")
    found = patterns(records)
    assert found["greek"] == "known, not used"
    assert found["norse"] == "not known"
    assert found["maori"] == "sound"


def test_the_cases_are_those_that_show_the_pattern():
    def shown(records):
        kinds = {record.facts.case: record.facts for record in records}
        return [kinds[case] for case in advice(records)[None].cases]

    half_known = [
        made(passed, kind=kind, cluster="half")
        for kind, passed in (("recall", True), ("recall", False), ("decode", False))
    ]
    unused = shown(episodes(12, KNOWN, LOST) + half_known)
    assert [(one.kind, one.cluster == "half") for one in unused] == [("decode", False)] * 24
    assert {one.kind for one in shown(episodes(12, LOST, LOST))} == {"recall"}
    assert {one.kind for one in shown(episodes(12, LOST, KNOWN))} == {"decode"}


def test_a_model_alike_in_all_cultures_has_none_singled_out_by_its_gap():
    draw = random.Random(2)
    alarms = 0
    for _ in range(60):
        records = [
            made(draw.random() < 0.75, kind=kind, cluster=f"{culture}-{n}", culture=f"c{culture}")
            for culture in range(12)
            for n in range(10)
            for kind in ("recall", "decode")
            for _ in range(2)
        ]
        found = patterns(records).items()
        alarms += any(name and one in ("known, not used", "used, not known") for name, one in found)
    assert alarms <= 8  # 5 % of 60, and three standard errors


def test_other_tracks_and_the_diagnosis_do_not_count():
    records = episodes(20, KNOWN, KNOWN)
    apart = [made(False, kind=kind, track="diagnosis", condition="question-removed")
             for kind in ("recall", "decode") for _ in range(90)]  # fmt: skip
    assert patterns([*records, *apart]) == {None: "sound"}
    assert gap_advice(apart, lambda *_: 0.5) == []
    assert gap_advice([made(True, kind="recall")], lambda *_: 0.5) == []


def _section(run):
    return next(one for one in sections(run) if one.title == "What to do about it")


def test_the_section_names_limits_advice_and_at_most_six_cases(tmp_path: Path):
    run = reports_sample.run(tmp_path)
    run = reports_sample.run(tmp_path, gate=reports_sample.gate(run.metrics))
    found = _section(run)
    assert found.headline == (
        "What to do (known, not used; gap 26 points, 12 to 40): tune on use, not on more corpus: "
        "the knowledge is there and is not used."
    )
    assert "60% for recall (its line), 55% for decode (its line)" in found.notes[0]
    assert found.notes[1].startswith("Known, not used (all cultures): Tune on use")
    (table,) = found.tables
    assert table.rows[0][-1].count("-d1-") == 6
    assert table.rows[0][-1].endswith("and 11 more")


def test_no_gap_is_stated_where_recall_is_not_shown_above_chance(tmp_path: Path):
    one = advice(episodes(20, LOST, LOST))[None]
    assert (one.pattern, one.gap.value) == ("not known", None)
    skill = {"recall": (3,) * 6, "decode": (2,) * 6}
    found = _section(reports_sample.run(tmp_path, reports_sample.records(skill)))
    assert found.headline == (
        "What to do (not known): add texts that tell these stories to the corpus. Nothing can be "
        "advised on use: recall is not shown above chance, so what is known can't be told from "
        "guessing and there is no gap to state."
    )
    assert found.notes[-1].startswith("No gap is stated (all cultures")
    assert {row[4] for row in found.tables[0].rows} == {"undefined"}


def test_nothing_is_advised_where_recall_is_neither_low_nor_above_chance(tmp_path: Path):
    records = [made(n < 4 + (kind == "decode"), kind=kind, cluster=f"t{n}", chance=0.25)
               for n in range(8) for kind in ("recall", "decode")]  # fmt: skip
    found = _section(reports_sample.run(tmp_path, records))
    assert found.headline.startswith("What to do: nothing can be advised on use, since recall is")
    assert "Nothing can be advised on use" in "".join(found.notes)
    assert "reversed by chance" not in str(found.tables)


def test_without_a_line_the_limit_is_half_way_from_chance_and_the_report_says_so(tmp_path: Path):
    found = _section(reports_sample.run(tmp_path))
    assert "half-way between chance and all right for recall (it has no line)" in found.notes[0]
