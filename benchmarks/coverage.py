"""How often the intervals hold the truth, and how often an unchanged model fails the gate.

    python benchmarks/coverage.py [--runs 2000]

Records are drawn from a known truth: each episode has its own chance of a right answer (beta
distributed with the intraclass correlation given), shared by recall and decode through one normal
score, and each of its cases is an independent draw from that. Every number goes through the
public functions that a run uses.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.special import ndtr
from scipy.stats import beta

from culturegate.gate import judge, parse_thresholds
from culturegate.metrics import estimate
from culturegate.tracks.base import CaseFacts, Record, Trial

FALSE_ALARM_LINES = """
profiles:
  by_culture:
    lines:
      - {name: lost, metric: gap, by: culture, max: 0.15, judge: breach_certain}
      - {name: decode, metric: accuracy, by: culture, where: {kind: decode}, min: 0.65,
         judge: breach_certain}
  upgrade:
    lines:
      - {name: no worse, metric: accuracy, by: culture, where: {kind: decode}, against: baseline,
         max_drop: 0, judge: breach_certain}
"""


RETENTIONS = ((0.9, 0.9), (0.9, 0.72), (0.8, 0.6), (0.7, 0.7), (0.6, 0.3))
"""Accuracy of the original and of the arm."""


@dataclass(frozen=True, slots=True)
class Truth:
    """What records are drawn from."""

    episodes: int
    """A culture."""
    cases: int
    """An episode and kind."""
    recall: float
    decode: float
    icc: float
    """Intraclass correlation of an episode's cases, 0 to 1."""
    cultures: int = 1


def draw(truth: Truth, rng: np.random.Generator) -> tuple[list[Record], list[Record]]:
    """Return the records of two runs of one model over the same items."""
    count = truth.cultures * truth.episodes
    score = ndtr(rng.standard_normal(count))
    runs: tuple[list[Record], list[Record]] = ([], [])
    for kind, share in (("recall", truth.recall), ("decode", truth.decode)):
        chances = _chances(score, share, truth.icc)
        for run in runs:
            right = rng.random((count, truth.cases)) < chances[:, None]
            run.extend(_records(kind, right, truth.episodes))
    return runs


def _chances(score: np.ndarray, share: float, icc: float) -> np.ndarray:
    if icc == 0 or share in (0, 1):
        return np.full(len(score), share)
    total = (1 - icc) / icc
    return beta.ppf(score, share * total, (1 - share) * total)


def _records(kind: str, right: np.ndarray, episodes: int) -> Iterator[Record]:
    for number, row in enumerate(right.tolist()):
        culture = f"culture{number // episodes}"
        for index, passed in enumerate(row):
            name = f"{kind}-{number}-{index}"
            yield Record(
                CaseFacts(name, "myth", kind, name, f"episode{number}", culture, "en", chance=0.25),
                (Trial("one", 0, "answered", correct=passed),),
                passed,
            )


def coverage(metric: str, truth: Truth, runs: int, seed: int = 0) -> tuple[float, float, float]:
    """Return the share of intervals that hold the truth, their mean width, the share undefined."""
    goal = {"accuracy": (truth.recall + truth.decode) / 2, "gap": truth.recall - truth.decode}
    rng = np.random.default_rng(seed)
    held, widths, undefined = 0, [], 0
    for _ in range(runs):
        found = estimate(metric, draw(truth, rng)[0])
        if found.low is None or found.high is None:
            undefined += 1
            continue
        held += found.low - 1e-12 <= goal[metric] <= found.high + 1e-12
        widths.append(found.high - found.low)
    defined = max(1, runs - undefined)
    return held / defined, float(np.mean(widths or [np.nan])), undefined / runs


@dataclass(frozen=True, slots=True)
class ArmTruth:
    """What the two arms of mirror families are drawn from, one case each."""

    families: int
    original: float
    arm: float
    icc: float
    """Of a family's own chance of a right answer, which both arms share by rank."""


def draw_arms(truth: ArmTruth, rng: np.random.Generator) -> list[Record]:
    """Return the records of one run over the original and the localized arm."""
    score = ndtr(rng.standard_normal(truth.families))
    found = []
    for arm, mean in (("original", truth.original), ("localized", truth.arm)):
        right = rng.random(truth.families) < _chances(score, mean, truth.icc)
        for number, passed in enumerate(right.tolist()):
            family = f"family{number}"
            facts = CaseFacts(
                f"{family}-{arm}", "mirror", "mirror", family, family, "region", "en",
                arm=arm, chance=0.1,
            )  # fmt: skip
            found.append(Record(facts, (Trial("one", 0, "answered", correct=passed),), passed))
    return found


def retention_coverage(truth: ArmTruth, runs: int, seed: int = 0) -> tuple[float, float, float]:
    """Return the share of retention intervals that hold the truth, their width, those undefined."""
    goal = truth.arm / truth.original
    rng = np.random.default_rng(seed)
    held, widths, undefined = 0, [], 0
    for _ in range(runs):
        found = estimate("retention", draw_arms(truth, rng), {"arm": "localized"})
        if found.value is None or found.low is None:
            undefined += 1
            continue
        high = np.inf if found.high is None else found.high
        held += found.low - 1e-12 <= goal <= high + 1e-12
        widths.append(high - found.low)
    defined = max(1, runs - undefined)
    return held / defined, float(np.mean(widths or [np.nan])), undefined / runs


def false_alarms(profile: str, truth: Truth, runs: int, seed: int = 0) -> float:
    """Return the share of runs that a model exactly at every limit fails (exit code 10).

    `by_culture` judges each culture against fixed limits; `upgrade` judges a second run of the very
    same model against its first.
    """
    thresholds = parse_thresholds(FALSE_ALARM_LINES, Path("coverage.yaml"))
    rng = np.random.default_rng(seed)
    failed = 0
    for _ in range(runs):
        then, now = draw(truth, rng)
        planned = [record.facts for record in now]
        failed += judge(thresholds, profile, now, planned, baseline=then).exit_code == 10
    return failed / runs


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=1000, help="Draws for each row")
    runs = parser.parse_args().runs
    print("metric    episodes cases recall decode  icc  covered  width  undefined")
    for metric in ("accuracy", "gap"):
        for episodes in (6, 10, 36):
            for cases, icc in ((1, 0.2), (2, 0.0), (2, 0.5), (4, 0.2)):
                for recall, decode in ((0.8, 0.65), (0.95, 0.9)):
                    truth = Truth(episodes, cases, recall, decode, icc)
                    held, width, undefined = coverage(metric, truth, runs)
                    print(
                        f"{metric:9} {episodes:8} {cases:5} {recall:6} {decode:6} {icc:4}"
                        f" {held:8.3f} {width:6.2f} {undefined:10.3f}",
                        flush=True,
                    )
    print("\nretention families original arm  icc  covered  width  undefined")
    for families in (20, 100):
        for original, arm in RETENTIONS:
            for icc in (0.0, 0.2, 0.5):
                truth_of_arms = ArmTruth(families, original, arm, icc)
                held, width, undefined = retention_coverage(truth_of_arms, runs)
                print(
                    f"retention {families:8} {original:8} {arm:4} {icc:4} {held:8.3f} {width:6.2f}"
                    f" {undefined:10.3f}",
                    flush=True,
                )
    print("\nprofile    cultures episodes cases  icc  runs failed")
    for profile in ("by_culture", "upgrade"):
        for cultures, episodes, cases in ((6, 6, 2), (6, 10, 2), (12, 10, 2), (2, 36, 2)):
            for icc in (0.0, 0.3):
                truth = Truth(episodes, cases, 0.8, 0.65, icc, cultures)
                failed = false_alarms(profile, truth, runs)
                print(
                    f"{profile:10} {cultures:8} {episodes:8} {cases:5} {icc:4} {failed:12.3f}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
