"""From records to verdicts and an exit code."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from made_records import episodes, made, several

from culturegate.gate import GateResult, judge, load_thresholds, parse_thresholds
from culturegate.tracks.base import Record

REPOSITORY = Path(__file__).parents[2]


def gate(
    lines: str | Sequence[str],
    records: Sequence[Record],
    *,
    planned: Sequence[Record] | None = None,
    validity: str = "{}",
    **options: object,
) -> GateResult:
    """Judge records by lines written in flow style."""
    listed = [lines] if isinstance(lines, str) else lines
    text = f"profiles:\n  p:\n    validity: {validity}\n    lines:\n"
    text += "".join(f"      - {{{line}}}\n" for line in listed)
    facts = [record.facts for record in (records if planned is None else planned)]
    return judge(parse_thresholds(text, Path("t.yaml")), "p", records, facts, **options)


def statuses(result: GateResult) -> list[str]:
    return [verdict.status for verdict in result.verdicts]


ACCURATE = "name: accurate, metric: accuracy, min: 0.9"


@pytest.mark.parametrize(("right", "status", "code"), [(9, "met", 0), (8, "breached", 10)])
def test_a_point_line_compares_the_value(right, status, code):
    result = gate(ACCURATE, several(right, 10))
    assert (statuses(result), result.exit_code) == ([status], code)


def test_the_verdict_holds_limit_value_n_and_clusters():
    (verdict,) = gate(ACCURATE, several(8, 10)).verdicts
    assert (verdict.line, verdict.metric, verdict.limit) == ("accurate", "accuracy", "≥ 0.9")
    assert verdict.reason == "0.8 is below 0.9, which chance alone could explain"
    assert (verdict.estimate.n, verdict.estimate.clusters) == (10, 10)


@pytest.mark.parametrize("red", ["", ", redline: true"])
def test_a_point_breached_says_where_chance_alone_could_explain_it(red):
    (perhaps,) = gate(f"{ACCURATE}{red}", several(8, 10)).verdicts
    (surely,) = gate(f"{ACCURATE}{red}", several(50, 100)).verdicts
    assert (perhaps.status, surely.status) == ("breached", "breached")
    assert perhaps.estimate.high > 0.9 > surely.estimate.high
    assert perhaps.reason.endswith("which chance alone could explain")
    assert surely.reason == "0.5 is below 0.9"


def test_a_limit_is_met_by_what_equals_it_however_floats_round():
    records = several(15, 20, kind="recall") + several(12, 20)
    assert 15 / 20 - 12 / 20 > 0.15
    assert statuses(gate("name: gap, metric: gap, max: 0.15", records)) == ["met"]


def test_one_passing_case_is_neither_shown_bad_nor_certain_to_be_good():
    line = "name: x, metric: accuracy, min: 0.9"
    certain = gate(f"{line}, judge: breach_certain", [made(True)])
    assert (statuses(certain), certain.exit_code) == (["met"], 0)
    assert certain.verdicts[0].reason == "1 (0.207 to 1) is not shown to be below 0.9"
    sure = gate(f"{line}, judge: pass_certain", [made(True)])
    assert (statuses(sure), sure.exit_code) == (["unverified"], 11)
    assert sure.verdicts[0].reason == "1 (0.207 to 1) is not certain to be at least 0.9"


@pytest.mark.parametrize(("right", "status"), [(100, "met"), (90, "unverified"), (50, "breached")])
def test_pass_certain_has_three_answers(right, status):
    line = "name: x, metric: accuracy, min: 0.9, judge: pass_certain"
    assert statuses(gate(line, several(right, 100))) == [status]


def test_breach_certain_needs_the_whole_interval_on_the_wrong_side():
    line = "name: x, metric: accuracy, min: 0.9, judge: breach_certain"
    assert statuses(gate(line, several(85, 100))) == ["met"]
    assert statuses(gate(line, several(70, 100))) == ["breached"]


def test_breach_certain_lines_and_groups_are_adjusted_together():
    line = "name: x, metric: accuracy, min: 0.9, judge: breach_certain"
    bad = several(15, 20, culture="bad")
    assert statuses(gate(line, bad)) == ["breached"]
    good = [r for n in range(9) for r in several(20, 20, culture=f"good{n}")]
    result = gate(f"{line}, by: culture", bad + good)
    assert set(statuses(result)) == {"met"}
    verdict = result.verdicts[0]
    assert verdict.group == (("culture", "bad"),)
    assert "at 99.50%, adjusted by Holm" in verdict.estimate.method
    assert verdict.estimate.high > 0.9 > gate(line, bad).verdicts[0].estimate.high


def test_holm_goes_on_after_the_surest_breach():
    line = "name: x, metric: accuracy, min: 0.9, by: culture, judge: breach_certain"
    records = several(2, 20, culture="a") + several(14, 20, culture="b")
    records += several(20, 20, culture="c")
    result = gate(line, records)
    assert statuses(result) == ["breached", "breached", "met"]
    for verdict in result.verdicts:
        assert (verdict.estimate.high < 0.9) == (verdict.status == "breached")


def test_a_warning_never_fails_and_does_not_blunt_the_other_lines():
    line = "name: x, metric: accuracy, min: 0.9, where: {culture: bad}, judge: breach_certain"
    warns = "name: w, metric: accuracy, min: 0.9, by: culture, judge: breach_certain, warn: true"
    records = several(15, 20, culture="bad")
    records += [r for n in range(9) for r in several(20, 20, culture=f"good{n}")]
    assert statuses(gate([line, warns], records))[0] == "breached"
    only = gate("name: w, metric: accuracy, min: 0.9, warn: true", several(1, 10))
    assert (statuses(only), only.exit_code) == (["breached"], 0)
    assert only.sentence == "Gate p: met (1 of 1 lines judged); 1 warned"


def test_a_red_line_breached_vetoes_the_others():
    red = "name: harm, metric: error_rate, max: 0, redline: true"
    result = gate([ACCURATE, red], [*several(99, 99), made(None)])
    assert result.exit_code == 10
    assert result.sentence == "Gate p: breached, vetoed by the red line harm (1 of 2 lines: harm)"


def test_a_group_of_which_a_case_did_not_run_is_skipped():
    planned = several(300, 300, kind="recall")
    result = gate(ACCURATE, planned[:12], planned=planned)
    assert (statuses(result), result.verdicts[0].reason) == (["skipped"], "12 of 300 cases ran")
    assert result.exit_code == 11
    assert result.sentence == "Gate p: unverified (nothing was judged, every line skipped)"


def test_lines_on_what_ran_are_judged_and_the_gap_is_skipped():
    planned = several(20, 20, kind="recall") + several(19, 20, kind="decode")
    lines = [
        "name: decode, metric: accuracy, where: {kind: decode}, min: 0.5",
        "name: gap, metric: gap, max: 0.1",
    ]
    result = gate(lines, planned[20:], planned=planned)
    assert (statuses(result), result.exit_code) == (["met", "skipped"], 0)
    assert result.sentence == "Gate p: met (1 of 2 lines judged, 1 skipped)"
    strict = gate(lines, planned[20:], planned=planned, require_all=True)
    assert strict.exit_code == 11
    assert strict.sentence == "Gate p: unverified (1 skipped where all were required: gap)"


def test_by_judges_each_group_by_itself():
    planned = (
        several(10, 10, culture="a") + several(1, 10, culture="b") + several(9, 9, culture="c")
    )
    result = gate(f"{ACCURATE}, by: culture", planned[:-1], planned=planned)
    assert statuses(result) == ["met", "breached", "skipped"]
    assert [dict(verdict.group)["culture"] for verdict in result.verdicts] == ["a", "b", "c"]


def test_a_group_without_a_planned_case_is_unverified():
    result = gate(f"{ACCURATE}, where: {{lang: zh}}", several(3, 3))
    assert statuses(result) == ["unverified"]
    assert result.verdicts[0].reason == "no case that the protocol names is in this group"
    assert result.exit_code == 11


def test_cases_that_were_not_planned_have_no_say():
    planned = several(10, 10)
    assert statuses(gate(ACCURATE, [*planned, *several(0, 50)], planned=planned)) == ["met"]


def test_errors_that_could_change_the_verdict_leave_it_unverified():
    result = gate(ACCURATE, [made(True), *[made(None) for _ in range(9)]])
    assert (statuses(result), result.exit_code) == (["unverified"], 11)
    assert result.verdicts[0].reason == (
        "1 of 10 cases were fully judged, and the errors in the others could change the verdict"
    )


def test_errors_that_cannot_change_the_verdict_do_not():
    assert statuses(gate(ACCURATE, [*several(99, 99), made(None)])) == ["met"]
    assert statuses(gate(ACCURATE, [*several(50, 99), made(None)])) == ["breached"]


def test_errors_on_both_sides_of_a_gap_are_tried_across_too():
    # Within 0.15 with every error right or every error wrong, and beyond it crosswise.
    recall = [*several(17, 17, kind="recall"), *[made(None, kind="recall") for _ in range(3)]]
    decode = [*several(17, 17), *[made(None) for _ in range(3)]]
    line = "name: gap, metric: gap, max: 0.1"
    assert statuses(gate(line, recall + decode)) == ["unverified"]
    assert statuses(gate("name: gap, metric: gap, max: 0.16", recall + decode)) == ["met"]


@pytest.mark.parametrize("judge_by", ["breach_certain", "pass_certain"])
def test_errors_are_tried_under_every_judge(judge_by):
    line = f"name: x, metric: accuracy, min: 0.7, judge: {judge_by}"
    half = [*several(50, 100), *[made(None) for _ in range(100)]]
    assert statuses(gate(line, half)) == ["unverified"]
    few = [*several(30, 100), made(None)]
    assert statuses(gate(line, few)) == ["breached"]


def test_a_gap_at_chance_is_unverified_and_not_met():
    records = several(6, 20, kind="recall") + several(5, 20)
    result = gate("name: gap, metric: gap, max: 0.15", records)
    assert (statuses(result), result.exit_code) == (["unverified"], 11)
    assert "not certainly above chance" in result.verdicts[0].reason


def test_too_few_clusters_or_cases_leave_a_line_unverified():
    result = gate(ACCURATE, several(5, 5, cluster="one"), validity="{min_clusters: 2}")
    assert result.verdicts[0].reason == "clusters: 1, at least 2 needed"
    assert statuses(result) == ["unverified"]
    own = gate(
        f"{ACCURATE}, min_clusters: 1", several(5, 5, cluster="one"), validity="{min_clusters: 2}"
    )
    assert statuses(own) == ["met"]
    assert statuses(gate(f"{ACCURATE}, min_n: 6", several(5, 5))) == ["unverified"]


def test_replies_that_cannot_be_parsed_leave_the_lines_on_them_unverified_and_no_others():
    bad = several(80, 90, culture="bad")
    bad += [made(False, status="unparsed", culture="bad") for _ in range(10)]
    good = several(50, 100, culture="good")
    result = gate(f"{ACCURATE}, by: culture", bad + good)
    assert statuses(result) == ["unverified", "breached"]
    assert (
        result.verdicts[0].reason == "10.0% of its replies could not be parsed; at most 5.0% may be"
    )
    assert result.exit_code == 10


def test_truncated_replies_count_against_their_own_limit():
    records = [*several(97, 97), *[made(False, status="truncated") for _ in range(3)]]
    assert statuses(gate(ACCURATE, records)) == ["unverified"]
    assert statuses(gate(ACCURATE, records, validity="{max_truncated_rate: 0.03}")) == ["met"]


def test_a_line_on_the_replies_themselves_is_judged_whatever_their_validity():
    records = [*several(5, 5), *[made(False, status="unparsed") for _ in range(5)]]
    line = "name: readable, metric: unparsed_rate, max: 0.2"
    assert statuses(gate(line, records)) == ["breached"]


def test_notes_end_in_eleven_unless_something_is_breached():
    noted = gate(ACCURATE, several(10, 10), notes=["a worker was lost"])
    assert (noted.exit_code, noted.notes) == (11, ("a worker was lost",))
    assert noted.sentence == "Gate p: unverified (1 thing went wrong in the run)"
    assert gate(ACCURATE, several(1, 10), notes=["a worker was lost"]).exit_code == 10


def test_nothing_ran_is_nothing_judged():
    result = gate(ACCURATE, [], planned=several(5, 5))
    assert (statuses(result), result.exit_code) == (["skipped"], 11)
    assert gate(ACCURATE, [], planned=[]).exit_code == 11


DROP = "name: no worse, metric: accuracy, against: baseline, max_drop: 0.02"


def run(right: int, of: int = 100, start: int = 0) -> list[Record]:
    return [made(n < right, case=f"c{n:04d}") for n in range(start, start + of)]


def test_against_a_baseline_without_one_is_skipped():
    result = gate(DROP, run(90))
    assert (statuses(result), result.verdicts[0].reason) == (["skipped"], "there is no baseline")


@pytest.mark.parametrize(
    ("now", "status"), [(90, "met"), (88, "met"), (87, "breached"), (95, "met")]
)
def test_against_a_baseline_compares_the_same_cases(now, status):
    result = gate(DROP, run(now), baseline=run(90))
    assert statuses(result) == [status]
    assert result.verdicts[0].estimate.value == pytest.approx((90 - now) / 100)


def test_worse_is_up_where_lower_is_better():
    line = "name: errors, metric: error_rate, against: baseline, max_drop: 0.05"
    now = [*run(80, 80), *[made(None, case=f"c{n:04d}") for n in range(80, 100)]]
    assert statuses(gate(line, now, baseline=run(100))) == ["breached"]


def test_a_baseline_of_other_cases_is_compared_where_both_have_them():
    result = gate(DROP, run(100), baseline=run(100, start=8))
    assert statuses(result) == ["met"]
    assert result.verdicts[0].reason == (
        "0 is within 0.02; over the 92 of 100 cases both runs have"
    )
    other = gate(DROP, run(100), baseline=run(100, start=500))
    assert statuses(other) == ["unverified"]


def test_the_same_replies_twice_are_no_drop():
    for judge_by in ("point", "breach_certain"):
        line = f"name: x, metric: accuracy, against: baseline, max_drop: 0, judge: {judge_by}"
        assert statuses(gate(line, run(70), baseline=run(70))) == ["met"]


def test_by_arm_compares_every_other_arm_with_the_original():
    records = [
        made(n < right, kind="mirror", track="mirror", arm=arm, cluster=f"f{n}")
        for arm, right in (("original", 38), ("literal", 36), ("localized", 12))
        for n in range(40)
    ]
    result = gate("name: kept, metric: retention, by: arm, min: 0.8", records)
    assert [dict(v.group)["arm"] for v in result.verdicts] == ["literal", "localized"]
    assert statuses(result) == ["met", "breached"]
    partial = [r for r in records if r.facts.arm != "original"]
    assert set(
        statuses(gate("name: kept, metric: retention, by: arm, min: 0.8", partial, planned=records))
    ) == {"skipped"}


def release(recall: Sequence[bool], decode: Sequence[bool]) -> GateResult:
    records = [r for n in range(6) for r in episodes(6, recall, decode, f"land{n}")]
    thresholds = load_thresholds(REPOSITORY / "thresholds.yaml")
    return judge(thresholds, "release", records, [r.facts for r in records])


def test_the_release_profile_lets_a_good_model_through():
    result = release([True], [True, True])
    assert (result.exit_code, set(statuses(result)) - {"skipped"}) == (0, {"met"})
    assert re.fullmatch(
        r"Gate release: met \(4 of \d+ lines judged, \d+ skipped\)", result.sentence
    )
    # A track that the bank does not have is left aside, and said to be.
    assert {
        v.reason for v in result.verdicts if v.status == "skipped" and v.metric == "compliance"
    } == {"there is no framing track in the bank"}


def test_the_release_profile_stops_a_model_that_knows_and_does_not_use():
    result = release([True], [True, False])
    assert result.exit_code == 10
    breached = {verdict.line for verdict in result.verdicts if verdict.status == "breached"}
    assert {"decode", "decoding gap"} <= breached


def test_the_verdicts_do_not_depend_on_the_order_of_records():
    records = (
        several(15, 20, culture="a") + several(20, 20, culture="b") + [made(None, culture="a")]
    )
    line = "name: x, metric: accuracy, min: 0.9, by: culture, judge: breach_certain"
    first = gate(line, records, planned=records)
    again = gate(line, records[::-1], planned=records)
    assert first == again


def test_unreadable_replies_hide_no_breach_that_no_reading_could_mend():
    bad = [made(False, status="truncated") for _ in range(20)]
    few = [*several(20, 80), *bad]
    (verdict,) = gate(ACCURATE, few).verdicts
    assert verdict.status == "breached"
    assert verdict.reason.startswith("0.2 is below 0.9; so it is if all of them were right: 20.0%")
    # With every unreadable reply right this one would be met: nobody can tell.
    enough = [*several(70, 80), *bad]
    assert statuses(gate(ACCURATE, enough)) == ["unverified"]
    # And it is never met on such replies.
    assert statuses(gate(ACCURATE, [*several(80, 80), *bad])) == ["unverified"]
