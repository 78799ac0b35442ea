"""Which script a text is written in, and which one a language asks for."""

from __future__ import annotations

import unicodedata
from collections import Counter
from functools import lru_cache

# fmt: off
_LATIN = (
    "en", "fr", "de", "es", "pt", "it", "nl", "sv", "da", "no", "nb", "nn", "fi", "is",
    "et", "lv", "lt", "pl", "cs", "sk", "hu", "ro", "tr", "az", "vi", "id", "ms", "tl",
    "sw", "yo", "ha", "ig", "zu", "xh", "mi", "qu", "yua", "nah", "eu", "ca", "ga", "cy",
)
# fmt: on
_BY_LANG: dict[str, frozenset[str]] = {
    **dict.fromkeys(("zh", "lzh", "yue"), frozenset({"CJK"})),
    "ja": frozenset({"CJK", "HIRAGANA", "KATAKANA"}),
    "ko": frozenset({"HANGUL", "CJK"}),
    **dict.fromkeys(("ar", "fa", "ur", "ps", "ckb"), frozenset({"ARABIC"})),
    **dict.fromkeys(("he", "yi"), frozenset({"HEBREW"})),
    **dict.fromkeys(("hi", "mr", "ne", "sa"), frozenset({"DEVANAGARI"})),
    "bn": frozenset({"BENGALI"}),
    "as": frozenset({"BENGALI"}),
    "pa": frozenset({"GURMUKHI"}),
    "gu": frozenset({"GUJARATI"}),
    "ta": frozenset({"TAMIL"}),
    "te": frozenset({"TELUGU"}),
    "kn": frozenset({"KANNADA"}),
    "ml": frozenset({"MALAYALAM"}),
    "si": frozenset({"SINHALA"}),
    "th": frozenset({"THAI"}),
    "lo": frozenset({"LAO"}),
    "km": frozenset({"KHMER"}),
    "my": frozenset({"MYANMAR"}),
    "ka": frozenset({"GEORGIAN"}),
    "hy": frozenset({"ARMENIAN"}),
    "el": frozenset({"GREEK"}),
    **dict.fromkeys(("ru", "uk", "be", "bg", "mk", "kk", "ky", "tg"), frozenset({"CYRILLIC"})),
    "mn": frozenset({"CYRILLIC", "MONGOLIAN"}),
    **dict.fromkeys(("am", "ti"), frozenset({"ETHIOPIC"})),
    **dict.fromkeys(_LATIN, frozenset({"LATIN"})),
}
_GUESSED = 500
"""Characters that a language is guessed from."""
_LANG_OF_SCRIPT = {"CJK": "zh", "HIRAGANA": "ja", "KATAKANA": "ja", "HANGUL": "ko"}


@lru_cache(maxsize=20_000)
def script(char: str) -> str | None:
    """Return the script of a letter as the first word of its Unicode name; None for no letter."""
    if not char.isalpha():
        return None
    name = unicodedata.name(char, "")
    word = name.split(" ", 1)[0] if name else ""
    return "CJK" if word in {"CJK", "IDEOGRAPHIC"} else word or None


def script_counts(text: str) -> Counter[str]:
    """Count the letters of each script."""
    return Counter(found for char in text if (found := script(char)) is not None)


def foreign_script(text: str, lang: str) -> str | None:
    """Return the script that dominates `text` where `lang` is not written in it.

    Latin is at home anywhere (names, units), unless the text holds no letter of its own script
    and more than a few Latin ones. Unknown languages are never judged.
    """
    wanted = _BY_LANG.get(lang.split("-")[0])
    counts = script_counts(text)
    if wanted is None or not counts:
        return None
    own = sum(counts[name] for name in wanted)
    foreign, most = max(counts.items(), key=lambda pair: (pair[0] not in wanted, pair[1], pair[0]))
    if foreign in wanted:
        return None
    if foreign == "LATIN":
        return "LATIN" if own == 0 and most > 20 else None
    return foreign if most > own else None


def guess_lang(text: str) -> str:
    """Return `zh`, `ja` or `ko` for a text that is mostly in their scripts, else `en`."""
    counts = script_counts(text[:_GUESSED])
    if not counts:
        return "en"
    kana = counts["HIRAGANA"] + counts["KATAKANA"]
    if kana and kana + counts["CJK"] > counts["LATIN"]:
        return "ja"
    return _LANG_OF_SCRIPT.get(max(counts, key=lambda name: (counts[name], name)), "en")
