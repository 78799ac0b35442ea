"""Times, tokens and cost: from rows to numbers, lines and the report."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from made_records import made
from servers import Answer, ScriptedServer
from suites import everything_right, small_bank

from culturegate.errors import InputError
from culturegate.gate import judge, parse_thresholds
from culturegate.metrics import EFFICIENCY, Efficiency, efficiency_summary, summarise
from culturegate.models.budget import Price
from culturegate.reports.efficiency import efficiency_section
from culturegate.reports.run import Run
from culturegate.tracks.base import Record


def call(latency: float | None = 1.0, **more: Any) -> dict[str, Any]:
    given = {
        "latency": latency,
        "ttft": None,
        "sent": None,
        "prompt_tokens": 100,
        "completion_tokens": 10,
        "prompt_chars": 400,
        "reply_chars": 1,
    }
    return given | more


def rows(records: Sequence[Record], calls: Sequence[Sequence[dict[str, Any]]]) -> list[Any]:
    return [
        {"case": record.facts.case, "replies": list(replies)}
        for record, replies in zip(records, calls, strict=True)
    ]


def found(
    calls: Sequence[Sequence[dict[str, Any]]], price: Price | None = None, **facts: Any
) -> Efficiency:
    records = [made(True, **facts) for _ in calls]
    return Efficiency(rows(records, calls), records, price)


def value(efficiency: Efficiency, name: str, **where: str) -> float | None:
    return efficiency.measure(EFFICIENCY[name], where).value


def test_percentiles_are_observed_times_by_nearest_rank():
    twenty = found([[call(float(number))] for number in range(1, 21)])
    assert (value(twenty, "latency_p50"), value(twenty, "latency_p95")) == (10.0, 19.0)
    one = found([[call(3.0)]])
    assert (value(one, "latency_p50"), value(one, "latency_p95")) == (3.0, 3.0)


def test_the_number_of_replies_and_of_clusters_stands_with_each_number():
    measured = found([[call(), call()], [call()]]).measure(EFFICIENCY["latency_p50"])
    assert (measured.n, measured.clusters) == (3, 2)
    by_case = found([[call(), call()], [call()]]).measure(EFFICIENCY["tokens_per_case"])
    assert (by_case.n, by_case.value) == (2, 165.0)


def test_speed_and_rates_by_hand():
    # Two requests of 2 s side by side, one more of 1 s after a pause of 5 s.
    three = found([[call(2.0, sent=100.0)], [call(2.0, sent=101.0)], [call(1.0, sent=108.0)]])
    assert value(three, "tokens_per_second") == pytest.approx(30 / 5)
    assert three.busy() == pytest.approx(4.0)
    assert value(three, "requests_per_second") == pytest.approx(3 / 4)
    assert value(three, "throughput") == pytest.approx(30 / 4)
    assert three.in_flight() == pytest.approx(5 / 4)


def test_a_request_within_another_adds_no_busy_time():
    assert found([[call(10.0, sent=0.0)], [call(1.0, sent=2.0)]]).busy() == pytest.approx(10.0)


def test_cost_is_that_of_prompt_and_reply_tokens():
    priced = found([[call()], [call(), call()]], Price(1.0, 10.0))
    assert value(priced, "cost_per_case") == pytest.approx((300 * 1.0 + 30 * 10.0) / 1e6 / 2)


@pytest.mark.parametrize(
    ("name", "change", "why"),
    [
        ("latency_p95", {"latency": None}, "replayed replies carry none"),
        ("tokens_per_second", {"latency": None}, "replayed replies carry none"),
        ("requests_per_second", {"sent": None}, "replayed replies carry none"),
        ("ttft_p50", {}, "unless --stream is given"),
        ("tokens_per_case", {"completion_tokens": None}, "the server did not say how many tokens"),
        ("tokens_per_second", {"completion_tokens": None}, "the server did not say"),
        ("tokens_per_character", {"prompt_tokens": None}, "the server did not say"),
        ("cost_per_case", {}, "the model's price is unknown"),
    ],
)
def test_what_is_not_known_is_undefined_and_says_why(name, change, why):
    measured = found([[call(**change)]]).measure(EFFICIENCY[name])
    assert measured.value is None
    assert why in (measured.undefined or "")


def test_a_case_of_which_one_reply_was_not_counted_is_left_out_of_the_tokens():
    measured = found([[call(), call(prompt_tokens=None)], [call()]]).measure(
        EFFICIENCY["tokens_per_case"]
    )
    assert (measured.n, measured.value) == (1, 110.0)


def test_a_judges_calls_are_no_part():
    judged = found([[call(1.0), call(99.0, judge=True, prompt_tokens=9000)]])
    assert value(judged, "latency_p95") == 1.0
    assert value(judged, "tokens_per_case") == 110.0


def test_a_language_is_set_beside_english_over_the_items_asked_in_both():
    records = [
        made(True, lang=lang, case=f"{item}-{lang}") for item in "ab" for lang in ("en", "zh")
    ]
    records = [
        replace(record, facts=replace(record.facts, item=record.facts.case[0]))
        for record in records
    ]
    records.append(made(True, lang="zh"))
    tokens = [(100, 400), (150, 100), (200, 800), (250, 200), (9000, 9000)]
    calls = [[call(prompt_tokens=count, prompt_chars=chars)] for count, chars in tokens]
    english, chinese = Efficiency(rows(records, calls), records).languages()
    assert english["tokens_per_character"] == pytest.approx(300 / 1200)
    assert chinese["tokens_per_character"] == pytest.approx(9400 / 9300)
    assert (chinese["items"], chinese["against_english"]) == (2, pytest.approx(400 / 300))


def test_groups_are_measured_apart():
    records = [made(True, track="myth"), made(True, track="mirror", kind="mirror")]
    both = Efficiency(rows(records, [[call(1.0)], [call(4.0)]]), records)
    assert value(both, "latency_p50", track="mirror") == 4.0
    assert value(both, "latency_p50", track="persona") is None


# Lines.


def verdict(line: str, records: Sequence[Record], efficiency: Efficiency | None) -> tuple[str, str]:
    text = f"profiles:\n  p:\n    lines:\n      - {{name: x, {line}}}\n"
    facts = [record.facts for record in records]
    result = judge(
        parse_thresholds(text, Path("t.yaml")), "p", records, facts, efficiency=efficiency
    )
    (one,) = result.verdicts
    return one.status, one.reason


def timed(*latencies: float, failed: int = 0) -> tuple[list[Record], Efficiency]:
    records = [made(True) for _ in latencies]
    calls = [[call(latency)] for latency in latencies]
    lost = [made(None) for _ in range(failed)]
    return [*records, *lost], Efficiency(rows(records, calls), [*records, *lost])


def test_a_line_bounds_a_time():
    records, efficiency = timed(1.0, 2.0, 3.0)
    assert verdict("metric: latency_p95, max: 3", records, efficiency)[0] == "met"
    assert verdict("metric: latency_p50, max: 1.5", records, efficiency) == (
        "breached",
        "2 is above 1.5",
    )


def test_a_line_on_what_is_not_known_is_unverified():
    records, efficiency = timed(1.0)
    status, reason = verdict("metric: ttft_p50, max: 1", records, efficiency)
    assert (status, "--stream" in reason) == ("unverified", True)
    assert verdict("metric: latency_p50, max: 1", records, None) == (
        "unverified",
        "no times and tokens were recorded",
    )


def test_a_failed_call_may_have_been_the_slowest():
    records, efficiency = timed(1.0, 1.0, 1.0, failed=1)
    assert verdict("metric: latency_p95, max: 2", records, efficiency)[0] == "unverified"
    assert verdict("metric: latency_p50, max: 2", records, efficiency)[0] == "met"
    assert verdict("metric: latency_p50, max: 0.5", records, efficiency)[0] == "breached"


def test_a_line_can_be_split_and_needs_every_case_of_its_group():
    records = [made(True, lang="en"), made(True, lang="zh")]
    efficiency = Efficiency(rows(records, [[call(1.0)], [call(4.0)]]), records)
    text = "profiles:\n  p:\n    lines:\n      - {name: x, metric: latency_p50, by: lang, max: 2}\n"
    lines = parse_thresholds(text, Path("t.yaml"))
    facts = [record.facts for record in records]
    both = judge(lines, "p", records, facts, efficiency=efficiency)
    assert [each.status for each in both.verdicts] == ["met", "breached"]
    part = judge(lines, "p", records[:1], facts, efficiency=efficiency)
    assert [each.status for each in part.verdicts] == ["met", "skipped"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("metric: latency_p95, against: baseline, max_drop: 1", "can't be held against a baseline"),
        ("metric: latency_p95, max: 1, judge: pass_certain", "has no interval"),
        ("metric: latency_p99, max: 1", "did you mean 'latency_p95'"),
    ],
)
def test_a_line_that_cannot_be_judged_is_a_mistake_of_the_file(line, message):
    with pytest.raises(InputError, match=message):
        verdict(line, *timed(1.0))


def test_times_change_no_metric():
    records, efficiency = timed(1.0, 2.0)
    before = json.dumps(summarise(records))
    efficiency_summary(efficiency, concurrency=1, streamed=False, price=None)
    assert json.dumps(summarise(records)) == before
    assert not any(name in before for name in EFFICIENCY)


# The report.


def section(efficiency: Efficiency, price: Price | None = None):  # type: ignore[no-untyped-def]
    data = efficiency_summary(efficiency, concurrency=8, streamed=False, price=price)
    json.dumps(data, allow_nan=False)
    return efficiency_section(Run(Path(), {}, [], {}, efficiency_summary=data))


def test_the_section_shows_what_is_known_and_says_what_is_not():
    told = section(found([[call(2.0, sent=0.0)], [call(1.0, sent=0.0)]]))
    table = told.tables[0]
    assert table.heads[:3] == ("", "replies", "latency p50, s")
    assert "first token p50, s" not in table.heads
    assert [row[0] for row in table.rows] == ["all", "en", "myth", "myth, en"]
    assert told.notes[0].startswith("Asked with at most 8 requests in flight, 1.5 on average.")
    assert any("first token p50, s" in note and "--stream" in note for note in told.notes)


def test_there_is_no_section_where_nothing_is_known():
    nothing = call(None, prompt_tokens=None, completion_tokens=None)
    assert section(found([[nothing]])) is None
    assert efficiency_section(Run(Path(), {}, [], {})) is None


def test_every_number_is_documented_with_its_name():
    page = (Path(__file__).parents[2] / "docs" / "efficiency.md").read_text("utf-8")
    assert [name for name in EFFICIENCY if f"`{name}`" not in page] == []


def test_a_streamed_session_writes_its_numbers_and_judges_a_line_by_them(suite):
    suite.write_bank(small_bank(1, 3))
    (suite.path / "speed.yaml").write_text(
        "profiles:\n  fast:\n    lines:\n"
        "      - {name: first token, metric: ttft_p95, max: 30}\n"
        "      - {name: cost, metric: cost_per_case, max: 1}\n"
    )

    def stream(body: dict[str, Any], _number: int) -> Answer:
        assert body["stream"] is True
        delta = {
            "choices": [{"delta": {"content": everything_right(body)}, "finish_reason": "stop"}]
        }
        last = {"choices": [], "usage": {"prompt_tokens": 50, "completion_tokens": 2}}
        pieces = [f"data: {json.dumps(each)}\n\n".encode() for each in (delta, last)]
        return Answer(pieces=[(0.0, piece) for piece in [*pieces, b"data: [DONE]\n\n"]])

    with ScriptedServer(stream) as server:
        result = suite.ask(
            server, "--stream", "--protocol", "quick", "--gate-profile", "fast",
            f"--thresholds={suite.path / 'speed.yaml'}", "--model", server.models[0],
            "-o", f"prices={server.models[0]} 1 1", "--max-connections", "2",
        )  # fmt: skip
    assert result.ret == 0, result.stdout.str()
    data = json.loads((suite.path / "run" / "efficiency.json").read_text("utf-8"))
    numbers = {each["metric"]: each for each in data["estimates"] if not each["where"]}
    assert (data["concurrency"], data["streamed"]) == (2, True)
    assert numbers["ttft_p50"]["n"] == 6
    assert 0 < numbers["ttft_p50"]["value"] <= numbers["latency_p50"]["value"]
    assert numbers["tokens_per_case"]["value"] == 52.0
    assert math.isclose(numbers["cost_per_case"]["value"], 52e-6)
    assert numbers["requests_per_second"]["value"] > 0
    assert "Efficiency" in (suite.path / "run" / "report.html").read_text("utf-8")
