"""Reading the number that a reply answers with.

The rules, in order:

1. filter and emptiness, as for a choice
2. `boxed`: the last box (or answer tag) that holds a number
3. `announced`: the number after the last announcement ("Answer:", "答案", `####`); the one after the
   last "=" where the line works it out; else the one that stands at once after it; else the last
4. `whole`: the reply is a number and nothing else but a unit
5. `unknown`, `none`, `refusal`
6. `last_number`: the last number of the reply, of the asked unit where any has it

Choices made where a case is arguable:

- "3-4", "between 10 and 12" and "±12" are ambiguous; a clock time, a date and a ratio are no number.
- Marks are read by the language: 1.000 is a thousand in Spanish and one in English. A mark that
  cannot part thousands (1.5 in German) is a decimal mark.
- A bare number is in the unit that the question names. Another unit of the same kind is converted;
  a unit of another kind stays on the value ("3000 kg") and never equals.
- "35 %" is 35 where the unit asked is %, and either 35 or 0.35 where none is.
- A number glued to letters that are no unit (58abc) is not a number.
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

from culturegate.scoring.hanzi import HANZI_NUMBER, hanzi_number
from culturegate.scoring.language import language_code
from culturegate.scoring.lexicon import LETTER, lexicon, trie
from culturegate.scoring.plain import BOX_CLOSE, BOX_OPEN, folded, plain, same_form
from culturegate.scoring.reading import Reading
from culturegate.scoring.reasoning import without_reasoning
from culturegate.scoring.units import Unit, converted, find_unit, unit_table

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


@dataclass(frozen=True, slots=True)
class _Number:
    start: int
    end: int
    value: Fraction | None
    """None for what looks like numbers and is not one: `why` says so."""
    unit: Unit | None = None
    why: str = ""


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
        rf"|(?<![a-z\d])(?P<body>\d{{1,3}}(?: \d{{3}})+(?![\d])(?:[.,]\d{{1,20}})?(?!\d)"
        rf"|\d+(?:[.,'٬٫]\d+)*|(?<![\d])[.]\d+))"
        rf"(?P<power>\s?(?:(?:\*|x|times)\s?10\s?\^\s?\{{?\s?[-+]?\d{{1,2}}\}}?|e[-+]?\d{{1,2}}(?!\d))|\^\{{?-?\d{{1,3}}\}}?)?"
        rf"(?P<over>(?:\s?/\s?(?:\d{{1,20}})| \d{{1,6}}\s?/\s?\d{{1,6}})(?![\d/]))?"
        rf"(?P<scale>\s?(?:{trie(scales)}))?"
        rf"(?P<after>\s?(?:{trie(units.after)}))?",
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


def _numbers(text: str, code: str) -> list[_Number]:
    scanner = _scanner(code)
    return _merged(text, list(_scanned(text, scanner)), scanner)


def _scanned(text: str, scanner: _Scanner) -> Iterator[_Number]:
    units = unit_table()
    for match in scanner.pattern.finditer(text):
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
                yield _Number(start, end, None, why="glued")
                continue
        sign = match["sign"].strip()
        if sign == "±":
            yield _Number(start, end, None, why="range")
            continue
        if value is not None and (
            (sign and sign != "+") or (match["before"] or "").rstrip().endswith("-")
        ):
            value = -value
        yield _Number(start, end, value, unit, "" if value is not None else "marks")


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


def _merged(text: str, found: list[_Number], scanner: _Scanner) -> list[_Number]:
    """Join what belongs together: two units of one kind, the ends of a range, times and dates."""
    merged: list[_Number] = []
    for number in found:
        last = merged[-1] if merged else None
        if last is None:
            merged.append(number)
            continue
        gap = text[last.end : number.start]
        if len(gap) > 8:
            merged.append(number)
            continue
        if gap in {":", "/", "."} or (gap == "" and text[number.start] in "-/"):
            # A time, a ratio, a date, or 3-4.
            dash = gap == ""
            if not (dash and text[number.end : number.end + 3].strip().startswith("=")):
                merged[-1] = _Number(last.start, number.end, None, why="range" if dash else "marks")
                continue
        joined = _joined(last, number, gap)
        if joined:
            merged[-1] = joined
        elif scanner.ranges.fullmatch(gap) or (
            gap.strip() in {"and", "et", "und", "y", "e", "и", "و", "và", "dan", "na", "和", "ve"}
            and scanner.between.search(text[max(0, last.start - 30) : last.start])
        ):
            if text[number.end : number.end + 3].strip().startswith("="):
                merged.append(number)
            else:
                merged[-1] = _Number(last.start, number.end, None, number.unit, "range")
        else:
            merged.append(number)
    return merged


def _joined(a: _Number, b: _Number, gap: str) -> _Number | None:
    """Return 5元3角, 2 h 30 min or "3 dollars and 50 cents" as one number in the first unit."""
    if a.value is None or b.value is None or a.unit is None:
        return None
    if gap.strip(" ,").lower() not in {
        "",
        "and",
        "et",
        "und",
        "y",
        "e",
        "и",
        "و",
        "và",
        "dan",
        "na",
        "零",
        "又",
        "ve",
        "और",
        "এবং",
        "และ",
        "と",
    }:
        return None  # fmt: skip
    if b.unit is None:
        # 5块3: the lone digit counts the next smaller unit.
        if gap == "" and a.unit.dimension == "yuan" and a.unit.name == "yuan" and b.value < 10:
            return _Number(a.start, b.end, a.value + b.value / 10, a.unit)
        return None
    if b.unit.dimension != a.unit.dimension or b.unit.factor >= a.unit.factor:
        # "1 dollar and 50 cents": the minute and the fen share a name.
        twins = {"min": "fen", "m": "fen"}
        if a.unit.dimension == "yuan" and b.unit.name in twins:
            return _Number(a.start, b.end, a.value + b.value / (100 if a.unit.name == "yuan" else 10), a.unit)  # fmt: skip
        return None
    extra = converted(b.value, b.unit, a.unit)
    return None if extra is None else _Number(a.start, b.end, a.value + extra, a.unit)


def _plain(reply: str) -> str:
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


def read_number(
    reply: str | None, *, lang: str, unit: str | None = None, finish_reason: str | None = None
) -> Reading:
    """Read the one number that a reply answers with.

    The value is exact: a decimal as text, or a fraction "3/7" that no decimal writes. It is in
    `unit` where that is given; a unit of another kind stays on it. Raises `ValueError` for a
    language without a table.
    """
    code = language_code(lang)
    if finish_reason == "content_filter":
        return Reading("filtered", rule="content_filter")
    cut = finish_reason == "length"
    if reply is None or not reply.strip():
        return Reading("truncated" if cut else "empty", rule="no_text")
    body, unfinished = without_reasoning(reply)
    text = _plain(body)
    if not text:
        if unfinished:
            late = cut or finish_reason is None
            return Reading("truncated" if late else "unparsed", rule="open_reasoning")
        return Reading("truncated" if cut else "empty", rule="no_text")
    asked = find_unit(unit)
    numbers = _numbers(text, code)
    tokens = lexicon(code, ()).tokens(text)
    rule, chosen = _chosen(text, numbers, tokens, asked)
    if cut and chosen and (rule == "last_number" or chosen.end >= len(text)):
        bare = rule == "whole" or rule == "boxed"
        if not bare:
            return Reading("truncated", rule="cut_off")
    if chosen is None or rule == "last_number":
        for cat in ("unknown", "none", "refusal"):
            if any(cat in token.cats and len(token.text) > 3 for token in tokens) and not (
                cut and cat != "refusal"
            ):
                return Reading("refused" if cat == "refusal" else "abstained", rule=cat)
    if chosen is None:
        return Reading("truncated" if cut else "unparsed", rule="cut_off" if cut else "no_rule")
    if chosen.value is None:
        status = "ambiguous" if chosen.why in {"range", "list"} else "unparsed"
        return Reading("ambiguous" if status == "ambiguous" else "unparsed", None, rule, chosen.why)
    return Reading("answered", _text(chosen, asked), rule)


def _chosen(
    text: str, numbers: list[_Number], tokens: list[Any], asked: Unit | None
) -> tuple[str, _Number | None]:
    box = text.rfind(BOX_OPEN)
    while box >= 0:
        close = text.find(BOX_CLOSE, box)
        inside = [n for n in numbers if box < n.start and (close < 0 or n.end <= close)]
        if inside:
            return "boxed", inside[-1] if len(inside) == 1 or "=" in text[box:close] else _several(
                inside
            )
        box = text.rfind(BOX_OPEN, 0, box)
    cues = [t.end for t in tokens if "answer" in t.cats]
    at = text.rfind(_CUE_MARK)
    if at >= 0:
        cues.append(at + len(_CUE_MARK))
    if not numbers:
        return "no_rule", None
    for cue in sorted(cues, reverse=True):
        found = _after_cue(text, numbers, tokens, cue)
        if found:
            return "announced", found
    rest = text
    for number in reversed(numbers):
        rest = rest[: number.start] + rest[number.end :]
    if len(numbers) == 1 and not re.search(r"\w", rest):
        return "whole", numbers[0]
    if len(numbers) > 1 and not re.search(r"[^\W\d_]", re.sub(r"\b(?:and|or)\b", "", rest)):
        if "=" in rest:
            return "last_number", numbers[-1]
        return "whole", _several(numbers)
    known = [n for n in numbers if n.value is not None or n.why in {"range", "marks"}]
    if asked is not None:
        of_unit = [n for n in known if n.unit is not None and n.unit.dimension == asked.dimension]
        known = of_unit or known
    return "last_number", known[-1] if known else None


def _several(numbers: list[_Number]) -> _Number:
    values = {n.value for n in numbers}
    if len(values) == 1:
        return numbers[-1]
    return _Number(numbers[0].start, numbers[-1].end, None, why="list")


def _after_cue(text: str, numbers: list[_Number], tokens: list[Any], cue: int) -> _Number | None:
    start = cue
    for token in tokens:
        if token.start < cue:
            continue
        if (
            token.kind == "line"
            or token.text in {":", "=", "-", "(", '"', "'", BOX_OPEN, "#"}
            or ("link" in token.cats)
        ):
            start = token.end
            continue
        break
    stop = len(text)
    for token in tokens:
        if token.start >= start and (
            token.kind == "line"
            or (token.kind == "break" and not text[token.end : token.end + 1].isdigit())
        ):
            stop = token.start
            break
    inside = [n for n in numbers if cue <= n.start < stop]
    if not inside:
        return None
    sign = text.rfind("=", cue, stop)
    if sign >= 0:
        behind = [n for n in inside if n.start >= sign]
        if behind:
            return behind[0]
    first = inside[0]
    if first.start <= start or not text[start : first.start].strip(" :(\"'~"):
        if len(inside) > 1:
            gaps = [text[a.end : b.start].strip() for a, b in zip(inside, inside[1:], strict=False)]
            if gaps[0] in {",", "and", "or", "、", "或", "和"}:
                return _several(inside)
        return first
    return inside[-1]


def _text(number: _Number, asked: Unit | None) -> str:
    value = number.value
    assert value is not None
    unit = number.unit
    if asked is None:
        return number_text(value) + (" %" if unit is not None and unit.name == "%" else "")
    if unit is None:
        return number_text(value)
    same = converted(value, unit, asked)
    if same is None:
        return f"{number_text(value)} {unit.name}"
    return number_text(same)


def number_text(value: Fraction) -> str:
    """Return `value` as decimal text where that is exact, else as a fraction in lowest terms."""
    below = value.denominator
    twos = fives = 0
    while below % 2 == 0:
        below, twos = below // 2, twos + 1
    while below % 5 == 0:
        below, fives = below // 5, fives + 1
    if below != 1 or max(twos, fives) > 40:
        return f"{value.numerator}/{value.denominator}"
    places = max(twos, fives)
    if not places:
        return str(value.numerator)
    digits = str(abs(value.numerator) * 10**places // value.denominator).rjust(places + 1, "0")
    return ("-" if value < 0 else "") + f"{digits[:-places]}.{digits[-places:]}"


def number_equal(
    value: str | None,
    gold: str | float | Decimal | Fraction,
    *,
    tolerance: str | float | Decimal | None = None,
    unit: str | None = None,
) -> bool:
    """Return whether a reading's value equals the gold number.

    Exact, unless `tolerance` (absolute, in the gold's unit) is given. `unit` is the gold's.
    A value or gold that is no single number equals nothing.
    """
    asked = find_unit(unit)
    got, got_unit = _single(value)
    want, want_unit = _single(gold)
    if got is None or want is None:
        return False
    if want_unit is not None and asked is not None:
        same = converted(want, want_unit, asked)
        if same is None:
            return False
        want = same
    elif want_unit is not None:
        asked = want_unit
    candidates = [got]
    if got_unit is not None:
        if asked is not None:
            same = converted(got, got_unit, asked)
            candidates = [] if same is None else [same]
        elif got_unit.name == "%":
            candidates.append(got / 100)
    within = Fraction(0) if tolerance is None else abs(_fraction(tolerance) or Fraction(0))
    return any(abs(candidate - want) <= within for candidate in candidates)


def holds_number(value: object) -> bool:
    """Return whether a gold or a tolerance as recorded has a number in it at all."""
    if value is None or isinstance(value, bool):
        return False
    return _fraction(value) is not None or bool(_numbers(_plain(str(value)[:200]), "en"))


def _fraction(value: object) -> Fraction | None:
    try:
        return Fraction(str(value).strip()) if len(str(value)) <= _MAX_DIGITS else None
    except (ValueError, ZeroDivisionError):
        return None


def _single(value: object) -> tuple[Fraction | None, Unit | None]:
    if value is None or isinstance(value, bool):
        return None, None
    exact = _fraction(value)
    if exact is not None:
        return exact, None
    reading = [n for n in _numbers(_plain(str(value)[:200]), "en") if n.value is not None]
    text = same_form(str(value)).strip()
    if len(reading) != 1 or "±" in text or ":" in text:
        return None, None
    return reading[0].value, reading[0].unit
