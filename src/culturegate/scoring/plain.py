"""A reply as plain text: one form of each character, no wrappers, bounded.

For comparing only; what is stored stays as the model wrote it.
"""

from __future__ import annotations

import html
import re
import unicodedata
from functools import lru_cache

HEAD = TAIL = 4_000
"""Characters that are read at either end of a long reply."""

BOX_OPEN, BOX_CLOSE = "⟦", "⟧"
"""What a boxed answer (LaTeX, an answer tag) becomes."""

# Characters that show nothing or only steer the layout. Joiners matter in print and are ignored for
# comparing. Tatweel stretches an Arabic word; the harakat are seldom written.
_INVISIBLE = dict.fromkeys(
    [
        0xAD, 0x34F, 0x61C, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x3164, 0xFFA0, 0xFEFF, 0x640,
        *range(0x180B, 0x180F), *range(0x200B, 0x2010), *range(0x202A, 0x202F),
        *range(0x2060, 0x2070), *range(0xFE00, 0xFE10), *range(0xFFF9, 0xFFFC),
        *range(0xE0000, 0xE0200), *range(0x64B, 0x653), 0x670,
        *range(0xD800, 0xE000),
    ],
    None,
)  # fmt: skip
_SAME: dict[int, str | None] = {
    **_INVISIBLE,
    **{ord(c): "'" for c in "’‘ʼʹ′`´＇"},
    **{ord(c): '"' for c in "“”„‟″«»‹›「」『』〝〞＂"},
    **{ord(c): "-" for c in "‐‑‒–—―−"},
    **{ord(c): "(" for c in "【〔〖〈《［"},
    **{ord(c): ")" for c in "】〕〗〉》］"},
    **{ord(c): " " for c in "\u00a0\u1680\u3000\u202f\t"},
    **{ord(c): "\n" for c in "\x0b\x0c\x85\u2028\u2029"},
    # Arabic and Persian keyboards give different letters for one sound.
    **dict(zip(map(ord, "يىكةۀ"), "ییکهه", strict=True)),
    **dict(zip(map(ord, "İıſ"), "Iis", strict=True)),
    # Digits of every script that a reply may use, as ASCII.
    **{
        zero + n: str(n)
        for zero in (
            0x660, 0x6F0, 0x966, 0x9E6, 0xA66, 0xAE6, 0xB66, 0xBE6, 0xC66, 0xCE6, 0xD66, 0xE50,
            0xED0, 0x1040, 0x17E0,
        )
        for n in range(10)
    },
    # Squared, negative and regional letters, which NFKC leaves alone.
    **{0x1F150 + n: chr(65 + n) for n in range(26)},
    **{0x1F170 + n: chr(65 + n) for n in range(26)},
    **{0x1F1E6 + n: chr(65 + n) for n in range(26)},
}  # fmt: skip
_WIDE = (*zip("，：；！？（）", ",:;!?()", strict=True), ("\u0e33", "\u0e4d\u0e32"))
_LATEX_TEXT = re.compile(
    r"\\(?:text(?:bf|it|rm|sf|tt|normal)?|math(?:rm|bf|it|sf|tt|bb|cal|normal)|operatorname|mbox|hbox|"
    r"emph|underline|bm|boldsymbol|large|Large|rm|bf)\s{0,2}\*?\s{0,2}\{([^{}]{0,300})\}"
)
_BOXED = re.compile(
    r"\\f?box(?:ed)?\s{0,2}(?:\{\s{0,4}\{?([^{}]{0,300})\}?\s{0,4}\}|([A-Za-z0-9]))"
)
_ANSWER_TAG = re.compile(
    r"<(answer|final_answer|final-answer|finalanswer|final|solution|choice|response|output|result|ans)>"
    r"([^<>]{0,400})</\1>",
    re.IGNORECASE,
)
_HTML_TAG = re.compile(r"</?[A-Za-z][A-Za-z0-9]{0,15}(?:\s[^<>]{0,80})?/?>")
_FENCE = re.compile(r"```[A-Za-z0-9_+-]{0,12}[ ]{0,3}(?=\n|$)|```|~~~[a-z]{0,12}(?=\n|$)")
_STRUCK = re.compile(r"~~[^~\n]{1,200}~~|<(del|s|strike)>[^<>]{0,200}</\1>")
_TICK = re.compile(r"\[[xX✓✔]\]|[☑✅✓✔]")
_TICKED = re.compile(
    r"^[ \t]{0,8}(?:[-*+][ \t]{0,4})?(?:\[[xX✓✔]\]|[☑✅✓✔])\ufe0f?|[☑✅✓✔]\ufe0f?[ \t]{0,8}$"
)
_CROSSED = re.compile(
    r"^[ \t]{0,8}(?:[-*+][ \t]{0,4})?(?:\[[ \t]?\]|[☐❌✗✘])|[☐❌✗✘]\ufe0f?[ \t]{0,8}$"
)
_MATH = re.compile(r"\\[()\[\]]|\$\$?|\\(?:quad|,|;|!|left|right|displaystyle)")
_ACCENTS = re.compile(
    "(?<=[\x00-\x7f\u00aa\u00ba\u00c0-\u02af\u1d00-\u1dbf\u1e00-\u1eff\u2c60-\u2c7f\ua720-\ua7ff])"
    "[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]+"
)
_LATIN = re.compile(
    "[\u00c0-\u024f\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u1e00-\u1eff\u20d0-\u20ff\ufe20-\ufe2f]"
)
"""What a text has that could lose an accent."""
_TO_FOLD = frozenset(map(chr, _SAME))
_SPACES = re.compile(r" {2,}")
_BLANK_LINES = re.compile(r" ?\n[ \n]*")


def bounded(text: str, head: int = HEAD, tail: int = TAIL) -> str:
    """Return the two ends of `text` that are read, parted by an empty line."""
    return text if len(text) <= head + tail else text[:head] + "\n\n" + text[-tail:]


def same_form(text: str) -> str:
    """Return `text` in one Unicode form: NFKC, no invisible marks, plain quotes and dashes."""
    # Marks first: a joiner between a letter and its mark would keep NFKC from composing them, and
    # negative circled letters must become letters before.
    if not _TO_FOLD.isdisjoint(text):
        text = text.translate(_SAME)
    if text.isascii():
        return text
    # All that NFKC would change in most Chinese, Japanese and Thai replies, at a tenth of its cost.
    for wide, narrow in _WIDE:
        if wide in text:
            text = text.replace(wide, narrow)
    if unicodedata.is_normalized("NFKC", text):
        return text
    composed = unicodedata.normalize("NFKC", text)
    return composed if _TO_FOLD.isdisjoint(composed) else composed.translate(_SAME)


@lru_cache(maxsize=2_048)
def folded(text: str) -> str:
    """Return `text` in the form that options and phrases are compared in: lower case, one space."""
    return " ".join(same_form(text).lower().split())


def without_accents(text: str) -> str:
    """Return `text` without the accents of Latin letters; other scripts stay whole."""
    if text.isascii() or not _LATIN.search(text):
        return text
    bare = _ACCENTS.sub("", unicodedata.normalize("NFD", text)).replace("đ", "d")
    return unicodedata.normalize("NFC", bare)


def _ticked(text: str) -> str:
    """Return a list without the lines that are crossed or left open, the one ticked line boxed.

    A list in which no line is crossed or left open, or several are ticked, has no line boxed.
    """
    lines = text.split("\n")
    ticked = [n for n, line in enumerate(lines) if _TICKED.search(line)]
    open_ = {n for n, line in enumerate(lines) if _CROSSED.search(line)}
    if not ticked or not open_:
        return text
    if len(ticked) == 1:
        lines[ticked[0]] = f"{BOX_OPEN}{_TICKED.sub('', lines[ticked[0]]).strip()}{BOX_CLOSE}"
    return "\n".join(line for n, line in enumerate(lines) if n not in open_)


def plain(text: str) -> str:
    """Return a reply's text in one form, its Markdown, LaTeX and HTML wrappers taken off.

    Boxed answers and answer tags are kept apart by `⟦` and `⟧`; struck-out text is dropped. At most
    `HEAD` + `TAIL` characters are read.
    """
    text = bounded(text).replace("\r\n", "\n").replace("\r", "\n")
    if "&" in text:
        text = html.unescape(text)
    if "~~" in text or "<" in text:
        text = _STRUCK.sub(" ", text)
    if "```" in text or "~~~" in text:
        text = _FENCE.sub("", text)
    if _TICK.search(text):
        text = _ticked(text)
    text = same_form(text)
    if "\\" in text:
        for _ in range(4):
            text, changed = _LATEX_TEXT.subn(r"\1", text)
            if not changed:
                break
        text = _BOXED.sub(lambda box: f"{BOX_OPEN}{box[1] or box[2] or ''}{BOX_CLOSE}", text)
        text = _MATH.sub(" ", text)
    if "$" in text:
        text = text.replace("$", " ")
    if "<" in text:
        text = _ANSWER_TAG.sub(rf"{BOX_OPEN}\2{BOX_CLOSE}", text)
        text = _HTML_TAG.sub(" ", text)
    if "*" in text:
        text = text.replace("*", "")
    if "  " in text:
        text = _SPACES.sub(" ", text)
    if "\n" in text:
        text = _BLANK_LINES.sub("\n", text)
    return text.strip()
