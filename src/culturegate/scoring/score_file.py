"""Scoring replies that another tool recorded: lines of JSON to readings and a summary."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, get_args

from culturegate.errors import InputError, Problem
from culturegate.scoring.choice import read_choice
from culturegate.scoring.json_object import read_json_object
from culturegate.scoring.label import read_label
from culturegate.scoring.language import language, language_code
from culturegate.scoring.number import holds_number, number_equal, read_number
from culturegate.scoring.plain import folded
from culturegate.scoring.reading import Reading
from culturegate.scoring.recorded import gold_labels, reply_text, shown_options
from culturegate.scoring.script import noted_language
from culturegate.text import clean, one_line

ScoreTrack = Literal["choice", "number", "json", "label"]
TRACKS: tuple[str, ...] = get_args(ScoreTrack)
CONFIDENCE = 0.95
_JUDGEMENTS = ("yes", "no", "neutral", "agree", "disagree")


@dataclass(frozen=True, slots=True)
class ScoredLine:
    """One recorded reply as read and judged."""

    id: str
    reading: Reading
    correct: bool | None
    """None where the line has no gold."""
    lang: str
    lang_assumed: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Return one line of the readings file, plain JSON data."""
        reading = self.reading
        more = {
            "detail": reading.detail,
            "confidence": reading.confidence,
            "language": reading.language,
        }
        return {
            "id": self.id,
            "status": reading.status,
            "value": reading.value,
            "correct": self.correct,
            "rule": reading.rule,
        } | {key: value for key, value in more.items() if value is not None}


@dataclass(frozen=True, slots=True)
class ScoreResult:
    """Every line's reading, their summary, and the lines that could not be used."""

    readings: tuple[ScoredLine, ...]
    summary: Mapping[str, Any]
    problems: tuple[Problem, ...]

    def readings_jsonl(self) -> str:
        """Return the readings as JSON lines, ASCII only, so that any text can be written."""
        return "".join(json.dumps(line.to_dict()) + "\n" for line in self.readings)


def score_lines(
    lines: Iterable[str],
    *,
    track: str | None = None,
    lang: str | None = None,
    skip_bad: bool = False,
    file: Path = Path("<lines>"),
) -> ScoreResult:
    """Read and judge one reply a line.

    `track` holds for every line; None takes it from each line's own fields. `lang` holds for lines
    without one. Raises `InputError` with every line that cannot be used, by number, unless
    `skip_bad` leaves them out; they then stand in `problems` and are counted in the summary.
    """
    if track is not None and track not in TRACKS:
        message = f"unknown track {track!r}; valid are {', '.join(TRACKS)}"
        raise ValueError(message)
    if lang is not None:
        language_code(lang)
    scored: list[ScoredLine] = []
    problems: list[Problem] = []
    for number, text in enumerate(lines, 1):
        body = text.strip().strip("\ufeff").strip()
        if not body:
            continue
        try:
            line = _parsed(body)
            if set(line) == {"canary"}:
                continue
            scored.append(score_line(line, track=track, lang=lang, number=number))
        except ValueError as error:
            problems.append(Problem(file, one_line(str(error), 300), number))
    if problems and not skip_bad:
        raise InputError(problems, "recorded replies")
    return ScoreResult(tuple(scored), summarise(scored, len(problems)), tuple(problems))


def _parsed(body: str) -> dict[str, Any]:
    try:
        line = json.loads(body)
    except RecursionError:
        message = "is nested too deeply to be read"
        raise ValueError(message) from None
    except json.JSONDecodeError as error:
        message = f"is not JSON: {error.msg} at column {error.colno}"
        raise ValueError(message) from None
    if not isinstance(line, dict):
        message = f"is not a JSON object but {one_line(body, 40)}"
        raise ValueError(message)
    return line


def score_line(
    line: Mapping[str, Any], *, track: str | None = None, lang: str | None = None, number: int = 0
) -> ScoredLine:
    """Read and judge one recorded reply; raises `ValueError` where the line cannot be used."""
    own = line.get("lang")
    if own is not None and not isinstance(own, str):
        message = f"lang is {own!r}, not text"
        raise ValueError(message)
    code = own or lang or "en"
    language_code(code)
    reply, reason = reply_text(line)
    kind = track or _track(line)
    reading, correct = _READERS[kind](line, reply, code, reason)
    if reading.status != "empty" and kind != "json":
        reading = noted_language(reading, reply, code)
    if reading.detail:
        reading = replace(reading, detail=clean(reading.detail, 200))
    name = clean(str(line.get("id", number)), 200)
    return ScoredLine(name, reading, correct, code, own is None and lang is None)


def _track(line: Mapping[str, Any]) -> str:
    labels, gold = line.get("labels"), line.get("gold")
    if "schema" in line:
        return "json"
    if line.get("options"):
        return "choice"
    if labels:
        short = all(len(str(label)) <= 2 or str(label).isdigit() for label in labels)
        judged = all(folded(str(label)) in _JUDGEMENTS for label in labels)
        return "choice" if short and not judged else "label"
    first = gold[0] if isinstance(gold, list) and gold else gold
    if isinstance(first, str) and folded(first) in _JUDGEMENTS:
        return "label"
    if isinstance(first, int | float) and not isinstance(first, bool):
        return "number"
    if isinstance(first, str) and holds_number(first):
        return "number"
    message = "does not show its track; it has no options, labels or schema; give --track"
    raise ValueError(message)


def _choice(
    line: Mapping[str, Any], reply: str | None, lang: str, reason: str | None
) -> tuple[Reading, bool | None]:
    options, extra = shown_options(line)
    gold = line.get("gold")
    multi = bool(line.get("multi", False))
    accepted = None if gold is None else gold_labels(gold, options, multi)
    reading = read_choice(
        reply, options=options, lang=lang, finish_reason=reason, labels=extra, multi=multi
    )
    if accepted is None:
        return reading, None
    chosen = frozenset((reading.value or "").split(",")) if multi else {reading.value}
    return reading, (chosen == accepted if multi else reading.value in accepted)


def _number(
    line: Mapping[str, Any], reply: str | None, lang: str, reason: str | None
) -> tuple[Reading, bool | None]:
    unit = line.get("unit")
    if unit is not None and not isinstance(unit, str):
        message = f"unit is {unit!r}, not text"
        raise ValueError(message)
    tolerance = line.get("tolerance")
    if tolerance is not None and not holds_number(tolerance):
        message = f"tolerance is {tolerance!r}, not a number"
        raise ValueError(message)
    gold = line.get("gold")
    golds: list[Any] = gold if isinstance(gold, list) else [gold]
    if gold is not None and not all(holds_number(one) for one in golds):
        message = f"gold {str(gold)[:60]!r} is not a number"
        raise ValueError(message)
    reading = read_number(reply, lang=lang, unit=unit, finish_reason=reason)
    if gold is None:
        return reading, None
    equal = any(number_equal(reading.value, g, tolerance=tolerance, unit=unit) for g in golds)
    return reading, equal


def _json(
    line: Mapping[str, Any], reply: str | None, lang: str, reason: str | None
) -> tuple[Reading, bool | None]:
    del lang
    schema = line.get("schema")
    if schema is not None and not isinstance(schema, Mapping):
        message = "schema is not an object of field → type, nor a JSON Schema"
        raise ValueError(message)
    found = read_json_object(reply, schema, reason)
    gold = line.get("gold")
    value = None if found.value is None else json.dumps(found.value, separators=(",", ":"))
    detail = found.reason and f"{found.reason}: {found.detail}" if found.detail else found.reason
    right = found.ok and (not isinstance(gold, Mapping) or found.value == gold)
    return Reading(found.status, value, found.rule, detail), right


def _label(
    line: Mapping[str, Any], reply: str | None, lang: str, reason: str | None
) -> tuple[Reading, bool | None]:
    gold = line.get("gold")
    if isinstance(gold, bool):
        gold = "yes" if gold else "no"
    accepted = [str(one) for one in (gold if isinstance(gold, list) else [gold]) if one is not None]
    labels = line.get("labels") or line.get("options")
    if labels is None:
        known = {folded(one) for one in accepted}
        agree = known & {"agree", "disagree"}
        labels = ["agree", "disagree", "neutral"] if agree else ["yes", "no", "neutral"]
        if not known <= set(labels):
            message = f"gold {str(gold)[:60]!r} is no common judgement; give `labels`"
            raise ValueError(message)
    labels = [str(label) for label in labels]
    by_fold = {folded(label): label for label in labels}
    synonyms = {folded(w): n for n, ws in language(lang).words.items() for w in ws}
    wanted = set()
    for one in accepted:
        key = folded(one)
        label = by_fold.get(key) or by_fold.get(synonyms.get(key, ""))
        if label is None:
            message = f"gold {one[:60]!r} is not among the labels {', '.join(labels)}"
            raise ValueError(message)
        wanted.add(label)
    reading = read_label(reply, labels=labels, lang=lang, finish_reason=reason)
    return reading, (reading.value in wanted if accepted else None)


_READERS = {"choice": _choice, "number": _number, "json": _json, "label": _label}


def summarise(lines: Iterable[ScoredLine], skipped: int = 0) -> dict[str, Any]:
    """Return the summary of scored lines, plain JSON data.

    `accuracy` is over the lines that have a gold, with a Wilson interval at 95 %; both are None
    where there is none. `status` holds shares, `rules` counts.
    """
    scored = list(lines)
    judged = [line for line in scored if line.correct is not None]
    correct = sum(bool(line.correct) for line in judged)
    statuses = Counter(line.reading.status for line in scored)
    rules = Counter(line.reading.rule or "none" for line in scored)
    return {
        "n": len(scored),
        "judged": len(judged),
        "correct": correct,
        "accuracy": correct / len(judged) if judged else None,
        "interval": _wilson(correct, len(judged)),
        "confidence": CONFIDENCE,
        "status": {status: count / len(scored) for status, count in sorted(statuses.items())},
        "rules": dict(sorted(rules.items())),
        "other_language": sum(line.reading.language is not None for line in scored),
        "lang_assumed_en": sum(line.lang_assumed for line in scored),
        "skipped": skipped,
    }


def _wilson(correct: int, n: int) -> list[float] | None:
    """Return Wilson's interval for a proportion, by SciPy."""
    if not n:
        return None
    from scipy.stats import binomtest

    interval = binomtest(correct, n).proportion_ci(CONFIDENCE, method="wilson")
    return [float(interval.low), float(interval.high)]
