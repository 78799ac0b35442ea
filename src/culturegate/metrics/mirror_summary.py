"""What metrics.json says of the mirror track beside its estimates."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np

from culturegate.metrics.ability import accuracy, gap, retention
from culturegate.metrics.mirror import ORIGINAL, TRACK, loss_tests
from culturegate.metrics.mirror_advice import base_and_arm, mirror_advice
from culturegate.metrics.mirror_families import affected, confidently_wrong, unsteady
from culturegate.metrics.mirror_paths import paths_summary
from culturegate.metrics.table import Table, View


def mirror_summary(table: Table, confidence: float, seed: int) -> dict[str, Any] | None:
    """Return the mirror track's plain data, None for records without that track.

    Keys: `tests` (as `LossTest`), `regions` (of each region and arm the estimates `accuracy`, `cpg`
    and `retention`, against the region's own baseline, or the home region's), `affected` (as
    `Affected`, the largest loss first), `unsteady` (case and agreement), `confidently_wrong` (cases
    by region), `paths` (as `paths_summary` says; None without a judge) and `advice` (as `Advice`).
    """
    mirror = table.view().where("track", TRACK)
    if not mirror.cases:
        return None
    records = [table.records[row] for row in np.flatnonzero(mirror.mask)]
    return {
        "tests": [asdict(test) for test in loss_tests(table, confidence, seed)],
        "regions": _regions(mirror, confidence),
        "affected": [asdict(each) for each in affected(records)],
        "unsteady": [list(pair) for pair in unsteady(records)],
        "confidently_wrong": confidently_wrong(records),
        "paths": paths_summary(records, confidence),
        "advice": [asdict(each) for each in mirror_advice(table, confidence)],
    }


def _regions(mirror: View, confidence: float) -> list[dict[str, Any]]:
    rows = []
    for culture in mirror.values("culture"):
        for arm in mirror.where("culture", culture).values("arm"):
            base, view = base_and_arm(mirror, culture, arm)
            where = (("arm", arm), ("culture", culture))
            found = {"accuracy": accuracy(view, confidence)}
            if arm != ORIGINAL:
                names = (ORIGINAL, arm)
                found["cpg"] = gap(base, view, names, confidence)
                found["retention"] = retention(base, view, names, confidence)
            rows.append(
                {"culture": culture, "arm": arm}
                | {name: one.at(name, where, confidence).to_dict() for name, one in found.items()}
            )
    return rows
