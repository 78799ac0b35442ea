"""Numbers in a problem's text are found in any numeral form, and formulas have exact values."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from culturegate.bank.mirror_numerals import NumberedText
from culturegate.bank.skeleton import FormulaError, number_text, read_formula


@pytest.mark.parametrize(
    ("lang", "text", "value"),
    [
        ("en", "She pays $1,250.50 in all.", "1250.5"),
        ("en", "It takes forty-five minutes.", "45"),
        ("en", "A bag of one thousand two hundred beads.", "1200"),
        ("en", "He drinks two and a half litres.", "2.5"),
        ("en", "Two-thirds of it is gone.", "2/3"),
        ("en", "A dozen eggs.", "12"),
        ("en", "2½ cups of rice", "2.5"),
        ("en", "The shop closes at 7:30 p.m.", "19.5"),
        ("en", "Shipping is free above 0.25 pounds.", "0.25"),
        ("zh", "小林买了三斤橘子。", "3"),
        ("zh", "租金一千二百元。", "1200"),
        ("zh", "两个半小时以后到。", "2.5"),
        ("zh", "全场八折。", "80"),
        ("zh", "全场八折。", "20"),
        ("zh", "买3万元的车。", "30000"),
        ("zh", "第二件半价。", "50"),
        ("ja", "家賃は十二万円です。", "120000"),
        ("ja", "２割引で買う。", "20"),
        ("ja", "半額になる。", "50"),
        ("ja", "１,２００円", "1200"),
        ("ar", "اشترى ثلاث علب.", "3"),
        ("ar", "يدفع ١٬٢٥٠ دينارا.", "1250"),
        ("ar", "بعد خمسة وأربعين دقيقة", "45"),
        ("ar", "وعشرون يوما", "20"),
        ("ar", "نصف ساعة", "30"),
        ("es", "Compra veintiún boletos.", "21"),
        ("es", "Son cuarenta y cinco minutos.", "45"),
        ("es", "Cuesta $1,250 en total.", "1250"),
        ("es", "Media hora después", "30"),
        ("hi", "रीना पाँच किलो आलू लेती है।", "5"),
        ("hi", "रीना पांच किलो आलू लेती है।", "5"),
        ("hi", "₹१,५०,०००", "150000"),
        ("hi", "डेढ़ लाख रुपये", "150000"),
        ("hi", "साढ़े तीन घंटे", "3.5"),
        ("hi", "पैंतालीस मिनट", "45"),
    ],
)
def test_a_number_is_found_however_it_is_written(lang, text, value):
    assert NumberedText(text, lang).count(Fraction(value)) >= 1


@pytest.mark.parametrize(
    ("lang", "text", "value"),
    [
        ("en", "forty-five minutes", "5"),
        ("en", "forty-five minutes", "40"),
        ("en", "someone buys often", "10"),
        ("en", "1,250 dollars", "3"),
        ("zh", "十一天", "1"),
        ("zh", "十一天", "10"),
        ("es", "cuarenta y cinco", "5"),
        ("ar", "خمسة وأربعين دقيقة", "5"),
        ("hi", "पैंतालीस मिनट", "5"),
    ],
)
def test_part_of_a_number_or_word_is_no_number(lang, text, value):
    assert NumberedText(text, lang).count(Fraction(value)) == 0


def test_a_number_stated_once_does_not_stand_for_two_conditions():
    assert NumberedText("3 kilos at 3 dollars", "en").count(Fraction(3)) == 2
    assert NumberedText("kilos at 3 dollars", "en").count(Fraction(3)) == 1


@given(st.text(max_size=300), st.sampled_from(["en", "zh", "ja", "ar", "es", "hi", "fr"]))
def test_any_text_can_be_searched(text, lang):
    assert NumberedText(text, lang).count(Fraction(7)) >= 0


expressions = st.recursive(
    st.one_of(
        st.sampled_from(["a", "b", "c"]),
        st.integers(0, 99).map(str),
        st.sampled_from(["0.5", "1.25", "0.1"]),
    ),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from("+-*/"), inner).map(lambda t: f"({t[0]} {t[1]} {t[2]})"),
        st.tuples(st.sampled_from(["min", "max"]), inner, inner).map(
            lambda t: f"{t[0]}({t[1]}, {t[2]})"
        ),
        inner.map(lambda one: f"abs(-{one})"),
    ),
    max_leaves=8,
)
VALUES = {"a": Fraction(7), "b": Fraction(1, 3), "c": Fraction(-5, 2)}


@given(expressions)
def test_a_formula_is_worth_what_exact_arithmetic_gives(text):
    exact = {"Fraction": Fraction, "min": min, "max": max, "abs": abs, **VALUES}
    decimals = re.sub(r"(?<![\w.])(\d+(?:\.\d+)?)", r"Fraction('\1')", text)
    try:
        wanted = eval(decimals, {"__builtins__": {}}, exact)
    except ZeroDivisionError:
        with pytest.raises(FormulaError, match="divides by zero"):
            read_formula(text).value(VALUES)
        return
    assert read_formula(text).value(VALUES) == wanted


@pytest.mark.parametrize(
    ("formula", "value"),
    [
        ("7 // 2", "3"),
        ("7 % 2", "1"),
        ("ceil(7 / 2)", "4"),
        ("floor(-7 / 2)", "-4"),
        ("round(5 / 2)", "3"),
        ("round(-5 / 2)", "-3"),
        ("round(1.005, 2)", "1.01"),
        ("0.1 + 0.2", "0.3"),
        ("pass - for", "2"),
    ],
)
def test_rounding_is_that_of_a_till_and_decimals_are_exact(formula, value):
    names = {"pass": Fraction(5), "for": Fraction(3)}
    assert read_formula(formula).value(names) == Fraction(value)


@pytest.mark.parametrize(
    ("value", "text"), [("18", "18"), ("0.5", "0.5"), ("1/3", "1/3"), ("-2.25", "-2.25")]
)
def test_a_number_is_shown_as_a_person_writes_it(value, text):
    assert number_text(Fraction(value)) == text


@given(st.text(max_size=400))
def test_any_text_is_a_formula_or_an_error(text):
    try:
        formula = read_formula(text)
    except FormulaError:
        return
    assert all(isinstance(name, str) for name in formula.names)
