"""`culturegate score` and `framing`: what was recorded elsewhere."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from culturegate.commands.usage import Commands, UsageError


def add(commands: Commands) -> None:
    """Add score and framing."""
    score = commands.add_parser("score", help="Read and judge replies that were recorded elsewhere")
    score.add_argument("file", metavar="FILE.jsonl", help="One reply a line: id, reply, gold, …")
    score.add_argument(
        "--track",
        choices=("choice", "number", "json", "label"),
        help="How to read every line (default: told from each line's fields)",
    )
    score.add_argument("--lang", help="Language of lines that name none")
    score.add_argument(
        "--skip-bad", action="store_true", help="Leave out lines that cannot be used, and say so"
    )
    score.add_argument("--out", metavar="FILE.jsonl", help="Where to write each line's reading")
    score.set_defaults(run=_score)

    framing = commands.add_parser(
        "framing", help="Test framing results that were recorded elsewhere"
    )
    framing.add_argument(
        "file",
        metavar="FILE",
        help="A framing.jsonl, or a CSV file with condition, n, and compliant or rate",
    )
    framing.set_defaults(run=_framing)


def _score(options: argparse.Namespace) -> int:
    from culturegate.bank.files import MAX_TABLE, read_text
    from culturegate.scoring.score_file import score_lines

    file = Path(options.file)
    if not file.is_file():
        raise UsageError(f"no such file: {file}")
    try:
        result = score_lines(
            read_text(file, MAX_TABLE).split("\n"),
            track=options.track,
            lang=options.lang,
            skip_bad=options.skip_bad,
            file=file,
        )
    except ValueError as error:
        raise UsageError(error) from None
    print(json.dumps(result.summary, indent=2))
    for problem in result.problems:
        print(problem, file=sys.stderr)
    if options.out:
        out = Path(options.out)
        try:
            out.write_text(result.readings_jsonl(), encoding="utf-8")
        except OSError as error:
            raise UsageError(f"{out} cannot be written: {error.strerror}") from None
    return 1 if result.problems else 0


def _framing(options: argparse.Namespace) -> int:
    from culturegate.reports.framing_import import imported

    for line in imported(Path(options.file)):
        print(line)
    return 0
