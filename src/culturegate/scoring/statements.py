"""Where a reply states which option: announced, boxed, bare, or with "is correct" after it.

Everything here works on the tokens of one reply; a *statement* is a place in the reply where
options are named as the answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from culturegate.scoring.clauses import CLOSING, JOINERS, OPENING, REACH, Clauses
from culturegate.scoring.lexicon import Token
from culturegate.scoring.plain import BOX_CLOSE

_DELIMITERS = frozenset(").:]-、")
_NEUTRAL = frozenset({"link", "option", "tail", "answer", "choose", "lean", "after"})
_WORDS_AFTER_LINK = 6
"""Words that may stand between "is" or a colon and the label: "is, in my opinion, B"."""


@dataclass(frozen=True, slots=True)
class Statement:
    """Options named as the answer at one place of a reply; none of them is an abstention."""

    place: int
    rule: str
    labels: tuple[str, ...]
    sure: bool = True
    """Whether it stands although the reply was cut off after it."""
    end: int = 0
    """Where in the text the statement's last label ends."""


@dataclass
class Statements(Clauses):
    """The statements of one reply."""

    rejected: set[int] = field(default_factory=set)
    listed: set[int] = field(default_factory=set)
    full_list: set[int] = field(default_factory=set)
    found: list[Statement] = field(default_factory=list)
    labelled: list[int] = field(init=False)
    """Places of the label tokens."""

    def __post_init__(self) -> None:
        self.labelled = [n for n, token in enumerate(self.tokens) if token.labels]

    @cached_property
    def every(self) -> list[Token]:
        """All tokens of the reply, those of sentences that tell no letter too."""
        return self.lexicon.tokens(self.text, whole=True)

    def read(self, options: int, multi: bool) -> list[Statement]:
        """Return every statement in order of place."""
        self._lists(options)
        groups = self._groups()
        for group in groups:
            self._reject(group)
        for group in groups:
            self._judge(group, options, multi)
        self._abstentions()
        self._lines()
        return sorted(self.found, key=lambda s: s.place)

    # -- lists of the options ------------------------------------------------------------

    def _lists(self, options: int) -> None:
        """Find where the reply goes through the options, each letter with its delimiter."""
        delimited = [
            n
            for n in self.labelled
            if n + 1 < len(self.tokens)
            and self.tokens[n + 1].text[0] in _DELIMITERS
            and self.tokens[n + 1].start == self.tokens[n].end
            and len(self.tokens[n].labels) == 1
            and not self._ends_sentence(n + 1)
        ]
        if len(delimited) < 2:
            return
        order = {label: n for n, label in enumerate(self.lexicon.order)}
        run: list[int] = []
        for n in [*delimited, -1]:
            if (
                run
                and n >= 0
                and order[self.tokens[n].labels[0]] == order[self.tokens[run[-1]].labels[0]] + 1
            ):
                run.append(n)
                continue
            if len(run) > 1:
                self.listed.update(run)
                first = order[self.tokens[run[0]].labels[0]]
                if first == 0 and len(run) >= min(3, options):
                    self.full_list.update(run)
            run = [n] if n >= 0 else []

    def _ends_sentence(self, n: int) -> bool:
        """Whether the full stop at `n` ends a line or the reply: no text of an option follows."""
        after = self.tokens[n + 1] if n + 1 < len(self.tokens) else None
        return self.tokens[n].kind == "break" and (after is None or after.kind == "line")

    # -- labels named together -----------------------------------------------------------

    def _groups(self) -> list[list[int]]:
        """Return the labels, those joined by "and", "or", a comma or a stroke together."""
        groups: list[list[int]] = []
        last = -1
        for n in self.labelled:
            if not self.is_label(n):
                continue
            if groups and self._joined(last, n):
                groups[-1].append(n)
            else:
                groups.append([n])
            last = n
        return groups

    def _joined(self, a: int, b: int) -> bool:
        if b - a > 7:
            return False
        comma = conjunction = False
        for token in self.tokens[a + 1 : b]:
            if token.kind == "phrase":
                if "and" in token.cats:
                    conjunction = True
                elif not token.cats & {"option"}:
                    return False
            elif token.kind == "mark":
                if token.text in JOINERS:
                    comma = True
                    conjunction |= token.text in "/&+、"
                elif token.text not in OPENING | CLOSING:
                    return False
            else:
                return False
        if conjunction:
            return True
        if comma:
            after = self.tokens[b + 1 : b + 2]
            if after and after[0].text == "、":
                return False  # Chinese parts clauses by a comma and lists by its own mark
            # "B, C is a drink" starts a new clause; "A, B and D" goes on.
            return self.ends_clause(b)
        return b == a + 1

    # -- rejection -----------------------------------------------------------------------

    def _reject(self, group: list[int]) -> None:
        together = any(
            token.kind == "phrase" and "and" in token.cats
            for token in self.tokens[group[0] : group[-1]]
        )
        if self.cue(group[0]) == "not":
            self.rejected.update(group if together else group[:1])
        last = group[-1]
        if self.follows(last, near=True) == "wrong":
            self.rejected.update(group if together else [last])
        for n in group[:-1]:
            if self.follows(n, near=True) == "wrong":
                self.rejected.add(n)

    # -- statements ----------------------------------------------------------------------

    def _judge(self, group: list[int], options: int, multi: bool) -> None:
        kept = [n for n in group if n not in self.rejected]
        if not kept:
            return
        first, last = kept[0], kept[-1]
        labels = tuple(dict.fromkeys(x for n in kept for x in self.tokens[n].labels))
        if len(labels) == options > 2 and not multi:
            return  # "A, B, C or D" names the options, it does not choose
        rule = self._rule(group[0], first, last, len(kept))
        if not rule:
            return
        end = self.tokens[last]
        self.found.append(
            Statement(self.tokens[first].start, rule, labels, self._stands(last, rule), end.end)
        )

    def _rule(self, start: int, first: int, last: int, size: int) -> str:
        cue = self.cue(start)
        token = self.tokens[first]
        run = len(token.text) > 1 and len(token.labels) > 1
        strong = cue in {"answer", "choose", "box"}
        if cue == "box":
            closing = self.tokens[last + 1] if last + 1 < len(self.tokens) else None
            if closing is not None and (closing.text in ").:,]" or closing.text == BOX_CLOSE):
                return "boxed"
        elif strong and start in self.full_list and size == 1:
            return ""
        elif strong and (self.capital(first) or self.ends_clause(last)):
            return "announced"
        if self.follows(last, near=False) == "right" and not run:
            before = self.tokens[first - 1] if first else None
            named = before is not None and "option" in before.cats
            letter = self.capital(first) or self.wrapped(first) or token.text.isdigit()
            # A native letter may be a word of its language, unless "option" stands before it.
            if named or (letter and not token.native):
                return "called_right"
        if run or (token.native and self.lexicon.unspaced):
            return ""
        if cue == "lean" and self.ends_clause(last):
            # Where a script has capitals, one is no word in the middle of a sentence.
            low = token.text == token.text.lower()
            word = token.native and low and token.text in self.lexicon.also_words
            if (self.capital(first) or self.wrapped(first)) and not word:
                return "concluded"
        elif not token.native and self.capital(first) and size == 1 and first not in self.listed:
            return self._at_distance(start)
        return ""

    def _at_distance(self, n: int) -> str:
        """Look for "the answer to this riddle is, I would say, B"."""
        words = 0
        linked = False
        for k in range(n - 1, max(n - 1 - REACH, -1), -1):
            token = self.tokens[k]
            if token.kind in {"break", "line"}:
                break
            if token.kind == "word":
                words += 1
                if words > _WORDS_AFTER_LINK and not linked:
                    break
            elif token.kind == "label" and self.is_label(k):
                if k not in self.rejected:
                    break
            elif token.kind == "phrase":
                if token.cats & {"unknown", "none"}:
                    break
                if token.cats & {"not"} and not any(m in self.rejected for m in range(k + 1, n)):
                    break
                if token.cats & {"answer", "choose"}:
                    if linked or words == 0:
                        return "announced_at_distance"
                    break
                linked |= "link" in token.cats
            elif token.text in ":=":
                linked = True
        return ""

    def _stands(self, last: int, rule: str) -> bool:
        """Whether a label at the very end of a cut-off reply is surely whole."""
        token = self.tokens[last]
        if last + 1 < len(self.tokens):
            return rule != "announced_at_distance" or self.ends_clause(last)
        low = token.text.lower()
        return not any(
            other != low and other.startswith(low) and len(low) < len(other)
            for other in self.lexicon.shown
        ) and (token.text != low or not low.isalpha() or low not in self.lexicon.also_words)

    # -- abstentions ---------------------------------------------------------------------

    def _abstentions(self) -> None:
        for n, token in enumerate(self.tokens):
            if token.cats.isdisjoint(("none", "unknown")):
                continue
            for cat in ("none", "unknown"):
                if cat in token.cats and (
                    self.cue(n) in {"answer", "choose", "box"} and self._unconditional(n)
                ):
                    named = self.options_like(cat)
                    rule = f"option_{cat}" if named else f"announced_{cat}"
                    self.found.append(Statement(token.start, rule, named, True, token.end))

    def _unconditional(self, n: int) -> bool:
        after = self.tokens[n + 1] if n + 1 < len(self.tokens) else None
        return after is None or after.kind != "word" or self.tokens[n].cats == {"unknown"}

    def options_like(self, cat: str) -> tuple[str, ...]:
        """Return the options whose own text says "none of these" (`none`) or "unknown"."""
        return tuple(
            label
            for label, text in self.texts.items()
            if any(cat in t.cats for t in self.lexicon.tokens(text))
        )

    # -- lines ---------------------------------------------------------------------------

    def _lines(self) -> None:
        """Read the first and the last line where a letter opens it or is all of it."""
        ends = [n for n, token in enumerate(self.tokens) if token.kind == "line"]
        starts = [0, *(n + 1 for n in ends)]
        lines = [range(a, b) for a, b in zip(starts, [*ends, len(self.tokens)], strict=True)]
        lines = [line for line in lines if line]
        if not lines or not self.labelled:
            return
        opened = [self._opening(line) for line in lines]
        last = len(lines) - 1
        for at in sorted({0, last}):
            label = opened[at]
            if label < 0 or label in self.rejected or self.follows(label, near=False) == "wrong":
                continue
            names = self.tokens[label].labels
            alone = self._alone(lines[at])
            others = {
                x for k, n in enumerate(opened) if n >= 0 and k != at for x in self.tokens[n].labels
            }
            if alone:
                stands = at == last or not others or bool(others - set(names))
                if at == 0 and last > 0 and all(self._alone(line) for line in lines):
                    continue
            else:
                # A letter with its text is one of a list, unless the list has had it before.
                stands = label not in self.listed and (
                    not others or (at == last and set(names) <= others)
                )
            if stands:
                sure = alone or not self._is_first(names) or at < last
                token = self.tokens[label]
                rule = "bare" if alone else "line"
                self.found.append(Statement(token.start, rule, names, sure, token.end))

    def _is_first(self, names: tuple[str, ...]) -> bool:
        return self.lexicon.order[0] in names

    def _alone(self, line: Sequence[int]) -> bool:
        labels = {self.tokens[n].labels for n in line if self.tokens[n].kind == "label"}
        return len(labels) == 1 and all(
            token.kind in {"label", "mark", "break"}
            or (token.kind == "phrase" and bool(token.cats & _NEUTRAL))
            for token in (self.tokens[n] for n in line)
        )

    def _opening(self, line: Sequence[int]) -> int:
        """Return the token of the letter that opens a line, or -1."""
        for position, n in enumerate(line):
            token = self.tokens[n]
            if token.kind == "label":
                return n if self._opens(line, position, n) else -1
            if token.kind == "mark" or (token.kind == "phrase" and token.cats & {"option", "tail"}):
                continue
            break
        return -1

    def _opens(self, line: Sequence[int], position: int, n: int) -> bool:
        token = self.tokens[n]
        if self._alone(line):
            return True
        if len(token.labels) != 1 or position + 1 >= len(line):
            return False
        after = self.tokens[line[position + 1]]
        capital = self.capital(n)
        if self.own_text_follows(n):
            return True
        if token.text.isdigit():
            return False  # "1. First, …" is a step, not an answer
        if after.kind == "phrase":
            return capital and "after" in after.cats
        tight = after.start == token.end
        if after.text[0] in ").:]" and tight:
            return True
        return capital and (after.text in {"-", ":", "/", "="} or (after.text == "," and tight))
