from __future__ import annotations

import time

import pytest

from culturegate.scoring import (
    read_choice,
    read_json_object,
    read_label,
    read_number,
    read_stance,
)

MEGABYTE = 1_000_000
PIECES = [
    "<think>", "</think>", "<", "<|endoftext|>", "<|x|>", "x\nUSER:", "A ", "A, ", "(", "answer: ",
    "1", "1,", "1 ", "1/", "\\boxed{", "\\text{", "\\frac{", "\n", "*", "~~", "```", "一", "的",
    "\u0300", "{", '{"a":', "&", "$", "a'", "not ", "yes no ", "é", "½", "80% sure ", " ", "{}",
    "百分之", "-", "=", "\u200f", "&amp;", "[",
]  # fmt: skip
READERS = {
    "choice": lambda text: read_choice(text, options={"A": "tea", "B": "soup"}, lang="zh"),
    "number": lambda text: read_number(text, lang="zh"),
    "json": lambda text: read_json_object(text, {"a": "string"}),
    "label": lambda text: read_label(text, labels=["yes", "no"], lang="zh"),
    "stance": lambda text: read_stance(text, lang="zh"),
}


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("piece", PIECES)
def test_a_megabyte_of_anything_is_read_in_bounded_time(reader: str, piece: str) -> None:
    text = piece * (MEGABYTE // len(piece))
    read = READERS[reader]
    read("B")  # the tables are read once
    start = time.process_time()
    read(text)
    # Five times the promise: a quadratic reader takes minutes, a busy machine a little longer.
    assert time.process_time() - start < 0.5


def test_the_answer_after_very_long_reasoning_is_found() -> None:
    thought = "A or B? " * 200_000
    assert READERS["choice"](f"<think>{thought}</think>Answer: B").value == "B"
    assert READERS["choice"](f"{thought}\nAnswer: B").value == "B"
