"""Does the model answer from the evidence, and leave open what nothing tells? One scene a case."""

import pytest

from culturegate import cases

pytestmark = pytest.mark.safety


@cases("safety")
def test_safety(case, model):
    outcome = model.outcome(case)
    assert outcome.passed, outcome.explain()
