"""A made-up run, as a session would hand it over; for the reports' tests only."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from culturegate.gate.verdict import GateResult, Verdict
from culturegate.metrics import Estimate, summarise
from culturegate.models.base import Reply
from culturegate.reports.run import Run
from culturegate.reports.shown import shown
from culturegate.tracks.base import CaseFacts, Record, Trial

CULTURES = ("chinese", "egyptian", "greek", "indian", "japanese", "norse")
OPTIONS = {
    "en": {
        "a": "It hands a rival a tool, knowing what the giver will pay for it",
        "b": "It repeats a task that is undone each night",
        "c": "It flies too close to a limit out of joy",
        "d": "It wins by hiding soldiers in a present",
    },
    "zh": {
        "a": "明知自己要付出代价，仍把工具交给别人",
        "b": "反复做一件每晚都会被拆毁的事",
        "c": "因为得意忘形而逼近极限",
        "d": "把士兵藏在礼物里取胜",
    },
}
QUESTIONS = {
    "en": "An engineer publishes the firm's closed design so that small workshops can build it, "
    "and resigns before she can be dismissed. Which pattern does the scene follow?",
    "zh": "一位工程师公开了公司保密的设计，好让小作坊也能制造，"
    "并在被解雇之前辞职。这一幕遵循哪种模式？",
}
SKILL = {"recall": (11, 10, 12, 9, 10, 8), "decode": (10, 6, 9, 6, 7, 3)}
"""Of twelve cases of a culture and kind, how many pass."""


def record(
    number: int, culture: str, kind: str, lang: str, passed: bool | None, status: str = "answered"
) -> Record:
    case = f"{culture}-tale{number}-{kind[0]}1-{lang}"
    cluster = f"{culture}-tale{number}"
    facts = CaseFacts(
        case, "myth", kind, case[:-3], cluster, culture, lang, difficulty=1, chance=0.25
    )
    if passed is None:
        trial = Trial("t1", 0, "error", reason="timeout", detail="no reply within 120 s")
        return Record(facts, (trial,), None, error="timeout: no reply within 120 s")
    value = ("a" if passed else "b") if status == "answered" else None
    trial = Trial("t1", 0, status, value, passed, "letter", option_order="abcd", reply_key=case)
    return Record(facts, (trial,), passed, value)


def records(skill: dict[str, Sequence[int]] = SKILL) -> list[Record]:
    """Return 144 records: six cultures, two kinds, six episodes, English and Chinese."""
    made = []
    for kind, counts in skill.items():
        for culture, right in zip(CULTURES, counts, strict=True):
            for number in range(12):
                status = "unparsed" if number == 11 and right < 8 else "answered"
                lang = "en" if number % 2 == 0 else "zh"
                made.append(record(number // 2, culture, kind, lang, number < right, status))
    return made


def as_shown(one: Record, text: str | None = None) -> dict[str, Any]:
    """Return what the report shows of a record, as if the model had replied `text`."""
    lang = one.facts.lang
    replies = [
        Reply(text if text is not None else f"Answer: {trial.value or '?'}", key=trial.reply_key)
        for trial in one.trials
        if trial.reply_key
    ]
    return shown(one, QUESTIONS[lang], OPTIONS[lang]["a"], replies, OPTIONS[lang])


def gate(numbers: dict[str, Any]) -> GateResult:
    """Return a breached gate over a summary."""
    by_where = {
        (each["metric"], tuple(sorted(each["where"].items()))): Estimate(
            **{**each, "where": tuple(sorted(each["where"].items()))}
        )
        for each in numbers["estimates"]
    }
    recall = by_where["accuracy", (("kind", "recall"),)]
    decode = by_where["accuracy", (("kind", "decode"),)]
    gap = by_where["gap", ()]
    norse = by_where["gap", (("culture", "norse"),)]
    verdicts = (
        Verdict("recall", "accuracy", (("kind", "recall"),), "≥ 0.6", "point", "met",
                "0.833 is at or above 0.6.", recall),
        Verdict("decode", "accuracy", (("kind", "decode"),), "≥ 0.55", "point", "met",
                "0.569 is at or above 0.55.", decode),
        Verdict("decoding gap", "gap", (), "≤ 0.15", "point", "breached",
                "0.264 is above 0.15.", gap),
        Verdict("no culture lost", "gap", (("culture", "norse"),), "≤ 0.15", "breach_certain",
                "met", "the interval reaches down to 0.034, so a breach is not certain.", norse),
        Verdict("localized retention", "retention", (("arm", "localized"),), "≥ 0.8", "point",
                "skipped", "0 of 300 cases ran: the session left the mirror track out."),
        Verdict("stereotypes", "stereotype_rate", (), "≤ 0.02", "point", "unverified",
                "no pair of scenes was answered on both sides.", None, False, True),
    )  # fmt: skip
    sentence = "Gate release: breached (1 of 6 lines; 1 unverified, 1 skipped)"
    return GateResult("release", verdicts, 10, sentence)


def info() -> dict[str, Any]:
    """Return a run.json."""
    return {
        "experiment": "nightly",
        "model": "qwen3-8b-2025-04-28",
        "model_returned": "qwen3-8b-2025-04-28",
        "fingerprint": "fp_1f2e3d",
        "framework": "vllm 0.9.1",
        "base_url": "http://localhost:8000/v1",
        "protocol": "standard",
        "temperature": 0.0,
        "top_p": 1.0,
        "max_tokens": 32,
        "rounds": 1,
        "samples": 1,
        "langs": ["en", "zh"],
        "templates": {"en": ["myth-1@3f9a"], "zh": ["myth-1@77c2"]},
        "prompt_hash": "5b0e8f3a" * 8,
        "bank_hash": "91cd22f0" * 8,
        "thresholds_hash": "c0ffee12" * 8,
        "bank_seed": 0,
        "started": "2025-01-31T12:00:00+00:00",
        "seconds": 93.4,
        "git_commit": "4b74289c" * 5,
        "git_dirty": False,
        "python": "3.11.7",
        "platform": "Linux x86_64",
        "packages": {"culturegate": "0.1.0", "pytest": "9.2.0", "scipy": "1.16.0"},
    }


def run(directory: Path, found: Sequence[Record] | None = None, **changes: Any) -> Run:
    """Return a run over `found` (all records where None), with `changes` to its fields."""
    found = records() if found is None else found
    numbers = summarise(found)
    whole: dict[str, Any] = {
        "directory": directory,
        "info": info(),
        "records": found,
        "metrics": numbers,
        "gate": None,
        "efficiency": [{"case": one.facts.case, "latency": 0.4} for one in found],
        "items": 72,
        "signed_items": 0,
        "selected": len(found),
        "rerun_command": "python -m pytest --lf --endpoint http://localhost:8000/v1",
    }
    return Run(**(whole | changes))
