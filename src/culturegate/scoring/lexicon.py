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
from typing import NamedTuple

from culturegate.scoring.language import language, language_code
from culturegate.scoring.phrases import (
    AFTER,
    BEFORE,
    IS_UNSPACED,
    LATIN,
    LETTER,
    UNSPACED,
    no_part,
    no_word,
    script_of,
    starting,
    trie,
)
from culturegate.scoring.plain import same_form, without_accents

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
    capital: re.Pattern[str]
    """A capital inside a sentence whose small letter would be a word, and tell nothing."""
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
    latin: bool
    """Whether the language is written in Latin letters."""
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
                told = None
                if at - start >= _LONG:
                    told = self.telling.search(low, start, end)
                    told = told or self.capital.search(text, start, end)
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
            if token.kind != "label" or not IS_UNSPACED.match(token.text):
                continue
            for other in tokens[max(n - 1, 0) : n] + tokens[n + 1 : n + 2]:
                beside = other.text[-1 if other.end == token.start else 0]
                touches = other.end == token.start or other.start == token.end
                own, its = script_of(token.text[0]), script_of(beside)
                # Letters of one of these scripts that touch are a word: いう, 가나.
                word = other.kind == "word" or (other.kind == "label" and own != "han")
                if not (word and touches):
                    continue
                # Kanji before hiragana are the stem of one word with it.
                if own == its or (own == "hiragana" and its == "han" and other.end == token.start):
                    tokens[n] = Token("word", *token[1:4])
                    break
        return tokens


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
    spaced = sorted((a for a in aliases if not IS_UNSPACED.match(a)), key=len, reverse=True)
    unspaced = sorted((a for a in aliases if IS_UNSPACED.match(a)), key=len, reverse=True)
    suffix = f"(?:{trie(own.suffixes)})?" if own.suffixes else ""

    def spaced_way(names: Iterable[str], group: str = "?:") -> str:
        return (
            rf"{BEFORE}(?<![^\W_{UNSPACED}]['\-])(?<!\d[.,:/])(?<!\b[^\W\d_]\.)"
            rf"({group}{'|'.join(map(re.escape, names)) or '(?!)'}){AFTER}{suffix}"
            rf"(?!['\-]{LETTER})(?![+#%])(?![.,:/]\d)(?!\.[^\W\d_](?:\.|\b))"
        )

    unspaced_way = "|".join(map(re.escape, unspaced)) or "(?!)"
    # Characters at which no phrase and no label begins go together: most of a Chinese sentence.
    within = [entry for entry in (*phrases, *unspaced) if IS_UNSPACED.match(entry)]
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
    # Beside a word of another script, A and I are no words of English.
    latin_words = [a for a in spaced if a in also_words and a.isascii() and not latin]
    also = [a for a in spaced if a in also_words and a not in latin_words]
    capitals = "".join(a.upper() for a in also if len(a) == 1 and a.isascii() and a != "i")
    ways = {
        BEFORE + trie(kept): kept,
        spaced_way(a for a in spaced if a not in also_words): spaced,
        no_word(spaced_way(also), [*beside, *spaced]): also,
        no_word(spaced_way(latin_words), [*beside, *spaced], LATIN): latin_words,
        no_part(unspaced, phrases): unspaced,
    }
    # A look at the first character spares most places of a reply all else.
    guarded = "|".join(starting(names) + way for way, names in ways.items() if names)
    telling = re.compile(starting(n for names in ways.values() for n in names) + f"(?:{guarded})")
    return Lexicon(
        pattern=pattern,
        telling=telling,
        capital=re.compile(rf"(?<=[^\W_]\s)[{capitals}](?=\s[^\W\d_A-Z])" if capitals else "(?!)"),
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
        latin=latin,
    )
