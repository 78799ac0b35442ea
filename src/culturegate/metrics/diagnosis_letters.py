"""Whether answers go by the letter: position bias, and one letter nearly always."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from culturegate.metrics.estimate import Estimate
from culturegate.metrics.intervals import quantile
from culturegate.metrics.shares import share
from culturegate.metrics.table import Floats
from culturegate.tracks.base import Record
from culturegate.tracks.diagnosis import TRACK

LETTERS = "ABCDEFGHIJ"
LEAST_CLUSTERS = 10
"""Clusters below which the test of position bias says nothing: its distribution is a large
sample's."""
MOSTLY = 0.5
"""Share of one letter that who reads the options does not pass, where keys are balanced."""


@dataclass(frozen=True, slots=True)
class Letters:
    """How answers and keys spread over the letters shown."""

    n: int
    """Answers, over all choice trials of the ordinary cases."""
    clusters: int
    answers: dict[str, int]
    keys: dict[str, int]
    bias: tuple[Estimate, ...]
    """By letter: share of answers − share of keys."""
    chi_square: float
    df: int
    p: float | None
    """Of no bias at any letter; None with too few clusters."""
    top: Estimate
    """Share of the most frequent letter among the answers."""
    top_letter: str


def letters(records: Iterable[Record], confidence: float) -> Letters | None:
    """Return how answers spread over the letters, None where no answer says its key.

    The test compares the letters of answers and keys over the same trials (marginal homogeneity:
    Stuart 1955, Maxwell 1970), with each cluster's trials summed to one draw. The limits are
    Student's on the clusters' sums.
    """
    shown = [
        (record.facts.cluster, order.index(trial.value), order.index(trial.key), len(order))
        for record in sorted(records, key=lambda record: record.facts.case)
        if record.facts.track != TRACK
        for trial in record.trials
        if (order := trial.option_order) is not None
        and trial.status == "answered"
        and trial.value is not None
        and trial.key is not None
        and trial.value in order
        and trial.key in order
    ]
    if not shown:
        return None
    names, codes = np.unique([cluster for cluster, *_ in shown], return_inverse=True)
    size = max(count for *_, count in shown)
    n = len(shown)
    letter = np.eye(size)
    given = letter[[answer for _, answer, _, _ in shown]]
    moved = given - letter[[key for _, _, key, _ in shown]]
    sums = np.zeros((len(names), size))
    np.add.at(sums, codes, moved)
    counts = Counter(LETTERS[answer] for _, answer, _, _ in shown)
    keys = Counter(LETTERS[key] for _, _, key, _ in shown)
    top_letter = min(counts, key=lambda letter: (-counts[letter], letter))
    top = share(np.array([float(LETTERS[a] == top_letter) for _, a, _, _ in shown]), codes)
    assert top is not None
    statistic, df = _homogeneity(sums)
    enough = len(names) >= LEAST_CLUSTERS
    return Letters(
        n,
        len(names),
        {letter: counts[letter] for letter in LETTERS[:size]},
        {letter: keys[letter] for letter in LETTERS[:size]},
        tuple(_bias(LETTERS[at], sums[:, at], n, confidence) for at in range(size)),
        statistic,
        df,
        _p(statistic, df) if enough else None,
        top.measured().at("top_letter", (("letter", top_letter),), confidence),
        top_letter,
    )


def is_constant(found: Letters) -> bool:
    """Return whether certainly more than half of all answers are one letter, and keys are not."""
    low = found.top.low
    keyed = found.keys[found.top_letter] / found.n
    return low is not None and low > max(MOSTLY, keyed)


def _bias(letter: str, sums: Floats, n: int, confidence: float) -> Estimate:
    count = len(sums)
    value = float(sums.sum()) / n
    low = high = None
    if count > 1:
        residuals = sums - sums.mean()
        error = math.sqrt(count / (count - 1) * float((residuals**2).sum())) / n
        half = quantile(confidence, count - 1) * error
        low, high = max(-1.0, value - half), min(1.0, value + half)
    where = (("letter", letter),)
    return Estimate("position_bias", where, n, count, value, low, high, None, "t by cluster")


def _homogeneity(sums: Floats) -> tuple[float, int]:
    """Return Stuart and Maxwell's statistic over clusters, and its degrees of freedom."""
    total = sums.sum(axis=0)[:-1]
    spread = (sums.T @ sums)[:-1, :-1]
    df = int(np.linalg.matrix_rank(spread))
    if df == 0:
        return 0.0, 0
    return float(total @ np.linalg.pinv(spread) @ total), df


def _p(statistic: float, df: int) -> float:
    from scipy.special import chdtrc  # scipy.stats, which has it as chi2.sf, takes 0.8 s to import

    return float(chdtrc(df, statistic)) if df else 1.0
