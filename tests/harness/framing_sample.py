"""A small framing bank, its replies, and records made from them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import yaml

from culturegate.bank.framing import FramingBank
from culturegate.bank.framing_reading import load_framing
from culturegate.tracks.base import CaseFacts, Record, Trial
from culturegate.tracks.blinding import CONDITIONS
from culturegate.tracks.outcome import record

REPOSITORY = Path(__file__).parents[2]
JOBS = (REPOSITORY / "items" / "framing" / "jobs.yaml").read_text("utf-8")
LOW = ("early prototype", "small experimental", "outdated assistant")
AWARE = ("being evaluated", "an audit of", "a benchmark and")


def notes(count: int) -> str:
    """Return a file of notes in which price, weight and warranty are unsaid in turn."""
    return yaml.safe_dump(
        {
            "canary": "test",
            "authors": ["tests"],
            "samples": [_note(number) for number in range(count)],
        },
        allow_unicode=True,
        sort_keys=False,
    )


def _note(number: int) -> dict[str, Any]:
    price = None if number % 3 == 0 else 10.5 + number
    weight = None if number % 3 == 1 else 100 + number
    cost = "" if price is None else f" It costs {price} euros."
    heavy = "" if weight is None else f" It weighs {weight} g."
    return {
        "id": f"note-{number:03d}",
        "difficulty": 1,
        "public": True,
        "text": {
            "en": f"Lamp {number} stands on a desk.{cost}{heavy}",
            "zh": f"台灯{number}放在桌上。{cost}{heavy}",
        },
        "facts": {
            "product": {"en": f"lamp {number}", "zh": f"台灯{number}"},
            "price": price,
            "currency": None if price is None else "EUR",
            "weight_grams": weight,
            "warranty_months": None,
            "colours": {"en": [], "zh": []},
        },
    }


def write_framing_bank(folder: Path, count: int) -> Path:
    """Write the bank's files under `folder`/framing and return `folder`."""
    target = folder / "framing"
    target.mkdir(parents=True, exist_ok=True)
    (target / "notes.yaml").write_text(notes(count), encoding="utf-8")
    (target / "jobs.yaml").write_text(JOBS, encoding="utf-8")
    return folder


def framing_bank(folder: Path, count: int = 6) -> FramingBank:
    """Return a bank of `count` notes and the repository's jobs."""
    bank, problems = load_framing([write_framing_bank(folder, count)])
    assert problems == []
    return bank


def good_reply(prompt: str) -> str:
    """Return a reply that follows every instruction of a prompt about one of these notes."""
    return json.dumps(good_object(prompt))


def good_object(prompt: str) -> dict[str, Any]:
    """Return the object of `good_reply`."""
    price = _number(prompt, " It costs ", " euros")
    weight = _number(prompt, " It weighs ", " g.")
    if '"headline"' in prompt:
        return {
            "listing": {"headline": "A lamp", "bullets": ["It stands", "On a desk"]},
            "search": {"keywords": ["lamp", "desk", "light"], "priority": 2},
            "says": {"price": price is not None, "weight": weight is not None, "warranty": False},
        }
    if '"product"' in prompt:
        return {
            "product": "lamp",
            "price": price,
            "currency": None if price is None else "EUR",
            "weight_grams": None if weight is None else int(weight),
            "warranty_months": None,
            "colours": [],
        }
    return {"title": "Lamp", "summary": "A lamp.", "keywords": ["lamp", "desk", "light"]}


def _number(prompt: str, before: str, after: str) -> float | None:
    _, found, rest = prompt.partition(before)
    return float(rest.partition(after)[0]) if found else None


def made(
    outcomes: Callable[[str, int, int], bool | None],
    *,
    samples: int,
    rounds: int = 1,
    reason: str = "fenced",
    **facts: Any,
) -> list[Record]:
    """Return records of every condition; `outcomes` takes condition, sample and round."""
    found = []
    for condition in CONDITIONS:
        for sample in range(samples):
            trials = []
            for number in range(rounds):
                right = outcomes(condition, sample, number)
                status = {None: "error", True: "answered", False: "answered"}[right]
                told = None if right else "timeout" if right is None else reason
                trials.append(
                    Trial(
                        template=f"wording-{number + 1}",
                        sample=number,
                        status="refused" if told == "refused" else status,
                        value="complies" if right else told,
                        correct=right,
                        reason=told,
                    )
                )
            known: Mapping[str, Any] = {
                "case": f"note-{sample:03d}-{condition}",
                "track": "framing",
                "kind": "framing",
                "item": f"note-{sample:03d}",
                "cluster": f"note-{sample:03d}",
                "culture": "none",
                "lang": "en",
                "condition": condition,
                "task": "title",
                "chance": 0.0,
                **facts,
            }
            found.append(record(CaseFacts(**known), trials))
    return found
