"""What a blind reader recovered, brought into the reports of a run with the same chats."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from culturegate.bank.persona import PersonaBank
from culturegate.errors import CulturegateError
from culturegate.metrics import estimate
from culturegate.persona_check import chats
from culturegate.reports.evidence import read_run
from culturegate.reports.persona_chats import CHATS, FACTS, PUBLISHED_RECOVERED, keep_check
from culturegate.tracks.base import Record


def run_facts(run: Path) -> dict[str, Any]:
    """Return run.json of a run that asked personas; `CulturegateError` where it did not."""
    info, _ = read_run(run)
    if not info.get(FACTS):
        raise CulturegateError(f"{run} asked no persona, so no check of the chats belongs to it")
    return info


def same_chats(run: Path, info: Mapping[str, Any], bank: PersonaBank, seed: int) -> None:
    """See that a run was asked with these chats; `CulturegateError` where it was not."""
    if chats(bank, seed)["sha256"] != info[FACTS]["sha256"]:
        message = (
            f"{run} was asked with other chats than those of this bank under seed {seed}; name the "
            "folders that it was asked from, and leave out --seed"
        )
        raise CulturegateError(message)


def keep(
    run: Path, info: Mapping[str, Any], records: Sequence[Record], model: str | None
) -> list[Path]:
    """Keep what was recovered in a run's folder, show it in its reports, and return their paths.

    Args:
        run: The run's folder.
        info: Content of its run.json.
        records: Of the check.
        model: Who read; None where persons did, whose names stand in the trials.

    Raises:
        CulturegateError: Where no state was named, or a file can't be written.
    """
    named = [record for record in records if record.passed is not None]
    if not named:
        raise CulturegateError("no state was named, so nothing is kept")
    readers = Counter(model or str(record.trials[0].detail) for record in named)
    found = {
        "chats": info[FACTS]["sha256"],
        "kind": "person" if model is None else "model",
        "readers": dict(sorted(readers.items())),
        "failed": len(records) - len(named),
        "published": PUBLISHED_RECOVERED,
        "recovered": _recovered(named),
        "states": [
            {
                "persona": record.facts.cluster,
                "norm": record.facts.item,
                "shown": record.facts.condition,
                "named": record.trials[0].value,
            }
            for record in named
        ],
    }
    return [keep_check(run, found), *CHATS.show(run, info)]


def _recovered(records: Sequence[Record]) -> dict[str, Any]:
    """Return the share of states recovered over all and by culture."""
    found = {}
    for name in ("all", *sorted({record.facts.culture for record in records})):
        where = {} if name == "all" else {"culture": name}
        whole = estimate("accuracy", records, where)
        sides = {
            state: estimate("accuracy", records, {**where, "condition": state}).value
            for state in ("follow", "avoid")
        }
        limits = {"value": whole.value, "low": whole.low, "high": whole.high}
        found[name] = {**limits, "n": whole.n, "clusters": whole.clusters, **sides}
    return found
