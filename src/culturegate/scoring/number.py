"""Reading the number that a reply answers with.

The rules, in order:

1. filter and emptiness, as for a choice
2. `boxed`: the last box (or answer tag) that holds a number
3. `announced`: the number after the last announcement ("Answer:", "答案", `####`): after the last
   "=" where the line works it out; else the one that stands there at once; else the last one
4. `whole`: the reply is a number and nothing else but a unit
5. `first_line`: the first line is
6. `unknown`, `none`, `refusal`
7. `last_number`: the last number of the reply, of the asked unit where any has it

Choices made where a case is arguable:

- "3-4", "between 10 and 12" and "±12" are ambiguous; a clock time, a date, a ratio are none.
- Marks are read by the language: 1.000 is a thousand in Spanish and one in English. A mark that
  cannot part thousands (1.5 in German) is a decimal mark.
- A bare number is in the unit that the question names. Another unit of the same kind is converted;
  a unit of another kind stays on the value ("3000 kg") and never equals.
- "35 %" is 35 where the unit asked is %, and either 35 or 0.35 where none is.
- A number glued to letters that are no unit (58abc) is not a number.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise

from culturegate.scoring.language import language_code
from culturegate.scoring.lexicon import Token, lexicon
from culturegate.scoring.number_scan import Number, plain_numbers, scanned_numbers
from culturegate.scoring.plain import BOX_CLOSE, BOX_OPEN, same_form
from culturegate.scoring.reading import Reading
from culturegate.scoring.reasoning import without_reasoning
from culturegate.scoring.units import Unit, converted, find_unit

_MAX_DIGITS = 60
_CUE_MARK = "####"
_CUES = 20
"""Announcements that are looked at, from the last one on."""
_STEPS = frozenset({":", "=", "-", "(", '"', "'", BOX_OPEN, "#"})


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
    text = plain_numbers(body)
    if not text:
        if unfinished:
            late = cut or finish_reason is None
            return Reading("truncated" if late else "unparsed", rule="open_reasoning")
        return Reading("truncated" if cut else "empty", rule="no_text")
    asked = find_unit(unit)
    numbers = scanned_numbers(text, code)
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
    text: str, numbers: Sequence[Number], tokens: Sequence[Token], asked: Unit | None
) -> tuple[str, Number | None]:
    box = text.rfind(BOX_OPEN)
    for _ in range(_CUES):
        if box < 0:
            break
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
    for cue in sorted(cues, reverse=True)[:_CUES]:
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
    first_line = text.partition("\n")[0]
    opening = numbers[0]
    if opening.end <= len(first_line) < len(text) and not re.search(
        r"\w", first_line[: opening.start] + first_line[opening.end :]
    ):
        return "first_line", opening
    known = [n for n in numbers if n.value is not None or n.why in {"range", "marks"}]
    if asked is not None:
        of_unit = [n for n in known if n.unit is not None and n.unit.dimension == asked.dimension]
        known = of_unit or known
    return "last_number", known[-1] if known else None


def _several(numbers: Sequence[Number]) -> Number:
    values = {n.value for n in numbers}
    if len(values) == 1:
        return numbers[-1]
    return Number(numbers[0].start, numbers[-1].end, None, why="list")


def _after_cue(
    text: str, numbers: Sequence[Number], tokens: Sequence[Token], cue: int
) -> Number | None:
    start = cue
    for token in tokens:
        if token.start < cue:
            continue
        if token.kind == "line" or token.text in _STEPS or ("link" in token.cats):
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
            gaps = [text[a.end : b.start].strip() for a, b in pairwise(inside)]
            if gaps[0] in {",", "and", "or", "、", "或", "和"}:
                return _several(inside)
        return first
    return inside[-1]


def _text(number: Number, asked: Unit | None) -> str:
    value = number.value
    assert value is not None
    unit = number.unit
    if asked is None:
        if unit is not None and unit.dimension == "share":
            return f"{number_text(value * unit.factor)} %"
        return number_text(value)
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
    return _fraction(value) is not None or bool(
        scanned_numbers(plain_numbers(str(value)[:200]), "en")
    )


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
    reading = [
        n for n in scanned_numbers(plain_numbers(str(value)[:200]), "en") if n.value is not None
    ]
    text = same_form(str(value)).strip()
    if len(reading) != 1 or "±" in text or ":" in text:
        return None, None
    return reading[0].value, reading[0].unit
