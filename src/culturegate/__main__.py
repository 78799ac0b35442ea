"""`culturegate`: what is done outside pytest, mostly to the bank.

Exits 0 where all is fine, 1 where something was found, 2 on wrong usage. What a command needs is
imported inside it, so that `--help` and small commands stay quick.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from culturegate.errors import CulturegateError

if TYPE_CHECKING:
    from culturegate.persona_check import Question
    from culturegate.tracks import Record

ITEMS = Path("items")
"""The project's own bank, seen from the checkout's root."""


class UsageError(Exception):
    """A command that cannot be meant; exits 2."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return the exit code."""
    for stream in (sys.stdout, sys.stderr):
        # The bank is written in many scripts; a terminal that lacks one shall not end a command.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    options = _parser().parse_args(arguments)
    run: Callable[[argparse.Namespace], int] = options.run
    try:
        return run(options)
    except UsageError as error:
        print(f"culturegate {options.command}: {error}", file=sys.stderr)
        return 2
    except CulturegateError as error:
        print(error, file=sys.stderr)
        return 1
    except BrokenPipeError:  # `culturegate … | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="culturegate", description="Check, show, make and import items; read replies again."
    )
    commands = parser.add_subparsers(
        title="commands", required=True, metavar="COMMAND", dest="command"
    )

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

    show = commands.add_parser("show", help="Print one item as a reader sees it")
    show.add_argument("item", metavar="ITEM", help="Id of the item")
    show.add_argument("directories", nargs="*", metavar="DIR", help="Folders (default: items)")
    show.set_defaults(run=_show)

    new = commands.add_parser("new-item", help="Print a bank file to fill in")
    new.add_argument("culture", nargs="?", default="my-culture", metavar="CULTURE")
    new.set_defaults(run=_new_item)

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

    plan = commands.add_parser("plan", help="Print what each line could show, before a run")
    plan.add_argument(
        "--protocol",
        choices=("quick", "standard", "full"),
        default="standard",
        help="How much is asked (default: standard)",
    )
    plan.add_argument("--profile", default="release", help="Profile of lines (default: release)")
    plan.add_argument(
        "--thresholds", default="thresholds.yaml", metavar="FILE", help="Default: thresholds.yaml"
    )
    plan.add_argument(
        "--items",
        nargs="+",
        action="extend",
        default=[],
        metavar="DIR",
        help="Folders beside items, as in a run",
    )
    plan.add_argument("--seed", type=int, default=0, help="The bank seed (default: 0)")
    for name, told in (
        ("icc", "Intraclass correlation of a cluster's cases (default: 0.2)"),
        ("power", "How often a difference is to be shown (default: 0.8)"),
        ("base", "Share right on the first side of a contrast (default: 0.7)"),
        ("margin", "How much better than its limits an unchanged model is (default: 0.05)"),
    ):
        plan.add_argument(f"--{name}", type=float, metavar="SHARE", help=told)
    plan.set_defaults(run=_plan)

    framing = commands.add_parser(
        "framing", help="Test framing results that were recorded elsewhere"
    )
    framing.add_argument(
        "file",
        metavar="FILE",
        help="A framing.jsonl, or a CSV file with condition, n, and compliant or rate",
    )
    framing.set_defaults(run=_framing)

    sample = commands.add_parser("sample", help="Draw trials of a run for a person to judge again")
    sample.add_argument("run_directory", metavar="RUN", help="The run's folder")
    sample.add_argument("directories", nargs="*", metavar="DIR", help="Folders (default: items)")
    sample.add_argument("--n", type=int, default=30, help="Trials to draw (default: 30)")
    sample.add_argument("--seed", type=int, default=0, help="Seed of the draw (default: 0)")
    sample.add_argument("--track", help="Draw from this track only (default: all in turn)")
    sample.add_argument(
        "--out", metavar="FILE.csv", help="Where to write (default: RUN/sample.csv)"
    )
    sample.add_argument(
        "--read", metavar="FILE.csv", help="Read a filled-in table back into the run's reports"
    )
    sample.set_defaults(run=_sample)

    paths = commands.add_parser(
        "path-scores", help="Compare a judge's scores of the reasoning with a person's"
    )
    paths.add_argument("run_directory", metavar="RUN", help="The run's folder, asked with a judge")
    paths.add_argument(
        "file", metavar="FILE.csv", help="The run's path_scores.csv with a person's scores"
    )
    paths.set_defaults(run=_path_scores)

    persona = commands.add_parser(
        "persona", help="Print a persona, or check that the chats show their norms"
    )
    persona.add_argument("persona", nargs="?", metavar="ID", help="Such as persona-nepali-03")
    persona.add_argument("directories", nargs="*", metavar="DIR", help="Folders (default: items)")
    persona.add_argument("--seed", type=int, default=0, help="The bank seed (default: 0)")
    check = persona.add_mutually_exclusive_group()
    check.add_argument(
        "--sheet", metavar="FILE.csv", help="Write a table in which a person names the states"
    )
    check.add_argument(
        "--check",
        metavar="FILE.csv",
        nargs="?",
        const="",
        help="Say what was recovered: from a filled-in table, or by --judge-model",
    )
    persona.add_argument("--judge-endpoint", metavar="URL", help="Where the reader answers")
    persona.add_argument(
        "--judge-model",
        metavar="NAME",
        help="Who reads; its key: CULTUREGATE_JUDGE_API_KEY or OPENAI_API_KEY",
    )
    persona.set_defaults(run=_persona)
    return parser


def _folders(given: Sequence[str]) -> list[Path]:
    paths = [Path(text) for text in given] or [ITEMS]
    for path in paths:
        if not path.exists():
            raise UsageError(f"no such file or folder: {path}")
    return paths


def _lint(options: argparse.Namespace) -> int:
    from culturegate.bank.findings import LintLimits
    from culturegate.bank.lint import lint, rule_counts, summary
    from culturegate.bank.loader import load_bank
    from culturegate.bank.sheet import read_sheet, write_sheet
    from culturegate.bank.signing import sign

    directories = _folders(options.directories)
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
    if findings:
        print(f"{len(findings)} findings: {rule_counts(findings)}")
    if options.review_sheet:
        rows = write_sheet(bank, Path(options.review_sheet))
        print(f"{options.review_sheet}: {rows} items to review")
    return 1 if findings or open_rows else 0


def _show(options: argparse.Namespace) -> int:
    from culturegate.bank.loader import load_bank
    from culturegate.bank.show import UnknownItem, find_item, shown

    bank = load_bank(_folders(options.directories))
    try:
        item = find_item(bank, options.item)
    except UnknownItem as error:
        raise UsageError(error) from None
    for line in shown(item):
        print(line)
    return 0


def _new_item(options: argparse.Namespace) -> int:
    from culturegate.bank.show import template

    page = template(options.culture)
    if page is None:
        raise UsageError(f"{options.culture!r} has no letters a-z; name the culture in them")
    print(page, end="")
    return 0


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


def _plan(options: argparse.Namespace) -> int:
    from culturegate.plan import Assumptions, plan_lines

    given = {
        name: value
        for name in ("icc", "power", "base", "margin")
        if (value := getattr(options, name)) is not None
    }
    for name, value in given.items():
        if not (0 <= value < 1 if name in ("icc", "margin") else 0 < value < 1):
            raise UsageError(f"--{name} {value:g}: a share between 0 and 1")
    thresholds = Path(options.thresholds)
    if not thresholds.is_file():
        raise UsageError(f"no such file: {thresholds}")
    for line in plan_lines(
        [ITEMS, *_folders(options.items)] if options.items else _folders([]),
        thresholds,
        profile=options.profile,
        protocol=options.protocol,
        seed=options.seed,
        assumed=Assumptions(**given),
    ):
        print(line)
    return 0


def _framing(options: argparse.Namespace) -> int:
    from culturegate.reports.framing_import import imported

    for line in imported(Path(options.file)):
        print(line)
    return 0


def _sample(options: argparse.Namespace) -> int:
    from culturegate.second_look import read, write

    run = Path(options.run_directory)
    if not run.is_dir():
        raise UsageError(f"no such folder: {run}")
    if options.n < 1:
        raise UsageError(f"--n {options.n}: at least 1")
    if options.read:
        for line in read(run, Path(options.read)):
            print(line)
        return 0
    out = Path(options.out) if options.out else run / "sample.csv"
    folders = _folders(options.directories)
    print(write(run, out, folders, options.n, options.seed, options.track))
    return 0


def _path_scores(options: argparse.Namespace) -> int:
    from culturegate.metrics.mirror_paths import compare_scorers
    from culturegate.reports.evidence import read_run
    from culturegate.reports.path_scores import comparison_lines, read_path_scores

    scores = read_path_scores(Path(options.file))
    _, records = read_run(Path(options.run_directory))
    for line in comparison_lines(compare_scorers(records, scores)):
        print(line)
    return 0


def _persona(options: argparse.Namespace) -> int:
    from culturegate import persona_check
    from culturegate.bank.loader import load_bank

    checking = options.sheet or options.check is not None
    named = [options.persona] if options.persona else []
    # Without an id the first argument is a folder.
    folders = [*named, *options.directories] if checking else options.directories
    bank = load_bank(_folders(folders)).persona
    if not bank.by_culture:
        raise UsageError("there is no persona in these folders")
    if not checking:
        lines = (
            persona_check.show(bank, options.persona, options.seed)
            if options.persona
            else (persona.id for _, persona in persona_check.people(bank, options.seed))
        )
        for line in lines:
            print(line)
        return 0
    asked = persona_check.questions(bank, options.seed)
    if options.sheet:
        out = Path(options.sheet)
        if out.exists():
            raise UsageError(f"{out} is there already; name another file")
        out.write_text("".join(persona_check.sheet(asked)), encoding="utf-8")
        print(f"{out}: {len(asked)} norms of {len({each.persona.id for each in asked})} personas")
        return 0
    records = _recovered(options, asked)
    for line in persona_check.told(records, persona_check.reveals(bank, options.seed)):
        print(line)
    return 0


def _recovered(options: argparse.Namespace, asked: Sequence[Question]) -> Sequence[Record]:
    import asyncio

    from culturegate import persona_check
    from culturegate.models.endpoint import EndpointConfig, EndpointModel

    if options.check:
        file = Path(options.check)
        if not file.is_file():
            raise UsageError(f"no such file: {file}")
        return persona_check.read_sheet(file.read_bytes(), asked, file)
    if not options.judge_endpoint:
        raise UsageError("--check needs a filled-in FILE.csv, or --judge-endpoint URL")
    key = os.environ.get("CULTUREGATE_JUDGE_API_KEY") or os.environ.get("OPENAI_API_KEY")
    config = EndpointConfig(options.judge_endpoint, options.judge_model, key)
    return asyncio.run(persona_check.ask_reader(EndpointModel(config), asked, at_once=8))


if __name__ == "__main__":
    sys.exit(main())
