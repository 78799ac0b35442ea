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
    """Share of these cases that the model passed, errors apart, 0 to 1."""
    baselines: ShortcutBaselines


def shortcuts(items: Iterable[MythItem], records: Iterable[Record]) -> list[Shortcut]:
    """Return the shortcuts beside the model, for each kind and language that has an outcome."""
    by_id = {item.id: item for item in items}
    passed: dict[tuple[str, str], list[tuple[MythItem, bool]]] = {}
    for record in records:
        facts = record.facts
        if record.passed is not None and facts.track == "myth" and facts.item in by_id:
            group = passed.setdefault((facts.kind, facts.lang), [])
            group.append((by_id[facts.item], record.passed))
    found = []
    for (kind, lang), cases in sorted(passed.items(), key=lambda pair: (pair[0][1], pair[0][0])):
        baselines = shortcut_baselines([item for item, _ in cases], lang)
        if baselines is not None:
            share = sum(right for _, right in cases) / len(cases)
            found.append(Shortcut(kind, lang, share, baselines))
    return found


def shortcut_texts(found: Shortcut) -> list[str]:
    """Return the cells of a row: items, then the model, the shortcuts and chance in percent."""
    base = found.baselines
    shares = (found.model, base.longest, base.shared, base.letter_rotated, base.chance)
    return [str(base.n), *(f"{share:.0%}" for share in shares)]
