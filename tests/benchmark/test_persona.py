"""Does the model read from a user's chats how they live, and act on it? One request a case."""

import pytest

from culturegate import cases

pytestmark = [pytest.mark.culture, pytest.mark.persona]


@cases("persona")
def test_persona(case, model):
    outcome = model.outcome(case)
    assert outcome.passed, outcome.explain()
