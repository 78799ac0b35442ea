"""The suite that one writes without a harness: `pytest plain_pytest.py`, URL and items in BENCH."""

import json
import os
from pathlib import Path

import pytest
from openai import OpenAI

URL, PATH = os.environ["BENCH"].split(" ", 1)
ITEMS = [json.loads(line) for line in Path(PATH).read_text().splitlines()]


@pytest.fixture(scope="session")
def client():
    return OpenAI(base_url=URL)


@pytest.mark.parametrize("item", ITEMS, ids=[item["id"] for item in ITEMS])
def test_item(item, client):
    options = zip("ABCD", item["options"], strict=True)
    text = "\n".join([item["question"], *(f"{letter}. {option}" for letter, option in options)])
    reply = client.chat.completions.create(
        model="mock-2026-01-01",
        messages=[{"role": "user", "content": text}],
        temperature=0,
        max_tokens=32,
    )
    assert reply.choices[0].message.content == item["answer"]
