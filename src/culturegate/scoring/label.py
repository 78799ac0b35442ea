"""Reading a judgement's label (yes, no, neutral, or an item's own words) from a reply.

The rules, in order: `boxed`, `announced` (the last one), `opening` (the reply begins with a label),
then `unknown`, `none` and `refusal`, then `mention`: exactly one label's own name is in the reply.

"No" inside "know" or "no idea" is no label, for words are matched whole and the longest phrase
wins; a label that is denied ("not neutral") is passed over.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from culturegate.scoring.language import language, language_code
from culturegate.scoring.lexicon import lexicon
from culturegate.scoring.phrases import UNSPACED, trie
from culturegate.scoring.plain import BOX_OPEN, folded, plain
from culturegate.scoring.reading import Reading
from culturegate.scoring.reasoning import without_reasoning

_CUES = 20
"""Announcements that are looked at, from the last one on."""
_UNSPACED = re.compile(f"[{UNSPACED}]")


@dataclass(frozen=True, slots=True)
class _Labels:
    pattern: re.Pattern[str]
    words: dict[str, str]
    names: frozenset[str]


@lru_cache(maxsize=512)
def _labels(code: str, labels: tuple[str, ...]) -> _Labels:
    words: dict[str, str] = {}
    names: set[str] = set()
    for label in labels:
        for table in (language("en"), language(code)):
            spellings = [folded(word) for word in table.words.get(folded(label), ())]
            names.update(spellings[:1])
            for word in spellings:
                words.setdefault(word, label)
    for label in labels:
        words[folded(label)] = label
        names.add(folded(label))
    # Phrases that only look like a label shadow it: "no idea", "not sure".
    shadows = [
        p
        for p, cats in lexicon(code, ()).phrases.items()
        if cats & {"unknown", "none", "refusal", "not", "wrong"} and p not in words
    ]
    pattern = re.compile(f"(?P<word>{trie([*words, *shadows])})|(?:[{UNSPACED}]|\\w+|[^\\w])")
    return _Labels(pattern, words, frozenset(names))


def read_label(
    reply: str | None,
    *,
    labels: Sequence[str],
    lang: str,
    finish_reason: str | None = None,
) -> Reading:
    """Read which of `labels` a reply gives; the value is the label as given in `labels`.

    `yes`, `no`, `neutral`, `agree` and `disagree` are also read in the words of `lang` (and of
    English). Raises `ValueError` for a language without a table.
    """
    code = language_code(lang)
    known = _labels(code, tuple(labels))
    if finish_reason == "content_filter":
        return Reading("filtered", rule="content_filter")
    cut = finish_reason == "length"
    if reply is None or not reply.strip():
        return Reading("truncated" if cut else "empty", rule="no_text")
    body, unfinished = without_reasoning(reply)
    text = plain(body)
    if not text:
        if unfinished and not cut and finish_reason is not None:
            return Reading("unparsed", rule="open_reasoning")
        return Reading("truncated" if cut or unfinished else "empty", rule="no_text")
    low = text.lower()
    found = [m for m in known.pattern.finditer(low) if m["word"]]
    spots = [
        (m.start(), m.end(), known.words[m["word"]], m["word"])
        for n, m in enumerate(found)
        if m["word"] in known.words and not _denied(low, found, n, known)
    ]
    tokens = lexicon(code, ()).tokens(text)
    cues = [t for t in tokens if t.text == BOX_OPEN or t.cats & {"answer", "choose"}]
    for cue in reversed(cues[-_CUES:]):
        start = cue.end
        for token in tokens:
            if token.start >= cue.end:
                if token.kind in {"mark", "line"} or (
                    token.cats
                    and token.cats <= {"link", "option"}
                    and token.text not in known.words
                ):
                    start = token.end
                    continue
                break
        named = [label for a, _, label, _ in spots if cue.end <= a <= start + 1]
        if named and not any(b > cue.start > a for a, b, _, _ in spots):
            return Reading("answered", named[0], "boxed" if cue.text == BOX_OPEN else "announced")
    opening = len(low) - len(low.lstrip(" \n\"'([{#->:.,"))
    if spots and spots[0][0] <= opening:
        first_line = low.split("\n", 1)[0]
        rivals = {label for a, _, label, _ in spots if a < len(first_line)}
        joined = re.match(r"\s?(?:/|or\b|and\b)", low[spots[0][1] :])
        if not (joined and len(rivals) > 1):
            return Reading("answered", spots[0][2], "opening")
    for cat in ("unknown", "none", "refusal"):
        if any(cat in token.cats for token in tokens) and not (cut and cat != "refusal"):
            return Reading("refused" if cat == "refusal" else "abstained", None, cat)
    if cut:
        return Reading("truncated", None, "cut_off")
    mentioned = [
        label
        for _, _, label, word in spots
        if word in known.names and not (len(word) == 1 and _UNSPACED.match(word))
    ]
    named = list(dict.fromkeys(mentioned))
    if len(named) == 1:
        return Reading("answered", named[0], "mention")
    if named:
        return Reading("ambiguous", None, "mention", "names " + ", ".join(named))
    return Reading("unparsed", None, "no_rule")


def _denied(low: str, found: Sequence[re.Match[str]], n: int, known: _Labels) -> bool:
    before = found[n - 1] if n else None
    return (
        before is not None
        and before["word"] not in known.words
        and not low[before.end() : found[n].start()].strip(" \"'(")
    )
