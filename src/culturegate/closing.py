"""The end of a session: records become estimates, verdicts and a run for the reports."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import Any

from culturegate.bank.findings import LintLimits
from culturegate.bank.mirror_lint import lint_mirror
from culturegate.conductor import Conductor
from culturegate.disputes import adjudication
from culturegate.errors import CulturegateError
from culturegate.gate import GateResult, judge
from culturegate.metrics import Efficiency, efficiency_summary, summarise
from culturegate.models.urls import parse
from culturegate.options import Settings
from culturegate.persona_check import chats
from culturegate.reports import (
    DISPUTED_FILE,
    Disputed,
    Run,
    collect_provenance,
    point_latest,
    publish,
    sections,
    shortcuts,
    write_disputed,
    write_evidence,
    write_framing,
    write_summary,
)
from culturegate.reports.checklist import CHECKLIST, JudgedPoint, write_checklist
from culturegate.reports.path_scores import write_path_scores
from culturegate.reports.persona_chats import FACTS
from culturegate.tracks import TRACKS, Protocol, blinding


def close_run(conductor: Conductor, *, cut: str | None, arguments: Sequence[str]) -> Run:
    """Judge what was collected and return the run that the reports tell of.

    Args:
        conductor: The session's, with its records.
        cut: Why the session ended before its time; it is then not judged.
        arguments: pytest's command line, for the command that asks the wrong cases again.
    """
    settings = conductor.settings
    records = sorted(conductor.records.values(), key=lambda record: record.facts.case)
    thresholds = conductor.thresholds
    metrics = summarise(
        records,
        confidence=thresholds.confidence,
        seed=settings.bank_seed,
        weights=thresholds.weights,
        contaminated_weight=thresholds.weighting.contaminated,
    )
    efficiency = Efficiency(conductor.efficiency.values(), records, settings.price)
    gate: GateResult | None = None
    if cut is None and settings.gate != "off":
        gate = judge(
            thresholds,
            settings.gate_profile,
            records,
            conductor.judged_facts,
            require_all=settings.gate == "require-all",
            notes=_notes(conductor),
            baseline=conductor.baseline,
            efficiency=efficiency,
        )
        if not _decides(gate, settings):
            told = f"Gate {gate.profile}: nothing was judged, every line skipped; the exit code is "
            gate = replace(gate, sentence=f"{told}pytest's own, 1 where an answer is wrong")
    run = Run(
        directory=settings.run_dir,
        info=run_info(conductor, cut=cut),
        records=records,
        metrics=metrics,
        gate=gate,
        efficiency=list(conductor.efficiency.values()),
        efficiency_summary=efficiency_summary(
            efficiency,
            concurrency=settings.max_connections,
            streamed=settings.stream,
            price=settings.price,
        ),
        items=conductor.bank.size,
        signed_items=conductor.bank.signed,
        selected=len(conductor.selected),
        titles={
            culture: texts.get("en") or next(iter(texts.values()))
            for culture, texts in conductor.bank.titles.items()
            if texts
        },
        shortcuts=shortcuts(conductor.bank.myth, records),
        rerun_command=_command(settings, map(str, arguments), "--lf"),
        resume_command=_command(settings, map(str, arguments), "--resume"),
        cut=cut,
        contamination=conductor.contamination,
    )
    return replace(run, sections=tuple(sections(run)))


def exit_code(gate: GateResult, settings: Settings, own: int) -> int:
    """Return the session's exit code: the gate's, or pytest's `own` where nothing was judged.

    Judging nothing is a fault only where somebody named a profile or required every line.
    """
    return gate.exit_code if _decides(gate, settings) else own


def _decides(gate: GateResult, settings: Settings) -> bool:
    judged = any(verdict.status != "skipped" for verdict in gate.verdicts)
    wanted = settings.profile_named or settings.gate == "require-all"
    return judged or wanted or bool(gate.notes)


def _command(settings: Settings, arguments: Iterable[str], option: str) -> str:
    """Return this session's command with an option that goes on from it; no secrets.

    `--lf` asks into a run of its own; `--resume` names a folder that the user named.
    """
    kept = ["python", "-m", "pytest", option]
    texts = iter(arguments)
    for text in texts:
        if text == "--run-dir":
            directory = next(texts, "")
            kept += [] if option == "--lf" else [f"--run-dir={directory}"]
        elif text.startswith("--run-dir="):
            kept += [] if option == "--lf" else [text]
        elif text not in ("--lf", "--last-failed", "--resume"):
            kept.append(text)
    urls = [settings.endpoint, settings.judge_endpoint if settings.judge_model else None]
    secrets = [(url, parse(url).shown) for url in urls if url]
    secrets += [(key, "***") for key in (settings.api_key, settings.judge_key) if key]
    for secret, shown in secrets:
        kept = [argument.replace(secret, shown) for argument in kept]
    return shlex.join(kept)


def write_run(
    run: Run, reports: Path, disputed: Iterator[Disputed], judged: Iterator[JudgedPoint]
) -> tuple[list[Path], list[str]]:
    """Write the run's files, and let `latest` in `reports` point at it where it lies there.

    Args:
        run: What to write.
        reports: Where runs lie.
        disputed: The run's readings in dispute; without any there is no disputed.csv.
        judged: The points that a judge decided; without any there is no checklist.csv.

    Returns:
        The paths to show a reader, and what went wrong beside them: a run is none the worse for
        a step summary or a link that cannot be written.

    Raises:
        ReportError: Where the evidence itself cannot be written.
    """
    evidence = write_evidence(run)
    paths = [write_summary(run), *evidence]
    if (scores := write_path_scores(run.directory, run.records)) is not None:
        paths.append(scores)

    def dispute() -> None:
        first = next(disputed, None)
        if first is not None:
            path = run.directory / DISPUTED_FILE
            write_disputed(path, chain([first], disputed))
            paths.append(path)

    def checklist() -> None:
        first = next(judged, None)
        if first is not None:
            path = run.directory / CHECKLIST
            write_checklist(path, chain([first], judged))
            paths.append(path)

    def framing() -> None:
        path = write_framing(run)
        paths.extend([path] if path is not None else [])

    beside: list[Callable[[], object]] = [dispute, checklist, framing, lambda: publish(run)]
    if run.directory.parent == reports:
        beside.append(lambda: point_latest(reports, run.directory))
    warnings = []
    for step in beside:
        try:
            step()
        except CulturegateError as error:
            warnings.append(str(error))
    return paths, warnings


def _notes(conductor: Conductor) -> list[str]:
    lost = [case for case in conductor.selected if case not in conductor.records]
    notes = []
    if conductor.stopped:
        notes.append(conductor.stopped)
    if lost:
        named = ", ".join(lost[:3]) + (" …" if len(lost) > 3 else "")
        notes.append(f"{len(lost)} of {len(conductor.selected)} cases left no record: {named}")
    return notes


def run_info(conductor: Conductor, *, cut: str | None) -> dict[str, Any]:
    """Return the content of run.json: who was asked what, with which versions; no secrets."""
    settings = conductor.settings
    tracks = sorted({record.facts.track for record in conductor.records.values()})
    model = conductor.info
    asked = len(conductor.records)
    planned = len(conductor.facts)
    replies = [reply for row in conductor.efficiency.values() for reply in row["replies"]]
    return {
        "experiment": settings.experiment,
        "model": model.name if model else settings.model,
        "model_kind": settings.model_kind,
        "model_returned": _answered(replies, "model"),
        "fingerprint": _answered(replies, "fingerprint"),
        "reply_notes": _reply_notes(replies),
        "framework": model.framework if model else None,
        "base_url": model.base_url if model else None,
        "warnings": [*(model.warnings if model else ()), *_unsound(conductor)],
        "held_back": conductor.snapshot().held_back or None,
        "protocol": settings.protocol.name,
        "protocol_overrides": dict(settings.protocol_overrides),
        "partial": f"{asked} of {planned} cases" if asked < planned else None,
        "cut": cut,
        "cultures": sorted({record.facts.culture for record in conductor.records.values()}),
        "langs": sorted({record.facts.lang for record in conductor.records.values()}),
        "templates": {
            name: [wording for wording, _ in TRACKS[name].wordings(conductor.plan)]
            for name in tracks
        },
        **_asked(settings.protocol, tracks),
        "max_connections": settings.max_connections,
        "stream": settings.stream,
        "bank_seed": settings.bank_seed,
        "prompt_hash": conductor.prompts,
        "home": settings.home,
        **_blinding(settings, tracks),
        **_chats(conductor, tracks),
        "awareness_position": settings.awareness_position,
        "judge_model": settings.judge_model,
        "corpus": _corpus(conductor),
        "baseline": str(settings.baseline) if settings.baseline else None,
        "baseline_unused": _baseline_unused(conductor),
        "bank_hash": conductor.bank.sha256,
        "thresholds_hash": conductor.thresholds.sha256,
        "adjudicated": adjudication(conductor),
        "gate_profile": settings.gate_profile,
        "gate": settings.gate,
        "started": conductor.started.isoformat(timespec="seconds"),
        "seconds": round((datetime.now(UTC) - conductor.started).total_seconds(), 1),
        **collect_provenance(settings.root),
    }


def _blinding(settings: Settings, tracks: Sequence[str]) -> dict[str, Any]:
    """Return the key to the codes that conditions stand under in the records, and its seed."""
    if "framing" not in tracks:
        return {}
    seed = settings.protocol.framing.seed
    return {blinding.KEY: blinding.key(seed + settings.bank_seed), "framing_seed": seed}


def _chats(conductor: Conductor, tracks: Sequence[str]) -> dict[str, Any]:
    """Return what there is to know of the personas' chats without any reader."""
    if "persona" not in tracks:
        return {}
    return {FACTS: chats(conductor.bank.persona, conductor.settings.bank_seed)}


def _asked(protocol: Protocol, tracks: Iterable[str]) -> dict[str, Any]:
    """Return how much was asked: one value where all tracks agree, else one for each track."""
    found: dict[str, Any] = {}
    for key in ("samples", "rounds", "temperature", "top_p", "max_tokens"):
        values = {
            track: value
            for track in tracks
            if (value := getattr(getattr(protocol, track), key, None)) is not None
        }
        alike = set(values.values())
        found[key] = alike.pop() if len(alike) == 1 else values or None
    return found


def _unsound(conductor: Conductor) -> list[str]:
    """Return a sentence on the user's own mirror families whose arithmetic or texts do not fit."""
    folders, limits = conductor.settings.items[1:], LintLimits.private()
    found = [
        finding.problem
        for finding in (lint_mirror(conductor.bank.mirror, limits) if folders else ())
        if any(finding.problem.file.is_relative_to(folder) for folder in folders)
    ]
    if not found:
        return []
    return [f"Your own families have faults, {len(found)} in all; culturegate lint: {found[0]}"]


def _baseline_unused(conductor: Conductor) -> bool | None:
    """Return whether a baseline was named that no line compares with; None without a baseline."""
    settings = conductor.settings
    if settings.baseline is None:
        return None
    profile = conductor.thresholds.profiles.get(settings.gate_profile)
    return profile is not None and not any(line.bound == "max_drop" for line in profile.lines)


def _corpus(conductor: Conductor) -> dict[str, Any] | None:
    found = conductor.contamination
    if found is None:
        return None
    return {
        "paths": [str(path) for path in found.paths],
        "documents": found.documents,
        "characters": found.characters,
        "ngram": found.size,
        "overlap": found.least,
    }


def _reply_notes(replies: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """Count what the model did otherwise than asked, such as a temperature not honoured."""
    return dict(sorted(Counter(note for reply in replies for note in reply["notes"]).items()))


def _answered(replies: Iterable[Mapping[str, Any]], key: str) -> str | list[str] | None:
    """Return what the servers called themselves: one name, all of several, or None."""
    names = sorted({str(reply[key]) for reply in replies if reply[key] is not None})
    return names[0] if len(names) == 1 else names or None
