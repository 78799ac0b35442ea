"""From trials to the outcome of their case."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from culturegate.tracks.base import CaseFacts, Record, Trial


def record(facts: CaseFacts, trials: Sequence[Trial]) -> Record:
    """Judge a case over its trials by strict majority: more than half right; a tie is not a pass.

    Trials that could not be judged (failed calls, unscored verdicts) leave the outcome standing
    where they could not change it; otherwise the case is an error. Trials that another tool did not
    record are left out where it recorded some.
    """
    trials = [trial for trial in trials if not _is_unrecorded(trial)] or trials
    modal, agreement = modal_answer(trials)
    right = sum(trial.correct is True for trial in trials)
    open_trials = [trial for trial in trials if trial.correct is None]
    half = len(trials) / 2
    passed: bool | None
    if right > half:
        passed, error = True, None
    elif right + len(open_trials) <= half:
        passed, error = False, None
    else:
        passed, error = None, _explain(open_trials, len(trials))
    return Record(facts, tuple(trials), passed, modal, agreement, error)


def _is_unrecorded(trial: Trial) -> bool:
    return trial.status == "error" and trial.reason == "unrecorded"


def modal_answer(trials: Sequence[Trial]) -> tuple[str | None, float | None]:
    """Return the most frequent answer and the share of trials that give it, 0 to 1.

    Abstaining is an answer, `abstained`; other statuses agree with none. There is no modal answer
    where the top is shared or nobody answered, and no agreement with a single trial.
    """
    answers = Counter(
        "abstained" if trial.status == "abstained" else trial.value
        for trial in trials
        if trial.status == "abstained" or (trial.status == "answered" and trial.value is not None)
    )
    if not answers:
        return None, None if len(trials) < 2 else 0.0
    (top, count), *rest = answers.most_common(2)
    agreement = None if len(trials) < 2 else count / len(trials)
    if rest and rest[0][1] == count:
        return None, agreement
    return top, agreement


def _explain(open_trials: Sequence[Trial], total: int) -> str:
    first = open_trials[0]
    cause = ": ".join(part for part in (first.reason, first.detail) if part) or first.status
    if total == 1:
        return cause
    return f"{len(open_trials)} of {total} trials could not be judged; the first: {cause}"
