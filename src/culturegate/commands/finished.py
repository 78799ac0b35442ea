"""`culturegate sample`, `path-scores`, `checklist`: a finished run, judged again by a person."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from culturegate.commands.usage import Commands, UsageError, folders


def add(commands: Commands) -> None:
    """Add sample, path-scores and checklist."""
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

    points = commands.add_parser(
        "checklist", help="Compare a judge's verdicts on a checklist's points with a person's"
    )
    points.add_argument("run_directory", metavar="RUN", help="The run's folder, asked with a judge")
    points.add_argument(
        "file", metavar="FILE.csv", help="A copy of the run's checklist.csv, decided and signed"
    )
    points.set_defaults(run=_checklist)


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
    bank = folders(options.directories)
    print(write(run, out, bank, options.n, options.seed, options.track))
    return 0


def _path_scores(options: argparse.Namespace) -> int:
    from culturegate.metrics.mirror_paths import compare_scorers
    from culturegate.reports.evidence import read_run
    from culturegate.reports.path_scores import comparison_lines, read_path_scores

    run = Path(options.run_directory)
    _, records = read_run(run)
    if not any(each.judgements and each.facts.track == "mirror" for each in records):
        print(
            f"{run}: no judge scored any reasoning in this run, so there is nothing to compare; "
            "ask the mirror track again with --judge-model NAME",
            file=sys.stderr,
        )
        return 1
    scores = read_path_scores(Path(options.file))
    for line in comparison_lines(compare_scorers(records, scores)):
        print(line)
    return 0


def _checklist(options: argparse.Namespace) -> int:
    from culturegate.checklist import calibrate

    for line in calibrate(Path(options.run_directory), Path(options.file)):
        print(line)
    return 0
