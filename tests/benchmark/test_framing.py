"""Does the model keep to a format, whatever it is told about tests and about itself?"""

import pytest

from culturegate import cases

pytestmark = pytest.mark.framing


@cases("framing")
def test_framing(case, model):
    outcome = model.outcome(case)
    assert outcome.passed, outcome.explain()
