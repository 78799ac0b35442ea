"""`culturegate persona`: the personas, and whether their chats show their norms."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from culturegate.commands.usage import Commands, UsageError, folders

if TYPE_CHECKING:
    from culturegate.persona_check import Question
    from culturegate.tracks import Record


def add(commands: Commands) -> None:
    """Add persona."""
    persona = commands.add_parser(
        "persona", help="Print a persona, or check that the chats show their norms"
    )
    persona.add_argument("persona", nargs="?", metavar="ID", help="Such as persona-nepali-03")
    persona.add_argument("directories", nargs="*", metavar="DIR", help="Folders (default: items)")
    persona.add_argument("--seed", type=int, help="The bank seed (default: the run's, else 0)")
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
    persona.add_argument(
        "--run",
        dest="run_directory",
        metavar="RUN",
        help="With --check: keep what was recovered in this run's folder and reports",
    )
    persona.add_argument("--judge-endpoint", metavar="URL", help="Where the reader answers")
    persona.add_argument(
        "--judge-model",
        metavar="NAME",
        help="Who reads; its key: CULTUREGATE_JUDGE_API_KEY or OPENAI_API_KEY",
    )
    persona.set_defaults(run=_persona)


def _persona(options: argparse.Namespace) -> int:
    from culturegate import persona_check
    from culturegate.bank.loader import load_bank
    from culturegate.persona_run import keep, run_facts, same_chats

    checking = options.sheet or options.check is not None
    named = [options.persona] if options.persona else []
    # Without an id the first argument is a folder.
    given = [*named, *options.directories] if checking else options.directories
    bank = load_bank(folders(given)).persona
    if not bank.by_culture:
        raise UsageError("there is no persona in these folders")
    run = Path(options.run_directory) if options.run_directory else None
    if run is not None and not checking:
        raise UsageError("--run goes with --check, or with --sheet for the run's seed")
    if run is not None and not run.is_dir():
        raise UsageError(f"no such folder: {run}")
    info = None if run is None else run_facts(run)
    seed = options.seed
    if seed is None:
        seed = 0 if info is None else int(info["bank_seed"])
    if run is not None and info is not None:
        same_chats(run, info, bank, seed)
    if not checking:
        lines = (
            persona_check.show(bank, options.persona, seed)
            if options.persona
            else (persona.id for _, persona in persona_check.people(bank, seed))
        )
        for line in lines:
            print(line)
        return 0
    asked = persona_check.questions(bank, seed)
    if options.sheet:
        out = Path(options.sheet)
        if out.exists():
            raise UsageError(f"{out} is there already; name another file")
        try:
            out.write_text("".join(persona_check.sheet(asked)), encoding="utf-8")
        except OSError as error:
            raise UsageError(f"{out} cannot be written: {error.strerror}") from None
        print(f"{out}: {len(asked)} norms of {len({each.persona.id for each in asked})} personas")
        return 0
    records, model = _recovered(options, asked)
    for line in persona_check.told(records, persona_check.reveals(bank, seed)):
        print(line)
    if run is not None and info is not None:
        for path in keep(run, info, records, model):
            print(path)
    return 0


def _recovered(
    options: argparse.Namespace, asked: Sequence[Question]
) -> tuple[Sequence[Record], str | None]:
    """Return what was recovered, and the model that read; None where a person did."""
    import asyncio

    from culturegate import persona_check
    from culturegate.bank.files import read_bytes
    from culturegate.bank.spreadsheet import LARGEST
    from culturegate.models.endpoint import EndpointConfig, EndpointModel

    if options.check:
        file = Path(options.check)
        if not file.is_file():
            raise UsageError(f"no such file: {file}")
        return persona_check.read_sheet(read_bytes(file, LARGEST), asked, file), None
    if not options.judge_endpoint:
        raise UsageError("--check needs a filled-in FILE.csv, or --judge-endpoint URL")
    key = os.environ.get("CULTUREGATE_JUDGE_API_KEY") or os.environ.get("OPENAI_API_KEY")
    config = EndpointConfig(options.judge_endpoint, options.judge_model, key)
    return asyncio.run(persona_check.ask_reader(EndpointModel(config), asked, at_once=8))
