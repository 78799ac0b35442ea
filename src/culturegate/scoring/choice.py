"""Reading which option a reply chooses.

The rules, in order; the first that fits gives the reading, and its name is the reading's rule.
Among the anchored rules the statement that stands last in the reply wins: models correct
themselves, and restate the question first.

1. filter and emptiness: `content_filter`, `no_text`, `open_reasoning`
2. anchored: `boxed`, `announced`, `announced_at_distance`, `called_right`, `concluded`, `bare`,
   `line`; an announced abstention: `announced_none`, `announced_unknown`, or the option whose own
   text says so: `option_none`, `option_unknown`
3. `exact_text`: the whole reply, or all that is announced, is one option's text
4. `unknown`, `none`: "I don't know", "none of these", anywhere; then `refusal`
5. `text`: exactly one option's text is in the reply, longer texts first, negated ones apart
6. `mention`: exactly one option's letter is in the reply as a capital on its own

Choices made where a case is arguable:

- A rejected option ("not A") is never read, and never leaves another one by elimination.
- Several letters in one statement are ambiguous, unless the item allows several.
- A letter with another option's whole text after it is ambiguous, for it names two.
- A small letter is read where it is announced, bracketed, opens a line or is the whole reply; in
  running text it is a word. A capital that is also a word (the article A, the pronoun I) is a
  letter where no other word follows it, beside another script, and (but for I) inside a sentence.
- In a reply that was cut off only a statement that surely was complete counts.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

from culturegate.scoring.lexicon import Lexicon, Token, lexicon
from culturegate.scoring.phrases import MARKS, UNSPACED
from culturegate.scoring.plain import BOX_CLOSE, BOX_OPEN, folded, plain, without_accents
from culturegate.scoring.reading import Reading, Status
from culturegate.scoring.reasoning import without_reasoning
from culturegate.scoring.stance import stated_confidence
from culturegate.scoring.statements import Statement, Statements

_WORD = re.compile(rf"[^\W_{UNSPACED}]|[{MARKS}]")
_EDGES = " \n\"'()[]{}.,:;!?-_#>~=。、，！？؟।|" + BOX_OPEN + BOX_CLOSE


def read_choice(
    reply: str | None,
    *,
    options: Mapping[str, str],
    lang: str,
    finish_reason: str | None = None,
    labels: Sequence[str] | None = None,
    multi: bool = False,
) -> Reading:
    """Read which of `options` a reply chooses.

    `options` maps the labels, in the order shown, to the options' texts ("" where unknown).
    `labels` are further letters by which a reply may name the options, in the same order. The value
    is a label of `options`; with `multi` it is all labels stated, in the order shown, joined by
    ",". Raises `ValueError` for a language without a table.
    """
    words = lexicon(lang, tuple(options), tuple(labels or ()))
    if finish_reason == "content_filter":
        return Reading("filtered", rule="content_filter")
    cut = finish_reason == "length"
    if reply is None or not reply.strip():
        return Reading("truncated" if cut else "empty", rule="no_text")
    body, unfinished = without_reasoning(reply)
    text = plain(body)
    if not text.strip(_EDGES):
        if unfinished:
            late = cut or finish_reason is None
            return Reading("truncated" if late else "unparsed", rule="open_reasoning")
        return Reading("truncated" if cut else "empty", rule="no_text")
    reading = _read(text, words, _texts(tuple(options.items())), tuple(options), multi, cut)
    confidence = stated_confidence(text, lang)
    if confidence is None:
        return reading
    return Reading(
        reading.status, reading.value, reading.rule, reading.detail, confidence=confidence
    )


@lru_cache(maxsize=512)
def _texts(options: tuple[tuple[str, str], ...]) -> dict[str, str]:
    """Return each option's folded text; texts that two options share name neither."""
    # A reply's plain text has no dollar signs, which may be LaTeX's.
    forms = {label: folded(text.replace("$", " ")) for label, text in options}
    texts = {label: form.strip(_EDGES) or form for label, form in forms.items()}
    known = list(texts.values())
    return {label: text for label, text in texts.items() if text and known.count(text) == 1}


def _read(
    text: str,
    words: Lexicon,
    texts: dict[str, str],
    labels: tuple[str, ...],
    multi: bool,
    cut: bool,
) -> Reading:
    tokens = words.tokens(text)
    low = text.lower() if len(text.lower()) == len(text) else folded(text)
    statements = Statements(tokens, words, text, low, texts)
    whole = low.strip(_EDGES)
    named = [label for label, option in texts.items() if option == whole]
    if named and not (whole in words.aliases and words.aliases[whole] != (named[0],)):
        return Reading("answered", named[0], "exact_text")
    if not named and whole in words.aliases:
        return _answer(words.aliases[whole], "bare", labels, multi)
    found = statements.read(len(labels), multi)
    if cut:
        found = [statement for statement in found if statement.sure]
    if bare := _bare(tokens, found, labels, multi, statements):
        return bare
    if found:
        return _stated(found[-1], statements, labels, multi)
    return _unstated(statements, labels, multi, cut)


def _answer(names: Sequence[str], rule: str, labels: tuple[str, ...], multi: bool) -> Reading:
    chosen = [label for label in labels if label in names]
    if len(chosen) == 1 or (multi and chosen):
        return Reading("answered", ",".join(chosen), rule)
    return Reading("ambiguous", None, rule, "names " + ", ".join(chosen))


def _bare(
    tokens: Sequence[Token],
    found: Sequence[Statement],
    labels: tuple[str, ...],
    multi: bool,
    statements: Statements,
) -> Reading | None:
    """Read a reply that holds nothing but letters and the words around them."""
    names: dict[str, None] = {}
    announced = False
    for n, token in enumerate(tokens):
        if token.kind == "label":
            if n in statements.rejected:
                return None
            names |= dict.fromkeys(token.labels)
        elif token.kind == "word" or (
            token.kind == "phrase"
            and not token.cats & {"link", "option", "tail", "answer", "choose", "lean", "and"}
        ):
            return None
        elif token.kind == "phrase" and token.cats & {"answer", "choose", "lean"}:
            announced = True
    if not names or (announced and found) or (len(names) > 1 and announced):
        return None
    return _answer(tuple(names), "bare", labels, multi)


def _stated(
    statement: Statement, statements: Statements, labels: tuple[str, ...], multi: bool
) -> Reading:
    if not statement.labels:
        return Reading("abstained", None, statement.rule)
    reading = _answer(statement.labels, statement.rule, labels, multi)
    if reading.status == "answered" and not multi and statement.rule != "option_none":
        rest = statements.low[statement.end :].split("\n", 1)[0].strip(_EDGES)
        other = [n for n, t in statements.texts.items() if t == rest and n != reading.value]
        if other:
            detail = f"letter {reading.value} with the text of {other[0]}"
            return Reading("ambiguous", None, statement.rule, detail)
    return reading


def _unstated(statements: Statements, labels: tuple[str, ...], multi: bool, cut: bool) -> Reading:
    tokens, low = statements.tokens, statements.low
    if named := _announced_text(statements, multi):
        return _answer(named, "exact_text", labels, multi)
    for cat, status in (("unknown", "abstained"), ("none", "abstained"), ("refusal", "refused")):
        # "I don't know which, so let me think" may go on to an answer where it was cut off.
        if any(cat in token.cats for token in tokens) and not (cut and cat != "refusal"):
            if like := statements.options_like(cat) if cat != "refusal" else ():
                return _answer(like, f"option_{cat}", labels, multi)
            kept: Status = "refused" if status == "refused" else "abstained"
            return Reading(kept, None, cat)
    if cut:
        return Reading("truncated", None, "cut_off")
    if named := _texts_in(statements):
        return _answer(named, "text", labels, multi)
    if named := _mentions(statements):
        return _answer(named, "mention", labels, multi)
    part = low.strip(_EDGES)
    if len(part) > 1:
        parts = [label for label, option in statements.texts.items() if part in option]
        if len(parts) > 1:
            return Reading("ambiguous", None, "part_of_text", "part of " + ", ".join(parts))
    return Reading("unparsed", None, "no_rule")


def _announced_text(statements: Statements, multi: bool) -> tuple[str, ...]:
    """Return the option whose text follows the last announcement at once."""
    for n in range(len(statements.tokens) - 1, -1, -1):
        token = statements.tokens[n]
        if token.text == BOX_OPEN or token.cats & {"answer", "choose"}:
            start = token.end
            for after in statements.tokens[n + 1 :]:
                if (after.kind == "phrase" and "link" in after.cats) or after.kind in {
                    "mark",
                    "line",
                }:
                    start = after.end
                    continue
                break
            for begin in dict.fromkeys((start, token.end)):
                rest = statements.low[begin:].lstrip(_EDGES)
                starts = [x for x, t in statements.texts.items() if _begins(rest, t)]
                if starts:
                    return (max(starts, key=lambda x: len(statements.texts[x])),)
    return ()


def _begins(text: str, option: str) -> bool:
    if not text.startswith(option):
        return False
    rest = text[len(option) :]
    return not rest or not _WORD.match(rest) or not _WORD.match(option[-1])


def _texts_in(statements: Statements) -> tuple[str, ...]:
    """Return the options whose texts stand in the reply, not inside a longer one's, not negated."""
    low = statements.low
    tries = (low, without_accents(low))
    plain_texts = {label: without_accents(t) for label, t in statements.texts.items()}
    accents_matter = len(set(plain_texts.values())) < len(plain_texts)
    for text, texts in zip(tries, (statements.texts, plain_texts), strict=True):
        found = _places(text, texts, statements)
        if found or accents_matter or text is tries[1]:
            return found
    return ()


def _places(low: str, texts: Mapping[str, str], statements: Statements) -> tuple[str, ...]:
    taken: list[tuple[int, int]] = []
    named: list[str] = []
    for label, option in sorted(texts.items(), key=lambda item: -len(item[1])):
        if len(option) < 2:
            continue
        at = low.find(option)
        for _ in range(50):
            if at < 0:
                break
            end = at + len(option)
            whole = not (
                (at and _WORD.match(low[at - 1]) and _WORD.match(option[0]))
                or (_WORD.match(low[end : end + 1]) and _WORD.match(option[-1]))
            )
            if whole and not any(a < end and at < b for a, b in taken):
                taken.append((at, end))
                if not _negated(at, end, statements):
                    named.append(label)
            at = low.find(option, end)
    return tuple(dict.fromkeys(named))


def _negated(start: int, end: int, statements: Statements) -> bool:
    tokens = statements.every
    before = [t for t in tokens if t.end <= start][-3:]
    for token in reversed(before):
        if token.kind in {"break", "line"} or token.text == ",":
            break
        if "not" in token.cats:
            return True
    for token in [t for t in tokens if t.start >= end][:2]:
        if token.kind in {"break", "line", "word"} or token.text == ",":
            break
        if "wrong" in token.cats:
            return True
    return False


def _mentions(statements: Statements) -> tuple[str, ...]:
    named: dict[str, None] = {}
    for n, token in enumerate(statements.tokens):
        if (
            statements.is_label(n)
            and not token.native
            and len(token.labels) == 1
            and n not in statements.rejected
            and n not in statements.listed
        ):
            before = statements.tokens[n - 1].cats if n else frozenset()
            capital = token.text == token.text.upper() and not token.text.isdigit()
            word = token.text.lower() in statements.lexicon.also_words
            if "option" in before or (capital and (not word or _letter_only(statements, n))):
                named |= dict.fromkeys(token.labels)
    return tuple(named)


def _letter_only(statements: Statements, n: int) -> bool:
    """Whether a capital that is also a word cannot be that word here: "A or B", "they say A."."""
    tokens = statements.tokens
    if statements.wrapped(n) or n + 1 == len(tokens) or tokens[n + 1].kind in {"break", "line"}:
        return True
    return (
        statements.apart(n)
        or "and" in tokens[n + 1].cats
        or (n > 0 and "and" in tokens[n - 1].cats)
    )
