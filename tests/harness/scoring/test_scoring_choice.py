from __future__ import annotations

import json
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from culturegate.scoring import languages, read_choice
from culturegate.scoring.language import language

CASES = Path(__file__).parent / "cases"
ABCD = dict.fromkeys("ABCD", "")
FOOD = {"A": "sticky rice parcel", "B": "mooncake", "C": "rice", "D": "lotus seed mooncake box"}


def rows(name: str) -> list[dict[str, Any]]:
    lines = (CASES / name).read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


PUBLIC = {row["id"]: row["input"] for row in rows("choice.jsonl")}
EXPECTED = {
    "A01": ["B"], "A03": ["D"], "A04": ["C"], "A06": ["D"], "A07": ["D"], "A09": ["abstained"],
    "A10": ["abstained"], "A11": ["B"], "A12": ["A,B,D"], "A14": ["10"], "A15": ["C"],
    "A18": ["ب"], "A19": ["B"] * 4, "A21": ["B"] * 3, "A22": ["B"] * 3, "A23": ["C"] * 3,
    "A24": ["B"], "A26": ["C"], "A27": ["D", "D"], "A28": ["refused"], "A29": ["empty"],
    "A32": ["truncated"], "A34": ["B"], "A35": ["A", "B", "C"], "A37": ["B"],
}  # fmt: skip


def outcome(reply: str | None, lang: str = "en", options: Any = None, **more: Any) -> str:
    reading = read_choice(reply, options=options or ABCD, lang=lang, **more)
    assert (reading.value is not None) == (reading.status == "answered")
    return reading.value or reading.status


def test_every_public_case_is_expected_here() -> None:
    assert set(PUBLIC) == set(EXPECTED)


@pytest.mark.parametrize("case", sorted(EXPECTED))
def test_a_public_failure_is_read_right(case: str) -> None:
    given_ = PUBLIC[case]
    options = given_.get("options") or given_.get("labels") or "ABCD"
    if not isinstance(options, dict):
        options = dict.fromkeys(options, "")
    replies = given_.get("replies") or [given_.get("reply")]
    read = [
        outcome(
            reply,
            given_.get("lang", "en"),
            options,
            finish_reason=given_.get("finish_reason"),
            multi=given_.get("multi", False),
        )
        for reply in replies
    ]
    assert read == EXPECTED[case]


@pytest.mark.parametrize(
    ("lang", "reply", "expected"),
    [
        (row["lang"], reply, expected)
        for row in rows("languages.jsonl")
        for reply, expected in row["replies"].items()
    ],
)
def test_each_language_is_read_in_its_own_words(lang: str, reply: str, expected: str) -> None:
    assert outcome(reply, lang) == expected
    assert outcome(unicodedata.normalize("NFD", reply), lang) == expected
    assert outcome(reply.replace("\n", "\r\n"), lang) == expected
    assert outcome(f"<think>A or B? no, C</think>\n{reply}", lang) == expected


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("ANSWER: 1", "1"),
        ("Option 3 is correct.", "3"),
        ("1. First, think.\n2. Then choose.\nAnswer: 12", "12"),
        ("ANSWER: 13", "unparsed"),
    ],
)
def test_labels_of_several_characters_are_whole(reply: str, expected: str) -> None:
    assert outcome(reply, options=dict.fromkeys(map(str, range(1, 13)), "")) == expected


HARMONY = "<|channel|>analysis<|message|>A?<|end|><|start|>assistant<|channel|>final<|message|>{}"


@pytest.mark.parametrize("wrapper", ["{}", "**{}**", "({})", "[{}]", "`{}`", "$\\boxed{{{}}}$",
    "\\boxed{{\\text{{{}}}}}", "“{}”", "「{}」", "<b>{}</b>", "<answer>{}</answer>",
    "```\n{}\n```", "_{}_", "{}<|im_end|>", "Assistant: {}", "\u200f{}\u200f", "\ufeff{}",
    "\u200b{}", "<think>x\n</think>{}", "x\n</think>{}", "<think><think>A</think></think>{}",
    "<think></think>{}", "{}</think>", '{{"answer": "{}"}}', "### {}", "> {}", "- {}",
    HARMONY])  # fmt: skip
@pytest.mark.parametrize("letter", ["B", "Ｂ", "Ⓑ", "𝐁", "b"])
def test_a_wrapper_never_changes_the_letter(wrapper: str, letter: str) -> None:
    assert outcome(wrapper.format(letter)) == "B"


@pytest.mark.parametrize(
    ("reply", "finish", "expected"),
    [
        ("The answer is B. The reason is that the fea", "length", "B"),
        ("B", "length", "B"),
        ("B) because of the", "length", "B"),
        ("A) tea", "length", "truncated"),
        ("The mooncake is a p", "length", "truncated"),
        ("<think>A or B? Perhaps the", "length", "truncated"),
        ("<think>A or B? Perhaps the", "stop", "unparsed"),
        ("B", "content_filter", "filtered"),
        (None, "stop", "empty"),
        (" \n\t", "stop", "empty"),
        ("", "length", "truncated"),
        ("<think>so B</think>", "stop", "empty"),
    ],
)
def test_the_way_a_reply_ended_counts(reply: str | None, finish: str, expected: str) -> None:
    assert outcome(reply, options=FOOD, finish_reason=finish) == expected


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("lotus seed mooncake box", "D"),
        ("Answer: mooncake", "B"),
        ("It is mooncake or rice.", "ambiguous"),
        ("It is not rice but a mooncake.", "B"),
        ("Answer: B. mooncake", "B"),
        ("Answer: B. rice", "ambiguous"),
        ("**Mooncake**", "B"),
        ("MOONCAKE.", "B"),
        ("A mooncake.", "B"),
        ("A sticky rice parcel", "A"),
        ("mooncak", "ambiguous"),
        ("licorice", "unparsed"),
    ],
)
def test_an_options_own_text_is_an_answer(reply: str, expected: str) -> None:
    assert outcome(reply, options=FOOD) == expected


def test_an_option_that_says_none_of_these_is_chosen_by_saying_so() -> None:
    options = {"A": "tea", "B": "soup", "C": "rice", "D": "None of the above"}
    assert outcome("ANSWER: None of the above", options=options) == "D"
    assert outcome("None of these.", options=options) == "D"
    unsure = {"A": "the nurse", "B": "the cook", "C": "Not enough information"}
    assert outcome("It cannot be determined.", options=unsure) == "C"


def test_several_letters_are_one_answer_only_where_the_item_allows_them() -> None:
    assert outcome("答案：ABD", "zh", multi=True) == "A,B,D"
    assert outcome("Answer: D and A", multi=True) == "A,D"
    assert outcome("Answer: AB") == "ambiguous"
    assert outcome("ANSWER: A, B, and D") == "ambiguous"


def test_one_word_is_the_same_in_either_unicode_form() -> None:
    options = {"A": "bệnh", "B": unicodedata.normalize("NFD", "문서")}
    assert outcome(unicodedata.normalize("NFD", "bệnh"), "vi", options) == "A"
    assert outcome("문서", "ko", options) == "B"
    assert outcome("برنامه‌ها", "fa", {"A": "برنامه\u200cها", "B": "کتاب"}) == "A"


def test_accents_that_tell_two_options_apart_are_kept() -> None:
    options = {"A": "ma", "B": "má", "C": "mã"}
    assert outcome("má", "vi", options) == "B"
    assert outcome("Đáp án: mã", "vi", options) == "C"


def test_a_language_without_a_table_is_an_error_that_names_the_others() -> None:
    with pytest.raises(ValueError, match=r"no reading table for language 'xx'; there are ar, bn"):
        read_choice("B", options=ABCD, lang="xx")
    assert outcome("答案是B", "zh-Hant") == "B"


def test_seventeen_languages_and_english_have_a_table() -> None:
    assert " ".join(languages()) == "ar bn de en es fa fr hi id ja ko pt ru sw th tr vi zh"


@pytest.mark.parametrize("lang", languages())
def test_a_table_is_whole_lower_case_and_without_repeats(lang: str) -> None:
    table = language(lang)
    for name in ("answer", "choose", "lean", "link", "option", "right", "wrong", "not_", "and_",
                 "unknown", "none", "refusal", "confidence"):  # fmt: skip
        phrases = getattr(table, name)
        assert phrases, name
        assert all(phrase == phrase.lower().strip() and phrase for phrase in phrases), name
    assert set(table.words) == {"yes", "no", "neutral", "agree", "disagree"}


@given(st.text(), st.sampled_from(languages()))
@settings(deadline=None, max_examples=200)
def test_no_text_makes_the_reader_raise(text: str, lang: str) -> None:
    outcome(text, lang, FOOD)


@given(st.text(alphabet="ABCDEabcde .,:()\n*答案是不notisAnswer選项", max_size=60))
@settings(deadline=None, max_examples=300)
def test_what_is_read_stands_in_the_reply(text: str) -> None:
    reading = read_choice(text, options=ABCD, lang="zh")
    if reading.status == "answered":
        assert reading.value is not None
        assert reading.value.lower() in text.lower()


@given(
    st.sampled_from("ABCD"),
    st.sampled_from(languages()),
    st.text(alphabet=st.characters(exclude_characters="<>◁▷[]|", exclude_categories=["Cs"])),
)
@settings(deadline=None, max_examples=200)
def test_reasoning_of_any_kind_changes_nothing(letter: str, lang: str, thought: str) -> None:
    assert outcome(f"<think>{thought}</think>{letter}", lang) == letter
    assert outcome(f"{thought}</think>\n\n{letter}.", lang) == letter
