"""Fairness of form: no shortcut may solve the items of a culture and kind, in any language."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from culturegate.bank.baselines import (
    ShortcutBaselines,
    longest_credit,
    shared_credit,
    shortcut_baselines,
)
from culturegate.bank.findings import Finding, LintLimits, at_group
from culturegate.bank.items import MythItem
from culturegate.text import one_line

Group = tuple[str, str, str]
"""Culture, kind, language."""


def groups(items: Sequence[MythItem]) -> dict[Group, list[MythItem]]:
    """Return the items of each culture × kind × language, sorted."""
    found: defaultdict[Group, list[MythItem]] = defaultdict(list)
    for item in items:
        for lang in item.langs:
            found[item.culture, item.kind, lang].append(item)
    return dict(
        sorted(found.items(), key=lambda pair: (pair[0][0], pair[0][1] != "recall", pair[0][2]))
    )


def baselines(items: Sequence[MythItem]) -> dict[Group, ShortcutBaselines]:
    """Return the shortcut baselines of each group."""
    return {
        group: found
        for group, members in groups(items).items()
        if (found := shortcut_baselines(members, group[2])) is not None
    }


def unfair(items: Sequence[MythItem], limits: LintLimits) -> Iterator[Finding]:
    """Name the groups that a shortcut solves, and the options that stick out."""
    for (culture, kind, lang), members in groups(items).items():
        name = f"{culture} {kind} {lang}"
        found = shortcut_baselines(members, lang)
        if found is None or found.n < limits.few_n:
            continue
        if _above(found.longest, limits.longest, found, limits):
            worst = _some([item.id for item in members if longest_credit(item, lang) == 1])
            yield at_group(
                "longest",
                members,
                name,
                f"always the longest option is right in {found.longest:.0%} of {found.n} items, "
                f"limit {limits.longest:.0%}; shorten the key or lengthen a distractor in some "
                f"of: {worst}",
            )
        if _above(found.shared, limits.shared, found, limits):
            worst = _some([item.id for item in members if shared_credit(item, lang) == 1])
            yield at_group(
                "shared",
                members,
                name,
                f"the option with most words of the question is right in {found.shared:.0%} of "
                f"{found.n} items, limit {limits.shared:.0%}; reword some of: {worst}",
            )
        uneven = [item for item in members if length_ratio(item, lang) > limits.length_ratio]
        if len(uneven) > (1 - limits.length_share) * found.n + 1e-9:
            ratios = [f"{item.id} ({length_ratio(item, lang):.1f})" for item in uneven]
            yield at_group(
                "length",
                members,
                name,
                f"in {len(uneven)} of {found.n} items the longest option is more than "
                f"{limits.length_ratio} times the shortest, limit "
                f"{1 - limits.length_share:.0%}; even out some of: {_some(ratios)}",
            )
    yield from _skewed(items, limits)


def length_ratio(item: MythItem, lang: str) -> float:
    """Return the longest option's characters over the shortest's."""
    sizes = [len(option.text[lang]) for option in item.options.values()]
    return max(sizes) / min(sizes)


def _above(share: float, limit: float, found: ShortcutBaselines, limits: LintLimits) -> bool:
    """Say whether a share is above its limit, and in a small group beyond chance too."""
    if share <= limit + 1e-9:
        return False
    return found.n >= limits.hard_n or _tail(share * found.n, found.n, found.chance) < limits.alpha


def _tail(hits: float, n: int, chance: float) -> float:
    """Return the chance of at least so many hits (binomial; partial credit rounded down)."""
    from scipy.stats import binom  # half a second that only lint should pay

    return float(binom.sf(int(hits + 1e-9) - 1, n, chance))


def _skewed(items: Sequence[MythItem], limits: LintLimits) -> Iterator[Finding]:
    """Name the culture × kind × number of options whose key stands too often at one letter."""
    found: defaultdict[tuple[str, str, int], list[MythItem]] = defaultdict(list)
    for item in items:
        found[item.culture, item.kind, len(item.options)].append(item)
    for (culture, kind, options), members in sorted(found.items()):
        n = len(members)
        letter, hits = max(
            Counter(item.answer for item in members).items(), key=lambda pair: (pair[1], pair[0])
        )
        p = _tail(hits, n, 1 / options)
        # The letter was picked for having most keys, so each of them had its chance to.
        if n >= limits.few_n and p * options < limits.alpha:
            yield at_group(
                "letter",
                members,
                f"{culture} {kind}",
                f"gold position skewed: the key is {letter.upper()} in {hits} of {n} items "
                f"(binomial p = {p:.2g}); move some keys to other letters",
            )


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - 8} more" if len(names) > 8 else ""
    return one_line(", ".join(names[:8]) + more, 1000)
