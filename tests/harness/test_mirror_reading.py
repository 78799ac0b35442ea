"""Replies to mirror problems: answer and confidence read apart, in six languages."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from culturegate.bank.mirror import Accepted, Arm, Skeleton
from culturegate.bank.mirror_reading import load_mirror
from culturegate.tracks.mirror_reading import read_answer

ROOT = Path(__file__).parents[2]
HEADS = {
    "en": ("Answer:", "Confidence:"),
    "zh": ("答案：", "把握："),
    "ja": ("答え：", "確信度："),
    "ar": ("الإجابة:", "درجة الثقة:"),
    "es": ("Respuesta:", "Confianza:"),
    "hi": ("उत्तर:", "विश्वास स्तर:"),
}
NONE = Skeleton({}, (), {}, None, {})
SHOWN = {"A": "at noon", "B": "in the evening", "C": "at night"}


def arm(lang: str, answer: str, unit: str | None = None, *accepted: str, **options: str) -> Arm:
    return Arm(
        name="native",
        lang=lang,
        text="?",
        answer=answer,
        unit=unit,
        accepted=tuple(Accepted(each, "as right") for each in accepted),
        options=options,
        values={"x": Fraction(1)},
        results={},
        premises={},
        entities={},
        skeleton=NONE,
        lines={},
    )


@pytest.mark.parametrize(
    ("lang", "unit", "reply"),
    [
        ("en", "dollars", "It is 3 × 4 = 12, less 25%.\nAnswer: $9\nConfidence: 85%"),
        ("en", "dollars", "So 12 − 3.\n\n**Answer:** 9 dollars\n\n**Confidence:** 85%\n"),
        ("en", "dollars", "So 12 − 3.\n9\n85%"),
        ("en", "dollars", "So 12 − 3 = 9.\n9.00\nI am 85% sure."),
        ("en", None, "Three go, four come.\nAnswer: 9\nConfidence: 85 %"),
        ("zh", "元", "3 乘 4 得 12，再打折。\n答案：9元\n把握：85%"),
        ("zh", "元", "3 乘 4 得 12。\n答案：¥9\n把握：85%"),
        ("zh", "元", "3 乘 4 得 12。\n答案：九元\n把握：八成五".replace("八成五", "85%")),
        ("ja", "円", "12円から3円を引く。\n答え：9円\n確信度：85%"),
        ("ar", "دينار", "نطرح ٣ من ١٢.\nالإجابة: ٩ دنانير\nدرجة الثقة: ٨٥٪"),
        ("es", "pesos", "Son 12 menos 3.\nRespuesta: $9\nConfianza: 85%"),
        ("es", "pesos", "Son 12 menos 3.\nRespuesta: 9 pesos\nConfianza: 85 %"),
        ("hi", "रुपये", "12 में से 3 घटाएँ।\nउत्तर: ₹9\nविश्वास स्तर: 85%"),
        ("hi", "रुपये", "12 में से 3 घटाएँ।\nउत्तर: ९ रुपये\nविश्वास स्तर: ८५%"),
    ],
)
def test_the_answer_is_no_figure_of_the_reasoning_and_not_the_confidence(lang, unit, reply):
    found = read_answer(reply, arm(lang, "9", unit), "number", {}, "", "stop")
    assert (found.reading.status, found.reading.value, found.correct) == ("answered", "9", True)
    assert found.confidence == 0.85


def test_an_answer_in_percent_is_not_taken_for_a_confidence():
    found = read_answer("3 of 12.\nAnswer: 25%", arm("en", "25", "%"), "number", {}, "", "stop")
    assert found.correct
    assert found.confidence is None
    found = read_answer("3 of 12.\n25%", arm("en", "25", "%"), "number", {}, "", "stop")
    assert found.correct


def test_an_accepted_alternative_is_right_and_counts_as_the_same_answer():
    found = read_answer("Answer: 90", arm("en", "1.5", None, "90"), "number", {}, "", "stop")
    assert (found.correct, found.reading.value) == (True, "1.5")


@pytest.mark.parametrize(
    ("reply", "finish", "status"),
    [
        ("Answer: 8\nConfidence: 90%", "stop", "answered"),
        ("I don't know.", "stop", "abstained"),
        ("We have 3 kilos and then 4", "length", "truncated"),
        ("Answer: 9\nConf", "length", "answered"),
        ("", "stop", "empty"),
        (None, "content_filter", "filtered"),
        ("No idea where to begin with this", "stop", "abstained"),
    ],
)
def test_what_is_no_right_answer_keeps_its_status(reply, finish, status):
    found = read_answer(reply, arm("en", "9"), "number", {}, "", finish)
    assert found.reading.status == status
    assert found.correct is (reply == "Answer: 9\nConf")


def test_a_choice_is_judged_by_the_letter_as_shown():
    one = arm("en", "c", a="at noon", b="at night", c="in the evening")
    reply = "Nobody is in at noon (A).\nAnswer: B\nConfidence: 60%"
    found = read_answer(reply, one, "choice", SHOWN, "B", "stop")
    assert (found.reading.value, found.correct, found.confidence) == ("B", True, 0.6)
    assert not read_answer(reply, one, "choice", SHOWN, "A", "stop").correct


@pytest.mark.parametrize(
    ("lang", "answer", "accepted", "reply"),
    [
        ("en", "Tuesday", (), "First Ann.\nAnswer: Tuesday\nConfidence: 70%"),
        ("en", "Tuesday", (), "First Ann.\nAnswer: It is Tuesday.\nConfidence: 70%"),
        ("en", "Tuesday", ("Tue",), "Answer: **Tue**\nConfidence: 70%"),
        ("zh", "星期二", ("周二",), "先看小林。\n答案：周二\n把握：70%"),
        ("zh", "星期二", (), "先看小林。\n答案：应该是星期二。\n把握：70%"),
        ("ja", "火曜日", (), "まず田中さん。\n答え：火曜日です\n確信度：70%"),
        ("ar", "الجمعة", (), "أولا سامي.\nالإجابة: الجمعة\nدرجة الثقة: ٧٠٪"),
        ("ar", "الخميس", (), "أولا سامي.\nالإجابة: يوم الخميس\nدرجة الثقة: ٧٠٪"),
        ("es", "martes", (), "Primero Ana.\nRespuesta: el martes\nConfianza: 70%"),
        ("hi", "मंगलवार", (), "पहले रीना।\nउत्तर: मंगलवार\nविश्वास स्तर: 70%"),
        ("en", "Tuesday", (), "First Ann.\nTuesday"),
    ],
)
def test_a_short_answer_is_right_alone_or_in_a_few_words(lang, answer, accepted, reply):
    found = read_answer(reply, arm(lang, answer, None, *accepted), "text", {}, "", "stop")
    assert (found.reading.status, found.reading.value, found.correct) == ("answered", answer, True)


@pytest.mark.parametrize(
    ("reply", "status"),
    [
        ("Answer: Wednesday", "answered"),
        ("Answer: not Tuesday", "answered"),
        ("Answer: Tuesday or Wednesday", "ambiguous"),
        ("Answer: I don't know", "abstained"),
        ("It could well be one of several days, and which one depends on what Ann does first, "
         "so there is much to be said about it.", "unparsed"),
        ("", "empty"),
    ],
)  # fmt: skip
def test_a_short_answer_that_is_not_the_key_is_not_right(reply, status):
    found = read_answer(reply, arm("en", "Tuesday"), "text", {}, "", "stop")
    assert (found.reading.status, found.correct) == (status, False)


@pytest.mark.parametrize("lang", sorted(HEADS))
@pytest.mark.parametrize(
    ("below", "confidence"),
    [("\n85%", 0.85), ("\n85", 0.85), ("\n0%", 0.0), (" ???", None), ("", None)],
)
@pytest.mark.parametrize("kind", ["number", "text"])
def test_a_heading_of_confidence_is_no_answer_wherever_its_figure_stands(
    kind, below, confidence, lang
):
    answer, sure = HEADS[lang]
    key = "39000" if kind == "number" else {"ar": "الجمعة", "zh": "星期二"}.get(lang, "Berta")
    reply = f"…\n{answer}\n{key}\n{sure}{below}"
    found = read_answer(reply, arm(lang, key), kind, {}, "", "stop")
    assert (found.reading.value, found.correct, found.confidence) == (key, True, confidence)


@pytest.mark.parametrize(
    ("lang", "unit", "reply"),
    [
        ("ar", "درهم", "الإجابة: 39000درهم"),
        ("ar", "درهم", "الإجابة: ٣٩٬٠٠٠ درهم\nدرجة الثقة: ٨٥٪"),
        ("ar", "درهم", "الإجابة: 39000\nدرجة الثقة عالية، وقد تحققت من الحساب."),
        ("es", "pesos", "Respuesta: 39,000\nConfianza: 85%"),
        ("es", "pesos", "Respuesta: $39,000.00"),
        ("es", "pesos", "Respuesta: 39.000 pesos"),
        ("es", "pesos", "Respuesta: 39000\nMil gracias"),
        ("hi", "रुपये", "उत्तर: ₹39,000"),
        ("ja", "円", "答え：3万9千円"),
        ("zh", "元", "答案：３９，０００元"),
    ],
)
def test_a_number_is_read_as_it_is_written_where_the_arm_is_at_home(lang, unit, reply):
    found = read_answer(reply, arm(lang, "39000", unit), "number", {}, "", "stop")
    assert (found.reading.value, found.correct) == ("39000", True)


def test_a_spanish_comma_is_a_decimal_mark_where_the_key_has_one():
    found = read_answer("Respuesta: 1,125 kg", arm("es", "1.125", "kg"), "number", {}, "", "stop")
    assert found.correct


def test_a_wrong_number_with_a_mexican_comma_is_kept_as_thousands():
    found = read_answer("Respuesta: 1,200", arm("es", "1020", "pesos"), "number", {}, "", "stop")
    assert (found.reading.value, found.correct) == ("1200", False)


def test_the_key_of_every_arm_of_the_bank_is_read_as_right():
    bank, problems = load_mirror([ROOT / "items"])
    assert problems == []
    for family in bank.families:
        for one in family.arms.values():
            answer, sure = HEADS[one.lang]
            shown = {label.upper(): text for label, text in one.options.items()}
            key = one.answer.upper() if shown else ""
            for given_ in [
                one.options.get(one.answer, one.answer),
                *(each.answer for each in one.accepted),
            ]:
                reply = f"3 + 4.\n{answer} {given_}\n{sure} 85%"
                found = read_answer(reply, one, family.answer_type, shown, key, "stop")
                assert found.correct, (family.id, one.name, given_, found.reading)
                assert found.confidence == 0.85


@pytest.mark.parametrize("kind", ["number", "choice", "text"])
@settings(deadline=None)  # the first reply of a language loads its table
@given(
    reply=st.text(max_size=400),
    lang=st.sampled_from(["en", "zh", "ja", "ar", "es", "hi"]),
    finish=st.sampled_from(["stop", "length", "content_filter", None]),
)
def test_any_reply_has_a_status_and_a_sane_confidence(kind, reply, lang, finish):
    options = {"a": "x", "b": "y"} if kind == "choice" else {}
    one = arm(lang, "a" if options else "9", **options)
    found = read_answer(reply, one, kind, {"A": "x", "B": "y"} if options else {}, "A", finish)
    assert found.reading.status
    assert found.confidence is None or 0 <= found.confidence <= 1
    assert not found.correct or found.reading.status == "answered"
