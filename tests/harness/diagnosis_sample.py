"""A bank whose items can be answered honestly or by a shortcut, and one model for each way."""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import yaml
from suites import CANARY

from culturegate.bank import Bank, load_bank
from culturegate.metrics import summarise
from culturegate.models.base import Prompt, Reply
from culturegate.tracks import PROTOCOLS, TRACKS, Case, Plan, Record

LANDS = ("land0", "land1")
EPISODES = 12
NAMES = {"land0": {"Orrin": "the ferryman's son"}, "land1": {"Sethka": "the weaver queen"}}
ITEM = re.compile(r"tale\s+(\d+)\s+of\s+(land\d)\s+\((recall|decode)\)")
TELL = "softly"
"""A word that only keys have: what a model that looks at options alone goes by."""

Model = Callable[[str], str]
"""Prompt → reply."""


def key(number: int, land: str, kind: str) -> str:
    return f"A lantern {TELL} lit, {kind} {number} {land}"


def question(number: int, land: str, kind: str) -> str:
    name = next(iter(NAMES[land]))
    return (
        f"At nightfall in tale {number} of {land} ({kind}), what does {name} carry over the "
        "winding bridge while everybody of the neighbouring village is watching?"
    )


def _item(number: int, land: str, kind: str) -> dict[str, Any]:
    labels = "abcd"
    answer, longest = labels[number % 4], labels[number // 4 % 4]
    things = dict(
        zip(labels, ("copper bell", "basket of figs", "folded sail", "clay owl"), strict=True)
    )
    options: dict[str, dict[str, str]] = {}
    for label in labels:
        text = key(number, land, kind) if label == answer else f"A {things[label]}, {kind} {number}"
        if label == longest:
            text += " and whatever else the evening had left lying about on the shore of that river"
        options[label] = {"en": text} if label == answer else {"en": text, "tag": "surface"}
    return {
        "id": f"{kind[0]}1",
        "kind": kind,
        **({"form": "metaphor"} if kind == "decode" else {}),
        "difficulty": 2,
        "public": True,
        "question": {"en": question(number, land, kind)},
        "options": options,
        "answer": answer,
    }


def files() -> dict[str, str]:
    """Return the bank's files by their path inside its folder."""
    found: dict[str, Any] = {"names/myth.yaml": {"canary": CANARY, "cultures": NAMES}}
    for land in LANDS:
        found[f"myth/{land}.yaml"] = {
            "canary": CANARY,
            "culture": land,
            "title": {"en": land.title()},
            "authors": ["tests"],
            "episodes": [
                {
                    "id": f"{land}-tale{number}",
                    "title": {"en": f"Tale {number}"},
                    "source": {"work": "A test", "section": str(number), "checked": False},
                    "items": [_item(number, land, kind) for kind in ("recall", "decode")],
                }
                for number in range(EPISODES)
            ],
        }
    return {name: yaml.safe_dump(data, sort_keys=False) for name, data in found.items()}


def bank(folder: Path) -> Bank:
    """Write the bank into a folder and read it."""
    for name, text in files().items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return load_bank([folder])


def shown(prompt: str) -> dict[str, str]:
    """Return letter → text of the options that a prompt shows."""
    return dict(re.findall(r"^([A-D])\. (.+)$", prompt, flags=re.M))


def _guess(prompt: str) -> str:
    return "ABCD"[hashlib.sha256(prompt.encode()).digest()[0] % 4]


def _find(options: dict[str, str], text: str) -> str | None:
    return next((letter for letter, option in options.items() if option.startswith(text)), None)


def honest(prompt: str) -> str:
    """Know every story, by what happens in it; see when the right option is missing."""
    options, item = shown(prompt), ITEM.search(prompt)
    if not options:
        return "I can't say how that goes on."
    if item is None:
        return _guess(prompt)
    letter = _find(options, key(int(item[1]), item[2], item[3]))
    return letter or _find(options, "None of these") or _guess(prompt)


def always_b(_prompt: str) -> str:
    return "B"


def always_longest(prompt: str) -> str:
    options = shown(prompt)
    return max(options, key=lambda letter: len(options[letter])) if options else "…"


def by_names(prompt: str) -> str:
    """Answer right only where one of the stories' names is to be seen."""
    named = any(name in prompt for names in NAMES.values() for name in names)
    return honest(prompt) if named else _guess(prompt)


def by_heart(prompt: str) -> str:
    """Know exact strings, and nothing but those."""
    options, start = shown(prompt), prompt.rpartition("\n")[2].strip()
    for number in range(EPISODES):
        for land in LANDS:
            for kind in ("recall", "decode"):
                text = question(number, land, kind)
                if options and text in prompt:
                    return _find(options, key(number, land, kind)) or _guess(prompt)
                if not options and len(start) > 30 and text.startswith(start):
                    return text[len(start) :]
    if "culturegate-canary" in prompt:
        return CANARY[len(prompt.rpartition("\n")[2]) :]
    return _guess(prompt)


def by_options(prompt: str) -> str:
    """Look at the options alone: only keys have that word."""
    options = shown(prompt)
    return next((letter for letter, text in options.items() if TELL in text), _guess(prompt))


def cases(found: Bank, protocol: str = "quick", *, diagnose: bool = True) -> list[Case]:
    """Return the myth track's cases, and those of the diagnosis."""
    plan = Plan(found, PROTOCOLS[protocol], 0, diagnose=diagnose)
    return [case for track in ("myth", "diagnosis") for case in TRACKS[track].cases(plan)]


def ask_all(asked: Iterable[Case], model: Model) -> list[Record]:
    """Return the records of the cases as the model answers them."""

    async def ask(prompt: Prompt) -> Reply:
        return Reply(model(prompt.messages[-1].content), "stop")

    async def run() -> list[Record]:
        return [await case.run(ask) for case in asked]

    return asyncio.run(run())


def exposed(records: list[Record]) -> set[str]:
    """Return what the diagnosis says of records, by name."""
    data = summarise(records)["diagnosis"]
    found = {row["condition"] for row in data["variants"] if row["kind"] is None and row["shown"]}
    marks = {
        "constant": data["letters"]["constant"],
        "position": data["letters"]["biased"],
        "wording": (data["templates"] or {}).get("shown"),
        "completion": (data["completion"] or {}).get("shown"),
        "canary": any(one["shown"] for one in data["canary"]),
    }
    return found | {name for name, on in marks.items() if on}
