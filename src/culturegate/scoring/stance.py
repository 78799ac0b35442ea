"""Where a reply stands to being asked: refused, unsure, how confident it says it is."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from culturegate.scoring.language import language, language_code
from culturegate.scoring.lexicon import lexicon
from culturegate.scoring.phrases import trie
from culturegate.scoring.plain import folded, plain
from culturegate.scoring.reasoning import without_reasoning
from culturegate.scoring.units import unit_table

_NEAR = 28
"""Characters that may stand between a figure and the word that says what it is."""
_TENTHS = dict(zip("一二三四五六七八九十", range(1, 11), strict=True))
_FIGURE = re.compile(r"\d|[一二三四五六七八九十][成割]")
_BREAK = re.compile(r"[\n。！？!?]|[.,;](?=\s)")


@dataclass(frozen=True, slots=True)
class Stance:
    """How a reply stands to its question, whatever it answers."""

    refused: bool
    unsure: bool
    confidence: float | None
    """Confidence it states, 0 to 1."""


@dataclass(frozen=True, slots=True)
class _Words:
    confidence: re.Pattern[str]
    figure: re.Pattern[str]
    degrees: dict[str, float]
    denied: tuple[str, ...]


@cache
def _words(code: str) -> _Words:
    own, english = language(code), language("en")
    confidence = trie(folded(w) for w in (*english.confidence, *own.confidence))
    percent = trie(name for name, unit in unit_table().after.items() if unit.name == "%")
    figure = (
        rf"(?<![\d.,])(?:(?P<percent>\d{{1,3}}(?:[.,]\d{{1,3}})?)\s?(?:{percent})"
        rf"|(?:{percent}|%)\s?(?P<before>\d{{1,3}})(?!\d)"
        rf"|(?P<tenths>[一二三四五六七八九十\d](?:\.\d)?)[成割](?P<more>半)?"
        rf"|(?P<over>\d{{1,2}}(?:\.\d)?)\s?/\s?(?P<of>10|100)(?!\d)"
        rf"|(?P<share>0?\.\d{{1,4}}|0,\d{{1,4}}|1\.0{{1,3}})(?!\d)"
        rf"|(?P<plain>\d{{1,3}})(?![\d.,%/]))"
    )
    return _Words(
        re.compile(confidence),
        re.compile(figure),
        {folded(p): d for table in (english, own) for p, d in table.degrees.items()},
        tuple(folded(w) for table in (english, own) for w in table.not_),
    )


def stated_confidence(text: str, lang: str) -> float | None:
    """Return the confidence that a plain text states, 0 to 1, or None.

    A figure counts where a word for confidence stands beside it: "80 % sure", "confidence: 0.8",
    我有九成把握. A bare "80 %" may be part of the answer. Words alone ("very sure") count by the
    language's table. The last statement wins.
    """
    words = _words(language_code(lang))
    low = text.lower()
    found: tuple[int, float] | None = None
    if _FIGURE.search(low):
        for match in words.confidence.finditer(low):
            value = _beside(low, match.start(), match.end(), words)
            if value is not None:
                found = (match.start(), value)
    for phrase, degree in words.degrees.items():
        at = low.rfind(phrase)
        if at >= 0 and (found is None or at > found[0] + _NEAR):
            before = low[max(0, at - 20) : at].rstrip()
            if not before.endswith(words.denied):
                found = (at, degree)
    return found[1] if found else None


def _beside(low: str, start: int, end: int, words: _Words) -> float | None:
    before = low[max(0, start - _NEAR) : start]
    broken = list(_BREAK.finditer(before))
    before = before[broken[-1].end() :] if broken else before
    after = _BREAK.split(low[end : end + _NEAR], maxsplit=1)[0]
    colon = re.match(r"[\w\s]{0,12}?\s?(?:[:=]|is|は|是|为|est|es|ist|é|है)", after) is not None
    for place, scale in ((after, colon), (before, False)):
        figures = list(words.figure.finditer(place))
        for match in figures if place is after else reversed(figures):
            value = _value(match, scale)
            if value is not None:
                return value
    return None


def _value(match: re.Match[str], announced: bool) -> float | None:
    if text := match["percent"] or match["before"]:
        value = float(text.replace(",", ".")) / 100
    elif text := match["tenths"]:
        value = (_TENTHS[text] if text in _TENTHS else float(text)) / 10
        value += 0.05 if match["more"] else 0
    elif text := match["over"]:
        value = float(text) / int(match["of"])
    elif not announced:
        return None
    elif text := match["share"]:
        value = float(text.replace(",", "."))
    else:
        # "Confidence: 85" is of a hundred; "confidence: 1" could be either, and says nothing.
        number = int(match["plain"])
        if number <= 1:
            return None
        value = number / 100 if number > 10 else number / 10
    return value if 0 <= value <= 1 else None


def read_stance(reply: str | None, *, lang: str) -> Stance:
    """Read whether a reply refuses, says it is unsure, and how confident it says it is.

    Raises `ValueError` for a language without a table.
    """
    code = language_code(lang)
    text = plain(without_reasoning(reply or "")[0])
    cats = {cat for token in lexicon(code, ()).tokens(text) for cat in token.cats}
    return Stance("refusal" in cats, "unknown" in cats, stated_confidence(text, code))
