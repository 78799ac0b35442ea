"""What the commands share: the default folder, and wrong usage."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TypeAlias

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"
"""What a command's parser is added to."""
ITEMS = Path("items")
"""The project's own bank, seen from the checkout's root."""


class UsageError(Exception):
    """A command that cannot be meant; exits 2."""


def folders(given: Sequence[str]) -> list[Path]:
    """Return the folders or files that were named, or the project's own bank.

    Raises `UsageError` where one is not there.
    """
    paths = [Path(text) for text in given] or [ITEMS]
    for path in paths:
        if not path.exists():
            raise UsageError(f"no such file or folder: {path}")
    return paths
