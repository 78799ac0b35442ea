"""A sample of a run's trials for a person to judge again, and what came back of it.

The table shows what was asked, what a right reply is and the reply; it shows neither how the rules
judged it nor, in the framing track, under which condition. A person fills in `verdict` (right or
wrong) and `signed`. What comes back is kept in the run's folder as human.json.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from culturegate.bank.spreadsheet import MARK, table_line
from culturegate.metrics.agreement import agreement
from culturegate.reports.files import write_json, write_text
from culturegate.reports.shown import bounded
from culturegate.reports.signed_table import SignedTable
from culturegate.text import clean, one_line
from culturegate.tracks import hash_reply
from culturegate.tracks.base import Record, Trial
from culturegate.tracks.protocol import stable_order

HUMAN = "human.json"
CELL_COST = 20_000
COLUMNS = ("case", "track", "lang", "template", "sample", "asked", "right_is", "reply", "verdict",
           "signed", "note", "reply_key", "reply_hash")  # fmt: skip
NEEDED = ("case", "template", "sample", "verdict", "signed", "reply_hash")
VERDICTS = {"right": True, "wrong": False}
_TABLE: SignedTable[Sampled] = SignedTable(
    "sample", "trial", COLUMNS, NEEDED, 3, tuple(VERDICTS), "right, wrong", "right or wrong"
)


@dataclass(frozen=True, slots=True)
class Sampled:
    """One trial that was drawn."""

    record: Record
    trial: Trial


def draw(records: Iterable[Record], n: int, seed: int, track: str | None = None) -> list[Sampled]:
    """Draw trials that were judged, as many from each track as there are, in turn.

    A track's trials come in an order that depends on `seed` and on each trial alone, so that a
    larger sample holds the smaller one.

    Args:
        records: Of a run.
        n: How many; fewer where there are no more.
        seed: Of the draw.
        track: Draw from this track only.
    """
    by_track: defaultdict[str, dict[str, Sampled]] = defaultdict(dict)
    for record in records:
        if track in (None, record.facts.track):
            for trial in record.trials:
                if trial.correct is not None and trial.reply_key is not None:
                    name = f"{record.facts.case} {trial.template} {trial.sample}"
                    by_track[record.facts.track][name] = Sampled(record, trial)
    queues = [
        iter([by_track[name][one] for one in stable_order(by_track[name], seed)])
        for name in sorted(by_track)
    ]
    drawn: list[Sampled] = []
    while queues and len(drawn) < n:
        for queue in list(queues):
            found = next(queue, None)
            if found is None:
                queues.remove(queue)
            elif len(drawn) < n:
                drawn.append(found)
    return drawn


def write_sample(
    path: Path,
    drawn: Iterable[Sampled],
    asked: Callable[[Sampled], tuple[str, str]],
    reply: Callable[[Sampled], str],
) -> None:
    """Write the table.

    Args:
        path: Where.
        drawn: The trials.
        asked: What the model was asked, without the condition, and what a right reply is.
        reply: The reply's text.

    Raises:
        ReportError: Where it can't be written.
    """
    write_text(path, _lines(drawn, asked, reply))


def _lines(
    drawn: Iterable[Sampled],
    asked: Callable[[Sampled], tuple[str, str]],
    reply: Callable[[Sampled], str],
) -> Iterator[str]:
    yield MARK + table_line(COLUMNS)
    for one in drawn:
        facts, trial = one.record.facts, one.trial
        question, right = asked(one)
        text = reply(one)
        yield table_line(
            (
                facts.case,
                facts.track,
                facts.lang,
                trial.template,
                str(trial.sample),
                bounded(question, CELL_COST),
                bounded(right, CELL_COST),
                bounded(text, CELL_COST),
                "",
                "",
                "",
                trial.reply_key or "",
                hash_reply(text),
            )
        )


def read_sample(
    path: Path, records: Iterable[Record], reply: Callable[[Sampled], str]
) -> dict[str, Any]:
    """Return the content of human.json from a table that a person has filled in.

    Keys: `file`, `sha256`, `signed_by` (name → verdicts), `open` (rows without a verdict),
    `verdicts` (a list: `case`, `track`, `template`, `sample`, `rules`, `person`, `signed`, `note`)
    and `agreement` (track, or `all` → as `Agreement`).

    Args:
        path: The table.
        records: Of the run that it was drawn from.
        reply: The reply's text of a trial.

    Raises:
        ReportError: Where the file can't be read.
        InputError: With every row that can't be used, by its line.
    """
    trials: dict[tuple[str, ...], Sampled] = {
        (record.facts.case, trial.template, str(trial.sample)): Sampled(record, trial)
        for record in records
        for trial in record.trials
    }
    found = _TABLE.read(path, trials, lambda cells, one: _faults(cells, one, reply), _verdict)
    return found | {"agreement": _agreements(found["verdicts"])}


def _faults(
    cells: Mapping[str, str], found: Sampled | None, reply: Callable[[Sampled], str]
) -> Iterator[str]:
    if found is None:
        yield "the run has no such trial; read the table with the run that it was drawn from"
    elif cells["reply_hash"] != hash_reply(reply(found)):
        yield "the reply is another one now; draw a new sample"
    elif found.trial.correct is None:
        yield "this trial was not judged by the rules, so there is nothing to compare"


def _verdict(cells: Mapping[str, str], found: Sampled) -> dict[str, Any]:
    return {
        "case": found.record.facts.case,
        "track": found.record.facts.track,
        "template": found.trial.template,
        "sample": found.trial.sample,
        "rules": found.trial.correct,
        "person": VERDICTS[cells["verdict"].casefold()],
    }


def _agreements(verdicts: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    groups = {"all": list(verdicts)}
    for one in verdicts:
        groups.setdefault(one["track"], []).append(one)
    return {
        name: agreement([(one["rules"], one["person"]) for one in group]).to_dict()
        for name, group in groups.items()
    }


def keep_human(directory: Path, found: Mapping[str, Any]) -> Path:
    """Write human.json into a run's folder and return its path. Raises `ReportError`."""
    path = directory / HUMAN
    write_json(path, found)
    return path


def human_lines(directory: Path) -> list[str]:
    """Return what a run's human.json says, a sentence each; empty where there is none.

    What can't be read is none: a report must not fail for it.
    """
    try:
        found = json.loads((directory / HUMAN).read_bytes())
        names = ", ".join(f"{one_line(name, 60)} ({n})" for name, n in found["signed_by"].items())
        lines = [f"Judged again by {names}; {found['open']} rows were left open."]
        for name, one in found["agreement"].items():
            kappa = "" if one["kappa"] is None else f", kappa {one['kappa']:.2f}"
            lines.append(
                f"{'All tracks' if name == 'all' else name}: the rules and the person agree on "
                f"{one['agreed']} of {one['n']} replies, {one['share']:.0%} "
                f"({one['low']:.0%} to {one['high']:.0%}){kappa}; right by the rules only "
                f"{one['first_right']}, by the person only {one['second_right']}."
            )
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return []
    return [clean(line, 500) for line in lines]
