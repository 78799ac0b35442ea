"""How a model answers: what could be read of it, how stable it is, how sure it says it is."""

from __future__ import annotations

from collections import Counter

import numpy as np

from culturegate.metrics.measured import Measured, nothing
from culturegate.metrics.shares import Share, case_share, trial_share
from culturegate.metrics.table import Bools, Floats, View
from culturegate.tracks.base import Record, Trial

LOW_AGREEMENT = 0.6
SURE = 0.8
BINS = 10
PARSED = ("answered", "abstained", "refused")


def error_rate(view: View, confidence: float) -> Measured:
    """Cases that could not be judged / cases."""
    return _or_nothing(case_share(view, view.table.error.astype(float)), "no case was asked")


def status_rate(view: View, statuses: tuple[str, ...]) -> Measured:
    """Readings with one of the statuses / readings, over trials."""
    trials = view.table.trials
    scores = np.isin(trials.status, statuses).astype(float)
    scores[~trials.judged] = np.nan
    return _or_nothing(trial_share(view, scores), "no trial was answered")


def consistency(view: View, confidence: float) -> Measured:
    """Mean over cases of the share of samples that give the modal answer."""
    return _stability(view, _agreements(view))


def low_agreement_rate(view: View, confidence: float) -> Measured:
    """Share of cases whose samples agree to less than 60 %."""
    agreement = _agreements(view)
    low = np.where(np.isnan(agreement), np.nan, agreement < LOW_AGREEMENT - 1e-9)
    return _stability(view, low)


def agreement(record: Record, fill: float | None = None) -> float:
    """Return the share of a case's samples that give its most frequent answer, NaN below two.

    Failed ones are left out, or give that answer too (1), or agree with none (0).
    """
    if record.agreement is None:
        return float("nan")
    asked = len(record.trials)
    judged = sum(trial.correct is not None for trial in record.trials)
    most = record.agreement * asked
    if fill is not None:
        return (most + fill * (asked - judged)) / asked
    return most / judged if judged > 1 else float("nan")


def _agreements(view: View) -> Floats:
    found: Floats = view.table.agreement.copy()
    trials = view.table.trials
    for row in np.unique(trials.row[view.trial_mask & np.isnan(trials.correct)]):
        found[row] = agreement(view.table.records[row], view.fill)
    return found


def _stability(view: View, scores: Floats) -> Measured:
    if not np.isfinite(scores[view.mask]).any():
        return nothing(0, 0, "every case was asked once, so there is nothing to agree with")
    use = ~np.isnan(scores) | view.table.error
    return _or_nothing(case_share(view, scores, use), "no case was judged")


def templates_disagree_rate(view: View, confidence: float) -> Measured:
    """Share of cases whose templates do not all give the same modal answer."""
    records = view.table.records
    scores = np.full(len(records), np.nan)
    for row in np.flatnonzero(view.mask):
        scores[row] = templates_disagree(records[row])
    found = case_share(view, scores, ~np.isnan(scores))
    return _or_nothing(found, "no case was asked in more than one template")


def templates_disagree(record: Record) -> float:
    """Return 1 where a case's templates give different answers, 0 where one, NaN with one template.

    A template without a modal answer agrees with none; one whose calls all failed is left out.
    """
    samples: dict[str, list[Trial]] = {}
    for trial in record.trials:
        if trial.correct is not None:
            samples.setdefault(trial.template, []).append(trial)
    if len(samples) < 2:
        return float("nan")
    answers = {_modal(trials) for trials in samples.values()}
    return float(len(answers) > 1 or None in answers)


def _modal(trials: list[Trial]) -> str | None:
    # The pair keeps an option that happens to be called "abstained" apart.
    answers = Counter(
        f"{trial.status} {trial.value}"
        for trial in trials
        if trial.status in ("answered", "abstained")
    )
    top = answers.most_common(2)
    if not top or (len(top) == 2 and top[0][1] == top[1][1]):
        return None
    return top[0][0]


def overconfidence(view: View, confidence: float) -> Measured:
    """Wrong answers stated with more than 80 % / answers with a stated confidence."""
    sure_wrong, stated = _stated(view)
    return _or_nothing(trial_share(view, sure_wrong, stated), NOT_STATED)


def overconfidence_when_wrong(view: View, confidence: float) -> Measured:
    """Wrong answers stated with more than 80 % / wrong answers with a stated confidence."""
    sure_wrong, stated = _stated(view)
    wrong = stated & (view.table.trials.correct != 1)
    return _or_nothing(trial_share(view, sure_wrong, wrong), "no wrong answer states a confidence")


def brier(view: View, confidence: float) -> Measured:
    """Mean of (stated confidence − right)², over answers with a stated confidence."""
    trials = view.table.trials
    _, stated = _stated(view)
    return _or_nothing(
        trial_share(view, (trials.confidence - trials.correct) ** 2, stated), NOT_STATED
    )


def expected_calibration_error(view: View, confidence: float) -> Measured:
    """Mean over answers of |mean confidence − share right| of their bin, in ten equal bins.

    Source: Naeini, Cooper and Hauskrecht (2015). It has no interval.
    """
    trials = view.table.trials
    _, stated = _stated(view)
    chosen = view.trial_mask & stated
    n = int(chosen.sum())
    if n == 0:
        return nothing(0, 0, NOT_STATED)
    said, right = trials.confidence[chosen], trials.correct[chosen]
    # Bins are open below and closed above, so that 1.0 needs no bin of its own.
    bins = np.clip(np.ceil(said * BINS - 1e-9).astype(int) - 1, 0, BINS - 1)
    away = float(np.abs(np.bincount(bins, weights=said - right, minlength=BINS)).sum())
    clusters = len(np.unique(view.table.clusters[trials.row[chosen]]))
    if view.fill is not None:
        # A failed call could move the sum by at most one, either way.
        failed = int((view.trial_mask & np.isnan(trials.correct)).sum())
        away = max(0.0, away + failed * (2 * view.fill - 1))
        n += failed
    return Measured(n, clusters, min(1.0, away / n), method=f"{BINS} equal bins, no interval")


NOT_STATED = "no answer states a confidence"


def _stated(view: View) -> tuple[Floats, Bools]:
    trials = view.table.trials
    stated = (trials.status == "answered") & ~np.isnan(trials.confidence)
    if view.fill is not None and bool((stated & view.trial_mask).any()):
        # Where confidence is stated at all, a failed call would have stated it too.
        stated = stated | np.isnan(trials.correct)
    # 0.8 itself is not more than 0.8, however it is stored.
    scores = ((trials.confidence > SURE + 1e-9) & (trials.correct == 0)).astype(float)
    scores[np.isnan(trials.correct)] = np.nan
    return scores, stated


def _or_nothing(found: Share | None, why: str) -> Measured:
    return found.measured() if found else nothing(0, 0, why)
