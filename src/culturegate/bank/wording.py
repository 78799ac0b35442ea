"""Texts as they are compared: what a reader would take for the same, and the words that say it."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Any

import snowballstemmer  # type: ignore[import-untyped]

from culturegate.bank.scripts import script

# Words that carry a sentence and not its matter, with the nouns that any exam question uses.
_STOP_WORDS = """
a about above across after again against all almost along already also although always am among
an and another any anybody anyone anything are around as at away back be became because become
been before behind being below beneath between beyond both but by came can cannot come could did
do does doing done down during each either else enough even ever every everybody everyone
everything few first for from get gets give given gives goes going gone got had has have having
he her here hers herself him himself his how however i if in instead into is it its itself just
keep kept last least less let like made make makes making many may me might mine more most much
must my myself neither never no nobody none nor not nothing now of off often on once one ones
only onto or other others otherwise our ours out over own perhaps put puts quite rather same
second seem seems several shall she should since so some somebody someone something still such
take taken takes taking than that the their theirs them themselves then there these they this
those though three through thus till to together too took toward towards two under until up upon
us very was way we well went were what whatever when where whether which while who whole whom
whose why will with within without would yet you your yours
answer best called case choose closest describe describes episode example explain explains
fit fits happen happens happened kind legend mean means meaning myth mythology option pattern
people person point question remark role say says scene sentence show shows situation statement
story tale thing things time version word words
aren couldn didn doesn don hadn hasn haven isn ll re shouldn ve wasn weren won wouldn
"""
_STOP = frozenset(_STOP_WORDS.split())
# Characters that bind a Chinese sentence; a pair with one of them is no content word.
_FUNCTION = frozenset(
    "的了是在和与有不一个这那他她它们我你您也都就还把被对从到给为以而或但于之其所者吗呢吧啊着过得地会能可"
    "要将让使向由因却又再才只很更最太没无非若如果则即且并及等每各某另哪谁何什么怎样么两三几自己"
    "来去上下里中外前后时"
)
# Measure words and light verbs bind what follows them, and end words of their own (火种, 条件).
_BINDING = frozenset("种位次件条做想")
_GENERIC_WORDS = """
故事 神话 情景 场景 情节 传说 人物 问题 选项 说法 事情 东西 结果 已经 必须 应该 开始 知道 认为 觉得
情况 正是 就像 仿佛 现在 今天 别人 大家 人人 所有 全部 一切 虽然 但是 为了 通过 根据 关于 其他 其实
以及 属于 符合 体现 比喻 意思 意味 味着 典故
"""
_GENERIC_PAIRS = frozenset(_GENERIC_WORDS.split())
_WORD = re.compile(r"[^\W_]+")
_APOSTROPHE = re.compile(r"[’ʼ']")
_STEMMED = {
    "ar": "arabic", "da": "danish", "de": "german", "el": "greek", "en": "english",
    "es": "spanish", "fi": "finnish", "fr": "french", "hi": "hindi", "hu": "hungarian",
    "id": "indonesian", "it": "italian", "nl": "dutch", "no": "norwegian", "pt": "portuguese",
    "ro": "romanian", "ru": "russian", "sv": "swedish", "ta": "tamil", "tr": "turkish",
}  # fmt: skip
_UNSPACED = frozenset({"CJK", "HIRAGANA", "KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR"})


def folded(text: str) -> str:
    """Return `text` composed, case-folded, with white space as single spaces, marks unseen gone."""
    composed = " ".join(unicodedata.normalize("NFC", text).casefold().split())
    if composed.isprintable():  # so nothing is hidden in it: the common case, and a fast check
        return unicodedata.normalize("NFC", composed)
    seen = "".join(char for char in composed if unicodedata.category(char) != "Cf")
    return unicodedata.normalize("NFC", " ".join(seen.split()))


def bare(text: str) -> str:
    """Return `text` folded for telling duplicates: compatible forms (NFKC), letters and digits."""
    return " ".join(_WORD.findall(folded(unicodedata.normalize("NFKC", text))))


def content_words(text: str, lang: str) -> frozenset[str]:
    """Return what a text speaks of: stems without stop words, pairs of characters where a script
    writes no spaces.

    A pair may be no word; one with a function character or of exam language is left out.
    """
    found: set[str] = set()
    for word in _WORD.findall(_APOSTROPHE.sub(" ", folded(text))):
        if word.isascii():
            if len(word) > 1 and word not in _STOP:
                found.add(word if word.isdigit() else _stem(word, lang))
        elif script(word[0]) in _UNSPACED or script(word[-1]) in _UNSPACED:
            found |= _pairs(word)
        else:
            found.add(_stem(word, lang))
    return frozenset(found)


def _pairs(run: str) -> set[str]:
    if len(run) == 1:
        return set() if run in _FUNCTION else {run}
    pairs = {run[at : at + 2] for at in range(len(run) - 1)}
    return {
        pair
        for pair in pairs - _GENERIC_PAIRS
        if not _FUNCTION & set(pair) and pair[0] not in _BINDING
    }


@lru_cache(maxsize=50_000)
def _stem(word: str, lang: str) -> str:
    stemmer = _stemmer(_STEMMED.get(lang.split("-")[0], "english"))
    return str(stemmer.stemWord(word))


@lru_cache
def _stemmer(algorithm: str) -> Any:
    return snowballstemmer.stemmer(algorithm)
