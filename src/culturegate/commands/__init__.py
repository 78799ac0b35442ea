"""The commands of `culturegate`, in the order in which help shows them.

Each module adds its commands' parsers and runs them. What a command needs is imported inside it, so
that `--help` and small commands stay quick.
"""

from culturegate.commands import bank, finished, foreign, persona, planned, recorded

COMMANDS = (bank.add, foreign.add, recorded.add, planned.add, finished.add, persona.add)

__all__ = ["COMMANDS"]
