"""How fast a corpus is searched for the bank's items, and in how much memory.

python contamination.py [--megabytes 200] [--text FILE]: makes a corpus of so many megabytes, by
repeating FILE or, without one, this machine's Python sources, and looks for every item of the bank.
"""

from __future__ import annotations

import argparse
import resource
import sysconfig
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from culturegate.bank import load_bank
from culturegate.contamination import Asked, find_contamination


def sources(text: Path | None) -> Iterator[str]:
    """Yield the files that the corpus is made of, again and again."""
    folder = Path(sysconfig.get_path("stdlib"))
    files = [text] if text else sorted(folder.rglob("*.py"))
    while True:
        for file in files:
            yield file.read_text("utf-8", errors="replace")


def main() -> None:
    """Print one line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=int, default=200)
    parser.add_argument("--text", type=Path)
    options = parser.parse_args()
    bank = load_bank([Path(__file__).parents[1] / "items"])
    asked = [
        Asked(f"{item.id}-{lang}", item.question[lang], item.options[item.answer].text[lang])
        for item in bank.myth
        for lang in item.langs
    ]
    with tempfile.TemporaryDirectory() as folder:
        corpus = Path(folder) / "corpus.txt"
        with corpus.open("w", encoding="utf-8") as file:
            written = 0
            for text in sources(options.text):
                if written > options.megabytes * 1e6:
                    break
                written += file.write(text)
        started = time.perf_counter()
        found = find_contamination(asked, [corpus])
        seconds = time.perf_counter() - started
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
    print(
        f"{len(asked)} cases in {found.characters / 1e6:.0f} M characters: {seconds:.1f} s, "
        f"{found.characters / seconds / 1e6:.1f} M characters a second, {peak:.0f} MB at most; "
        f"10 GB would take {seconds * 1e10 / found.characters / 60:.0f} minutes"
    )


if __name__ == "__main__":
    main()
