"""Every metric by name: those that any track may have, and each track's own."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Literal

from culturegate.metrics import ability, answers
from culturegate.metrics.measured import Measured
from culturegate.metrics.metric import Contrast, Metric
from culturegate.metrics.table import View
from culturegate.metrics.track_metrics import FRAMING, MIRROR, PERSONA, SAFETY


def _status(name: str, meaning: str, statuses: tuple[str, ...], *, good: bool = False) -> Metric:
    def compute(view: View, confidence: float) -> Measured:
        return answers.status_rate(view, statuses)

    better: Literal["higher", "lower"] = "higher" if good else "lower"
    return Metric(name, meaning, better, 0, 1, "trials", compute, pipeline=True)


_KINDS = Contrast("kind", "recall", "decode")

_ABILITY = (
    Metric("accuracy", "passed cases / cases, micro", "higher", 0, 1, simple=ability.accuracy),
    Metric(
        "macro_accuracy",
        "mean of the cultures' accuracies",
        "higher",
        0,
        1,
        simple=ability.macro_accuracy,
    ),
    Metric(
        "chance_corrected",
        "accuracy of single trials, 0 at chance and 1 at best",
        "higher",
        -math.inf,
        1,
        "trials",
        simple=ability.chance_corrected,
    ),
    Metric(
        "gap",
        "recall accuracy − decode accuracy: what is known and not used",
        "lower",
        -1,
        1,
        sides=ability.gap,
        contrast=_KINDS,
    ),
    Metric(
        "decoded_given_recalled",
        "decode cases that pass / decode cases, over episodes fully recalled",
        "higher",
        0,
        1,
        sides=ability.decoded_given_recalled,
        contrast=_KINDS,
    ),
)

_ASKING = (
    Metric(
        "public_gap",
        "accuracy on public items − on unpublished ones: a sign of contamination",
        "lower",
        -1,
        1,
        sides=ability.difference,
        contrast=Contrast("public", "true", "false"),
    ),
    Metric("composite", "weighted mean of one part a track", "higher", 0, 1),
    Metric(
        "error_rate",
        "cases that could not be judged / cases",
        "lower",
        0,
        1,
        simple=answers.error_rate,
        pipeline=True,
    ),
    _status(
        "parsed_rate", "replies read as answer, abstention or refusal", answers.PARSED, good=True
    ),
    _status("unparsed_rate", "replies in which nothing could be read", ("unparsed",)),
    _status("ambiguous_rate", "replies that name several answers", ("ambiguous",)),
    _status("truncated_rate", "replies cut off before an answer", ("truncated",)),
    _status("filtered_rate", "replies withheld by a content filter", ("filtered",)),
    _status("empty_rate", "replies without text", ("empty",)),
    _status("refused_rate", "replies that refuse", ("refused",)),
    _status("abstention_rate", "replies that say they do not know", ("abstained",)),
    Metric(
        "consistency",
        "share of samples that give their case's modal answer",
        "higher",
        0,
        1,
        simple=answers.consistency,
    ),
    Metric(
        "low_agreement_rate",
        "cases whose samples agree to less than 60 %",
        "lower",
        0,
        1,
        simple=answers.low_agreement_rate,
    ),
    Metric(
        "templates_disagree_rate",
        "cases whose templates give different answers",
        "lower",
        0,
        1,
        simple=answers.templates_disagree_rate,
    ),
    Metric(
        "overconfidence",
        "wrong and stated above 80 % / answers with a stated confidence",
        "lower",
        0,
        1,
        "trials",
        simple=answers.overconfidence,
    ),
    Metric(
        "overconfidence_when_wrong",
        "stated above 80 % / wrong answers with a stated confidence",
        "lower",
        0,
        1,
        "trials",
        simple=answers.overconfidence_when_wrong,
    ),
    Metric(
        "calibration_error",
        "expected calibration error over ten equal bins",
        "lower",
        0,
        1,
        "trials",
        simple=answers.expected_calibration_error,
        interval=False,
    ),
    Metric(
        "brier",
        "mean squared distance of stated confidence from right or wrong",
        "lower",
        0,
        1,
        "trials",
        simple=answers.brier,
    ),
)

METRICS: Mapping[str, Metric] = {
    metric.name: metric for metric in (*_ABILITY, *MIRROR, *_ASKING, *FRAMING, *PERSONA, *SAFETY)
}
