"""Numbers where they stand in a problem's text: digits of any script, words, halves, times.

Lint asks how often a given value stands in a text, so a numeral that can be read in several ways
counts for each of them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from unicode_rbnf import RbnfEngine

_SPELLED = 10_000_000
"""Whole numbers below this are also looked for in words."""
_SCALES = {
    "十": 10, "百": 100, "千": 1000, "万": 10_000, "萬": 10_000, "亿": 10**8, "億": 10**8,
    "lakh": 10**5, "lakhs": 10**5, "लाख": 10**5, "crore": 10**7, "करोड़": 10**7,
    "hundred": 100, "सौ": 100, "thousand": 1000, "k": 1000, "mil": 1000, "हज़ार": 1000, "हजार": 1000,
    "الف": 1000, "الاف": 1000, "million": 10**6, "millones": 10**6, "millon": 10**6,
    "مليون": 10**6, "dozen": 12, "docena": 12, "docenas": 12, "दर्जन": 12, "打": 12, "ダース": 12,
}  # fmt: skip
_VULGAR = {
    "½": (1, 2),
    "⅓": (1, 3),
    "⅔": (2, 3),
    "¼": (1, 4),
    "¾": (3, 4),
    "⅕": (1, 5),
    "⅛": (1, 8),
}
_SCALE = "|".join(sorted((re.escape(word) for word in _SCALES), key=len, reverse=True))
_DIGITS = re.compile(
    rf"(?P<body>\d+(?:(?:[.,'’٬٫]| (?=\d{{3}}(?!\d)))\d+)*)(?P<vulgar> ?[{''.join(_VULGAR)}])?"
    rf"(?:(?P<over> ?/ ?\d{{1,4}})|(?P<clock>[:：]\d\d)"
    r"(?P<late> ?p\.? ?m\b| ?de la (?:tarde|noche))?"
    rf"|(?P<pm> ?p\.? ?m\b)|(?P<scale> ?(?:{_SCALE})(?![a-z])))?"
    rf"|(?P<alone>[{''.join(_VULGAR)}])"
)
_NEAR = 40
"""Characters around a word in which the rest of its number can stand."""
_CJK = "〇零一二两三四五六七八九十百千万萬亿億半廿卅"
_IDIOMS: dict[str, dict[Fraction, tuple[str, ...]]] = {
    "en": {
        Fraction(1, 2): ("half",), Fraction(1, 3): ("third",), Fraction(2, 3): ("two thirds",),
        Fraction(1, 4): ("quarter", "fourth"), Fraction(3, 4): ("three quarters",),
        Fraction(1): ("once", "single"), Fraction(2): ("twice", "double", "both", "pair", "couple"),
        Fraction(3): ("triple",), Fraction(12): ("dozen",), Fraction(15): ("quarter hour",),
        Fraction(30): ("half an hour", "half hour"), Fraction(50): ("half",),
        Fraction(24): ("two dozen",),
    },
    "es": {
        Fraction(1, 2): ("medio", "media", "mitad"), Fraction(1, 3): ("tercio", "tercera parte"),
        Fraction(2, 3): ("dos tercios",), Fraction(1, 4): ("cuarto", "cuarta parte"),
        Fraction(3, 4): ("tres cuartos",), Fraction(1): ("una vez",),
        Fraction(2): ("doble", "ambos", "ambas", "par"), Fraction(3): ("triple",),
        Fraction(12): ("docena",), Fraction(6): ("media docena",), Fraction(30): ("media hora",),
        Fraction(15): ("cuarto de hora",), Fraction(50): ("mitad",),
    },
    "ar": {
        Fraction(1, 2): ("نصف",), Fraction(1, 3): ("ثلث",), Fraction(2, 3): ("ثلثي", "ثلثا"),
        Fraction(1, 4): ("ربع",), Fraction(3, 4): ("ثلاثة ارباع",), Fraction(2): ("ضعف", "مرتين"),
        Fraction(30): ("نصف ساعة",), Fraction(15): ("ربع ساعة",), Fraction(50): ("نصف",),
        Fraction(100): ("مئة",),
    },
    "hi": {
        Fraction(1, 2): ("आधा", "आधे", "आधी"), Fraction(1, 3): ("तिहाई",),
        Fraction(2, 3): ("दो तिहाई",), Fraction(1, 4): ("चौथाई", "पाव"),
        Fraction(3, 4): ("पौन", "पौना"),
        Fraction(3, 2): ("डेढ़",), Fraction(5, 2): ("ढाई",), Fraction(5, 4): ("सवा",),
        Fraction(2): ("दोगुना", "दोगुनी", "दुगुना", "दुगुनी", "दोनों"), Fraction(12): ("दर्जन",),
        Fraction(3): ("तिगुना", "तीनों"), Fraction(6): ("छह", "छः", "छे", "आधा दर्जन"),
        Fraction(30): ("आधा घंटा", "आधे घंटे"),
        Fraction(90): ("डेढ़ घंटा", "डेढ़ घंटे"), Fraction(150000): ("डेढ़ लाख",),
        Fraction(150): ("डेढ़ सौ",), Fraction(1500): ("डेढ़ हज़ार",), Fraction(250): ("ढाई सौ",),
        Fraction(2500): ("ढाई हज़ार",), Fraction(50): ("आधा", "आधी", "आधे"),
    },
    "zh": {
        Fraction(1, 2): ("半", "一半"), Fraction(50): ("一半", "半价", "对半"),
        Fraction(30): ("半小时", "半个小时"), Fraction(2): ("双", "对半", "翻倍", "俩"),
        Fraction(15): ("一刻钟",), Fraction(6): ("半年", "半打"),
    },
    "ja": {
        Fraction(1, 2): ("半", "半分"), Fraction(50): ("半額", "半分"), Fraction(30): ("半時間",),
        Fraction(2): ("両", "倍"), Fraction(6): ("半年", "半ダース"), Fraction(1): ("ひと",),
    },
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Numeral:
    """Digits at `text[start:end]` of a folded text, and every value that they can be read as."""

    start: int
    end: int
    readings: frozenset[Fraction]


class NumberedText:
    """A text whose numbers can be counted."""

    def __init__(self, text: str, lang: str) -> None:
        self.lang = lang.split("-")[0]
        self.folded = _folded(text, self.lang)
        self.numerals = tuple(_numerals(self.folded))

    def count(self, value: Fraction) -> int:
        """Return how many numerals of the text can be read as the value."""
        digits = sum(value in numeral.readings for numeral in self.numerals)
        return digits + sum(self._words(form) for form in _forms(value, self.lang))

    def shown(self, numeral: Numeral) -> str:
        """Return a numeral as it stands in the text."""
        return self.folded[numeral.start : numeral.end].strip()

    def _words(self, form: str) -> int:
        if form not in self.folded:  # the common case, and a pattern is dear to make
            return 0
        if self.lang in ("zh", "ja"):
            # 一 in 十一 is no one; 半 in 一半 is caught by the longer form.
            return len(re.findall(rf"(?<![{_CJK}]){re.escape(form)}(?![{_CJK}])", self.folded))
        found = 0
        words = _number_words(self.lang)
        for match in re.finditer(rf"(?<!\w)[وبلك]?{re.escape(form)}(?!\w)", self.folded):
            # Part of a longer number is no number: "five" in "forty five".
            before = self.folded[max(0, match.start() - _NEAR) : match.start()].split()[-2:]
            after = self.folded[match.end() : match.end() + _NEAR].split()[:2]
            if before[-1:] == ["y"]:
                before = before[:1]
            if after[:1] == ["y"]:
                after = after[1:]
            near = {word.removeprefix("و") for word in (*before[-1:], *after[:1])}
            found += not near & words
        return found


def _folded(text: str, lang: str) -> str:
    """Return a text in which spellings of one numeral are alike: small, plain digits, no marks."""
    plain = unicodedata.normalize("NFKC", text.translate(_KEPT)).translate(_UNKEPT).casefold()
    digits = "".join(
        str(unicodedata.digit(char)) if char.isdecimal() and not char.isascii() else char
        for char in plain
    )
    if lang in ("zh", "ja"):
        return digits.replace("兩", "两").replace("〜", "~")
    marks = unicodedata.normalize("NFD", digits)
    if lang == "hi":
        # ँ and ं, and a letter with and without its dot below, are one in practice.
        marks = marks.replace("\u0901", "\u0902").replace("\u093c", "")
    else:
        marks = "".join(char for char in marks if not unicodedata.combining(char))
    folded = unicodedata.normalize("NFC", marks).replace("-", " ").replace("\u0640", "")
    if lang == "ar":
        folded = _arabic(folded)
    return " ".join(folded.split()) if lang != "en" else re.sub(r"\s+(?:and\s+)?", " ", folded)


# NFKC would take these apart into digits that mean something else.
_KEPT = {ord(char): 0xE000 + n for n, char in enumerate(_VULGAR)}
_UNKEPT = {0xE000 + n: char for n, char in enumerate(_VULGAR)}


def _arabic(text: str) -> str:
    """Fold what gender and case change in Arabic numerals: ثلاث and ثلاثة, عشرون and عشرين."""
    text = text.translate(str.maketrans("أإآى", "اااي"))
    text = re.sub(r"(?<=\w{2})ة(?!\w)", "", text)
    text = re.sub(r"(?<=\w{2})ون(?!\w)", "ين", text)
    text = re.sub(r"(?<=\w{2})(?:ئ|ائ)", "ئ", text)
    return re.sub(r"(?<=ثن)(?:ا|تا|تي)ن(?!\w)", "ين", text)


def _numerals(text: str) -> Iterator[Numeral]:
    for match in _DIGITS.finditer(text):
        readings = set(_readings(match))
        if readings:
            yield Numeral(match.start(), match.end(), frozenset(readings))


def _readings(match: re.Match[str]) -> Iterator[Fraction]:
    if match["alone"]:
        yield Fraction(*_VULGAR[match["alone"]])
        return
    body = match["body"]
    if len(body) > 30:
        return
    for value in _bodies(body):
        yield value
        yield value / 100
        if match["vulgar"]:
            yield value + Fraction(*_VULGAR[match["vulgar"].strip()])
        if match["over"]:
            below = int(match["over"].strip(" /"))
            if below:
                yield value / below
            yield Fraction(below)
        if match["scale"]:
            yield value * _SCALES[match["scale"].strip()]
        if match["pm"]:
            yield value + 12
        if match["clock"]:
            minutes = int(match["clock"][1:])
            for hour in {value, value + 12}:
                yield hour
                yield hour + Fraction(minutes, 60)
                yield hour * 60 + minutes
            yield Fraction(minutes)


def _bodies(body: str) -> Iterator[Fraction]:
    """Yield a numeral's value with its marks read as grouping, and its last one as decimal."""
    groups = re.split(r"[.,'’٬٫ ]", body)
    yield Fraction(int("".join(groups)))
    if len(groups) > 1:
        yield Fraction(f"{''.join(groups[:-1])}.{groups[-1]}")
        for group in groups:  # a list: "3, 4 and 5" may be written "3,4"
            yield Fraction(int(group))


@lru_cache(maxsize=20_000)
def _forms(value: Fraction, lang: str) -> tuple[str, ...]:
    """Return how a value is spelled in a language, folded, each form once."""
    forms = list(_IDIOMS.get(lang, {}).get(value, ()))
    if 0 <= value < _SPELLED:
        whole, rest = divmod(value, 1)
        if not rest:
            forms += _spelled(int(whole), lang)
        elif rest == Fraction(1, 2):
            forms += [
                form for word in _spelled(int(whole), lang) for form in _with_half(word, lang)
            ]
    if lang in ("zh", "ja"):
        forms += _reductions(value, lang)
    return tuple(dict.fromkeys(_folded(form, lang) for form in forms))


@lru_cache(maxsize=8)
def _engine(lang: str) -> RbnfEngine | None:
    return RbnfEngine.for_language(lang) if lang in RbnfEngine.get_supported_languages() else None


def _spelled(number: int, lang: str) -> list[str]:
    engine = _engine(lang)
    if engine is None:
        return []
    return [
        text
        for rules, text in engine.format_number(number).text_by_ruleset.items()
        if not rules.endswith("-days")
    ]


def _with_half(word: str, lang: str) -> list[str]:
    match lang:
        case "en":
            return [f"{word} and a half"]
        case "es":
            return [f"{word} y medio", f"{word} y media"]
        case "ar":
            return [f"{word} ونصف"]
        case "hi":
            return [f"साढ़े {word}"]
    return [f"{word}个半", f"{word}時間半", f"{word}半"]


def _reductions(value: Fraction, lang: str) -> list[str]:
    """Return 八折 for what costs 80 % or is 20 % off, 2割 for 20 %."""
    percent = value * 100 if value < 1 else value
    found = []
    for tenths in (percent / 10, 10 - percent / 10):
        if tenths.denominator == 1 and 0 < tenths < 10:
            digit = "〇一二三四五六七八九"[int(tenths)]
            sign = "折" if lang == "zh" else "割"
            found += [f"{digit}{sign}", f"{int(tenths)}{sign}", f"{digit}成"]
        elif lang == "zh" and (tenths * 10).denominator == 1 and 0 < tenths < 10:
            whole, part = divmod(int(tenths * 10), 10)
            digits = "〇一二三四五六七八九"
            found += [f"{digits[whole]}{digits[part]}折", f"{whole}.{part}折", f"{whole}{part}折"]
    return found


@lru_cache(maxsize=8)
def _number_words(lang: str) -> frozenset[str]:
    """Return the words that numbers are built of, so that no part of one counts as another."""
    numbers = (*range(2, 20), *range(20, 100, 10), *range(200, 1000, 100), 100, 1000)
    phrases = [_folded(form, lang) for number in numbers for form in _spelled(number, lang)]
    return frozenset(word for phrase in phrases for word in phrase.split())
