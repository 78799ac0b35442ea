"""`culturegate import`: a foreign question set."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from culturegate.commands.usage import Commands, UsageError


def add(commands: Commands) -> None:
    """Add import."""
    foreign = commands.add_parser("import", help="Bring a foreign question set into items")
    foreign.add_argument("file", metavar="FILE", help="CSV, TSV, JSON or JSON Lines; local only")
    foreign.add_argument(
        "--map",
        nargs="+",
        action="extend",
        default=[],
        metavar="FIELD=COLUMN",
        help="Columns for id, question, options (or a, b, c …), answer, culture, kind, lang, "
        "episode, difficulty; usual names are found without",
    )
    foreign.add_argument("--culture", help="Culture where no column gives one")
    foreign.add_argument("--kind", choices=("recall", "decode"), help="Kind (default: recall)")
    foreign.add_argument("--lang", help="Language (default: told from the script)")
    foreign.add_argument(
        "--answer",
        choices=("letter", "text", "index0", "index1"),
        help="How the key is given (default: worked out from all rows)",
    )
    foreign.add_argument(
        "--no-header", action="store_true", help="The table has no header; columns count from 1"
    )
    foreign.add_argument(
        "--out", metavar="FILE.jsonl", help="Where to write (default: standard output)"
    )
    foreign.set_defaults(run=_import)


def _import(options: argparse.Namespace) -> int:
    from culturegate.bank.foreign import as_lines, import_file, write_items

    if "://" in options.file:
        raise UsageError("nothing is fetched; download the file and name it")
    file = Path(options.file)
    if not file.is_file():
        raise UsageError(f"no such file: {file}")
    mapping = dict(pair.partition("=")[::2] for pair in options.map)
    if "" in mapping or not all(mapping.values()):
        raise UsageError("--map takes FIELD=COLUMN, as in --map question=stem answer=gold")
    constants = {
        name: value
        for name in ("culture", "kind", "lang")
        if (value := getattr(options, name)) is not None
    }
    found = import_file(
        file,
        mapping,
        constants=constants,
        answer_as=options.answer,
        header=not options.no_header,
    )
    if options.out:
        write_items(found, Path(options.out))
    else:
        for line in as_lines(found):
            print(line)
    for problem in found.problems:
        print(problem, file=sys.stderr)
    print(
        f"{len(found.items)} items, {len(found.problems)} rows left out, "
        f"{found.shuffled} with alphabetical options put in another order",
        file=sys.stderr,
    )
    return 1 if found.problems else 0
