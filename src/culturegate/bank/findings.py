"""What lint holds a bank to, and what it says where that is not so."""

from __future__ import annotations

from dataclasses import dataclass

from culturegate.bank.items import MythItem
from culturegate.errors import Problem


@dataclass(frozen=True, slots=True)
class LintLimits:
    """Every threshold of lint; None switches a rule off.

    The defaults are the rules of the project's own bank. `LintLimits.private()` are those of
    anybody's folder of items: fairness and soundness, and nothing about size or how it is kept.
    """

    # The bank as a whole.
    cultures: int | None = 12
    episodes: int | None = 10
    """Per culture; each with at least one recall and one decode item."""
    items_per_kind: int | None = 25
    """Per culture."""
    imbalance: float | None = 0.1
    """Largest difference of recall and decode items, as a share of a culture's larger kind."""
    variants: float | None = 0.1
    """Least share of items that have a variant, over the bank."""
    forms: int | None = 5
    """Least number of decode forms, per culture."""
    form_share: float | None = 0.35
    """Largest share of one form among a culture's decode items."""
    langs: tuple[str, ...] | None = ("en", "zh")
    record: bool = True
    """Whether canary, citation, difficulty, authors, form and distractors' tags must be there."""

    # Fairness of form, over each culture × kind × language.
    longest: float = 0.35
    shared: float = 0.35
    length_ratio: float = 1.6
    length_share: float = 0.8
    """Least share of items whose longest option is at most `length_ratio` times the shortest."""
    alpha: float = 0.05
    """Significance at which a share above its limit, or a key's place, is more than chance."""
    hard_n: int = 20
    """Items from which a share above its limit is a finding whether or not chance explains it."""
    few_n: int = 10
    """Items below which no share is judged."""

    # Soundness of items.
    name_free: float = 0.5
    """Least share of a culture's decode questions without a name from its stories."""
    near_duplicate: float = 0.7
    """Jaccard similarity of character shingles from which two items are near-duplicates."""

    @classmethod
    def private(cls) -> LintLimits:
        """Return the limits for a folder of one's own."""
        return cls(
            cultures=None,
            episodes=None,
            items_per_kind=None,
            imbalance=None,
            variants=None,
            forms=None,
            form_share=None,
            langs=None,
            record=False,
        )


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that lint found, in one place."""

    rule: str
    """The rule's name, as in `length` or `leak`."""
    problem: Problem

    def __str__(self) -> str:
        return f"{self.problem} [{self.rule}]"


def at_item(rule: str, item: MythItem, message: str) -> Finding:
    """Return a finding at an item's place."""
    return Finding(rule, Problem(item.file, message, item.line, item.original_id or item.id))


def at_group(rule: str, items: list[MythItem], name: str, message: str) -> Finding:
    """Return a finding about a group of items, at the file of its first."""
    return Finding(rule, Problem(items[0].file, message, None, name))
