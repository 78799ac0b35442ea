"""`culturegate plan`: what a run could show."""

from __future__ import annotations

import argparse
from pathlib import Path

from culturegate.commands.usage import ITEMS, Commands, UsageError, folders


def add(commands: Commands) -> None:
    """Add plan."""
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
        [ITEMS, *folders(options.items)] if options.items else folders([]),
        thresholds,
        profile=options.profile,
        protocol=options.protocol,
        seed=options.seed,
        assumed=Assumptions(**given),
    ):
        print(line)
    return 0
