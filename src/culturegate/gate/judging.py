"""Lines and records to verdicts, and the verdicts to an exit code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from culturegate.gate import certainty
from culturegate.gate.groups import Candidate, Evidence
from culturegate.gate.thresholds import Thresholds
from culturegate.gate.verdict import (
    EXIT_BREACHED,
    EXIT_MET,
    EXIT_UNVERIFIED,
    GateResult,
    Verdict,
    VerdictStatus,
)
from culturegate.metrics import Efficiency, Estimate, Measured
from culturegate.tracks.base import CaseFacts, Record


def judge(
    thresholds: Thresholds,
    profile: str,
    records: Sequence[Record],
    planned: Sequence[CaseFacts],
    *,
    require_all: bool = False,
    notes: Sequence[str] = (),
    baseline: Sequence[Record] | None = None,
    efficiency: Efficiency | None = None,
) -> GateResult:
    """Judge every line of a profile on every group it names.

    Args:
        thresholds: The lines.
        profile: The profile to judge by.
        records: What ran; cases that are not planned are left aside.
        planned: Every case that the protocol names, whether or not it ran.
        require_all: A skipped line ends in exit 11.
        notes: What went wrong beside the lines (a worker lost, a budget spent); each ends in exit
            11 where nothing is breached.
        baseline: Records of the run that `against: baseline` compares with.
        efficiency: Times and tokens, for the lines that bound them.

    Raises:
        CulturegateError: The profile does not exist.
        ValueError: Two records or two planned cases share a case id.
    """
    chosen = thresholds.profile(profile)
    evidence = Evidence(thresholds, records, planned, baseline, efficiency)
    candidates = [
        candidate
        for line in chosen.lines
        for candidate in evidence.candidates(line, chosen.validity)
    ]
    verdicts = _verdicts(candidates, thresholds.confidence)
    code = _exit_code(verdicts, require_all=require_all, noted=bool(notes))
    sentence = _sentence(profile, verdicts, len(chosen.lines), code, require_all, len(notes))
    return GateResult(profile, tuple(verdicts), code, sentence, tuple(notes))


def _verdicts(candidates: Sequence[Candidate], confidence: float) -> list[Verdict]:
    """Judge each candidate; those that breach only when certain, all together."""
    verdicts: dict[int, Verdict] = {}
    # A warning never fails a run, so it must not make the lines that do less sharp.
    for warn in (False, True):
        family = [
            index
            for index, one in enumerate(candidates)
            if one.line.judge == "breach_certain"
            and one.line.warn is warn
            and one.found is not None
        ]
        found = _family([candidates[index] for index in family], 1 - confidence)
        verdicts |= dict(zip(family, found, strict=True))
    for index, one in enumerate(candidates):
        if index not in verdicts:
            verdicts[index] = _single(one, confidence)
    return [verdicts[index] for index in range(len(candidates))]


def _single(one: Candidate, confidence: float) -> Verdict:
    """Judge a candidate by itself."""
    if one.blocked is not None or one.found is None:
        status, reason = one.blocked or ("unverified", "nothing was measured")
        return _verdict(one, status, reason, confidence)
    found = [certainty.alone(one.line, each, confidence) for each in (one.found, *one.scenarios)]
    if len(set(found)) > 1:
        return _verdict(one, "unverified", _errors_matter(one), confidence)
    return _verdict(one, found[0], _reason(one, found[0], confidence), confidence)


def _family(family: Sequence[Candidate], alpha: float) -> list[Verdict]:
    """Judge together the candidates that breach only when certain (Holm).

    What could not be judged stays in the count, so that which groups are judged, which depends on
    the same replies, can't sharpen the others. Errors are scored every way that could matter: a
    breach must stand in the mildest, and a line is met where the harshest does not breach it.
    """
    plain = certainty.step_down([_p(one, one.found) for one in family], alpha)
    every = [[_p(one, each) for each in (one.found, *one.scenarios)] for one in family]
    mildest = certainty.step_down([max(ps) for ps in every], alpha)
    harshest = certainty.step_down([min(ps) for ps in every], alpha)
    verdicts = []
    for one, (_, level), (surely, _), (maybe, _) in zip(
        family, plain, mildest, harshest, strict=True
    ):
        confidence = 1 - level
        if one.blocked is not None:
            verdicts.append(_verdict(one, *one.blocked, confidence))
        elif surely or not maybe:
            if any(each.undefined is not None for each in one.scenarios):
                verdicts.append(_verdict(one, "unverified", _errors_matter(one), confidence))
                continue
            status: VerdictStatus = "breached" if surely else "met"
            verdicts.append(_verdict(one, status, _reason(one, status, confidence), confidence))
        else:
            verdicts.append(_verdict(one, "unverified", _errors_matter(one), confidence))
    return verdicts


def _p(one: Candidate, found: Measured | None) -> float:
    if one.blocked is not None or found is None or found.undefined is not None:
        return 1.0
    return certainty.breach_p(found, one.line.limit, one.line.bound != "min")


def _errors_matter(one: Candidate) -> str:
    judged = one.cases - one.errors
    return (
        f"{max(judged, 0)} of {one.cases} cases were fully judged, and the errors in the others "
        "could change the verdict"
    )


def _verdict(one: Candidate, status: VerdictStatus, reason: str, confidence: float) -> Verdict:
    estimate: Estimate | None = None
    if one.found is not None:
        estimate = one.found.at(one.line.metric.name, one.group, confidence)
        if one.line.judge == "breach_certain" and estimate.method is not None:
            told = f"{estimate.method}; at {confidence:.2%}, adjusted by Holm"
            estimate = replace(estimate, method=told)
    return Verdict(
        line=one.line.name,
        metric=one.line.metric.name,
        group=one.group,
        limit=one.line.shown,
        judge=one.line.judge,
        status=status,
        reason=f"{reason}; {one.remark}" if one.remark else reason,
        estimate=estimate,
        warn=one.line.warn,
        redline=one.line.redline,
    )


def _reason(one: Candidate, status: VerdictStatus, confidence: float) -> str:
    """Return one plain sentence that says why a line has its status."""
    assert one.found is not None
    assert one.found.value is not None
    upper = one.line.bound != "min"
    limit = f"{one.line.limit:g}"
    wrong, right = ("above", "within") if upper else ("below", "at least")
    value = f"{one.found.value:.4g}"
    if one.line.judge == "point" or one.found.limits is None:
        told = f"{value} is {wrong if status == 'breached' else right} {limit}"
        if status == "breached" and _may_be_chance(one, confidence):
            return f"{told}, which chance alone could explain"
        return told
    low, high = one.found.limits(confidence)
    ends = f"({low:.3g} to {high:.3g})"
    if status == "breached":
        return f"the whole interval {ends} is {wrong} {limit}"
    if one.line.judge == "breach_certain":
        return f"{value} {ends} is not shown to be {wrong} {limit}"
    if status == "met":
        return f"the whole interval {ends} is {right} {limit}"
    return f"{value} {ends} is not certain to be {right} {limit}"


def _may_be_chance(one: Candidate, confidence: float) -> bool:
    """Return whether the interval of a value beyond the limit reaches back to the limit."""
    assert one.found is not None
    if one.found.limits is None:
        return False
    upper = one.line.bound != "min"
    low, high = one.found.limits(confidence)
    return not certainty.side(low if upper else high, one.line.limit, upper)


def _exit_code(verdicts: Sequence[Verdict], *, require_all: bool, noted: bool) -> int:
    counted = [verdict.status for verdict in verdicts if not verdict.warn]
    if "breached" in counted:
        return EXIT_BREACHED
    nothing = all(verdict.status == "skipped" for verdict in verdicts)
    if "unverified" in counted or noted or nothing or (require_all and "skipped" in counted):
        return EXIT_UNVERIFIED
    return EXIT_MET


def _sentence(
    profile: str,
    verdicts: Sequence[Verdict],
    lines: int,
    code: int,
    require_all: bool,
    notes: int,
) -> str:
    """Return the run's verdict in one sentence."""

    def of(status: VerdictStatus) -> list[str]:
        found = [v.line for v in verdicts if v.status == status and not v.warn]
        return list(dict.fromkeys(found))

    def named(names: Sequence[str]) -> str:
        return ", ".join(names[:3]) + (" …" if len(names) > 3 else "")

    breached, unverified, skipped = of("breached"), of("unverified"), of("skipped")
    warned = len({v.line for v in verdicts if v.warn and v.status == "breached"})
    extra = f"; {warned} warned" if warned else ""
    if code == EXIT_BREACHED:
        red = list(dict.fromkeys(v.line for v in verdicts if v.redline and v.status == "breached"))
        which = "red line" if len(red) == 1 else "red lines"
        veto = f", vetoed by the {which} {named(red)}" if red else ""
        told = f"{len(breached)} of {lines} lines: {named(breached)}"
        return f"Gate {profile}: breached{veto} ({told}){extra}"
    if code == EXIT_UNVERIFIED:
        parts = []
        if unverified:
            parts.append(f"{len(unverified)} of {lines} lines unverified: {named(unverified)}")
        if all(v.status == "skipped" for v in verdicts):
            parts.append("nothing was judged, every line skipped")
        elif require_all and skipped:
            parts.append(f"{len(skipped)} skipped where all were required: {named(skipped)}")
        if notes:
            parts.append(f"{notes} {'thing' if notes == 1 else 'things'} went wrong in the run")
        return f"Gate {profile}: unverified ({'; '.join(parts)}){extra}"
    left_out = len({v.line for v in verdicts if v.status == "skipped"})
    judged = lines - left_out
    left = f", {left_out} skipped" if left_out else ""
    return f"Gate {profile}: met ({judged} of {lines} lines judged{left}){extra}"
