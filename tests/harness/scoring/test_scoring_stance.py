from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from culturegate.scoring import languages, read_label, read_stance, script_matches


@pytest.mark.parametrize(
    ("lang", "reply", "confidence"),
    [
        ("en", "B, I am 80% sure", 0.8),
        ("en", "Answer: B\nConfidence: 0.85", 0.85),
        ("en", "Confidence: 8/10", 0.8),
        ("en", "It is 80% of the guests.", None),
        ("en", "I am not very confident.", None),
        ("en", "I am very confident.", 0.9),
        ("zh", "答案是B，我有九成把握", 0.9),
        ("zh", "八成把握", 0.8),
        ("zh", "置信度：85", 0.85),
        ("zh", "我成为了厨师", None),
        ("de", "B. Ich bin zu 70 % sicher.", 0.7),
        ("fr", "sûr à 75 %", 0.75),
        ("es", "Estoy 80 % seguro", 0.8),
        ("pt", "80% de certeza", 0.8),
        ("ru", "Уверенность: 90%", 0.9),
        ("tr", "%80 eminim", 0.8),
        ("vi", "Tôi chắc chắn 90%", 0.9),
        ("id", "Saya yakin 80%", 0.8),
        ("sw", "nina uhakika wa asilimia 80", 0.8),
        ("ja", "自信度：8割", 0.8),
        ("ko", "80% 확신합니다", 0.8),
        ("ar", "أنا متأكد بنسبة ٨٠٪", 0.8),
        ("fa", "۸۰٪ مطمئنم", 0.8),
        ("hi", "मुझे 80% यकीन है", 0.8),
        ("bn", "আমি ৮০% নিশ্চিত", 0.8),
        ("th", "มั่นใจ 80%", 0.8),
    ],
)
def test_a_stated_confidence_is_read(lang: str, reply: str, confidence: float | None) -> None:
    assert read_stance(reply, lang=lang).confidence == confidence


def test_refusing_and_being_unsure_are_told_apart() -> None:
    refusal = read_stance("I cannot answer that.", lang="en")
    assert (refusal.refused, refusal.unsure) == (True, False)
    unsure = read_stance("わかりません。", lang="ja")
    assert (unsure.refused, unsure.unsure) == (False, True)


@pytest.mark.parametrize(
    ("lang", "reply", "outcome"),
    [
        ("en", "Yes.", "yes"),
        ("en", "No, it is not.", "no"),
        ("en", "I know it is so.", "unparsed"),
        ("en", "No idea.", "abstained"),
        ("en", "Answer: Yes\nNo doubt.", "yes"),
        ("en", "yes or no", "ambiguous"),
        ("en", "not neutral", "unparsed"),
        ("en", "<think>no</think>yes", "yes"),
        ("en", "\\boxed{no}", "no"),
        ("en", "", "empty"),
        ("de", "Ja, das stimmt", "yes"),
        ("fr", "Non.", "no"),
        ("es", "Sí", "yes"),
        ("pt", "Não.", "no"),
        ("ru", "Нет", "no"),
        ("tr", "Hayır.", "no"),
        ("vi", "Không", "no"),
        ("id", "Tidak", "no"),
        ("sw", "Hapana", "no"),
        ("zh", "不是", "no"),
        ("zh", "答案：否", "no"),
        ("ja", "いいえ", "no"),
        ("ko", "아니요, 그렇지 않습니다", "no"),
        ("ar", "لا، هذا غير صحيح", "no"),
        ("fa", "بله", "yes"),
        ("hi", "नहीं", "no"),
        ("bn", "হ্যাঁ", "yes"),
        ("th", "ไม่ใช่", "no"),
    ],
)
def test_a_judgement_is_read_in_its_languages_words(lang: str, reply: str, outcome: str) -> None:
    reading = read_label(reply, labels=["yes", "no", "neutral"], lang=lang)
    assert (reading.value or reading.status) == outcome


@given(st.text(), st.sampled_from(languages()))
@settings(deadline=None, max_examples=100)
def test_no_text_makes_the_other_readers_raise(text: str, lang: str) -> None:
    read_stance(text, lang=lang)
    read_label(text, labels=["yes", "no"], lang=lang)
    script_matches(text, lang)


def test_a_text_in_a_foreign_script_does_not_match_its_language() -> None:
    assert script_matches("ερώτηση:", "hi") is False
    assert script_matches("सही उत्तर B है", "hi") is True
    assert script_matches("B", "hi") is None
    assert script_matches("正解はBです", "ja") is True
