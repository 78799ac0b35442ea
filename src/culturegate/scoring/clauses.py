"""What stands around an option's letter: an announcement before it, a verdict after it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from culturegate.scoring.lexicon import Lexicon, Token
from culturegate.scoring.phrases import LATIN
from culturegate.scoring.plain import BOX_CLOSE, BOX_OPEN

OPENING = frozenset("([{\"'" + BOX_OPEN)
CLOSING = frozenset(")]}\"'" + BOX_CLOSE)
JOINERS = frozenset(",/&+、，،;؛")
_LATIN = re.compile(LATIN)
REACH = 14
"""Tokens that are looked through on either side of a label."""


@dataclass
class Clauses:
    """The tokens of one reply, and what each stands next to."""

    tokens: Sequence[Token]
    lexicon: Lexicon
    text: str
    low: str
    texts: dict[str, str]
    """Label to the option's folded text; labels whose text is unknown are left out."""

    def is_label(self, n: int) -> bool:
        """Whether token `n` can be an option's letter at all, and not a word of the language."""
        token = self.tokens[n]
        if token.kind != "label":
            return False
        if token.text.lower() not in self.lexicon.also_words or self.wrapped(n):
            return True
        after = self.tokens[n + 1] if n + 1 < len(self.tokens) else None
        if after is None or after.kind in {"break", "line", "mark", "label"}:
            return True
        if self.apart(n):
            return True
        if after.kind == "phrase":
            return bool(after.cats & {"after", "right", "wrong", "and", "link", "option", "lean"})
        return self.own_text_follows(n)

    def apart(self, n: int) -> bool:
        """Whether a letter that is also a word cannot be that word before the word after it.

        A and I are no words of English beside another script, and inside a sentence no word is a
        capital but the English pronoun and those of a title: "I land on A because it fits".
        """
        token, after = self.tokens[n], self.tokens[n + 1]
        if token.text.isascii() and not self.lexicon.latin:
            return not _LATIN.match(after.text)
        return (
            n > 0
            and self.tokens[n - 1].kind in {"word", "phrase", "label"}
            and token.text.isupper()
            and token.text != "I"
            and self.text[after.start].islower()
        )

    def capital(self, n: int) -> bool:
        """Whether token `n` is a capital letter, or a letter of a script that has none."""
        token = self.tokens[n]
        return token.text == token.text.upper() and not token.text.isdigit()

    def wrapped(self, n: int) -> bool:
        """Whether token `n` stands in brackets or quotes of its own."""
        return (
            0 < n < len(self.tokens) - 1
            and self.tokens[n - 1].text in OPENING
            and self.tokens[n + 1].text in CLOSING
        )

    def own_text_follows(self, n: int) -> bool:
        """Whether the text of the option that token `n` names stands after it."""
        token = self.tokens[n]
        start = token.end
        while start < len(self.low) and self.low[start] in " .):-]":
            start += 1
        return any(
            label in self.texts and self.low.startswith(self.texts[label], start)
            for label in token.labels
        )

    def ends_clause(self, n: int) -> bool:
        """Whether nothing that belongs to the label's own clause follows token `n`."""
        if n + 1 >= len(self.tokens):
            return True
        after = self.tokens[n + 1]
        if after.kind in {"break", "line", "mark"}:
            return True
        if after.kind == "phrase":
            return bool(after.cats & {"after", "right", "wrong", "and", "tail", "option", "lean"})
        return self.own_text_follows(n)

    def cue(self, n: int) -> str:
        """Return what announces token `n` directly.

        One of `not`, `answer`, `choose`, `box`, `lean` or the empty string.
        """
        comma = False
        lean = False
        for k in range(n - 1, max(n - 1 - REACH, -1), -1):
            token = self.tokens[k]
            if token.kind == "phrase":
                cats = token.cats
                if "not" in cats:
                    return "" if comma else "not"
                for cat in ("answer", "choose"):
                    if cat in cats:
                        return cat
                if cats & {"right", "wrong"} and not cats & {"lean", "link"}:
                    break
                if "lean" in cats:
                    lean = True
                elif not cats & {"link", "option", "tail"}:
                    break
            elif token.kind == "mark":
                if token.text == BOX_OPEN:
                    return "box"
                if token.text == BOX_CLOSE:
                    break
                comma |= token.text in JOINERS
            elif token.kind == "break" and self._goes_on(k, n):
                continue
            elif token.kind != "line":
                break
        return "lean" if lean else ""

    def _goes_on(self, k: int, n: int) -> bool:
        """Whether the full stop at `k` parts a turn of phrase from its letter: "Wait, no. C."."""
        before = self.tokens[k - 1].cats if k else frozenset()
        after = self.tokens[n + 1].kind if n + 1 < len(self.tokens) else "break"
        turn = "lean" in before and before.isdisjoint(("right", "wrong", "link"))
        return turn and n == k + 1 and after in {"break", "line"}

    def follows(self, n: int, near: bool) -> str:
        """Return `right` or `wrong` where the words after token `n` say so.

        `near`: only at once; else within the sentence, as in "B. Soup – correct".
        """
        for k in range(n + 1, min(n + 1 + REACH, len(self.tokens))):
            token = self.tokens[k]
            if token.kind == "phrase":
                if {"wrong", "not"} <= token.cats and self._denies_next(k):
                    return ""
                for cat in ("wrong", "right"):
                    if cat in token.cats and not (k > n + 1 and self._adjective(k)):
                        return cat
                if "not" in token.cats or (near and not token.cats & {"option", "tail"}):
                    return ""
                if token.cats & {"answer", "choose", "after"} and not near:
                    return ""
            elif token.kind == "mark":
                if token.text in JOINERS and near:
                    return ""
            elif token.kind == "break":
                if near or k > n + 1:
                    return ""
            elif token.kind in {"line", "label"} or near:
                return ""
        return ""

    def _denies_next(self, k: int) -> bool:
        """Whether the word at `k` denies the letter after it, not the one before: "B, not A"."""
        while k + 1 < len(self.tokens) and "option" in self.tokens[k + 1].cats:
            k += 1
        return k + 1 < len(self.tokens) and self.tokens[k + 1].kind == "label"

    def _adjective(self, k: int) -> bool:
        """Whether the word at `k` belongs to what follows it: "the correct deity", "correct: B"."""
        after = self.tokens[k + 1] if k + 1 < len(self.tokens) else None
        return (
            " " not in self.tokens[k].text
            and after is not None
            and (
                after.kind == "word"
                or after.text in {":", "="}
                or (after.kind == "phrase" and "link" in after.cats)
            )
        )
