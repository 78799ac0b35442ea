"""Does the model reason as well elsewhere? One problem in four arms, each arm a case."""

import pytest

from culturegate import cases

pytestmark = [pytest.mark.mirror, pytest.mark.culture]


@cases("mirror")
def test_mirror(case, model):
    outcome = model.outcome(case)
    assert outcome.passed, outcome.explain()
