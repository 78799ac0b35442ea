"""A reply as a row of tokens: the phrases of its language, option letters, breaks, other words.

One pass of one regular expression whose alternatives share no prefix, so that it never backtracks
further than one phrase.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

from culturegate.scoring.language import language, language_code
from culturegate.scoring.plain import same_form, without_accents

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
_BEFORE = rf"(?<![^\W_{UNSPACED}])(?<![{MARKS}])"
_AFTER = rf"(?![^\W_{UNSPACED}]|[{MARKS}])"
_UNSPACED = re.compile(f"[{UNSPACED}]")
_MARK = re.compile(f"[{MARKS}]")
_TWINS = dict(zip("АВСЕНКМОРТХ", "ABCEHKMOPTX", strict=True))
"""Cyrillic capitals that look like Latin ones."""


class Token(NamedTuple):
    """One token of a reply, at `text[start:end]` of its plain text."""

    kind: str
    """`phrase`, `label`, `break` (end of a sentence), `line`, `word` or `mark`."""
    start: int
    end: int
    text: str
    """As written for a label, else in lower case."""
    cats: frozenset[str] = frozenset()
    """Lists of the language's table that a phrase stands in."""
    labels: tuple[str, ...] = ()
    """Options that a label token names; several where capitals are run together (ABD)."""
    native: bool = False
    """Whether the label is not among those shown, but its language's letter for that place."""


_SENTENCE_END = re.compile(r"[.!?…]+(?=\s|$)|[。！？؟।॥]+|\n|$")
_LONG = 16
"""Characters below which a sentence is always looked at."""
_REACH = 60
"""Characters before a telling word that are looked at word by word."""
_TAIL = 4
"""Characters that an empty phrase must have to make a sentence worth looking at."""
_TELLING = frozenset({"answer", "choose", "unknown", "none", "refusal", "right", "wrong"})
_BESIDE = frozenset({"after", "right", "wrong", "and", "link", "option", "lean", "tail"})
"""Lists whose phrases may stand beside a letter that is a word too."""
_NO_CATS: frozenset[str] = frozenset()
_NO_LABELS: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Lexicon:
    """The phrases of a language and of English, on which models fall back, and the labels."""

    pattern: re.Pattern[str]
    telling: re.Pattern[str]
    """What a sentence must have to be looked at word by word."""
    phrases: Mapping[str, frozenset[str]]
    aliases: Mapping[str, tuple[str, ...]]
    """Label in lower case to the options it may stand for: more than one where that is unsure."""
    order: tuple[str, ...]
    """The options' labels in the order shown."""
    shown: frozenset[str]
    """The shown labels in lower case."""
    single: Mapping[str, int]
    """Shown capital letters to their place."""
    also_words: frozenset[str]
    unspaced: bool
    """Whether a label is a letter of a script without spaces."""

    def tokens(self, text: str, *, whole: bool = False) -> list[Token]:
        """Return the tokens of a plain text.

        A sentence in which nothing is announced, denied knowledge of, refused or named by letter
        is one token, `word`, unless `whole` asks for all of it: most sentences are such.
        """
        low = text.lower()
        if len(low) != len(text):
            low = "".join(c.lower() if len(c.lower()) == 1 else c for c in text)
        found: list[Token] = []
        if whole:
            self._scan(text, low, 0, len(low), found)
        else:
            start = 0
            for stop in _SENTENCE_END.finditer(low):
                end = stop.end()
                at = stop.start()
                told = self.telling.search(low, start, end) if at - start >= _LONG else None
                if at - start >= _LONG and told is None:
                    found.append(Token("word", start, at, low[start:at]))
                    if at < end:
                        kind = "line" if low[at] == "\n" else "break"
                        found.append(Token(kind, at, end, stop[0]))
                else:
                    # What stands far before the first telling word cannot announce anything.
                    near = told.start() - _REACH if told is not None else start
                    cut = (
                        max(low.rfind(mark, start, near) for mark in " ,、") if near > start else -1
                    )
                    if cut > start:
                        found.append(Token("word", start, cut, low[start:cut]))
                        start = cut
                    self._scan(text, low, start, end, found)
                start = end
        return self._demoted(found) if self.unspaced else found

    def _scan(self, text: str, low: str, start: int, end: int, found: list[Token]) -> None:
        phrases, aliases, limit = self.phrases, self.aliases, len(self.single)
        for match in self.pattern.finditer(low, start, end):
            kind = match.lastgroup or "mark"
            start, end = match.span()
            word = match[0]
            cats, labels, native = _NO_CATS, _NO_LABELS, False
            if kind == "phrase":
                if word in aliases and text[start:end] != word:
                    kind = "label"
                else:
                    cats = phrases[word]
            if kind == "label":
                bare = match["bare"] or word
                labels, native = aliases[bare], bare not in self.shown
                word = text[start : start + len(bare)]
            elif kind == "word" and 1 < end - start <= limit and text[start] in self.single:
                labels = self._run(text[start:end])
                if labels:
                    kind, word = "label", text[start:end]
            # Built without the generated constructor: this is the readers' hottest line.
            found.append(tuple.__new__(Token, (kind, start, end, word, cats, labels, native)))

    def _run(self, word: str) -> tuple[str, ...]:
        """Return the labels of capitals run together in option order, such as ABD."""
        places = [self.single.get(c, -1) for c in word]
        if places[0] < 0 or any(b <= a for a, b in pairwise(places)):
            return ()
        return tuple(label for c in word for label in self.aliases[c.lower()])

    def _demoted(self, tokens: list[Token]) -> list[Token]:
        """Take back letters of unspaced scripts that are part of a word."""
        for n, token in enumerate(tokens):
            if token.kind != "label" or not _UNSPACED.match(token.text):
                continue
            for other in tokens[max(n - 1, 0) : n] + tokens[n + 1 : n + 2]:
                beside = other.text[-1 if other.end == token.start else 0]
                touches = other.end == token.start or other.start == token.end
                if other.kind != "word" or not touches:
                    continue
                own, its = _script(token.text[0]), _script(beside)
                # Kanji before hiragana are the stem of one word with it.
                if own == its or (own == "hiragana" and its == "han" and other.end == token.start):
                    tokens[n] = Token("word", *token[1:4])
                    break
        return tokens


_KANJI = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff"
_SCRIPTS = {
    "hiragana": re.compile("[\u3040-\u309f]"),
    "katakana": re.compile("[\u30a0-\u30ff]"),
    "hangul": re.compile("[\uac00-\ud7af\u3130-\u318f]"),
    "thai": re.compile("[\u0e00-\u0eff]"),
}


@lru_cache(maxsize=4096)
def _script(char: str) -> str:
    return next((name for name, chars in _SCRIPTS.items() if chars.match(char)), "han")


def trie(phrases: Iterable[str]) -> str:
    """Return a pattern for any of `phrases`, longest first, whole words in spaced scripts."""
    words: dict[str, Any] = {}
    others: dict[str, Any] = {}
    for phrase in phrases:
        if phrase:
            last = phrase[-1]
            spaced = (last.isalnum() or _MARK.match(last)) and not _UNSPACED.match(last)
            node = words if spaced else others
            for char in phrase:
                node = node.setdefault(char, {})
            node[""] = {}
    # The boundary stands once, behind the whole branch: a shorter phrase is tried where it fails.
    ways = [_branch(words) + _AFTER] if words else []
    return f"(?:{'|'.join([*ways, *([_branch(others)] if others else [])]) or '(?!)'})"


def _branch(node: Mapping[str, Any]) -> str:
    ways = [re.escape(char) + _branch(child) for char, child in node.items() if char]
    if "" in node:
        if not ways:
            return ""
        return f"(?:{'|'.join(ways)})?"
    return ways[0] if len(ways) == 1 else f"(?:{'|'.join(ways)})"


def _labels(
    shown: tuple[str, ...], extra: tuple[str, ...], lang: str
) -> tuple[dict[str, tuple[str, ...]], frozenset[str]]:
    """Return every way to name an option by letter, and which of these are the shown ones.

    Letters of another set stand for the option at their place: ख for B, and B for ख. A Cyrillic
    capital that by shape is one Latin letter and by place another is unsure, and names both.
    """
    own = {same_form(label).lower(): (label,) for label in shown}
    names: dict[str, set[str]] = {}
    sets = [list(extra), *map(list, language(lang).label_sets())]
    if not any(label.isascii() and label.isdigit() for label in own):
        if not all(label.isascii() for label in own):
            sets.append(list("ABCDEFGHIJ"))
        # Letters by place mean something only while every option has one.
        for letters in sets:
            if len(letters) >= len(shown):
                for letter, label in zip(letters, shown, strict=False):
                    names.setdefault(same_form(letter).lower(), set()).add(label)
    elif extra:
        for letter, label in zip(extra, shown, strict=False):
            names.setdefault(same_form(letter).lower(), set()).add(label)
    for twin, latin in _TWINS.items():
        for one, other in ((twin, latin), (latin, twin)):
            if (one.lower() not in own) and other.lower() in own:
                names.setdefault(one.lower(), set()).add(own[other.lower()][0])
    order = {label: n for n, label in enumerate(shown)}
    aliases = {n: tuple(sorted(v, key=order.__getitem__)) for n, v in names.items()}
    return aliases | own, frozenset(own)


def _starting(names: Iterable[str]) -> str:
    """Return a pattern for a place at which one of `names` may begin."""
    return f"(?=[{''.join(sorted({re.escape(name[0]) for name in names}))}])"


def _no_word(ways: str, beside: Iterable[str]) -> str:
    """Return a pattern for the letters that are words too, but where they can only be words.

    That is between two words, the second of which can't stand beside a letter.
    """
    inside = rf"(?<![^\W_]\s)(?<![{MARKS}]\s)"
    return rf"(?:{inside}{ways}|{ways}(?:(?!\s{LETTER})|(?=\s{trie(beside)})))"


def _behind(phrases: Iterable[str]) -> str:
    """Return a pattern for a place right after any of `phrases`."""
    by_length: dict[int, set[str]] = {}
    for phrase in phrases:
        by_length.setdefault(len(phrase), set()).add(re.escape(phrase))
    ways = [f"(?<={'|'.join(sorted(found))})" for _, found in sorted(by_length.items())]
    last = "".join(sorted({phrase[-1] for found in by_length.values() for phrase in found}))
    return rf"(?<=[{last}])(?:{'|'.join(ways)})"


def _no_part(labels: Iterable[str], phrases: Iterable[str]) -> str:
    """Return a pattern for the letters of unspaced scripts, but where `Lexicon` demotes them.

    That is where a neighbour of the same script is neither a letter nor part of a phrase.
    """
    labels = tuple(labels)
    ways = [re.escape(label) for label in labels if _script(label[0]) == "han"]
    for name, chars in _SCRIPTS.items():
        own = [label for label in labels if _script(label[0]) == name]
        near = [p for p in (*phrases, *own) if chars.match(p[0]) or chars.match(p[-1])]
        if own:
            # Kanji before hiragana are the stem of one word with it.
            part = chars.pattern if name != "hiragana" else f"[{chars.pattern[1:-1]}{_KANJI}]"
            ways.append(
                rf"(?:(?<!{part})|{_behind(near)})(?:{'|'.join(map(re.escape, own))})"
                rf"(?:(?!{chars.pattern})|(?={trie(near)}))"
            )
    return "|".join(ways) or "(?!)"


@lru_cache(maxsize=256)
def lexicon(lang: str, shown: tuple[str, ...], extra: tuple[str, ...] = ()) -> Lexicon:
    """Return the lexicon of a language for options shown under these labels."""
    code = language_code(lang)
    own = language(code)
    english = language("en")
    phrases: dict[str, frozenset[str]] = {}
    for table in [english, own]:
        mine: dict[str, set[str]] = {}
        for cat in ("answer", "choose", "lean", "link", "option", "right", "wrong", "not_", "and_",
                    "after", "tail", "unknown", "none", "refusal"):  # fmt: skip
            for entry in getattr(table, cat):
                phrase = " ".join(same_form(entry).lower().split())
                for form in (phrase, without_accents(phrase)):
                    for prefix in ("", *table.prefixes):
                        mine.setdefault(prefix + form, set()).add(cat.rstrip("_"))
        # "उत्तर है B": what calls a letter right after it can also announce the next one.
        nouns = tuple(phrase for phrase, cats in mine.items() if "answer" in cats)
        for phrase, cats in mine.items():
            if "right" in cats and phrase.startswith(nouns):
                cats.add("answer")
        phrases |= {phrase: frozenset(cats) for phrase, cats in mine.items()}
    aliases, shown_forms = _labels(shown, extra, code)
    spaced = sorted((a for a in aliases if not _UNSPACED.match(a)), key=len, reverse=True)
    unspaced = sorted((a for a in aliases if _UNSPACED.match(a)), key=len, reverse=True)
    suffix = f"(?:{trie(own.suffixes)})?" if own.suffixes else ""

    def spaced_way(names: Iterable[str], group: str = "?:") -> str:
        return (
            rf"{_BEFORE}(?<![^\W_{UNSPACED}]['\-])(?<!\d[.,:/])(?<!\b[^\W\d_]\.)"
            rf"({group}{'|'.join(map(re.escape, names)) or '(?!)'}){_AFTER}{suffix}"
            rf"(?!['\-]{LETTER})(?![+#%])(?![.,:/]\d)(?!\.[^\W\d_](?:\.|\b))"
        )

    unspaced_way = "|".join(map(re.escape, unspaced)) or "(?!)"
    # Characters at which no phrase and no label begins go together: most of a Chinese sentence.
    within = [entry for entry in (*phrases, *unspaced) if _UNSPACED.match(entry)]
    starts = "".join(map(re.escape, sorted({entry[0] for entry in within}))) or " "
    inert = rf"(?:[{UNSPACED}](?<![{starts}])|(?!{trie(within)})[{UNSPACED}])+"
    pattern = re.compile(
        rf"(?P<phrase>{trie(phrases)})|(?P<label>{spaced_way(spaced, '?P<bare>')}|{unspaced_way})"
        rf"|(?P<break>[.!?。؟।॥…]+)|(?P<line>\n)"
        rf"|(?P<word>{inert}|[{UNSPACED}]|{LETTER}+)|(?P<mark>[^\s])"
    )
    kept = [
        phrase
        for phrase, cats in phrases.items()
        if not cats.isdisjoint(_TELLING) or ("tail" in cats and len(phrase) >= _TAIL)
    ]
    latin = without_accents(own.answer[0]).isascii()
    also_words = frozenset(own.also_words) | (frozenset() if latin else {"a", "i"})
    beside = [phrase for phrase, cats in phrases.items() if not cats.isdisjoint(_BESIDE)]
    also = [a for a in spaced if a in also_words]
    ways = {
        _BEFORE + trie(kept): kept,
        spaced_way(a for a in spaced if a not in also_words): spaced,
        _no_word(spaced_way(also), [*beside, *spaced]): also,
        _no_part(unspaced, phrases): unspaced,
    }
    # A look at the first character spares most places of a reply all else.
    guarded = "|".join(_starting(names) + way for way, names in ways.items() if names)
    telling = re.compile(_starting(n for names in ways.values() for n in names) + f"(?:{guarded})")
    return Lexicon(
        pattern=pattern,
        telling=telling,
        phrases=phrases,
        aliases=aliases,
        order=shown,
        shown=shown_forms,
        single={
            form.upper(): n
            for n, form in enumerate(same_form(label).lower() for label in shown)
            if len(form) == 1 and form.isalpha()
        },
        unspaced=bool(unspaced),
        also_words=also_words,
    )
