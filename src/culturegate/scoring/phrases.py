"""Patterns for phrases and letters in running text, in scripts with and without spaces.

None of them backtracks further than one phrase.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

# Scripts written without spaces, or (Hangul) with particles joined to the word.
UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3130-\u318f\u3400-\u4dbf"
    "\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)
MARKS = (
    "\u0300-\u036f\u0591-\u05c7\u0653-\u065f\u0900-\u0903\u093a-\u093c\u093e-\u094f\u0951-\u0957"
    "\u0962\u0963\u0981-\u0983\u09bc\u09be-\u09cd\u09d7\u09e2\u09e3"
)
LETTER = rf"(?:[^\W_{UNSPACED}]|[{MARKS}])"
"""One character of a word in a spaced script, digits included."""
LATIN = "[A-Za-z\u00c0-\u024f\u1e00-\u1eff]"
BEFORE = rf"(?<![^\W_{UNSPACED}])(?<![{MARKS}])"
AFTER = rf"(?![^\W_{UNSPACED}]|[{MARKS}])"
IS_UNSPACED = re.compile(f"[{UNSPACED}]")
_MARK = re.compile(f"[{MARKS}]")

_KANJI = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff"
_SCRIPTS = {
    "hiragana": re.compile("[\u3040-\u309f]"),
    "katakana": re.compile("[\u30a0-\u30ff]"),
    "hangul": re.compile("[\uac00-\ud7af\u3130-\u318f]"),
    "thai": re.compile("[\u0e00-\u0eff]"),
}


@lru_cache(maxsize=4096)
def script_of(char: str) -> str:
    """Return the name of an unspaced script's character; `han` for all that have no name here."""
    return next((name for name, chars in _SCRIPTS.items() if chars.match(char)), "han")


def trie(phrases: Iterable[str]) -> str:
    """Return a pattern for any of `phrases`, longest first, whole words in spaced scripts."""
    words: dict[str, Any] = {}
    others: dict[str, Any] = {}
    for phrase in phrases:
        if phrase:
            last = phrase[-1]
            spaced = (last.isalnum() or _MARK.match(last)) and not IS_UNSPACED.match(last)
            node = words if spaced else others
            for char in phrase:
                node = node.setdefault(char, {})
            node[""] = {}
    # The boundary stands once, behind the whole branch: a shorter phrase is tried where it fails.
    ways = [_branch(words) + AFTER] if words else []
    return f"(?:{'|'.join([*ways, *([_branch(others)] if others else [])]) or '(?!)'})"


def _branch(node: Mapping[str, Any]) -> str:
    ways = [re.escape(char) + _branch(child) for char, child in node.items() if char]
    if "" in node:
        if not ways:
            return ""
        return f"(?:{'|'.join(ways)})?"
    return ways[0] if len(ways) == 1 else f"(?:{'|'.join(ways)})"


def starting(names: Iterable[str]) -> str:
    """Return a pattern for a place at which one of `names` may begin."""
    return f"(?=[{''.join(sorted({re.escape(name[0]) for name in names}))}])"


def no_word(ways: str, beside: Iterable[str], letter: str = LETTER) -> str:
    """Return a pattern for the letters that are words too, but where they can only be words.

    That is between two words, the second of which begins with `letter` and can't stand beside one
    of the letters.
    """
    inside = rf"(?<![^\W_]\s)(?<![{MARKS}]\s)"
    return rf"(?:{inside}{ways}|{ways}(?:(?!\s{letter})|(?=\s{trie(beside)})))"


def _behind(phrases: Iterable[str]) -> str:
    """Return a pattern for a place right after any of `phrases`."""
    by_length: dict[int, set[str]] = {}
    for phrase in phrases:
        by_length.setdefault(len(phrase), set()).add(re.escape(phrase))
    ways = [f"(?<={'|'.join(sorted(found))})" for _, found in sorted(by_length.items())]
    last = "".join(sorted({phrase[-1] for found in by_length.values() for phrase in found}))
    return rf"(?<=[{last}])(?:{'|'.join(ways)})"


def no_part(labels: Iterable[str], phrases: Iterable[str]) -> str:
    """Return a pattern for the letters of unspaced scripts, but where `Lexicon` demotes them.

    That is where a neighbour of the same script is neither a letter nor part of a phrase.
    """
    labels = tuple(labels)
    ways = [re.escape(label) for label in labels if script_of(label[0]) == "han"]
    for name, chars in _SCRIPTS.items():
        own = [label for label in labels if script_of(label[0]) == name]
        near = [p for p in (*phrases, *own) if chars.match(p[0]) or chars.match(p[-1])]
        if own:
            # Kanji before hiragana are the stem of one word with it.
            part = chars.pattern if name != "hiragana" else f"[{chars.pattern[1:-1]}{_KANJI}]"
            ways.append(
                rf"(?:(?<!{part})|{_behind(near)})(?:{'|'.join(map(re.escape, own))})"
                rf"(?:(?!{chars.pattern})|(?={trie(near)}))"
            )
    return "|".join(ways) or "(?!)"
