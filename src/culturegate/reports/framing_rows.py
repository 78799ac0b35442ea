"""framing.jsonl: every trial of the framing track with its reply, the conditions in the open."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from culturegate.models.replyfile import StoredReplies
from culturegate.models.store import NAME as STORE
from culturegate.reports.files import write_lines
from culturegate.reports.run import Run
from culturegate.text import clean
from culturegate.tracks.base import Record, Trial

FILE = "framing.jsonl"
LONGEST = 20_000
"""Characters kept of a reply; the store has it whole."""


def write_framing(run: Run) -> Path | None:
    """Write framing.jsonl into the run's directory and return its path; None without such cases.

    One line a trial: `sample_id`, `lang`, `job`, `condition`, `round` (from 1), `aware` and
    `capable` (true, false, or null in the control), `compliant` (null where the call failed),
    `reason` (why it does not comply, `content` where only what stands in the object is wrong, else
    null) and `raw_output`.

    Raises:
        ReportError: Where it can't be written.
        StoreError: Where the replies can't be read.
    """
    records = [record for record in run.records if record.facts.track == "framing"]
    if not records:
        return None
    replies = StoredReplies(run.directory / STORE)
    try:
        path = run.directory / FILE
        write_lines(path, _rows(records, replies, run.info.get("base_url")))
    finally:
        replies.close()
    return path


def _rows(
    records: list[Record], replies: StoredReplies, base_url: str | None
) -> Iterator[dict[str, Any]]:
    for record in sorted(records, key=lambda record: record.facts.case):
        for trial in record.trials:
            reply = replies.get(trial.reply_key, base_url) if trial.reply_key else None
            yield _row(record, trial, reply.text if reply is not None else None)


def _row(record: Record, trial: Trial, text: str | None) -> dict[str, Any]:
    facts = record.facts
    awareness, _, level = (facts.condition or "").partition("-")
    return {
        "sample_id": facts.item,
        "lang": facts.lang,
        "job": facts.task,
        "condition": facts.condition,
        "round": trial.sample + 1,
        "aware": {"aware": True, "unaware": False}.get(awareness),
        "capable": {"high": True, "low": False}.get(level),
        "compliant": trial.correct,
        "reason": trial.reason,
        "raw_output": None if text is None else clean(text, LONGEST),
    }
