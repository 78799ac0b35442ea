"""Intervals hold the truth and an unchanged model rarely fails: a small run of the simulation."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

_FILE = Path(__file__).parents[2] / "benchmarks" / "coverage.py"
_SPEC = importlib.util.spec_from_file_location("coverage_simulation", _FILE)
simulation = importlib.util.module_from_spec(_SPEC)
sys.modules["coverage_simulation"] = simulation
_SPEC.loader.exec_module(simulation)


@pytest.mark.parametrize("metric", ["accuracy", "gap"])
@pytest.mark.parametrize(
    ("episodes", "cases", "icc"), [(6, 2, 0.5), (10, 2, 0.0), (10, 4, 0.6), (36, 2, 0.5)]
)
def test_intervals_hold_the_truth(metric, episodes, cases, icc):
    truth = simulation.Truth(episodes, cases, 0.8, 0.65, icc)
    held, width, undefined = simulation.coverage(metric, truth, runs=200)
    # 200 draws of 95 % have a standard error of 1.5 points.
    assert held > 0.905
    assert width < 1
    assert undefined < 0.3


@pytest.mark.parametrize("profile", ["by_culture", "upgrade"])
@pytest.mark.parametrize("icc", [0.0, 0.3])
def test_an_unchanged_model_fails_at_most_one_run_in_twenty(profile, icc):
    truth = simulation.Truth(10, 2, 0.8, 0.65, icc, cultures=6)
    assert simulation.false_alarms(profile, truth, runs=120) <= 0.05 + 2 * 0.02


def test_a_culture_that_is_lost_is_found():
    truth = simulation.Truth(36, 2, 0.95, 0.3, 0.3, cultures=4)
    assert simulation.false_alarms("by_culture", truth, runs=20) == 1.0
