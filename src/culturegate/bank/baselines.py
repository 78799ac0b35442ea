"""What a guesser who never reads for meaning would score: three shortcuts and their chance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from culturegate.bank.items import MythItem
from culturegate.bank.wording import content_words


@dataclass(frozen=True, slots=True)
class ShortcutBaselines:
    """Expected accuracy (0 to 1) of each shortcut over some items in one language.

    Where a shortcut ties, it guesses among the tied options.
    """

    n: int
    chance: float
    """Accuracy of guessing uniformly."""
    longest: float
    """Always the longest option, in characters."""
    shared: float
    """Always the option with most content words of the question."""
    letter: float
    """Always the best single letter, in the authors' order."""
    letter_rotated: float
    """Always the best single letter, as a run shows the options: rotated so that the key's place
    goes round evenly within culture, kind and number of options."""


def shortcut_baselines(items: Iterable[MythItem], lang: str) -> ShortcutBaselines | None:
    """Return what the shortcuts score over the items written in `lang`; None where there are
    none."""
    asked = [item for item in items if lang in item.question]
    if not asked:
        return None
    n = len(asked)
    letters = Counter(list(item.options).index(item.answer) for item in asked)
    return ShortcutBaselines(
        n=n,
        chance=sum(1 / len(item.options) for item in asked) / n,
        longest=sum(longest_credit(item, lang) for item in asked) / n,
        shared=sum(shared_credit(item, lang) for item in asked) / n,
        letter=max(letters.values()) / n,
        letter_rotated=_rotated(asked) / n,
    )


def longest_credit(item: MythItem, lang: str) -> float:
    """Return the chance that picking the longest option of an item picks its key."""
    sizes = {label: len(option.text[lang]) for label, option in item.options.items()}
    return _credit(sizes, item.answer)


def shared_credit(item: MythItem, lang: str) -> float:
    """Return the chance that picking the option closest to the question's words picks the key."""
    question = content_words(item.question[lang], lang)
    shared = {
        label: len(question & content_words(option.text[lang], lang))
        for label, option in item.options.items()
    }
    return _credit(shared, item.answer)


def _credit(sizes: dict[str, int], key: str) -> float:
    most = max(sizes.values())
    tied = [label for label, size in sizes.items() if size == most]
    return 1 / len(tied) if key in tied else 0.0


def _rotated(items: Sequence[MythItem]) -> int:
    """Count the keys at the place that has most of them, when places go round."""
    groups = Counter((item.culture, item.kind, len(item.options)) for item in items)
    places: Counter[int] = Counter()
    for (_, _, options), count in groups.items():
        for place in range(options):
            places[place] += (count + options - 1 - place) // options
    return max(places.values())
