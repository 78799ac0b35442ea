"""What a guesser who never reads for meaning would have scored on the same items."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from culturegate.bank import MythItem
from culturegate.bank.baselines import ShortcutBaselines, shortcut_baselines
from culturegate.tracks.base import Record


@dataclass(frozen=True, slots=True)
class Shortcut:
    """The shortcuts over the items of one kind that a run asked in one language."""

    kind: str
    lang: str
    model: float
    """Share of single trials of these cases that are right, errors apart, 0 to 1: a guesser is a
    single trial too, and the majority of several would move chance."""
    baselines: ShortcutBaselines


def shortcuts(items: Iterable[MythItem], records: Iterable[Record]) -> list[Shortcut]:
    """Return the shortcuts beside the model, for each kind and language that has an outcome."""
    by_id = {item.id: item for item in items}
    judged: dict[tuple[str, str], list[tuple[MythItem, list[bool]]]] = {}
    for record in records:
        facts = record.facts
        right = [trial.correct for trial in record.trials if trial.correct is not None]
        if right and facts.track == "myth" and facts.item in by_id:
            judged.setdefault((facts.kind, facts.lang), []).append((by_id[facts.item], right))
    found = []
    for (kind, lang), cases in sorted(judged.items(), key=lambda pair: (pair[0][1], pair[0][0])):
        baselines = shortcut_baselines([item for item, _ in cases], lang)
        if baselines is not None:
            trials = [one for _, right in cases for one in right]
            found.append(Shortcut(kind, lang, sum(trials) / len(trials), baselines))
    return found


def shortcut_texts(found: Shortcut) -> list[str]:
    """Return the cells of a row: items, then the model, the shortcuts and chance in percent."""
    base = found.baselines
    shares = (found.model, base.longest, base.shared, base.letter_rotated, base.chance)
    return [str(base.n), *(f"{share:.0%}" for share in shares)]
