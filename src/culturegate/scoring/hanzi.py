"""Numbers in Chinese characters: 两万三千亿, 廿三, 贰佰, 二〇二四, 3万5千, 两万三, 百分之一点五七.

Own code: the libraries for it that were looked at read only some of these forms, and give binary
floats.
"""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction

_DIGITS = {
    **dict(zip("零〇一二三四五六七八九", (0, *range(10)), strict=True)),
    **dict(zip("壹贰叁肆伍陆柒捌玖", range(1, 10), strict=True)),
    **dict(zip("壱弐参肆伍陸漆捌玖", range(1, 10), strict=True)),
    "貳": 2,
    "叄": 3,
    "參": 3,
    "弎": 3,
    "两": 2,
    "兩": 2,
    "○": 0,
    "柒": 7,
    "幺": 1,
}
_SMALL = {"十": 10, "拾": 10, "百": 100, "佰": 100, "千": 1000, "仟": 1000, "陌": 100, "阡": 1000}
_TENS = {"廿": 20, "卄": 20, "卅": 30, "卌": 40}
_BIG = {"万": 10**4, "萬": 10**4, "亿": 10**8, "億": 10**8, "兆": 10**12}
HANZI_CHARS = "".join([*_DIGITS, *_SMALL, *_TENS, *_BIG])
"""Every character that a number may be written in."""
HANZI_NUMBER = (
    rf"(?:百分之|(?:[{HANZI_CHARS}]{{1,40}}|\d{{1,6}})分[之の](?=[\d{HANZI_CHARS}]))?"
    rf"(?:[{HANZI_CHARS}]|(?<=分[之の])\d{{1,6}}|\d[\d.,]{{0,20}}(?=[十百千万萬亿億兆仟佰拾]))"
    rf"(?:[{HANZI_CHARS}]|[点點](?=[{HANZI_CHARS}])|\d[\d.]{{0,20}}){{0,40}}半?"
)
"""Pattern of a number with at least one such character."""
_DECIMAL_MARK = re.compile("[点點]")
_PART = re.compile(rf"\d+(?:\.\d+)?|[{HANZI_CHARS}]")


def hanzi_number(text: str) -> tuple[Fraction, bool] | None:
    """Return a number's value and whether it is a percentage; None where it is not one number."""
    percent = False
    whole, _, part = text.replace("分の", "分之").partition("分之")
    if part:
        below = hanzi_number(whole)
        above = hanzi_number(part)
        if not below or not above or not below[0]:
            return None
        percent = below[0] == 100
        return (above[0] if percent else above[0] / below[0]), percent
    half = text.endswith("半")
    text = text.removesuffix("半")
    pieces = _DECIMAL_MARK.split(text)
    if len(pieces) > 2:
        return None
    if len(pieces) == 2:
        return _with_decimals(*pieces)
    value = _whole(text)
    if value is None:
        return None
    if half:
        # 三万半 is half of its last unit; a plain 三半 is no number.
        unit = {**_SMALL, **_BIG}.get(text[-1])
        if unit is None:
            return None
        value += Fraction(unit, 2)
    return value, percent


def _with_decimals(before: str, after: str) -> tuple[Fraction, bool] | None:
    """Read 一点五七, and 一点五亿 with a unit after the decimals."""
    digits = ""
    while after and after[0] in _DIGITS:
        digits += str(_DIGITS[after[0]])
        after = after[1:]
    whole = _whole(before) if before else Fraction(0)
    if whole is None or not digits:
        return None
    value = whole + Fraction(int(digits), 10 ** len(digits))
    for char in after:
        unit = {**_SMALL, **_BIG}.get(char)
        if unit is None:
            return None
        value *= unit
    return value, False


def _whole(text: str) -> Fraction | None:
    parts = _PART.findall(text)
    if "".join(parts) != text or not parts:
        return None
    if len(parts) > 1 and all(p in _DIGITS for p in parts):
        return Fraction(int("".join(str(_DIGITS[p]) for p in parts)))
    total = section = Fraction(0)
    number: Fraction | None = None
    last_unit = 1
    last_big = 0
    zero = False
    for part in parts:
        if part in _DIGITS or part[0].isascii():
            value = Fraction(_DIGITS[part]) if part in _DIGITS else Fraction(Decimal(part))
            if number is not None and not (zero and number == 0):
                return None
            zero = part in _DIGITS and value == 0
            number = value if not zero else (Fraction(0) if len(parts) == 1 else None)
            if zero:
                last_unit = 1
        elif part in _TENS:
            section += _TENS[part]
            last_unit, number = 10, None
        elif part in _SMALL:
            section += (Fraction(1) if number is None else number) * _SMALL[part]
            last_unit, number = _SMALL[part], None
        else:
            big = _BIG[part]
            amount = section + (number or 0)
            if amount == 0 and total == 0:
                amount = Fraction(1)
            # 两万三千亿: a larger unit multiplies all that stands before it.
            total = (total + amount) * big if big > last_big else total + amount * big
            last_big, last_unit = max(last_big, big), big
            section, number = Fraction(0), None
    if number is not None:
        # 两万三 is 23,000 and 三百五 is 350, but 十三 is 13 and 一百零三 is 103.
        section += number * (last_unit // 10 if last_unit >= 100 and number < 10 else 1)
    return total + section
