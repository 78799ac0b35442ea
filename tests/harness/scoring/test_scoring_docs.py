from __future__ import annotations

import re
from pathlib import Path

import pytest

from culturegate.scoring import read_choice

PAGE = Path(__file__).parents[3] / "docs" / "reading.md"
ROW = re.compile(r"\| (\w\w) \| `(.+)` \| (\w+) \| (\w+) \|")
ROWS = ROW.findall(PAGE.read_text(encoding="utf-8"))


def test_the_page_shows_ten_replies() -> None:
    assert len(ROWS) == 10


@pytest.mark.parametrize(("lang", "reply", "outcome", "rule"), ROWS)
def test_a_reply_on_the_page_is_read_as_it_says(
    lang: str, reply: str, outcome: str, rule: str
) -> None:
    options = {"A": "tea", "B": "soup", "C": "rice", "D": "fish"}
    reading = read_choice(reply, options=options, lang=lang)
    assert (reading.value or reading.status, reading.rule) == (outcome, rule)
