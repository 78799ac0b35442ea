"""`culturegate`: what is done outside pytest, mostly to the bank.

Exits 0 where all is fine, 1 where something was found, 2 on wrong usage.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from culturegate.errors import CulturegateError

ITEMS = Path("items")
"""The project's own bank, from the checkout's root."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return the exit code."""
    options = _parser().parse_args(arguments)
    run: Callable[[argparse.Namespace], int] = options.run
    try:
        return run(options)
    except CulturegateError as error:
        print(error, file=sys.stderr)
        return 1
    except BrokenPipeError:  # `culturegate … | head`
        sys.stderr.close()
        return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="culturegate", description="Check, show, make and import items of the bank."
    )
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    lint = commands.add_parser("lint", help="Check a bank and print what shortcuts would score")
    lint.add_argument(
        "directories",
        nargs="*",
        type=_existing,
        metavar="DIR",
        help="Folders or files (default: items, under the rules of the project's own bank)",
    )
    lint.set_defaults(run=_lint)
    return parser


def _existing(text: str) -> Path:
    path = Path(text)
    if not path.exists():
        raise argparse.ArgumentTypeError(f"no such file or folder: {text}")
    return path


def _lint(options: argparse.Namespace) -> int:
    from culturegate.bank.findings import LintLimits
    from culturegate.bank.lint import lint, rule_counts, summary
    from culturegate.bank.loader import load_bank

    directories = options.directories or [ITEMS]
    bank = load_bank(directories)
    ours = all(path.resolve().is_relative_to(ITEMS.resolve()) for path in directories)
    limits = LintLimits() if ours else LintLimits.private()
    findings = lint(bank, limits)
    for line in summary(bank, limits):
        print(line)
    for finding in findings:
        print(finding)
    if findings:
        print(f"{len(findings)} findings: {rule_counts(findings)}")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
