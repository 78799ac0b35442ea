"""How the diagnosis changes a text: names described, harmless edits, halves, what came back."""

from __future__ import annotations

import random
import re
import unicodedata
from collections.abc import Iterable, Mapping
from difflib import SequenceMatcher

LEAST_REST = {"en": 24, "zh": 10}
"""Letters that a second half must have: a shorter one could be hit by luck."""
_BLOCK = {"en": 8, "zh": 3}
"""Letters in a row that count as reproduced; fewer agree by chance in any two texts."""
_LONG_WORD = 8
"""Letters from which two neighbours may change places: no other word comes of it."""
_HALF_WIDTH = str.maketrans("，。？！：；（）“”", ',.?!:;()""')
_HAN = re.compile(r"[\u3400-\u9fff]")
_WORD_OR_SPACE = re.compile(r"\s+|\S+")


def named(texts: Iterable[str], names: Mapping[str, str], lang: str) -> tuple[str, ...]:
    """Return the names that occur in any of the texts, longest first.

    Only those written in the language's script are looked for: no English description is to stand
    in a Chinese question.
    """
    whole = list(texts)
    return tuple(
        name
        for name in sorted(names, key=lambda name: (-len(name), name))
        if bool(_HAN.search(name)) is (lang == "zh")
        and any(_pattern(name).search(text) for text in whole)
    )


def described(text: str, names: Mapping[str, str]) -> str:
    """Return the text with each name replaced by its description, longer names first.

    A description that comes to open a sentence gets a capital. What has been put in is not itself
    searched for names.
    """
    if not names:
        return text
    ordered = sorted(names, key=lambda name: (-len(name), name))
    pattern = re.compile("|".join(_pattern(name).pattern for name in ordered))

    def put(found: re.Match[str]) -> str:
        told = names[found[0]]
        before = text[: found.start()].rstrip(" \"“‘'(")
        opens = not before or before[-1] in ".?!"
        return told[:1].upper() + told[1:] if opens else told

    return pattern.sub(put, text)


def _pattern(name: str) -> re.Pattern[str]:
    before = r"(?<!\w)" if not _HAN.search(name) else ""
    after = r"(?!\w)" if not _HAN.search(name) else ""
    return re.compile(f"{before}{re.escape(name)}{after}")


def edited(text: str, lang: str, seed: str) -> str:
    """Return the text with slips that no reader would stumble over, drawn from `seed`.

    In Chinese a space inside and half-width punctuation; elsewhere a doubled space, two letters of
    a long lower-case word that have changed places, and no stop at the end. Something always
    changes.
    """
    draw = random.Random(seed)
    if lang == "zh":
        place = draw.randrange(1, len(text)) if len(text) > 1 else len(text)
        return (text[:place] + " " + text[place:]).translate(_HALF_WIDTH)
    parts = _WORD_OR_SPACE.findall(text)
    spaces = [n for n, part in enumerate(parts) if part.isspace()]
    if spaces:
        parts[draw.choice(spaces)] += " "
    swaps = [
        (n, at)
        for n, part in enumerate(parts)
        if part.isalpha() and part.islower() and len(part) >= _LONG_WORD
        for at in range(2, len(part) - 3)
        if part[at] != part[at + 1]
    ]
    if swaps:
        n, at = draw.choice(swaps)
        word = parts[n]
        parts[n] = word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    changed = "".join(parts).rstrip(".?!")
    return changed if changed != text else f"{text} "


def halves(text: str, lang: str) -> tuple[str, str] | None:
    """Return the text's two halves, cut between words; None where the second would be too short."""
    middle = len(text) // 2
    if lang != "zh":
        space = text.find(" ", middle)
        if space < 0:
            return None
        middle = space + 1
    start, rest = text[:middle], text[middle:]
    return (start.rstrip(), rest) if len(letters(rest)) >= LEAST_REST[lang] else None


def reproduced(rest: str, reply: str, lang: str) -> float:
    """Return which share of the letters and digits of `rest` the reply gives back, 0 to 1.

    Stretches of at least 8 letters (3 in Chinese) count, in the order of the text. What the reply
    holds beyond six times the text's length is not looked at.
    """
    wanted = letters(rest)
    if not wanted:
        return 0.0
    given = letters(reply[: 8 * len(rest) + 1000])[: 6 * len(wanted) + 400]
    least = min(_BLOCK[lang], len(wanted))
    blocks = SequenceMatcher(None, wanted, given, autojunk=False).get_matching_blocks()
    return sum(block.size for block in blocks if block.size >= least) / len(wanted)


def letters(text: str) -> str:
    """Return a text's letters and digits, lower-cased, in one width (NFKC)."""
    folded = unicodedata.normalize("NFKC", text).lower()
    return "".join(char for char in folded if unicodedata.category(char)[0] in "LNM")
