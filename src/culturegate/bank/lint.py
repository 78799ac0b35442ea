"""`culturegate lint`: whether a bank can be trusted, and the table that shows why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from culturegate.bank.bank import Bank
from culturegate.bank.census import miscounted
from culturegate.bank.duplicates import duplicates
from culturegate.bank.fairness import baselines, groups, length_ratio, unfair
from culturegate.bank.findings import Finding, LintLimits
from culturegate.bank.framing_lint import framing_summary, lint_framing
from culturegate.bank.mirror_lint import lint_mirror, mirror_summary
from culturegate.bank.persona_lint import lint_persona, persona_summary
from culturegate.bank.safety_lint import lint_safety, safety_summary
from culturegate.bank.soundness import unsound


def lint(bank: Bank, limits: LintLimits) -> list[Finding]:
    """Return everything found, by file, line and rule; the whole bank's own findings first."""
    found = [
        *miscounted(bank, limits),
        *unfair(bank.myth, limits),
        *unsound(bank.myth, limits),
        *duplicates(bank.myth, limits),
        *lint_framing(bank.framing, limits),
        *lint_mirror(bank.mirror, limits),
        *lint_persona(bank.persona, limits),
        *lint_safety(bank.safety, limits),
    ]
    return sorted(
        found,
        key=lambda finding: (
            str(finding.problem.file),
            finding.problem.line or 0,
            finding.problem.item or "",
            finding.rule,
        ),
    )


def summary(bank: Bank, limits: LintLimits) -> Iterator[str]:
    """Yield the lines of the table: counts and shortcut baselines of each group."""
    cultures = {item.culture for item in bank.myth}
    yield (
        f"{len(bank.myth)} items, {len(cultures)} cultures, {len(bank.files)} files, "
        f"{bank.signed} signed by a person"
    )
    if bank.myth:
        yield from _myth_table(bank, limits)
    yield from framing_summary(bank.framing)
    yield from mirror_summary(bank.mirror)
    yield from persona_summary(bank.persona)
    yield from safety_summary(bank.safety)


def _myth_table(bank: Bank, limits: LintLimits) -> Iterator[str]:
    width = max(len(item.culture) for item in bank.myth)
    yield (
        f"{'culture':{max(width, 7)}} kind   lang  items episodes signed "
        "longest shared letter rotated chance even"
    )
    measured = baselines(bank.myth)
    for (culture, kind, lang), members in groups(bank.myth).items():
        found = measured[culture, kind, lang]
        even = sum(length_ratio(item, lang) <= limits.length_ratio for item in members)
        episodes = len({item.cluster for item in members})
        signed = sum(bool(item.reviews) for item in members)
        yield (
            f"{culture:{max(width, 7)}} {kind:6} {lang:5} {found.n:5d} {episodes:8d} {signed:6d} "
            f"{found.longest:7.0%} {found.shared:6.0%} {found.letter:6.0%} "
            f"{found.letter_rotated:7.0%} {found.chance:6.0%} {even / found.n:4.0%}"
        )
    yield (
        "longest, shared, letter, rotated: what always picking the longest option, the one with "
        "most words of the question, or one letter (as written, as shown) would score; "
        f"even: items whose options differ in length by at most {limits.length_ratio} times"
    )


def rule_counts(findings: list[Finding]) -> str:
    """Return how many findings each rule has, most first, in one line."""
    counts = Counter(finding.rule for finding in findings)
    return ", ".join(f"{rule} {count}" for rule, count in counts.most_common())
