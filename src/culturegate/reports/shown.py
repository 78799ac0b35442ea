"""What the report shows of one case: plain JSON data, bounded before it travels on a test report.

`shown` has the keys `case`, `culture`, `kind`, `lang`, `reading`, `expected`, `question`,
`options` (label → text), `replies` (a list of `template`, `sample`, `text`, `status`, `value`,
`correct`, `order`), `outcome` (`right`, `wrong` or `error`) and `error` (why, else None).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from culturegate.models.base import Reply
from culturegate.text import clean, one_line
from culturegate.tracks.base import Record, Trial

QUESTION_COST = 4000
EXPECTED_COST = 800
OPTIONS_COST = 3000
REPLIES_COST = 7000
MOST_REPLIES = 10

_DEAR = frozenset("<>&'\"\n")
"""Written as a character reference whose own `&` is escaped again."""


def shown(
    record: Record,
    question: str,
    expected: str,
    replies: Iterable[Reply] = (),
    options: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Return what the report shows of a case.

    Args:
        record: The case's outcome.
        question: As a reader should see it.
        expected: The right answer as a reader should see it.
        replies: What the model gave back, in any order; found by their key.
        options: The choices by the item's own label, in the language asked.
    """
    choices = options or {}
    texts = {reply.key: reply.text or "" for reply in replies}
    trials = record.trials[:MOST_REPLIES]
    each = REPLIES_COST // max(len(trials), 1)
    facts = record.facts
    return {
        "case": facts.case,
        "culture": facts.culture,
        "kind": facts.kind,
        "lang": facts.lang,
        "reading": reading(record, choices),
        "expected": awaited(expected),
        "question": bounded(question, QUESTION_COST),
        "options": {
            one_line(label, 20): bounded(text, OPTIONS_COST // len(choices))
            for label, text in list(choices.items())[:MOST_REPLIES]
        },
        "replies": [_trial(trial, texts, each) for trial in trials],
        "outcome": {True: "right", False: "wrong", None: "error"}[record.passed],
        "error": None if record.error is None else one_line(record.error, 300),
    }


def reading(record: Record, options: Mapping[str, str]) -> str:
    """Return in one line how a case was read, an answer by its option's text."""
    return one_line(_reading(record, options), 200)


def awaited(expected: str) -> str:
    """Return the right answer, bounded."""
    return bounded(expected, EXPECTED_COST)


def _trial(trial: Trial, texts: Mapping[str, str], cost: int) -> dict[str, Any]:
    text = texts.get(trial.reply_key or "", "") if trial.status != "error" else trial.detail or ""
    return {
        "template": one_line(trial.template, 40),
        "sample": trial.sample,
        "text": bounded(text, cost),
        "status": one_line(_status(trial), 40),
        "value": None if trial.value is None else one_line(trial.value, 200),
        "correct": trial.correct,
        "order": None if trial.option_order is None else one_line(trial.option_order, 20),
    }


def _status(trial: Trial) -> str:
    return trial.reason or trial.status if trial.status == "error" else trial.status


def _reading(record: Record, options: Mapping[str, str]) -> str:
    """Return the answer that most trials gave, by the option's text; else how they were read."""
    if record.modal is not None:
        return options.get(record.modal, record.modal)
    answers = Counter(
        trial.value if trial.status == "answered" and trial.value else _status(trial)
        for trial in record.trials
    )
    if not answers:
        return "not asked"
    if len(answers) == 1:
        return options.get(next(iter(answers)), next(iter(answers)))
    return ", ".join(f"{count} × {answer}" for answer, count in answers.most_common(4))


def bounded(text: str, cost: int) -> str:
    """Return `text` cleaned, with its middle left out where it would take more than `cost` bytes.

    The end is kept as well as the beginning, since an answer that thinks first answers last. A
    character costs what it takes in the report, where it is escaped for HTML, JSON and HTML.
    """
    if len(text) <= cost and _fitting(text, cost) == len(text):
        return clean(text)
    head = _fitting(text, cost * 2 // 5)
    tail = _fitting(text[: -cost - 1 : -1], cost * 3 // 5)
    note = f"[… {len(text) - head - tail} characters left out …]"
    return "\n".join((clean(text[:head]), note, clean(text[len(text) - tail :])))


def _fitting(text: str, cost: int) -> int:
    """Return how many characters from the front of `text` cost at most `cost`."""
    for place, char in enumerate(text):
        cost -= (
            9 if char in _DEAR else 1 if " " <= char <= "~" else 6 if char < "\U00010000" else 12
        )
        if cost < 0:
            return place
    return len(text)
