"""`culturegate sample`: trials of a finished run for a person to judge again, and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from culturegate.bank import load_bank
from culturegate.errors import CulturegateError
from culturegate.models.replyfile import StoredReplies
from culturegate.models.store import NAME as STORE
from culturegate.reports.evidence import read_run
from culturegate.reports.human import HUMAN_LOOK
from culturegate.reports.sampling import (
    Sampled,
    draw,
    human_lines,
    keep_human,
    read_sample,
    write_sample,
)
from culturegate.text import one_line
from culturegate.tracks import PROTOCOLS, TRACKS, Case, Plan
from culturegate.tracks.choice import Lettered


def write(
    run: Path, out: Path, items: Sequence[Path], n: int, seed: int, track: str | None = None
) -> str:
    """Draw trials of a run into a table for a person, and return a sentence on it.

    Args:
        run: The run's folder.
        out: Where the table goes; a file that is there is not written over.
        items: The bank's folders, which say what was asked and what a right reply is.
        n: Trials.
        seed: Of the draw.
        track: Draw from this track only.

    Raises:
        CulturegateError: Where the run or the bank can't be read, or nothing can be drawn.
    """
    info, records = read_run(run)
    if out.exists():
        raise CulturegateError(f"{out} is there already; name another file with --out")
    drawn = draw(records, n, seed, track)
    if not drawn:
        tracks = ", ".join(sorted({record.facts.track for record in records})) or "none"
        raise CulturegateError(f"{run} has no judged trial to draw; its tracks are: {tracks}")
    cases = _cases(info, items, {one.record.facts.track for one in drawn})
    strange = sorted(one.record.facts.case for one in drawn if not _fits(one, cases))
    if strange:
        message = (
            f"{one_line(strange[0])} is not in the bank as {run} asked it; name that bank's folder"
        )
        raise CulturegateError(message)
    with closing(StoredReplies(run / STORE)) as stored:
        reply = _Replies(stored, info)

        def asked(one: Sampled) -> tuple[str, str]:
            case = cases[one.record.facts.case]
            # In the order and under the letters that this trial's reply speaks of.
            options = Lettered(one.trial.option_order or "", case.choices).lines
            return "\n".join(filter(None, (case.question, options))), case.expected

        write_sample(out, drawn, asked, reply)
    return f"{out}: {len(drawn)} trials to judge again, seed {seed}"


def read(run: Path, table: Path) -> list[str]:
    """Keep a person's verdicts in the run's folder, show them in its reports, and return lines.

    Raises:
        CulturegateError: With every row that can't be used.
    """
    info, records = read_run(run)
    with closing(StoredReplies(run / STORE)) as stored:
        found = read_sample(table, records, _Replies(stored, info))
    kept = keep_human(run, found)
    return [*human_lines(run), *(str(path) for path in (kept, *HUMAN_LOOK.show(run, info)))]


def _fits(one: Sampled, cases: Mapping[str, Case]) -> bool:
    """Return whether the bank has a trial's case, with the options that the trial showed."""
    case = cases.get(one.record.facts.case)
    return case is not None and set(one.trial.option_order or "") <= set(case.choices)


class _Replies:
    """The texts of a run's replies."""

    def __init__(self, stored: StoredReplies, info: Mapping[str, Any]) -> None:
        self._stored = stored
        self._base_url = info.get("base_url")

    def __call__(self, one: Sampled) -> str:
        reply = self._stored.get(one.trial.reply_key or "", self._base_url)
        return (reply.text or "") if reply is not None else ""


def _cases(info: Mapping[str, Any], items: Sequence[Path], tracks: set[str]) -> dict[str, Case]:
    """Return every case that any protocol would ask in the run's languages, by id."""
    full = PROTOCOLS["full"]
    langs = tuple(info.get("langs") or ())
    changed = {
        name: replace(getattr(full, name), langs=langs)
        for name in TRACKS
        if langs and "langs" in {each.name for each in fields(getattr(full, name))}
    }
    seed = info.get("bank_seed") or 0
    if not isinstance(seed, int):
        raise CulturegateError(f"run.json: bank_seed is {one_line(repr(seed), 40)}, no number")
    plan = Plan(
        load_bank(items),
        replace(full, **changed),
        seed,
        judged=info.get("judge_model") is not None,
        home=info.get("home"),
        awareness_position=str(info.get("awareness_position") or "user"),
        diagnose=True,
    )
    return {case.facts.case: case for name in tracks if name in TRACKS
            for case in TRACKS[name].cases(plan)}  # fmt: skip
