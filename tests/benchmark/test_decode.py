"""Can the model use the story? One scene that only makes sense to who knows it a case."""

import pytest

from culturegate import cases

pytestmark = pytest.mark.decode


@cases("myth", kind="decode")
def test_decode(case, model):
    outcome = model.outcome(case)
    assert outcome.passed, outcome.explain()
