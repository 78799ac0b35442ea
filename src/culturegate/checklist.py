"""The points that a judge decided: to a person at the end of a session, and back by a command."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from culturegate.conductor import Conductor
from culturegate.models.replyfile import StoredReplies
from culturegate.models.store import NAME as STORE
from culturegate.reports.checklist import (
    JUDGE,
    JudgedPoint,
    calibration_told,
    keep_checklist,
    read_checklist,
)
from culturegate.reports.evidence import read_run
from culturegate.tracks.persona import PersonaCase
from culturegate.tracks.persona_judging import verdicts
from culturegate.tracks.protocol import stable_order


def judged_points(conductor: Conductor) -> Iterator[JudgedPoint]:
    """Yield what a judge decided in the session, in an order drawn by the bank seed.

    Raises `StoreError` where the replies can't be read.
    """
    settings = conductor.settings
    judged = {name: record for name, record in conductor.records.items()
              if record.facts.track == "persona" and record.judgements}  # fmt: skip
    if not judged:
        return
    base_url = conductor.info.base_url if conductor.info else None
    with closing(StoredReplies(settings.run_dir / STORE)) as stored:
        for name in stable_order(judged, settings.bank_seed):
            case = conductor.decidable(name)
            if not isinstance(case, PersonaCase):
                continue
            record = judged[name]
            standing = verdicts(record.judgements)
            for trial in record.trials:
                reply = stored.get(trial.reply_key or "", base_url)
                for (template, sample, aspect), verdict in standing.items():
                    if reply is None or (template, sample) != (trial.template, trial.sample):
                        continue
                    yield JudgedPoint(
                        name,
                        template,
                        sample,
                        aspect,
                        case.request.text,
                        reply.text or "",
                        case.points[aspect],
                        verdict,
                    )


def calibrate(run: Path, table: Path) -> list[str]:
    """Keep a person's verdicts in the run's folder, show them in its reports, and return lines.

    Raises:
        CulturegateError: With every row that can't be used.
    """
    info, records = read_run(run)
    with closing(StoredReplies(run / STORE)) as stored:

        def reply(key: str) -> str:
            found = stored.get(key, info.get("base_url"))
            return (found.text or "") if found is not None else ""

        found = read_checklist(table, records, reply)
    kept = keep_checklist(run, found)
    told = calibration_told(run, info)
    lines = list(told.notes)
    if told.table is not None:
        heads = told.table.heads[1:]
        for name, *cells in told.table.rows:
            shown = ", ".join(f"{head} {cell}" for head, cell in zip(heads, cells, strict=True))
            lines.append(f"{name}: {shown}")
    return [*lines, *(str(path) for path in (kept, *JUDGE.show(run, info)))]
