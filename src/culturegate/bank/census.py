"""Counts: how large a bank is, how its kinds and forms are balanced, what each file carries."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from culturegate.bank.bank import Bank
from culturegate.bank.findings import Finding, LintLimits, at_group
from culturegate.bank.items import MythItem
from culturegate.bank.layout import FORMS
from culturegate.errors import Problem


def miscounted(bank: Bank, limits: LintLimits) -> Iterator[Finding]:
    """Name what is too few, too many or uneven, and files without their canary."""
    if limits.record:
        yield from _canaries(bank)
    cultures: defaultdict[str, list[MythItem]] = defaultdict(list)
    for item in bank.myth:
        cultures[item.culture].append(item)
    where = bank.files[0].parent if bank.files else None
    if where is not None and limits.cultures is not None and len(cultures) < limits.cultures:
        message = f"{len(cultures)} cultures; at least {limits.cultures}"
        yield Finding("count", Problem(where, message))
    for culture, members in sorted(cultures.items()):
        yield from _culture(culture, members, limits)
    if where is not None and limits.variants is not None and bank.myth:
        variants = sum(item.variant_of is not None for item in bank.myth)
        originals = len(bank.myth) - variants
        if variants < limits.variants * originals - 1e-9:
            message = f"{variants} variants of {originals} items; at least {limits.variants:.0%}"
            yield Finding("variant", Problem(where, message))


def _canaries(bank: Bank) -> Iterator[Finding]:
    marks = Counter(mark for mark in bank.canaries.values() if mark)
    usual = marks.most_common(1)[0][0] if marks else None
    for file, mark in bank.canaries.items():
        if mark is None:
            yield Finding("canary", Problem(file, "no canary"))
        elif mark != usual:
            yield Finding("canary", Problem(file, "its canary is not the one of the other files"))


def _culture(culture: str, members: list[MythItem], limits: LintLimits) -> Iterator[Finding]:
    kinds = Counter(item.kind for item in members)
    recall, decode = kinds["recall"], kinds["decode"]
    if limits.items_per_kind is not None:
        for kind, count in (("recall", recall), ("decode", decode)):
            if count < limits.items_per_kind:
                message = f"{count} {kind} items; at least {limits.items_per_kind}"
                yield at_group("count", members, culture, message)
    if limits.imbalance is not None and abs(recall - decode) > limits.imbalance * max(
        recall, decode
    ):
        message = f"{recall} recall and {decode} decode items; the kinds stand one to one"
        yield at_group("balance", members, culture, message)
    if limits.episodes is not None:
        yield from _episodes(culture, members, limits.episodes)
    yield from _forms(culture, [item for item in members if item.kind == "decode"], limits)


def _episodes(culture: str, members: Sequence[MythItem], least: int) -> Iterator[Finding]:
    episodes: defaultdict[str, list[MythItem]] = defaultdict(list)
    for item in members:
        episodes[item.cluster].append(item)
    if len(episodes) < least:
        message = f"{len(episodes)} episodes; at least {least}"
        yield at_group("count", list(members), culture, message)
    for episode, items in sorted(episodes.items()):
        kinds = {item.kind for item in items}
        for kind in ("recall", "decode"):
            if kind not in kinds:
                first = items[0]
                message = f"an episode without a {kind} item"
                yield Finding("balance", Problem(first.file, message, first.line, episode))


def _forms(culture: str, decode: list[MythItem], limits: LintLimits) -> Iterator[Finding]:
    if len(decode) < limits.few_n:
        return
    counts = Counter(item.form for item in decode if item.form)
    if limits.forms is not None and len(counts) < limits.forms:
        missing = ", ".join(form for form in FORMS if form not in counts)
        message = f"{len(counts)} decode forms; at least {limits.forms}, there are also {missing}"
        yield at_group("form", decode, culture, message)
    if limits.form_share is not None and counts:
        form, count = max(counts.items(), key=lambda pair: (pair[1], pair[0]))
        if count > limits.form_share * len(decode):
            message = (
                f"{count} of {len(decode)} decode items are {form}, limit {limits.form_share:.0%}"
            )
            yield at_group("form", decode, culture, message)
