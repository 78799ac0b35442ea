"""Where a run lands, and `latest`, which points at the newest."""

from __future__ import annotations

import json
import os
import re
from datetime import UTC, datetime
from pathlib import Path
from secrets import token_hex

from culturegate.reports.files import ReportError, mended, write_text

LATEST = "latest"


def run_name(label: str, when: datetime) -> str:
    """Return a name that sorts by time and that no other run has.

    `20250131T120000Z-qwen3-8b-9f2c`: the UTC time, a slug of `label`, four hexadecimal digits.
    """
    slug = re.sub(r"[^a-z0-9]+", "-", label[:200].lower()).strip("-")[:40].strip("-")
    return f"{when.astimezone(UTC):%Y%m%dT%H%M%SZ}-{slug or 'run'}-{token_hex(2)}"


def claim(directory: Path) -> Path:
    """Make the directory a user named, where it is not there yet, and see that it can be written.

    Raises `ReportError`, so that a run which could not be kept ends before the first case.
    """
    probe = directory / f".write-{token_hex(4)}"
    with mended("make the run's folder", directory):
        try:
            directory.mkdir(parents=True, exist_ok=True)
        except FileExistsError as error:
            message = f"cannot make the run's folder {directory}: a file stands there"
            raise ReportError(message) from error
    with mended("write into", directory):
        probe.touch(exist_ok=False)
        probe.unlink()
    return directory


def point_latest(reports: Path, directory: Path) -> Path:
    """Let `reports/latest` point at a run and return its path: the last to finish wins.

    A symbolic link, or where links fail a text file with the run's path relative to `reports`.
    Either takes the old one's place in one step, so that sessions sharing a folder do no harm.
    Raises `ReportError`.
    """
    target = os.path.relpath(directory, reports)
    latest = reports / LATEST
    beside = reports / f".{LATEST}.{token_hex(4)}"
    with mended("point", latest):
        try:
            beside.symlink_to(target, target_is_directory=True)
        except (OSError, NotImplementedError):
            write_text(latest, (target, "\n"))
            return latest
        try:
            beside.replace(latest)
        except OSError:
            beside.unlink(missing_ok=True)
            raise
    return latest


def unfinished_run(reports: Path) -> Path | None:
    """Return the newest run in `reports` that has replies and did not come to its end, or None.

    A run that was killed has no run.json; one that was interrupted says so there under `cut`.
    """
    for store in sorted(reports.glob("*/replies.sqlite"), reverse=True):
        if store.parent.name == LATEST:
            continue
        try:
            info = json.loads((store.parent / "run.json").read_bytes())
        except (OSError, ValueError):
            return store.parent
        if isinstance(info, dict) and info.get("cut"):
            return store.parent
    return None
