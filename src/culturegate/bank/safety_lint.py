"""Whether safety scenes can be trusted: pairs complete, evidence even, nothing that gives away."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator

from culturegate.bank.findings import Finding, LintLimits
from culturegate.bank.safety import SafetyBank, SafetyScene
from culturegate.bank.wording import bare, folded
from culturegate.errors import Problem
from culturegate.text import one_line

SCENES, PER_CULTURE = 60, 6
LANGS = ("en", "zh")
FIRST = 0.7
"""Share of scenes in which one of the two persons may be the one named first."""
UNKNOWN_SHARE = 0.5
"""Share of scenes that may word "it cannot be told" alike."""
LEAST = 10
"""Scenes from which shares are judged."""


def lint_safety(bank: SafetyBank, limits: LintLimits) -> Iterator[Finding]:
    """Yield everything found in the scenes; counts only where the bank is the project's."""
    if not bank.files:
        return
    for scene in bank.scenes:
        yield from _scene(scene)
    yield from _same(bank)
    yield from _answers(bank)
    yield from _shares(bank)
    if limits.record:
        yield from _record(bank)


def safety_summary(bank: SafetyBank) -> Iterator[str]:
    """Yield one line: how many pairs there are, and of which cultures."""
    if bank.scenes:
        counts = Counter(scene.culture for scene in bank.scenes)
        told = ", ".join(f"{culture} {count}" for culture, count in sorted(counts.items()))
        yield f"safety: {len(bank.scenes)} pairs ({told})"


def _at(rule: str, scene: SafetyScene, message: str) -> Finding:
    return Finding(rule, Problem(scene.file, message, scene.line, scene.id))


def _scene(scene: SafetyScene) -> Iterator[Finding]:
    for lang in scene.langs:
        text = folded(scene.ambiguous[lang])
        for pick in ("stereotyped", "counter"):
            person = folded(scene.options[pick][lang])
            if person not in text:
                name = one_line(scene.options[pick][lang], 60)
                message = f"{lang}: the scene never names {name!r} ({pick})"
                yield _at("person", scene, message)
        if bare(scene.evidence[lang]) in bare(scene.ambiguous[lang]):
            yield _at("evidence", scene, f"{lang}: the evidence already stands in the scene")
        named = [
            pick
            for pick in ("stereotyped", "counter")
            if folded(scene.options[pick][lang]) in folded(scene.evidence[lang])
        ]
        if not named:
            message = f"{lang}: the evidence names neither person, so it cannot settle it"
            yield _at("evidence", scene, message)


def _same(bank: SafetyBank) -> Iterator[Finding]:
    first: dict[str, str] = {}
    for scene in bank.scenes:
        for lang in scene.langs:
            other = first.setdefault(bare(scene.ambiguous[lang]), scene.id)
            if other != scene.id:
                yield _at("same", scene, f"{lang}: the same scene as {other}")


def _answers(bank: SafetyBank) -> Iterator[Finding]:
    cultures: defaultdict[str, list[SafetyScene]] = defaultdict(list)
    for scene in bank.scenes:
        cultures[scene.culture].append(scene)
    for culture, scenes in sorted(cultures.items()):
        counts = Counter(scene.answer for scene in scenes)
        if abs(counts["stereotyped"] - counts["counter"]) > 1:
            message = (
                f"{culture}: the evidence names the stereotyped person {counts['stereotyped']} "
                f"times and the other {counts['counter']}; half and half"
            )
            yield Finding("balance", Problem(scenes[0].file, message, None, culture))


def _shares(bank: SafetyBank) -> Iterator[Finding]:
    if len(bank.scenes) < LEAST:
        return
    file = bank.scenes[0].file
    for lang in sorted({lang for scene in bank.scenes for lang in scene.langs}):
        scenes = [scene for scene in bank.scenes if lang in scene.langs]
        first = sum(_place(scene, "stereotyped", lang) < _place(scene, "counter", lang)
                    for scene in scenes)  # fmt: skip
        share = first / len(scenes)
        if not 1 - FIRST <= share <= FIRST:
            message = f"{lang}: the stereotyped person stands first in {share:.0%} of the scenes"
            yield Finding("order", Problem(file, message, None, "safety"))
        wording, count = Counter(scene.options["unknown"][lang] for scene in scenes).most_common(1)[
            0
        ]
        if count > UNKNOWN_SHARE * len(scenes):
            message = (
                f"{lang}: {count} of {len(scenes)} scenes say {one_line(wording, 60)!r}; vary it"
            )
            yield Finding("unknown", Problem(file, message, None, "safety"))


def _place(scene: SafetyScene, pick: str, lang: str) -> int:
    return folded(scene.ambiguous[lang]).find(folded(scene.options[pick][lang]))


def _record(bank: SafetyBank) -> Iterator[Finding]:
    folder = bank.files[0]
    for file, canary in bank.canaries.items():
        if canary is None:
            yield Finding("canary", Problem(file, "no canary"))
    if len(bank.scenes) < SCENES:
        message = f"{len(bank.scenes)} scenes; at least {SCENES}"
        yield Finding("count", Problem(folder, message, None, "safety"))
    for culture, count in sorted(Counter(scene.culture for scene in bank.scenes).items()):
        if count < PER_CULTURE:
            message = f"{culture}: {count} scenes; at least {PER_CULTURE}"
            yield Finding("count", Problem(folder, message, None, culture))
    for scene in bank.scenes:
        missing = [lang for lang in LANGS if lang not in scene.langs]
        if missing:
            yield _at("language", scene, f"not written in {', '.join(missing)}")
        if scene.difficulty is None:
            yield _at("record", scene, "no difficulty")
        if scene.source is None:
            yield _at("record", scene, "no source")
