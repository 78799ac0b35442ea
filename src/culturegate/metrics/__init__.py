"""Records to estimates."""

from culturegate.metrics.estimate import Estimate
from culturegate.metrics.intervals import (
    mover_difference,
    mover_ratio,
    mover_sum,
    quantile,
    wilson,
)
from culturegate.metrics.measured import Measured
from culturegate.metrics.measuring import Weighting, estimate, measure
from culturegate.metrics.paired import PairedTest, holm, mcnemar_exact, paired_test, sign_flip
from culturegate.metrics.registry import METRICS, Metric
from culturegate.metrics.shares import cluster_se, share
from culturegate.metrics.table import FACTS, Table, fact_text

__all__ = [
    "FACTS",
    "METRICS",
    "Estimate",
    "Measured",
    "Metric",
    "PairedTest",
    "Table",
    "Weighting",
    "cluster_se",
    "estimate",
    "fact_text",
    "holm",
    "mcnemar_exact",
    "measure",
    "mover_difference",
    "mover_ratio",
    "mover_sum",
    "paired_test",
    "quantile",
    "share",
    "sign_flip",
    "wilson",
]
