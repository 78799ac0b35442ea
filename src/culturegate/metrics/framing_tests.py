"""Tests of what awareness and capability framing do to compliance, and the tables around them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from culturegate.metrics import framing
from culturegate.metrics.estimate import Estimate
from culturegate.metrics.framing import CONTROL, FRAMED, LEAST_SAMPLES, RECOMMENDED_SAMPLES
from culturegate.metrics.measured import Measured
from culturegate.metrics.paired import RESAMPLES, holm, paired_test, sign_flip
from culturegate.metrics.table import Table

EFFECTS = (
    ("awareness_effect_high", "aware-high", "unaware-high"),
    ("awareness_effect_low", "aware-low", "unaware-low"),
    ("framing_effect_unaware", "unaware-high", "unaware-low"),
    ("framing_effect_aware", "aware-high", "aware-low"),
)
"""Each effect with its two conditions, first minus second."""
INTERACTION = "framing_interaction"
ALPHA = 0.05

Outcomes = dict[tuple[str, ...], bool]
"""A condition's compliance by sample, job, language and round."""


@dataclass(frozen=True, slots=True)
class EffectTest:
    """One effect tested, by sample and as the literature does."""

    effect: str
    pairs: int
    samples: int
    gained: int
    """Pairs that comply under the first condition only."""
    lost: int
    """Pairs that comply under the second condition only."""
    method: str
    p: float
    p_holm: float
    """Adjusted over the five tests together (Holm)."""
    verdict: str
    """`different`, `no difference shown`, or `underpowered`."""
    unpaired_method: str | None
    """Chi-square or Fisher over all trials, which takes them for independent; None for none."""
    unpaired_p: float | None

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON data; p-values have six significant digits, since most are small."""
        return {
            name: float(f"{value:.6g}") if isinstance(value, float) else value
            for name, value in asdict(self).items()
        }


def framing_tests(table: Table, seed: int = 0) -> list[EffectTest]:
    """Return the test of each effect that has pairs, adjusted together.

    Exact McNemar where each sample gives one pair, else a sign-flip test by sample; the interaction
    by sign-flip over the samples' differences of differences.
    """
    outcomes = _outcomes(table)
    found = []
    for name, first, second in EFFECTS:
        pairs = sorted(outcomes[first].keys() & outcomes[second].keys())
        if not pairs:
            continue
        a = [float(outcomes[first][pair]) for pair in pairs]
        b = [float(outcomes[second][pair]) for pair in pairs]
        test = paired_test(a, b, [pair[0] for pair in pairs], seed)
        method, p = unpaired(
            sum(outcomes[first].values()),
            len(outcomes[first]),
            sum(outcomes[second].values()),
            len(outcomes[second]),
        )
        found.append(
            EffectTest(
                name,
                test.pairs,
                test.clusters,
                sum(x > y for x, y in zip(a, b, strict=True)),
                sum(x < y for x, y in zip(a, b, strict=True)),
                test.method,
                test.p,
                test.p,
                "underpowered" if test.smallest_p > ALPHA else "",
                method,
                p,
            )
        )
    both = _interaction(outcomes, seed)
    if both is not None:
        found.append(both)
    adjusted = holm([test.p for test in found])
    return [
        replace(
            test,
            p_holm=p,
            verdict=test.verdict or ("different" if p <= ALPHA else "no difference shown"),
        )
        for test, p in zip(found, adjusted, strict=True)
    ]


def unpaired(a: int, n_a: int, b: int, n_b: int) -> tuple[str, float]:
    """Return name and p-value of the test that treats all trials as independent.

    Pearson's chi-square without correction, or Fisher's exact test where a cell's expected count is
    below five (Cochran 1954).
    """
    from scipy.stats import chi2_contingency, fisher_exact

    cells = np.array([[a, n_a - a], [b, n_b - b]])
    right, wrong, total = a + b, n_a + n_b - a - b, n_a + n_b
    if min(right, wrong) * min(n_a, n_b) < 5 * total:
        return "Fisher exact", float(fisher_exact(cells).pvalue)
    return "chi-square", float(chi2_contingency(cells, correction=False).pvalue)


def _interaction(outcomes: dict[str, Outcomes], seed: int) -> EffectTest | None:
    shared = set.intersection(*(set(outcomes[name]) for name in FRAMED))
    if not shared:
        return None
    sums: defaultdict[str, float] = defaultdict(float)
    gained = lost = 0
    for pair in sorted(shared):
        high = outcomes["aware-high"][pair] - outcomes["unaware-high"][pair]
        low = outcomes["aware-low"][pair] - outcomes["unaware-low"][pair]
        sums[pair[0]] += high - low
        gained += high > low
        lost += high < low
    p = sign_flip(list(sums.values()), seed)
    few = 2.0 ** (1 - len(sums)) > ALPHA
    return EffectTest(INTERACTION, len(shared), len(sums), gained, lost, "sign-flip by cluster",
                      p, p, "underpowered" if few else "", None, None)  # fmt: skip


def _outcomes(table: Table) -> dict[str, Outcomes]:
    found: dict[str, Outcomes] = {name: {} for name in (CONTROL, *FRAMED)}
    for record in table.records:
        facts = record.facts
        if facts.track != "framing" or facts.condition not in found:
            continue
        for trial in record.trials:
            if trial.correct is not None:
                place = (facts.cluster, facts.task or "", facts.lang, str(trial.sample))
                found[facts.condition][place] = trial.correct
    return found


def framing_summary(table: Table, confidence: float) -> dict[str, Any] | None:
    """Return what is said of the framing track in metrics.json, None without its cases.

    Keys: `least_samples`, `recommended_samples`, `conditions` (rates, each with `verified`),
    `resamples`, `reasons` (condition → reason → trials), `wordings` (wording → compliance) and
    `jobs` (job → condition → compliance). The tests stand apart, in `framing_tests`.
    """
    view = table.view({"track": "framing"})
    if not view.cases:
        return None
    rates = (
        ("compliance", framing.compliance),
        ("instruction_following", framing.instruction_following),
        ("over_refusal", framing.over_refusal),
    )
    conditions = {}
    for name in (CONTROL, *FRAMED):
        part = view.where("condition", name)
        found = {
            metric: compute(part, confidence).at(metric, (("condition", name),), confidence)
            for metric, compute in rates
        }
        samples = found["compliance"].clusters
        conditions[name] = {metric: one.to_dict() for metric, one in found.items()} | {
            "samples": samples,
            "verified": samples >= LEAST_SAMPLES,
        }
    return {
        "least_samples": LEAST_SAMPLES,
        "recommended_samples": RECOMMENDED_SAMPLES,
        "conditions": conditions,
        "resamples": RESAMPLES,
        "reasons": _reasons(table),
        "wordings": {
            name: _told(share.measured(), "compliance", confidence)
            for name, share in framing.wording_shares(view).items()
        },
        "jobs": {
            job: {
                name: _told(
                    framing.compliance(
                        view.where("task", job).where("condition", name), confidence
                    ),
                    "compliance",
                    confidence,
                )
                for name in (CONTROL, *FRAMED)
            }
            for job in view.values("task")
        },
    }


def _told(found: Measured, metric: str, confidence: float) -> dict[str, Any]:
    estimate: Estimate = found.at(metric, (), confidence)
    return estimate.to_dict()


def _reasons(table: Table) -> dict[str, dict[str, int]]:
    """Return by condition how many trials missed what was asked, by reason, the most first."""
    counts: dict[str, Counter[str]] = {name: Counter() for name in (CONTROL, *FRAMED)}
    for record in table.records:
        if record.facts.track == "framing" and record.facts.condition in counts:
            counts[record.facts.condition].update(
                trial.reason
                for trial in record.trials
                if trial.reason is not None and trial.correct is not None
            )
    return {name: dict(_ordered(found)) for name, found in counts.items()}


def _ordered(counts: Counter[str]) -> Sequence[tuple[str, int]]:
    return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
