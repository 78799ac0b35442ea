"""A person's second look in the reports, also where it comes after they were made."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from culturegate.reports.place import Place, Told
from culturegate.reports.sampling import human_lines


def _told(directory: Path, info: Mapping[str, Any]) -> Told | None:
    found = human_lines(directory)
    return Told(tuple(found), title="A human look") if found else None


HUMAN_LOOK = Place("human", _told)
