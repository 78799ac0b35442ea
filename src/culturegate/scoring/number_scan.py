"""Numbers where they stand in a text: digits with the marks of a language, characters, units.

What only looks like a number is found too, and says why it is none: a range, a clock time, digits
glued to a word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from functools import cache
from importlib.resources import files
from typing import Any

import yaml

from culturegate.scoring.hanzi import HANZI_CHARS, HANZI_NUMBER, hanzi_number
from culturegate.scoring.phrases import LETTER, trie
from culturegate.scoring.plain import folded, plain
from culturegate.scoring.units import Unit, converted, unit_table

_MAX_DIGITS = 60
_VULGAR = {
    ord(c): f" {n}/{d} "
    for c, n, d in (
        *(("½", 1, 2), ("⅓", 1, 3), ("⅔", 2, 3), ("¼", 1, 4), ("¾", 3, 4), ("⅕", 1, 5)),
        *(("⅖", 2, 5), ("⅗", 3, 5), ("⅘", 4, 5), ("⅙", 1, 6), ("⅚", 5, 6), ("⅐", 1, 7)),
        *(("⅛", 1, 8), ("⅜", 3, 8), ("⅝", 5, 8), ("⅞", 7, 8), ("⅑", 1, 9), ("⅒", 1, 10)),
    )
}
_RAISED = {ord(c): f"^{n}" for n, c in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")} | {ord("⁻"): "^-"}
_FRAC = re.compile(
    r"\\[dtc]?frac\s{0,2}\{([^{}]{1,40})\}\s{0,2}\{([^{}]{1,40})\}|\\[dt]?frac(\d)(\d)"
)
_LATEX_NOISE = re.compile(r"\\[,;:! ]|\{,\}|\\(?=[$%])")
_TIMES = re.compile(r"\\times|\\cdot|[×·]")
_GROUPED = re.compile(r"\d{1,3}(?:(?P<mark>[.,' ٬])\d{3})(?:(?P=mark)\d{3})*")
_INDIAN = re.compile(r"\d{1,3}(?:[,٬]\d{2})*[,٬]\d{3}")
_CUE_MARK = "####"


_NUMERAL = re.compile(rf"\d[\d.,]*|[{HANZI_CHARS}]+")
_MARGIN = 40
"""Characters around a numeral that can belong to its number."""
_AND = {"", "and", "et", "und", "y", "e", "и", "و", "và", "dan", "na", "零", "又", "和", "ve",
        "और", "এবং", "และ", "と"}  # fmt: skip
"""What may stand between two parts of one amount, or between the ends of "between 10 and 12"."""


@dataclass(frozen=True, slots=True)
class Number:
    """A number, or what looks like one, at `text[start:end]`."""

    start: int
    end: int
    value: Fraction | None
    """None for what looks like numbers and is not one: `why` says so."""
    unit: Unit | None = None
    why: str = ""
    scale: int = 1
    """What a word such as million multiplied it by."""


@cache
def _conventions() -> Mapping[str, Mapping[str, Any]]:
    text = (files(__package__) / "numbers.yaml").read_text(encoding="utf-8")
    data: dict[str, dict[str, Any]] = yaml.load(text, Loader=yaml.CBaseLoader)
    return data


@dataclass(frozen=True, slots=True)
class _Scanner:
    pattern: re.Pattern[str]
    decimal: str
    scales: Mapping[str, int]
    ranges: re.Pattern[str]
    between: re.Pattern[str]


@cache
def _scanner(code: str) -> _Scanner:
    own, english = _conventions()[code], _conventions()["en"]
    scales = {
        folded(name): int(float(factor))
        for table in (english, own)
        for name, factor in table["scales"].items()
    }
    minus = trie([folded(word) for word in (*english["minus"], *own["minus"])])
    units = unit_table()
    pattern = re.compile(
        rf"(?P<sign>(?:(?<![\w)\]])[-+]\s?|(?:{minus})\s?|±\s?)?)"
        rf"(?P<before>(?:{trie(units.before)})\s?[-]?)?"
        rf"(?:(?P<hanzi>{HANZI_NUMBER})"
        rf"|(?<![a-z\d])(?<![a-z]-)(?<!\d\.)"
        rf"(?P<body>\d{{1,3}}(?: \d{{3}})+(?![\d])(?:[.,]\d{{1,20}})?(?!\d)"
        rf"|\d+(?:[.,'٬٫]\d+)*|(?<![\d])[.]\d+))"
        rf"(?P<power>\s?(?:(?:\*|x|times)\s?10\s?\^\s?\{{?\s?[-+]?\d{{1,2}}\}}?|e[-+]?\d{{1,2}}(?!\d))|\^\{{?-?\d{{1,3}}\}}?)?"
        rf"(?P<over>(?:\s?/\s?(?:\d{{1,20}})| \d{{1,6}}\s?/\s?\d{{1,6}})(?![\d/]))?"
        rf"(?P<scale>[ ]?(?:{trie(scales)}))?"
        rf"(?P<after>[ ]?(?:{trie(units.after)}))?",
    )
    ranges = trie([folded(word) for word in (*english["range"], *own["range"])])
    between = trie([folded(word) for word in (*english["between"], *own["between"])])
    return _Scanner(
        pattern,
        own["decimal"],
        scales,
        re.compile(rf"\s?(?:{ranges}|-|~|〜|\.\.\.?|…|か)\s?"),
        re.compile(rf"(?:{between})\s?(?:\S{{1,12}}\s)?$"),
    )


def _parsed(body: str, decimal: str) -> Fraction | None:
    """Return a number's value by the marks of its language; None where it is no single number."""
    if len(body) > _MAX_DIGITS:
        return None
    if "٫" in body or "٬" in body:
        body = body.replace("٬", "").replace("٫", ".")
        decimal = "."
    other = "," if decimal == "." else "."
    marks = [c for c in body if not c.isdigit()]
    kinds = set(marks)
    if not kinds:
        return Fraction(int(body))
    if len(marks) > 1 and len(kinds) > 1:
        last = marks[-1]
        whole, _, part = body.rpartition(last)
        if last not in ".," or (set(whole) - set("0123456789") != kinds - {last}):
            return None
        if not (_GROUPED.fullmatch(whole) or _INDIAN.fullmatch(whole)):
            return None
        return _exact(re.sub(r"\D", "", whole) + "." + part)
    mark = marks[0]
    grouped = _GROUPED.fullmatch(body) or (mark == "," and _INDIAN.fullmatch(body))
    if len(marks) > 1:
        return Fraction(int(re.sub(r"\D", "", body))) if grouped else None
    if mark == decimal or (mark == other and not (grouped and body[0] != "0")):
        return _exact(body.replace(mark, "."))
    return Fraction(int(re.sub(r"\D", "", body))) if grouped else None


def _exact(text: str) -> Fraction | None:
    try:
        return Fraction(Decimal(text))
    except (InvalidOperation, ValueError):
        return None


def scanned_numbers(text: str, code: str) -> list[Number]:
    """Return the numbers of a plain text in lower case, by the conventions of a language."""
    scanner = _scanner(code)
    return _merged(text, list(_scanned(text, scanner)), scanner)


def _candidates(text: str, scanner: _Scanner) -> Iterator[re.Match[str]]:
    """Look for numbers only around digits and numerals: the pattern is slow on plain prose."""
    start = stop = 0
    for digit in _NUMERAL.finditer(text):
        begin = max(0, digit.start() - _MARGIN)
        if not stop:
            start = begin
        elif begin > stop + _MARGIN:
            yield from scanner.pattern.finditer(text, start, stop + _MARGIN)
            start = begin
        stop = digit.end()
    if stop:
        yield from scanner.pattern.finditer(text, start, stop + _MARGIN)


def _scanned(text: str, scanner: _Scanner) -> Iterator[Number]:
    units = unit_table()
    for match in _candidates(text, scanner):
        start, end = match.span()
        after = match["after"]
        unit = units.after.get(after.strip()) if after else None
        if unit is None and match["before"]:
            unit = units.before.get(match["before"].strip(" -"))
        percent = False
        value: Fraction | None
        if match["hanzi"]:
            read = hanzi_number(match["hanzi"])
            if read is None:
                continue
            value, percent = read
        else:
            value = _parsed(match["body"], scanner.decimal)
        if percent:
            unit = units.after["%"]
        rest = text[end : end + 2]
        if value is not None:
            value, glued = _scaled(value, match, scanner)
            if glued or (re.match(rf"{LETTER}", rest) and not match["hanzi"] and (
                text[end - 1].isascii() and text[end - 1].isalnum()
            )):  # fmt: skip
                yield Number(start, end, None, why="glued")
                continue
        sign = match["sign"].strip()
        if sign == "±":
            yield Number(start, end, None, why="range")
            continue
        if value is not None and (
            (sign and sign != "+") or (match["before"] or "").rstrip().endswith("-")
        ):
            value = -value
        scale = scanner.scales[match["scale"].strip()] if match["scale"] else 1
        yield Number(start, end, value, unit, "" if value is not None else "marks", scale)


def _scaled(
    value: Fraction, match: re.Match[str], scanner: _Scanner
) -> tuple[Fraction | None, bool]:
    """Apply what stands after the digits: a power, a fraction, a scale such as million."""
    power = match["power"]
    if power:
        digits = re.findall(r"[-+]?\d+", power)
        exponent = int(digits[-1])
        if power.strip().startswith("^"):
            if abs(exponent) > 60 or value.numerator > 10**6 or (exponent < 0 and not value):
                return None, True
            value = value**exponent
        else:
            value *= Fraction(10) ** exponent
    over = match["over"]
    if over:
        digits = re.findall(r"\d+", over)
        below = int(digits[-1])
        if not below:
            return None, True
        if len(digits) == 2:
            value += Fraction(int(digits[0]), below)
        else:
            value /= below
    if match["scale"]:
        value *= scanner.scales[match["scale"].strip()]
    return value, False


def _merged(text: str, found: list[Number], scanner: _Scanner) -> list[Number]:
    """Join what belongs together: two units of one kind, the ends of a range, times and dates."""
    merged: list[Number] = []
    for number in found:
        last = merged[-1] if merged else None
        if last is None:
            merged.append(number)
            continue
        gap = text[last.end : number.start]
        if len(gap) > 8:
            merged.append(number)
            continue
        if gap in {":", "/", "."} or (gap == "-" and last.why):
            merged[-1] = Number(
                last.start, number.end, None, why="marks"
            )  # a time, a ratio, a date
            continue
        joined = _joined(last, number, gap)
        if joined:
            merged[-1] = joined
        elif scanner.ranges.fullmatch(gap) or (
            gap.strip() in _AND - {""}
            and scanner.between.search(text[max(0, last.start - 30) : last.start])
        ):
            if text[number.end : number.end + 3].strip().startswith("="):
                merged.append(number)
            else:
                merged[-1] = Number(last.start, number.end, None, number.unit, "range")
        else:
            merged.append(number)
    return merged


def _joined(a: Number, b: Number, gap: str) -> Number | None:
    """Return 5元3角, 2 h 30 min or "3 dollars and 50 cents" as one number in the first unit."""
    if a.value is None or b.value is None:
        return None
    if b.scale < a.scale and b.scale > 1 and 0 < b.value < a.scale and not gap.strip():
        # 3만 5천, "2 million 500 thousand"
        return Number(a.start, b.end, a.value + b.value, b.unit, scale=b.scale)
    if a.unit is None:
        return None
    if gap.strip(" ,") not in _AND:
        return None  # fmt: skip
    if b.unit is None:
        # 5块3: the lone digit counts the next smaller unit.
        if gap == "" and a.unit.dimension == "yuan" and a.unit.name == "yuan" and b.value < 10:
            return Number(a.start, b.end, a.value + b.value / 10, a.unit)
        return None
    if b.unit.dimension != a.unit.dimension or b.unit.factor >= a.unit.factor:
        # "1 dollar and 50 cents": the minute and the fen share a name.
        twins = {"min": "fen", "m": "fen"}
        if a.unit.dimension == "yuan" and b.unit.name in twins:
            part = 100 if a.unit.name == "yuan" else 10
            return Number(a.start, b.end, a.value + b.value / part, a.unit)
        return None
    extra = converted(b.value, b.unit, a.unit)
    return None if extra is None else Number(a.start, b.end, a.value + extra, a.unit)


def plain_numbers(reply: str) -> str:
    """Return a reply as plain lower-case text, its fractions and powers kept apart."""
    text = reply.translate(_VULGAR | _RAISED)
    if "\\" in text:
        text = _FRAC.sub(lambda m: f" {m[1] or m[3]}/{m[2] or m[4]} ", text)
        text = _LATEX_NOISE.sub("", text)
    text = _TIMES.sub(" x ", text).replace("⁄", "/").replace("∕", "/")
    # A lone dollar before a digit is money, a pair is LaTeX.
    if "$" in text:
        text = re.sub(r"\$\$?([^$\n]{1,200}?)\$\$?", _money_or_math, text)
        text = text.replace("$", "\ue000")
    text = re.sub(r"(?<=\d)\s{0,2}\*\s{0,2}(?=\d)", " x ", text)
    return plain(text).replace("\ue000", "$").lower()


def _money_or_math(match: re.Match[str]) -> str:
    inside = match[1]
    if re.match(r"[\d.]+[^\d\\=^]*[A-Za-z]{2}", inside):
        return match[0].replace("$", "\ue000")
    return f" {inside} "
