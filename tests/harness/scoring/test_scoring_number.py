from __future__ import annotations

import json
import unicodedata
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from culturegate.scoring import languages, number_equal, read_number
from culturegate.scoring.number import number_text

ROWS = [
    json.loads(line)
    for line in (Path(__file__).parent / "cases" / "number.jsonl")
    .read_text(encoding="utf-8")
    .splitlines()
]


def public() -> list[tuple[str, str, Any, str, str | None, bool]]:
    rows = []
    for row in ROWS:
        given_, wanted = row["input"], row["expected"]["correct"]
        if "pairs" in given_:
            pairs = [tuple(pair) for pair in given_["pairs"]]
        else:
            replies = given_.get("replies") or [given_["reply"]]
            pairs = list(
                zip(replies, given_.get("golds") or [given_["gold"]] * len(replies), strict=True)
            )
        right = wanted if isinstance(wanted, list) else [wanted] * len(pairs)
        chinese = row["id"] in {"B22", "B23", "B26"}
        lang = given_.get("lang", "zh" if chinese else "en")
        unit = given_.get("unit") or given_.get("question_unit")
        rows += [
            (row["id"], reply, gold, lang, unit, correct)
            for (reply, gold), correct in zip(pairs, right, strict=True)
        ]
    return rows


@pytest.mark.parametrize(("case", "reply", "gold", "lang", "unit", "correct"), public())
def test_a_public_failure_is_judged_right(
    case: str, reply: str, gold: Any, lang: str, unit: str | None, correct: bool
) -> None:
    reading = read_number(reply, lang=lang, unit=unit)
    assert number_equal(reading.value, gold, unit=unit) is correct


def test_a_range_is_said_to_be_ambiguous() -> None:
    for reply in ("between 10 and 12 days", "Answer: 3-4", "10 to 12", "±12", "7, 15 and 40"):
        assert read_number(reply, lang="en").status == "ambiguous", reply
    for lang, reply in (("zh", "10到12天"), ("de", "zwischen 10 und 12"), ("es", "de 10 a 12")):
        assert read_number(reply, lang=lang).status == "ambiguous", reply


@pytest.mark.parametrize(
    ("lang", "reply", "value"),
    [
        ("de", "Antwort: 1.234,5", "1234.5"),
        ("de", "Das macht 3,5.", "3.5"),
        ("fr", "Réponse : 2 500 000", "2500000"),
        ("ru", "Ответ: 1 200,5", "1200.5"),
        ("pt", "Resposta: 1.000", "1000"),
        ("vi", "Đáp án: 1.000", "1000"),
        ("tr", "Cevap: 1.250", "1250"),
        ("id", "Jawaban: 12.000", "12000"),
        ("en", "Answer: 1,000", "1000"),
        ("en", "Answer: 1.000", "1"),
        ("hi", "उत्तर: १,००,०००", "100000"),
        ("bn", "উত্তর: ১২.৫", "12.5"),
        ("th", "คำตอบคือ ๔๘", "48"),
        ("ar", "الإجابة: ١٬٢٠٠٫٥", "1200.5"),
        ("fa", "پاسخ: ۱۲٫۵", "12.5"),
        ("zh", "答案是三百五十。", "350"),
        ("zh", "答案：两万三", "23000"),
        ("zh", "答案：3万5千", "35000"),
        ("zh", "答案：1.5亿", "150000000"),
        ("zh", "二〇二四", "2024"),
        ("zh", "三分之二", "2/3"),
        ("zh", "负五", "-5"),
        ("zh", "零下8度", "-8"),
        ("zh", "一共有一百零五个人", "105"),
        ("ja", "答えは一万二千三百です。", "12300"),
        ("ja", "答え：弐拾五", "25"),
        ("ko", "정답: 3만 5천", "35000"),
        ("en", "Answer: 2 million", "2000000"),
        ("es", "Respuesta: 3 millones", "3000000"),
        ("en", "½", "0.5"),
        ("en", "2½", "2.5"),
        ("en", "Answer: 2 1/2", "2.5"),
        ("en", "The answer is $\\dfrac{3}{4}$.", "0.75"),
        ("en", "\\boxed{1{,}200}", "1200"),
        ("en", "It is 3 \\times 10^4", "30000"),
        ("en", "1.5e3", "1500"),
        ("en", "minus 8", "-8"),
        ("en", "-$46.50", "-46.5"),
        ("en", "#### 42", "42"),
        ("en", "<think>maybe 7</think>Answer: 9", "9"),
        ("en", "Answer: 14 guests in 3 cars", "14"),
        ("en", "48 dumplings = 4 plates of 12", "12"),
        ("en", "120 - 35 = 85", "85"),
        ("en", "48\n\nExplanation: 4 plates of 12", "48"),
        ("ja", "答えは3分の2です", "2/3"),
        ("ja", "3割", "30 %"),
        ("zh", "三成", "30 %"),
    ],
)
def test_numbers_are_read_as_their_language_writes_them(lang: str, reply: str, value: str) -> None:
    reading = read_number(reply, lang=lang)
    assert (reading.status, reading.value) == ("answered", value)


@pytest.mark.parametrize(
    ("lang", "reply", "unit", "gold", "equal"),
    [
        ("zh", "5元3角", "元", "5.3", True),
        ("zh", "三块五", "元", "3.5", True),
        ("zh", "5元3角2分", "元", "5.32", True),
        ("en", "3 dollars and 50 cents", "$", "3.5", True),
        ("en", "1 m 80 cm", "cm", 180, True),
        ("en", "2 h 30 min", "min", 150, True),
        ("zh", "3公里", "m", 3000, True),
        ("ru", "3 км", "m", 3000, True),
        ("en", "500 g", "kg", 0.5, True),
        ("en", "5 kg", "m", 5, False),
        ("en", "€5", "$", 5, False),
        ("en", "0.35", "%", 35, False),
        ("en", "35%", None, 0.35, True),
        ("en", "35%", None, 35, True),
        ("fa", "۳۵٪", "%", 35, True),
    ],
)
def test_units_are_converted_or_told_apart(
    lang: str, reply: str, unit: str | None, gold: Any, equal: bool
) -> None:
    reading = read_number(reply, lang=lang, unit=unit)
    assert number_equal(reading.value, gold, unit=unit) is equal


def test_equality_is_exact_unless_a_tolerance_is_given() -> None:
    assert number_equal("0.1", 0.1)
    assert not number_equal("0.43", "3/7")
    assert number_equal("0.43", "3/7", tolerance="0.01")
    assert not number_equal("±12", 12)
    assert not number_equal(None, 0)
    assert not number_equal("1", True)


@pytest.mark.parametrize(
    ("reply", "finish", "status"),
    [
        ("I don't know.", None, "abstained"),
        ("I don't know how many of the 80 came.", None, "abstained"),
        ("I cannot answer this question.", None, "refused"),
        ("80 came and then 12", "length", "truncated"),
        ("Answer: 12", "length", "truncated"),
        ("Answer: 12. The reason", "length", "answered"),
        ("14:45", None, "unparsed"),
        ("on 2024-02-10", None, "unparsed"),
        ("many", None, "unparsed"),
        ("v1.2.3", None, "unparsed"),
        ("COVID-19 came.", None, "unparsed"),
        ("", None, "empty"),
        ("12", "content_filter", "filtered"),
    ],
)
def test_every_status_is_told_apart(reply: str, finish: str | None, status: str) -> None:
    assert read_number(reply, lang="en", finish_reason=finish).status == status


@given(st.text(), st.sampled_from(languages()))
@settings(deadline=None, max_examples=200)
def test_no_text_makes_the_number_reader_raise(text: str, lang: str) -> None:
    read_number(text, lang=lang)


@given(st.integers(-(10**9), 10**9), st.sampled_from(languages()))
@settings(deadline=None)
def test_a_plain_whole_number_is_itself_in_every_language(number: int, lang: str) -> None:
    assert read_number(str(number), lang=lang).value == str(number)
    assert read_number(f"<think>1</think>**{number}**", lang=lang).value == str(number)


@given(st.fractions(max_denominator=1000))
def test_a_value_written_out_is_the_same_value(value: Fraction) -> None:
    assert number_equal(number_text(value), value)


def test_full_width_and_composed_forms_are_the_same_number() -> None:
    for reply in ("答案：１８", unicodedata.normalize("NFD", "Réponse : 18"), "𝟏𝟖"):
        assert read_number(reply, lang="fr").value == "18"
