"""Which language a reply is in: by its script, and for Latin letters by py3langid.

py3langid (BSD-3-Clause, kept since 2021, its model of 4 MB in the wheel, no download) tells 139
languages apart; here it chooses among those that have a reading table. It is imported at first
use. The scripts that one language alone uses need no model.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from typing import Any

from culturegate.scoring.language import language_code, languages
from culturegate.scoring.plain import bounded, plain
from culturegate.scoring.reading import Reading
from culturegate.scoring.reasoning import without_reasoning

_SCRIPTS = {
    "kana": "\u3040-\u30ff",
    "han": "\u3400-\u4dbf\u4e00-\u9fff",
    "hangul": "\uac00-\ud7af\u1100-\u11ff",
    "arabic": "\u0600-\u06ff\u0750-\u077f",
    "devanagari": "\u0900-\u097f",
    "bengali": "\u0980-\u09ff",
    "thai": "\u0e00-\u0e7f",
    "cyrillic": "\u0400-\u04ff",
    "greek": "\u0370-\u03ff",
    "hebrew": "\u0590-\u05ff",
    "latin": "A-Za-z\u00c0-\u024f\u1e00-\u1eff",
}
_COUNT = {name: re.compile(f"[{chars}]") for name, chars in _SCRIPTS.items()}
_OWN = {
    "zh": {"han"},
    "ja": {"kana", "han"},
    "ko": {"hangul", "han"},
    "ar": {"arabic"},
    "fa": {"arabic"},
    "hi": {"devanagari"},
    "bn": {"bengali"},
    "th": {"thai"},
    "ru": {"cyrillic"},
}
_PERSIAN = re.compile("[پچژگ]")
_MIN_LATIN = 25
"""Letters below which a Latin-script reply is too short to tell its language."""
_MIN_MARGIN = 3.0
"""Log-likelihood by which another language must be ahead of the one asked."""


def _shares(text: str) -> tuple[dict[str, int], int]:
    counts = {name: len(pattern.findall(text)) for name, pattern in _COUNT.items()}
    return counts, sum(counts.values())


def script_matches(text: str, lang: str) -> bool | None:
    """Return whether most letters of `text` are of a script that `lang` is written in.

    None where there are fewer than two letters. Latin letters are names and option letters in any
    language: up to half of a text in another script may be Latin.
    """
    code = language_code(lang)
    counts, letters = _shares(text)
    if letters < 2:
        return None
    own = sum(counts[name] for name in _OWN.get(code, {"latin"}))
    if code not in _OWN:
        return own * 2 >= letters
    return own * 2 >= letters and (code != "ja" or counts["kana"] > 0 or letters < 12)


@cache
def _identifier() -> Any:
    from py3langid.langid import (  # type: ignore[import-untyped]
        MODEL_FILE,
        LanguageIdentifier,
    )

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE)
    identifier.set_languages(list(languages()))
    return identifier


def reply_language(text: str) -> str | None:
    """Return the code of the language that a plain text is in; None where too little tells."""
    text = bounded(text, 2000, 500)
    counts, letters = _shares(text)
    if letters < 2:
        return None
    main = max(counts, key=lambda name: counts[name])
    if counts["kana"] and counts["kana"] + counts["han"] > letters / 2:
        return "ja"
    if main == "arabic" and letters >= _MIN_LATIN:
        if not _PERSIAN.search(text):
            return "ar"
        return str(_identifier().classify(text)[0])
    by_script = {"han": "zh", "hangul": "ko", "devanagari": "hi", "bengali": "bn", "thai": "th"}
    if main in by_script:
        return by_script[main]
    if main == "cyrillic":
        return "ru"
    if main != "latin" or letters < _MIN_LATIN:
        return None
    return str(_identifier().classify(text)[0])


def noted_language(reading: Reading, reply: str | None, lang: str) -> Reading:
    """Return `reading` with the reply's language noted where it is not `lang`.

    A reply that is too short to tell, or nearly as likely in `lang`, is left as it is.
    """
    code = language_code(lang)
    text = plain(without_reasoning(reply or "")[0])
    found = reply_language(text)
    if found is None or found == code:
        return reading
    if script_matches(text, code) and found not in _OWN:
        ranks = dict(_identifier().rank(bounded(text, 2000, 500)))
        if ranks[found] - ranks[code] < _MIN_MARGIN:
            return reading
    return replace(reading, language=found)
