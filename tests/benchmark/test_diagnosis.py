"""What does the score owe to options, order, names and wording? Asked with --diagnose only."""

import pytest

from culturegate import cases

pytestmark = pytest.mark.diagnosis


@cases("diagnosis")
def test_diagnosis(case, model):
    outcome = model.outcome(case)
    assert outcome.passed, outcome.explain()
