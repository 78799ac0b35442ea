"""`culturegate lint`, `show` and `new-item`: the bank."""

from __future__ import annotations

import argparse
from pathlib import Path

from culturegate.commands.usage import ITEMS, Commands, UsageError, folders


def add(commands: Commands) -> None:
    """Add lint, show and new-item."""
    lint = commands.add_parser("lint", help="Check a bank and print what shortcuts would score")
    lint.add_argument(
        "directories",
        nargs="*",
        metavar="DIR",
        help="Folders or files (default: items, by the rules of the project's own bank)",
    )
    lint.add_argument(
        "--review-sheet", metavar="FILE.csv", help="Write a sheet for reviewers to fill in"
    )
    lint.add_argument(
        "--read-sheet",
        metavar="FILE.csv",
        help="Read a filled-in sheet back and sign the items whose review agrees",
    )
    lint.set_defaults(run=_lint)

    show = commands.add_parser("show", help="Print an item, a case or a family as a reader sees it")
    show.add_argument("item", metavar="ITEM", help="Id of an item, a case, a family")
    show.add_argument("directories", nargs="*", metavar="DIR", help="Folders (default: items)")
    show.set_defaults(run=_show)

    new = commands.add_parser("new-item", help="Print a bank file to fill in")
    new.add_argument("culture", nargs="?", default="my-culture", metavar="CULTURE")
    new.set_defaults(run=_new_item)


def _lint(options: argparse.Namespace) -> int:
    from culturegate.bank.findings import LintLimits
    from culturegate.bank.lint import lint, rule_counts, summary
    from culturegate.bank.loader import load_bank
    from culturegate.bank.sheet import read_sheet, write_sheet
    from culturegate.bank.signing import sign

    directories = folders(options.directories)
    bank = load_bank(directories)
    open_rows = 0
    if options.read_sheet:
        sheet = Path(options.read_sheet)
        if not sheet.is_file():
            raise UsageError(f"no such file: {sheet}")
        signatures, problems = read_sheet(bank, sheet)
        unsigned = sign(signatures)
        print(f"{len(signatures) - len(unsigned)} signatures added")
        for problem in [*problems, *unsigned]:
            print(problem)
        open_rows = len(problems) + len(unsigned)
        bank = load_bank(directories)
    ours = all(path.resolve().is_relative_to(ITEMS.resolve()) for path in directories)
    limits = LintLimits() if ours else LintLimits.private()
    findings = lint(bank, limits)
    for line in summary(bank, limits):
        print(line)
    for finding in findings:
        print(finding)
    found = "1 finding" if len(findings) == 1 else f"{len(findings) or 'no'} findings"
    print(f"{found}: {rule_counts(findings)}" if findings else found)
    if options.review_sheet:
        rows = write_sheet(bank, Path(options.review_sheet))
        print(f"{options.review_sheet}: {rows} items to review")
    return 1 if findings or open_rows else 0


def _show(options: argparse.Namespace) -> int:
    from culturegate.bank.loader import load_bank
    from culturegate.bank.show import UnknownItem, find_item, shown
    from culturegate.case_text import case_lines, cases_named

    bank = load_bank(folders(options.directories))
    try:
        lines = shown(find_item(bank, options.item))
    except UnknownItem as error:
        cases = cases_named(bank, options.item)
        if not cases:
            raise UsageError(error) from None
        lines = case_lines(cases)
    for line in lines:
        print(line)
    return 0


def _new_item(options: argparse.Namespace) -> int:
    from culturegate.bank.show import template

    page = template(options.culture)
    if page is None:
        raise UsageError(f"{options.culture!r} has no letters a-z; name the culture in them")
    print(page, end="")
    return 0
