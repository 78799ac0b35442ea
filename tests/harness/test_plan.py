"""`culturegate plan`: what a profile could show of a bank under a protocol."""

from __future__ import annotations

from pathlib import Path

import pytest
from made_records import episodes, made, several
from suites import REPOSITORY

from culturegate.__main__ import main
from culturegate.gate import parse_thresholds
from culturegate.plan import Assumptions, Row, plan
from culturegate.tracks.base import Record

HEAD = "profiles:\n  p:\n    validity: {min_clusters: 1}\n    lines:\n"


def rows(lines: list[str], records: list[Record], **assumed: float) -> list[Row]:
    text = HEAD + "".join(f"      - {{{line}}}\n" for line in lines)
    found = parse_thresholds(text, Path("t.yaml"))
    facts = [record.facts for record in records]
    return plan(found, found.profile("p"), facts, Assumptions(**assumed))


def test_a_line_counts_the_cases_and_clusters_of_its_group():
    (row,) = rows(
        ["name: x, metric: accuracy, where: {kind: decode}, min: 0.5"],
        episodes(12, [True], [True, True, False]),
    )
    assert row.question is not None
    assert (row.question.n, row.question.clusters) == (36, 12)
    assert row.question.design_effect == pytest.approx(1 + 2 * 0.2)


def test_a_limit_near_a_guess_is_planned_by_the_distance_to_it():
    (row,) = rows(["name: x, metric: accuracy, min: 0.4"], several(1, 50))
    assert (row.room, row.landmark) == (pytest.approx(0.15), "a guess")
    (high,) = rows(["name: x, metric: accuracy, min: 0.9"], several(1, 50))
    assert (high.room, high.landmark) == (pytest.approx(0.1), "perfect")


def test_certain_lines_and_groups_share_the_error_rate():
    records = [r for name in "abcd" for r in several(1, 40, culture=name)]
    line = "name: x, metric: accuracy, min: 0.6, judge: breach_certain"
    (one,) = rows([line], records[:40])
    (four,) = rows([f"{line}, by: culture"], records)
    assert four.groups == 4
    assert four.question is not None
    assert four.question.alpha == pytest.approx(0.05 / 4)
    assert four.difference > one.difference
    assert one.alarms[0] == pytest.approx(0.025)
    assert four.alarms[0] == pytest.approx(1 - (1 - 0.05 / 8) ** 4, rel=1e-3)


def test_the_group_that_can_show_least_speaks_for_the_line():
    records = several(1, 40, culture="big") + several(1, 12, culture="small")
    (row,) = rows(["name: x, metric: accuracy, by: culture, min: 0.6"], records)
    assert row.question is not None
    assert row.question.n == 12


def test_a_line_that_will_lack_clusters_is_told_before_the_run_and_fails_nothing():
    (row,) = rows(["name: x, metric: accuracy, min: 0.6, min_clusters: 9"], several(1, 8))
    assert row.why == "unverified: 8 clusters, 9 needed"
    assert row.alarms == (0.0, 0.0)


def test_a_contrast_rests_on_both_its_sides():
    mirror = [
        made(True, track="mirror", kind="mirror", arm=arm, cluster=f"f{number}")
        for number in range(30)
        for arm in ("original", "localized", "literal")
    ]
    kept, lost = rows(
        [
            "name: kept, metric: retention, where: {arm: localized}, min: 0.8",
            "name: lost, metric: cpg, where: {arm: localized}, max: 0.1",
        ],
        mirror,
    )
    for row in (kept, lost):
        assert row.question is not None
        assert (row.question.n, row.question.clusters, row.question.design_effect) == (60, 30, 1.0)
    # The ratio is the difference over the original's share, and its room the double.
    assert kept.difference > lost.difference
    assert (kept.room, lost.room) == (pytest.approx(0.2), pytest.approx(0.1))


def test_a_model_without_any_bias_fails_a_narrow_red_line_on_few_scenes():
    scenes = [
        made(True, track="safety", kind="safety", condition=condition, cluster=f"s{number}")
        for number in range(66)
        for condition in ("ambiguous", "disambiguated")
    ]
    rate, score = rows(
        [
            "name: rate, metric: stereotype_rate, max: 0.02, redline: true",
            "name: score, metric: safety_score, min: 0.7",
        ],
        scenes,
    )
    assert rate.question is not None
    assert score.question is not None
    assert (rate.question.n, score.question.n) == (66, 66)
    assert 0.35 < rate.alarms[1] < 0.41
    assert rate.needed[0] > 5000


def test_what_is_of_no_culture_is_no_part_of_the_macro_mean():
    line = "name: each culture, metric: macro_accuracy, min: 0.6"
    notes = several(0, 8, culture="none", track="framing", kind="framing")
    (row,) = rows([line], several(5, 10, culture="no") + several(5, 10, culture="sv") + notes)
    assert row.question is not None
    assert len(row.question.parts) == 2
    (row,) = rows([line], notes)
    assert row.why == "none of its cases is of a culture"


def test_the_composite_is_planned_from_its_parts():
    records = several(1, 40) + several(1, 40, track="mirror", kind="mirror", arm="original")
    records += several(1, 40, track="persona", kind="persona", arm="implicit", condition="avoid")
    other = several(1, 40, track="persona", kind="persona", arm="none", condition="avoid")
    framing = several(1, 40, track="framing", kind="framing", condition="control")
    (row,) = rows(["name: x, metric: composite, min: 0.6"], [*records, *other, *framing])
    assert row.question is not None
    assert row.question.n == 160
    (none,) = rows(["name: x, metric: composite, min: 0.6"], records)
    assert (none.question, none.why) == (None, "a side of it has no case")


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("metric: latency_p95, max: 1", "times and tokens have no sampling model"),
        ("metric: decoded_given_recalled, min: 0.5", "turns out to know"),
        ("metric: retention, where: {arm: literal}, min: 0.5", "no case of the mirror track"),
    ],
)
def test_what_cannot_be_planned_says_why(line, why):
    (row,) = rows([f"name: x, {line}"], episodes(5, [True], [True]))
    assert row.question is None
    assert why in row.why


# The command.


def command(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["plan", *arguments]) == 0
    return capsys.readouterr().out


def test_the_command_plans_every_line_of_the_profile(monkeypatch, capsys):
    monkeypatch.chdir(REPOSITORY)
    told = command(capsys, "--protocol", "quick")
    assert told.startswith("profile release, protocol quick, ")
    for name in ("recall", "decoding gap", "localized retention", "stereotypes", "safety"):
        assert any(line.startswith(name) for line in told.splitlines())
    assert "The gate fails an unchanged model in " in told
    assert "0.2 is an assumption (--icc)" in told
    assert "0.4 is an assumption (--icc)" in command(capsys, "--protocol", "quick", "--icc", "0.4")


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("--power", "1.5"), 2, "--power 1.5: a share between 0 and 1"),
        (("--thresholds", "none.yaml"), 2, "no such file: none.yaml"),
        (("--profile", "relaese"), 1, "no gate profile 'relaese'"),
        (("--items", "nowhere"), 2, "no such file or folder: nowhere"),
    ],
)
def test_a_mistake_is_told_without_a_traceback(arguments, code, message, monkeypatch, capsys):
    monkeypatch.chdir(REPOSITORY)
    assert main(["plan", *arguments]) == code
    told = capsys.readouterr()
    assert message in told.err
    assert not told.out


def test_every_column_is_explained_in_the_documentation():
    page = (REPOSITORY / "docs" / "power.md").read_text("utf-8")
    for word in ("`shows`", "`needs`", "`deff`", "`fails at limit`", "--icc", "--base", "--margin"):
        assert word in page
