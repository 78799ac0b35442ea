from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from culturegate.errors import InputError
from culturegate.scoring.score_file import ScoredLine, score_lines


def score(line: dict[str, Any], **more: Any) -> ScoredLine:
    return score_lines([json.dumps(line)], **more).readings[0]


@pytest.mark.parametrize(
    ("line", "value", "correct"),
    [
        ({"reply": "B", "options": ["tea", "soup"], "gold": "soup"}, "B", True),
        ({"reply": "soup", "options": ["tea", "soup"], "gold": "B"}, "B", True),
        ({"reply": "b", "options": ["A. tea", "B. soup"], "gold": "b"}, "B", True),
        ({"reply": "Answer: C", "options": "ABCD", "gold": ["B", "C"]}, "C", True),
        ({"reply": "Answer: C", "options": "A, B, C, D", "gold": "(C)"}, "C", True),
        ({"reply": "y", "options": {"x": "tea", "y": "soup"}, "gold": "tea"}, "y", False),
        ({"reply": "B", "options": {"label": ["A", "B"], "text": ["t", "s"]}, "gold": "s"}, "B",
         True),
        ({"reply": "10", "labels": [str(n) for n in range(1, 13)], "gold": 10}, "10", True),
        ({"reply": "D and A", "options": "ABCD", "gold": "AD", "multi": True}, "A,D", True),
        ({"reply": "A", "options": "ABCD", "gold": ["A", "D"], "multi": True}, "A", False),
        ({"reply": "Answer: (ख)", "options": "ABCD", "gold": "B", "lang": "hi"}, "B", True),
        ({"reply": None, "options": "ABCD", "gold": "B"}, None, False),
        ({"message": {"role": "assistant", "content": None}, "options": "AB", "gold": "B"}, None,
         False),
        ({"reply": {"content": [{"type": "text", "text": "Answer: "}, {"text": "B"}]},
          "options": "ABCD", "gold": "B"}, "B", True),
        ({"reply": [{"type": "thinking", "thinking": "A?"}, {"type": "text", "text": "B"}],
          "options": "ABCD", "gold": "B"}, "B", True),
        ({"reply": {"choices": [{"message": {"content": "B"}, "finish_reason": "stop"}]},
          "options": "ABCD", "gold": "B"}, "B", True),
        ({"reply": "ASSISTANT: B<|endoftext|>", "options": "ABCD", "gold": "B"}, "B", True),
        ({"reply": "3 km", "gold": 3000, "unit": "m"}, "3000", True),
        ({"reply": "It is 0.43.", "gold": "3/7", "tolerance": 0.01}, "0.43", True),
        ({"reply": "46 or so", "gold": [46, 47]}, "46", True),
        ({"reply": "Nein.", "gold": "no", "lang": "de"}, "no", True),
        ({"reply": "I know it is.", "gold": "no"}, None, False),
        ({"reply": "Entailment", "labels": ["entailment", "neutral", "contradiction"],
          "gold": "entailment"}, "entailment", True),
        ({"reply": "同意", "labels": ["agree", "disagree"], "gold": "agree", "lang": "zh"},
         "agree", True),
        ({"reply": '{"n": 1}', "schema": {"n": "integer"}}, '{"n":1}', True),
        ({"reply": '{"n": 1}', "schema": {"n": "integer"}, "gold": {"n": 2}}, '{"n":1}', False),
    ],
)  # fmt: skip
def test_a_recorded_line_is_read_and_judged(
    line: dict[str, Any], value: str | None, correct: bool
) -> None:
    read = score(line)
    assert (read.reading.value, read.correct) == (value, correct)


def test_a_line_without_gold_is_read_and_not_judged() -> None:
    result = score_lines(['{"reply": "B", "options": "ABCD"}'])
    assert result.readings[0].correct is None
    assert (result.summary["accuracy"], result.summary["interval"]) == (None, None)


def test_the_summary_counts_what_was_read_and_how() -> None:
    lines = [
        json.dumps({"id": n, "reply": reply, "options": "ABCD", "gold": "B", "lang": "en"})
        for n, reply in enumerate(["B", "Answer: B", "Answer: C", "I don't know.", None])
    ]
    summary = score_lines(["\ufeff" + lines[0], "", '{"canary": "x"}', *lines[1:]]).summary
    assert (summary["n"], summary["correct"], summary["accuracy"]) == (5, 2, 0.4)
    assert summary["status"] == {"abstained": 0.2, "answered": 0.6, "empty": 0.2}
    assert summary["rules"] == {"announced": 2, "bare": 1, "no_text": 1, "unknown": 1}
    # Wilson's interval for 2 of 5, by the formula with z = 1.959964
    assert summary["interval"] == pytest.approx([0.117621, 0.769276], abs=1e-6)


def test_every_line_that_cannot_be_used_is_named_at_once() -> None:
    lines = [
        "{}",
        "x",
        "[1]",
        '{"reply": "B", "options": "ABCD", "gold": "Z"}',
        '{"reply": "B", "options": "ABCD", "lang": "xx"}',
        '{"reply": 5, "options": "AB"}',
        '{"reply": "B"}',
        '{"reply": "B", "options": ["tea"]}',
        '{"reply": "7", "gold": "many", "unit": "m"}',
        '{"reply": "B", "options": "ABCD", "gold": "B"}',
        '{"a":' * 5000,
    ]
    with pytest.raises(InputError) as caught:
        score_lines(lines, file=Path("r.jsonl"))
    assert [problem.line for problem in caught.value.problems] == [1, 2, 3, 4, 5, 6, 7, 8, 9, 11]
    assert "r.jsonl:4: gold 'Z' is neither a label nor the text of an option" in str(caught.value)
    result = score_lines(lines, skip_bad=True)
    assert (result.summary["n"], result.summary["skipped"], len(result.problems)) == (1, 10, 10)


def test_an_unknown_track_or_language_is_an_error_that_names_the_valid_ones() -> None:
    with pytest.raises(ValueError, match="valid are choice, number, json, label"):
        score_lines([], track="essay")
    with pytest.raises(ValueError, match="no reading table for language 'xx'"):
        score_lines([], lang="xx")


def test_a_reply_in_another_language_than_asked_is_noted() -> None:
    line = {"reply": "La respuesta correcta es la B porque encaja muy bien.", "options": "ABCD"}
    assert score(line, lang="de").reading.language == "es"
    assert score(line, lang="es").reading.language is None
    assert score({"reply": "答案是B", "options": "ABCD"}, lang="en").reading.language == "zh"
    assert score({"reply": "B", "options": "ABCD"}, lang="th").reading.language is None


def test_the_readings_are_written_as_plain_ascii_lines() -> None:
    result = score_lines(['{"id": "\\ud83d", "reply": "答案是B", "options": "ABCD", "lang": "zh"}'])
    written = result.readings_jsonl()
    assert written.isascii()
    assert json.loads(written) == {
        "id": "\ufffd", "status": "answered", "value": "B", "correct": None, "rule": "announced"
    }  # fmt: skip
