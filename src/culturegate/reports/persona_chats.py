"""What a blind reader recovers of the states that the personas' chats show, in a run's reports.

It is kept in the run's folder as persona_check.json, and counts only for the chats that the run
was asked with; run.json holds their hash under `persona_chats`, with the telling words found.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from culturegate.reports.files import write_json
from culturegate.reports.place import Place, Told
from culturegate.reports.section import SectionTable
from culturegate.text import one_line

CHECK = "persona_check.json"
FACTS = "persona_chats"
"""Key of run.json: `sha256` of the chats, and `cultures`, a mapping by slug of `title` and
`reveals`, the telling words that the histories hold."""
PUBLISHED_RECOVERED = 0.947
"""Share of norm states that the published framework's chats keep to."""
NOT_CHECKED = "not checked"
_HEADS = ("culture", "states recovered", "norm followed", "norm avoided", "states / personas",
          "explicit reveals")  # fmt: skip


def keep_check(directory: Path, found: Mapping[str, Any]) -> Path:
    """Write persona_check.json into a run's folder and return its path. Raises `ReportError`."""
    path = directory / CHECK
    write_json(path, found)
    return path


def explicit_reveals(info: Mapping[str, Any]) -> int | None:
    """Return how many telling words a run's chats hold; None where nobody counted."""
    facts = info.get(FACTS)
    if not facts:
        return None
    return sum(int(one["reveals"]) for one in facts["cultures"].values())


def _told(directory: Path, info: Mapping[str, Any]) -> Told | None:
    facts = info.get(FACTS)
    if not facts:
        return None
    note = (
        "Whether the chats show the norms was not checked: nobody has named the states from the "
        "histories alone. `culturegate persona --check FILE.csv --run RUN` reads a person's table "
        "into this report; with `--judge-model NAME` in place of the file a model reads."
    )
    rows: Mapping[str, Any] = {}
    try:
        found = json.loads((directory / CHECK).read_bytes())
        if found["chats"] == facts["sha256"]:
            note = _note(found)
            rows = {name: _cells(row) for name, row in found["recovered"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        rows = {}  # What can't be read is none: a report must not fail for it.
    empty = (NOT_CHECKED, NOT_CHECKED, NOT_CHECKED, "")
    table = [
        ("published", f"{PUBLISHED_RECOVERED}", "", "", "", "0"),
        ("all", *rows.get("all", empty), str(explicit_reveals(info))),
    ]
    for slug, one in facts["cultures"].items():
        title = one_line(str(one["title"]), 60)
        table.append((title, *rows.get(slug, empty), str(one["reveals"])))
    shown = SectionTable("What a blind reader recovers from the chats", _HEADS, tuple(table))
    return Told((note,), shown)


def _note(found: Mapping[str, Any]) -> str:
    names = ", ".join(f"{one_line(name, 60)} ({n})" for name, n in found["readers"].items())
    who = "a person" if found["kind"] == "person" else "a model"
    told = f"The states were named from the histories alone by {who}: {names}."
    failed = int(found["failed"])
    return f"{told} {failed} calls failed and are left out." if failed else told


def _cells(row: Mapping[str, Any]) -> tuple[str, str, str, str]:
    follow, avoid = (
        "–" if row[side] is None else f"{row[side]:.3f}" for side in ("follow", "avoid")
    )
    share = f"{row['value']:.3f} ({row['low']:.3f} to {row['high']:.3f})"
    return share, follow, avoid, f"{int(row['n'])} / {int(row['clusters'])}"


CHATS = Place("persona-chats", _told)
