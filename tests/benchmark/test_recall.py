"""Does the model know the story? One fact of one episode a case."""

import pytest

from culturegate import cases

pytestmark = pytest.mark.recall


@cases("myth", kind="recall")
def test_recall(case, model):
    outcome = model.outcome(case)
    assert outcome.passed, outcome.explain()
