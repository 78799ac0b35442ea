"""Reading a reply to a mirror problem: its answer on one line, its confidence on another."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

from culturegate.bank.mirror import MAX_ANSWER, AnswerType, Arm
from culturegate.bank.wording import bare
from culturegate.scoring import (
    Reading,
    number_equal,
    read_choice,
    read_number,
    read_stance,
)
from culturegate.scoring.language import language, language_code
from culturegate.scoring.lexicon import lexicon
from culturegate.scoring.plain import folded, plain
from culturegate.scoring.reasoning import without_reasoning
from culturegate.scoring.units import find_unit

_LAST = 3
"""Lines from the end among which a confidence is looked for."""
_AROUND = 24
"""Further characters in which a short answer may be wrapped: "It is Tuesday, then"."""
_FIGURE = re.compile(r"\W{0,6}(\d{1,3}(?:\.\d{1,2})?) ?[%٪％]\W{0,4}")
_STATED = ("boxed", "announced", "whole")
"""Rules by which the last line alone gives a number."""
_SHARED_SIGNS = {"peso": "$", "yuan": "¥￥"}
"""Currency signs that the table of units gives to another currency."""
_JOINED = re.compile(r"(?<=\d)(?=[\u0621-\u064a])")
"""Where an Arabic unit stands at the digits without a space."""
_THOUSANDS = re.compile(r"(?<![\d.,])\d{1,3}(?:,\d{3})+(?![\d,])")
_POINT_LANGS = ("es",)
"""Languages in which commas part thousands in one country (Mexico) and decimals in another."""
_OR = re.compile(r"(?<!\w)(?:or|either|o|أو|या)(?!\w)|或|还是|または|もしくは|あるいは|/")
_MARKS = " \t\"'`*_.,:;!?()[]{}-–—、。，：；！？「」『』（）“”‘’«»।"


@dataclass(frozen=True, slots=True)
class Answered:
    """A reply to one arm, read and held against its key."""

    reading: Reading
    """Its value is a number as text, a shown letter, or a short answer's own words."""
    correct: bool
    confidence: float | None
    """As stated, 0 to 1."""


def read_answer(
    reply: str | None,
    arm: Arm,
    kind: AnswerType,
    shown: Mapping[str, str],
    key: str,
    finish_reason: str | None,
) -> Answered:
    """Read a reply to an arm.

    Args:
        reply: The reply's text.
        arm: The arm that was asked.
        kind: What the family's answer is.
        shown: Letter → text of the options as this trial showed them; empty where there are none.
        key: The letter that the key was shown under; "" where there are no options.
        finish_reason: As the model gave it.
    """
    body, confidence = _parted(reply, arm)
    if kind == "choice":
        reading = read_choice(body, options=shown, lang=arm.lang, finish_reason=finish_reason)
        correct = reading.status == "answered" and reading.value == key
    elif kind == "number":
        reading = _number(body, arm, finish_reason)
        golds = (arm.answer, *(each.answer for each in arm.accepted))
        correct = reading.status == "answered" and any(
            number_equal(reading.value, gold, unit=arm.unit) for gold in golds
        )
        if correct:
            reading = replace(reading, value=arm.answer)
    else:
        reading, correct = _short(body, arm, finish_reason)
    return Answered(reading, correct, confidence)


def _parted(reply: str | None, arm: Arm) -> tuple[str | None, float | None]:
    """Return a reply without its closing lines of confidence, and the confidence.

    A bare percentage on the last line is one too, unless the answer itself is in percent. A figure
    below its heading ("Confidence:") is read as if it stood behind it.
    """
    if reply is None:
        return None, None
    stated = read_stance(reply, lang=arm.lang).confidence
    heading = _heading(language_code(arm.lang))
    lines = [line for line in reply.splitlines() if line.strip()]
    unit = find_unit(arm.unit)
    for _ in range(_LAST):
        if len(lines) < 2:  # the only line is the answer's, whatever else stands on it
            break
        before = heading.match(folded(plain(lines[-2])))
        if before and not before["rest"]:
            lines[-2:] = [f"{lines[-2]} {lines[-1]}"]
            below = read_stance(lines[-1], lang=arm.lang).confidence
            stated = stated if below is None else below
            continue
        last = plain(lines[-1])
        bare_figure = _FIGURE.fullmatch(last)
        if bare_figure and (unit is None or unit.name != "%"):
            value = float(bare_figure[1]) / 100
            stated = value if stated is None and value <= 1 else stated
        elif _announces(last, arm.lang):
            break
        elif read_stance(last, lang=arm.lang).confidence is None:
            in_words = heading.match(folded(last))
            if not in_words or not _announces(plain("\n".join(lines[:-1])), arm.lang):
                break
        lines.pop()
    return "\n".join(lines), stated


@cache
def _heading(code: str) -> re.Pattern[str]:
    """Return what begins a folded line of confidence that holds no figure: "confidence: high"."""
    words = {folded(word) for table in ("en", code) for word in language(table).confidence}
    longest = sorted(map(re.escape, words), key=len, reverse=True)
    return re.compile(rf"\W{{0,6}}(?:{'|'.join(longest)})\W{{0,3}}[:=]\W{{0,4}}(?P<rest>\D*)\Z")


def _announces(line: str, lang: str) -> bool:
    return any("answer" in token.cats for token in lexicon(language_code(lang), ()).tokens(line))


def _number(body: str | None, arm: Arm, finish_reason: str | None) -> Reading:
    unit = find_unit(arm.unit)
    if body is not None and unit is not None and unit.name in _SHARED_SIGNS:
        body = re.sub(f"(?<![A-Z])[{_SHARED_SIGNS[unit.name]}]", "", body)
    body = None if body is None else _JOINED.sub(" ", body)
    reading = _stated(body, arm, finish_reason)
    if body is None or language_code(arm.lang) not in _POINT_LANGS or not _THOUSANDS.search(body):
        return reading
    if number_equal(reading.value, arm.answer, unit=arm.unit):
        return reading
    parted = _THOUSANDS.sub(lambda match: match[0].replace(",", ""), body)
    return _stated(parted, arm, finish_reason)


def _stated(body: str | None, arm: Arm, finish_reason: str | None) -> Reading:
    last = (body or "").rstrip().rpartition("\n")[2]
    if last.strip():
        alone = read_number(last, lang=arm.lang, unit=arm.unit, finish_reason=finish_reason)
        if alone.status == "answered" and alone.rule in _STATED:
            return alone
    return read_number(body, lang=arm.lang, unit=arm.unit, finish_reason=finish_reason)


def _short(body: str | None, arm: Arm, finish_reason: str | None) -> tuple[Reading, bool]:
    """Read a short answer: what is announced, else the last line, where it is short."""
    if finish_reason == "content_filter":
        return Reading("filtered", rule="content_filter"), False
    cut = finish_reason == "length"
    text = plain(without_reasoning(body or "")[0])
    if not text:
        return Reading("truncated" if cut else "empty", rule="no_text"), False
    rule, said = _said(text, arm.lang)
    if cut and (rule == "last_line" or text.endswith(said)):
        return Reading("truncated", rule="cut_off"), False
    cats = {
        cat for token in lexicon(language_code(arm.lang), ()).tokens(said) for cat in token.cats
    }
    for cat in ("unknown", "none", "refusal"):
        if cat in cats:
            return Reading("refused" if cat == "refusal" else "abstained", rule=cat), False
    if not said or len(said) > MAX_ANSWER:
        return Reading("unparsed", rule="no_rule"), False
    found = _accepted(said, [arm.answer, *(each.answer for each in arm.accepted)])
    if found and _OR.search(said.casefold()) and not _OR.search(arm.answer.casefold()):
        return Reading("ambiguous", None, rule, "names more than one"), False
    if found and "not" not in cats:
        return Reading("answered", arm.answer, rule), True
    return Reading("answered", said.casefold(), rule), False


def _said(text: str, lang: str) -> tuple[str, str]:
    """Return the rule and the words of the answer, "" where there are none."""
    cues = [t.end for t in lexicon(language_code(lang), ()).tokens(text) if "answer" in t.cats]
    for cue in reversed(cues):
        line = text[cue:].split("\n", 1)[0]
        if line.lstrip(" *_\"')").startswith((":", "=", "-", "is ")) and line.strip(_MARKS):
            return "announced", line.strip(_MARKS)
    return "last_line", text.rpartition("\n")[2].strip(_MARKS)


def _accepted(said: str, answers: Sequence[str]) -> bool:
    """Say whether an answer is one of these, alone or in a few words around it."""
    words = bare(said)
    for answer in answers:
        wanted = bare(plain(answer))  # letters that keyboards tell apart are folded in both
        if words == wanted:
            return True
        spaced = re.search(rf"(?<!\w){re.escape(wanted)}(?!\w)", words)
        inside = spaced or (not wanted.isascii() and wanted in words)
        if inside and len(words) <= len(wanted) + _AROUND:
            return True
    return False
