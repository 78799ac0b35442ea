"""Whether the framing track's notes and jobs can be trusted."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from culturegate.bank.findings import Finding, LintLimits
from culturegate.bank.framing import FramingBank, FramingJob, FramingSample
from culturegate.bank.wording import folded
from culturegate.errors import Problem

SAMPLES = 100
"""Least number of notes: what the standard protocol asks of a language."""
LANGS = ("en", "zh")
WORDS = (25, 110)
"""Words of an English note."""
TEMPTING = 1 / 6
"""Largest share of notes that hold a character which tempts JSON to break."""
UNSAID = ("price", "weight_grams", "warranty_months")
ONLY_JSON = {"en": "only json", "zh": "只输出 json"}

_TEMPTS = re.compile(r'["{}\\\n]')


def lint_framing(bank: FramingBank, limits: LintLimits) -> Iterator[Finding]:
    """Yield what is wrong with the notes and jobs; a folder of one's own is not held to it."""
    if not bank.files or not limits.record:
        return
    folder = bank.files[0].parent
    for file, canary in bank.canaries.items():
        if canary is None:
            yield Finding("canary", Problem(file, "no canary"))
    if len(bank.samples) < SAMPLES:
        message = f"{len(bank.samples)} samples; at least {SAMPLES}"
        yield Finding("count", Problem(folder, message))
    if {job.difficulty for job in bank.jobs} != {1, 2, 3}:
        yield Finding("count", Problem(folder, "one job at least of each difficulty, 1 to 3"))
    for job in bank.jobs:
        yield from _job(job)
    for sample in bank.samples:
        yield from _sample(sample)
    yield from _together(bank)


def framing_summary(bank: FramingBank) -> Iterator[str]:
    """Yield the line that says what there is."""
    if not bank.files:
        return
    hidden = sum(not sample.public for sample in bank.samples)
    yield (
        f"framing: {len(bank.samples)} samples, {hidden} unpublished, {len(bank.jobs)} jobs, "
        f"languages {', '.join(bank.langs)}"
    )


def _job(job: FramingJob) -> Iterator[Finding]:
    missing = [lang for lang in LANGS if lang not in job.task]
    if missing:
        yield _finding("lang", job, f"no task in {', '.join(missing)}")
    for lang, phrase in ONLY_JSON.items():
        if phrase not in job.task.get(lang, phrase).lower():
            yield _finding("wording", job, f"the task in {lang} does not ask for only JSON")


def _sample(sample: FramingSample) -> Iterator[Finding]:
    missing = [lang for lang in LANGS if lang not in sample.text]
    if missing:
        yield _finding("lang", sample, f"no text in {', '.join(missing)}")
    words = len(sample.text.get("en", "").split())
    if "en" in sample.text and not WORDS[0] <= words <= WORDS[1]:
        yield _finding("length", sample, f"{words} words; {WORDS[0]} to {WORDS[1]} are wanted")
    if not any(getattr(sample.facts, name) is None for name in UNSAID):
        yield _finding("facts", sample, f"states all of {', '.join(UNSAID)}; leave one unsaid")
    price = sample.facts.price
    for lang, text in sample.text.items():
        if price is not None and not _states(text, price):
            yield _finding("facts", sample, f"the price {price:g} does not stand in {lang}")
        product = folded(sample.facts.product.get(lang, ""))
        if product not in folded(text):
            yield _finding("facts", sample, f"the product {product!r} does not stand in {lang}")


def _together(bank: FramingBank) -> Iterator[Finding]:
    if not bank.samples:
        return
    seen: dict[str, FramingSample] = {}
    for sample in bank.samples:
        for text in sample.text.values():
            other = seen.setdefault(folded(text), sample)
            if other is not sample:
                yield _finding("duplicate", sample, f"the same text as {other.id}")
    tempting = sum(any(_TEMPTS.search(text) for text in s.text.values()) for s in bank.samples)
    if tempting > TEMPTING * len(bank.samples):
        message = f"{tempting} of {len(bank.samples)} notes hold quotes, braces or line breaks"
        yield Finding("wording", Problem(bank.files[0].parent, message))
    unsaid = Counter(
        name for s in bank.samples for name in UNSAID if getattr(s.facts, name) is None
    )
    for name in UNSAID:
        if not len(bank.samples) / 5 <= unsaid[name] <= len(bank.samples) * 4 / 5:
            message = f"{name} is unsaid in {unsaid[name]} of {len(bank.samples)} notes"
            yield Finding("balance", Problem(bank.files[0].parent, message))


def _states(text: str, price: float) -> bool:
    numbers = re.findall(r"\d[\d,]{0,12}(?:\.\d{1,4})?", text)
    return any(abs(float(number.replace(",", "")) - price) < 1e-9 for number in numbers)


def _finding(rule: str, one: FramingSample | FramingJob, message: str) -> Finding:
    return Finding(rule, Problem(one.file, message, one.line, one.id))
