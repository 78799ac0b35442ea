"""A bank that lint finds nothing in, made of words that mean nothing, for tests to spoil."""

from __future__ import annotations

import copy
import json
import random
from pathlib import Path
from typing import Any

CANARY = "sample-canary 00000000-0000-4000-8000-000000000000"
FORMS = ("metaphor", "analogy", "proverb", "allusion", "pattern-break", "analogy-holds")
LETTERS = "abcd"
TAGS = ("surface", "neighbour", "western", "literal")


class _Words:
    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def english(self, count: int) -> str:
        def word() -> str:
            return "".join(self._random.choice(part) for part in ("bdgkmprtvz", "aiou") * 3)

        return " ".join(word() for _ in range(count))

    def chinese(self, count: int) -> str:
        return "".join(chr(self._random.randrange(0x7000, 0x9000)) for _ in range(count))

    def text(self, english: int, chinese: int) -> dict[str, str]:
        return {"en": self.english(english), "zh": self.chinese(chinese)}


def sample_bank(culture: str = "sample", episodes: int = 10) -> dict[str, Any]:
    """Return one culture's file: 50 items in ten episodes, half recall, and six variants."""
    words = _Words(len(culture))
    made = []
    number = 0
    for place in range(episodes):
        items = []
        for kind in ("recall", "decode"):
            for rank in range(3 if place % 2 else 2):
                key = LETTERS[number % 4]
                item: dict[str, Any] = {
                    "id": f"{kind[0]}{rank + 1}",
                    "kind": kind,
                    "difficulty": 1 + number % 3,
                    "public": True,
                    "question": words.text(9, 18),
                    "options": {
                        label: words.text(3, 6)
                        | ({} if label == key else {"tag": TAGS[LETTERS.index(label)]})
                        for label in LETTERS
                    },
                    "answer": key,
                    "reviews": [],
                }
                if kind == "decode":
                    item["form"] = FORMS[number // 2 % 6]
                if rank == 1 and place < 6 and kind == ("recall", "decode")[place % 2]:
                    item["variant_of"] = f"{kind[0]}1"
                items.append(item)
                number += 1
        made.append(
            {
                "id": f"{culture}-episode-{place}",
                "title": words.text(3, 5),
                "source": {"work": "A Work", "section": f"line {place}", "checked": False},
                "items": items,
            }
        )
    return {
        "canary": CANARY,
        "culture": culture,
        "title": {"en": culture.title(), "zh": "样本"},
        "authors": ["An Author"],
        "episodes": made,
    }


def write_bank(folder: Path, bank: dict[str, Any], name: str = "sample.yaml") -> Path:
    """Write a bank; JSON is YAML, and one field a line gives every item a line of its own."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / name
    file.write_text(json.dumps(bank, ensure_ascii=False, indent=1), encoding="utf-8")
    return file


def spoiled(bank: dict[str, Any]) -> dict[str, Any]:
    """Return a copy to spoil."""
    return copy.deepcopy(bank)
