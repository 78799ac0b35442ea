"""Words that would tell a persona's culture, found in a text whatever their form."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from culturegate.bank.scripts import script_counts
from culturegate.bank.wording import folded

_ENDINGS = " s es n an ans ian ians i is ese ic ish ism ist ists"
ENDINGS = frozenset(_ENDINGS.split(" "))
"""What a word may be followed by and still be found: `Nepal` is in `Nepalese`."""
_WORD = re.compile(r"[^\W_]+")
_LEAST_STRIPPED = 4
"""Letters from which a word is also looked for without its accents; `mẹ` is not in `me`."""


class Reveals:
    """A list of telling words, ready to be looked for.

    A word of Latin letters is found whole, in any case, with or without accents, with an ending
    such as `-ese`; several words in a row, whatever stands between them; a word of any other script
    wherever its letters stand.
    """

    def __init__(self, words: Iterable[str]) -> None:
        self._phrases: dict[tuple[str, ...], str] = {}
        self._letters: dict[str, str] = {}
        for word in words:
            name = _folded(word)
            counts = script_counts(name)
            if counts and counts["LATIN"] * 2 < counts.total():
                self._letters[name] = word
                continue
            self._phrases[tuple(_WORD.findall(name))] = word
            stripped = tuple(_WORD.findall(_stripped(name)))
            if sum(map(len, stripped)) >= _LEAST_STRIPPED:
                self._phrases.setdefault(stripped, word)
        self._phrases.pop((), None)

    def find(self, text: str) -> list[str]:
        """Return the telling words that a text holds, as the list has them, in its order."""
        name = _folded(text)
        found = {word for letters, word in self._letters.items() if letters in name}
        for words in {tuple(_WORD.findall(name)), tuple(_WORD.findall(_stripped(name)))}:
            for phrase, word in self._phrases.items():
                size = len(phrase)
                if any(
                    words[at : at + size - 1] == phrase[:-1] and _same(words[at + size - 1], phrase)
                    for at in range(len(words) - size + 1)
                ):
                    found.add(word)
        order = [*self._letters.values(), *self._phrases.values()]
        return sorted(found, key=order.index)


def _same(word: str, phrase: tuple[str, ...]) -> bool:
    """Return whether a word of the text is the phrase's last, with an ending or without."""
    last = phrase[-1]
    ending = word[len(last) :]
    # A short word with an ending is often another word: `tet` and `tetanic`.
    return word.startswith(last) and (
        ending in ("", "s", "es") or (len(last) > 4 and ending in ENDINGS)
    )


def _folded(text: str) -> str:
    return folded(unicodedata.normalize("NFKC", text))


def _stripped(text: str) -> str:
    apart = unicodedata.normalize("NFD", text.replace("đ", "d"))
    return "".join(char for char in apart if not unicodedata.combining(char))
