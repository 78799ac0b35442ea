"""Records to estimates."""

from culturegate.metrics.comparison import compare
from culturegate.metrics.efficiency import EFFICIENCY, Efficiency, efficiency_summary
from culturegate.metrics.estimate import Estimate
from culturegate.metrics.intervals import (
    mover_difference,
    mover_ratio,
    mover_sum,
    quantile,
    wilson,
)
from culturegate.metrics.measured import Measured
from culturegate.metrics.measuring import (
    Weighting,
    check_contrast,
    estimate,
    group_view,
    measure,
)
from culturegate.metrics.metric import Metric
from culturegate.metrics.paired import PairedTest, holm, mcnemar_exact, paired_test, sign_flip
from culturegate.metrics.registry import METRICS
from culturegate.metrics.shares import share
from culturegate.metrics.simpson import order_reverses
from culturegate.metrics.summary import summarise
from culturegate.metrics.table import FACTS, Table, fact_text
from culturegate.metrics.worst import worst_culture

__all__ = [
    "EFFICIENCY",
    "FACTS",
    "METRICS",
    "Efficiency",
    "Estimate",
    "Measured",
    "Metric",
    "PairedTest",
    "Table",
    "Weighting",
    "check_contrast",
    "compare",
    "efficiency_summary",
    "estimate",
    "fact_text",
    "group_view",
    "holm",
    "mcnemar_exact",
    "measure",
    "mover_difference",
    "mover_ratio",
    "mover_sum",
    "order_reverses",
    "paired_test",
    "quantile",
    "share",
    "sign_flip",
    "summarise",
    "wilson",
    "worst_culture",
]
