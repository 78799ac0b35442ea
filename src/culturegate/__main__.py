"""`culturegate`: what is done outside pytest, mostly to the bank.

Exits 0 where all is fine, 1 where something was found, 2 on wrong usage.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence

from culturegate.commands import COMMANDS
from culturegate.commands.usage import UsageError
from culturegate.errors import CulturegateError


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return the exit code."""
    for stream in (sys.stdout, sys.stderr):
        # The bank is written in many scripts; a terminal that lacks one shall not end a command.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    parser = argparse.ArgumentParser(
        prog="culturegate", description="Check, show, make and import items; read replies again."
    )
    commands = parser.add_subparsers(
        title="commands", required=True, metavar="COMMAND", dest="command"
    )
    for add in COMMANDS:
        add(commands)
    options = parser.parse_args(arguments)
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


if __name__ == "__main__":
    sys.exit(main())
