"""Readings in dispute at the end of a session: what goes to a person, and what came back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from culturegate.conductor import Conductor
from culturegate.models.replyfile import StoredReplies
from culturegate.models.store import NAME as STORE
from culturegate.reports import DISPUTED_FILE, Disputed
from culturegate.tracks import DISPUTED, unapplied


def disputed_readings(conductor: Conductor) -> Iterator[Disputed]:
    """Yield the session's readings in dispute, sorted by case, with the replies as stored.

    None where the file that they would go to is the one whose decisions were applied: a person's
    work is not written over. Raises `StoreError` where the replies can't be read.
    """
    settings = conductor.settings
    own = settings.run_dir / DISPUTED_FILE
    if settings.adjudicated is not None and settings.adjudicated.resolve() == own.resolve():
        return
    stored: StoredReplies | None = None
    base_url = conductor.info.base_url if conductor.info else None
    try:
        for name, record in sorted(conductor.records.items()):
            case = conductor.decidable(name)
            for trial in record.trials:
                if case is None or trial.status not in DISPUTED or trial.reply_key is None:
                    continue
                stored = stored or StoredReplies(settings.run_dir / STORE)
                reply = stored.get(trial.reply_key, base_url)
                if reply is not None:
                    shown = case.as_shown(trial)
                    yield Disputed(name, trial, case.question, shown, reply.text or "")
    finally:
        if stored is not None:
            stored.close()


def adjudication(conductor: Conductor) -> dict[str, Any] | None:
    """Return what run.json says of a person's decisions; None where none were given.

    Keys: `file`, `sha256`, `decisions` and `applied` (counts), `signed_by` (name → decisions) and
    `not_applied` (reason → count).
    """
    decisions = conductor.decisions
    if decisions is None:
        return None
    left = unapplied(decisions.each, conductor.records)
    return {
        "file": decisions.file,
        "sha256": decisions.sha256,
        "decisions": len(decisions.each),
        "applied": len(decisions.each) - left.total(),
        "signed_by": dict(sorted(Counter(one.signed for one in decisions.each).items())),
        "not_applied": dict(sorted(left.items())),
    }
