"""Load a large bank: 10,000 items from YAML (under 15 s, 600 MB), 100,000 from JSON Lines.

Run with `python benchmarks/collect.py`; each load runs in a process of its own, whose peak memory
is then its own too.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

QUESTION = {
    "en": "The shop changed its name four times; which present-day scene works as this one does?",
    "zh": "这家店四次改换招牌；下面哪一个当代场景与它的道理最为相似，为什么会这样？",
}
OPTION = {"en": "A clerk leaks the recipe and loses her post", "zh": "一名职员泄露配方而丢了职位"}


def entry(number: int) -> dict[str, object]:
    """Return one item's fields, as long as those of the real bank."""
    return {
        "id": f"r{number}",
        "kind": "recall",
        "question": {lang: f"{text} {number}" for lang, text in QUESTION.items()},
        "options": {
            label: {lang: f"{text} {label}" for lang, text in OPTION.items()}
            | ({"tag": "surface"} if label != "a" else {})
            for label in "abcd"
        },
        "answer": "a",
        "difficulty": 1,
        "public": True,
    }


def write_yaml(folder: Path, count: int) -> None:
    """Write `count` items in the block layout of the real bank, a thousand a file."""
    for first in range(0, count, 1000):
        culture = f"culture-{first // 1000}"
        lines = [f"culture: {culture}", "title: {en: X, zh: 某}", "authors: [someone]", "episodes:"]
        for number in range(first, first + 1000):
            item = entry(number)
            if number % 5 == 0:
                lines += [
                    f"  - id: {culture}-episode-{number}",
                    "    title: {en: X, zh: 某}",
                    "    source: {work: W, section: S, checked: false}",
                    "    items:",
                ]
            lines.append(f"      - id: {item.pop('id')}")
            for name, value in item.items():
                if name == "options":
                    lines.append("        options:")
                    lines += [
                        f"          {label}: {json.dumps(option, ensure_ascii=False)}"
                        for label, option in value.items()  # type: ignore[attr-defined]
                    ]
                else:
                    lines.append(f"        {name}: {json.dumps(value, ensure_ascii=False)}")
        (folder / f"{culture}.yaml").write_text("\n".join(lines) + "\n", encoding="utf-8")


def write_json_lines(folder: Path, count: int) -> None:
    """Write `count` plain items."""
    with (folder / "items.jsonl").open("w", encoding="utf-8") as stream:
        for number in range(count):
            item = entry(number) | {"culture": f"culture-{number % 12}"}
            stream.write(json.dumps(item, ensure_ascii=False) + "\n")


def load(folder: str) -> None:
    """Load a bank and print its size, seconds and peak memory in MB."""
    from culturegate.bank import load_bank

    start = time.perf_counter()
    bank = load_bank([Path(folder)])
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"items": len(bank.myth), "seconds": round(seconds, 2), "mb": round(peak)}))


def main() -> int:
    """Measure both; exit 1 where the YAML load is over its limits."""
    measured = {}
    for name, write, count in (
        ("yaml", write_yaml, 10_000),
        ("jsonl", write_json_lines, 100_000),
    ):
        with tempfile.TemporaryDirectory() as folder:
            write(Path(folder), count)
            done = subprocess.run(
                [sys.executable, __file__, folder], capture_output=True, text=True, check=True
            )
        measured[name] = json.loads(done.stdout)
        size = measured[name]
        each = size["seconds"] / size["items"] * 1e6
        print(
            f"{name:6} {size['items']:>7} items  {size['seconds']:6.2f} s  {each:5.0f} µs an item  "
            f"{size['mb']} MB"
        )
    yaml = measured["yaml"]
    return 0 if yaml["seconds"] < 15 and yaml["mb"] < 600 else 1


if __name__ == "__main__":
    if len(sys.argv) > 1:
        load(sys.argv[1])
    else:
        sys.exit(main())
