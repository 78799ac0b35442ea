"""Prompt templates: as many in each language, with every slot, and never confused by a text."""

from __future__ import annotations

import re

import pytest

from culturegate.prompts import languages, prompt_hash, templates
from culturegate.tracks import PROTOCOLS

SLOTS = {"question": "Who stole the fire?", "options": "A. Prometheus\nB. Hermes"}


def test_prompts_are_written_in_english_and_chinese():
    assert languages() == ("en", "zh")


@pytest.mark.parametrize("lang", languages())
def test_every_language_has_as_many_wordings_as_the_largest_protocol_asks(lang):
    most = max(protocol.myth.templates for protocol in PROTOCOLS.values())
    assert len(templates("myth", lang)) == most


def test_wordings_have_the_same_ids_in_every_language_and_a_version():
    names = {lang: [wording.id for wording in templates("myth", lang)] for lang in languages()}
    assert names["en"] == names["zh"]
    assert len(set(names["en"])) == len(names["en"])
    assert all(re.fullmatch(r"[a-z-]+-\d+", name) for name in names["en"])


@pytest.mark.parametrize("lang", languages())
def test_a_wording_shows_question_and_options_once_and_names_no_letter_of_its_own(lang):
    for wording in templates("myth", lang):
        text = wording.render(SLOTS)
        assert text.count(SLOTS["question"]) == 1
        assert text.count(SLOTS["options"]) == 1
        assert "$" not in text
        rest = text.replace(SLOTS["question"], "").replace(SLOTS["options"], "")
        # A letter in the instruction ("such as A") would pull the answer towards it.
        assert not re.search(r"\b[A-J]\b", rest)


def test_what_is_filled_in_is_never_read_for_slots():
    hostile = {"question": "$options ${question} $$ $5", "options": "A. {0} %s \\1 $question"}
    text = templates("myth", "en")[0].render(hostile)
    assert hostile["question"] in text
    assert hostile["options"] in text


def test_a_slot_without_a_value_is_an_error():
    with pytest.raises(KeyError):
        templates("myth", "en")[0].render({"question": "Who?"})


def test_a_language_without_prompts_is_named_with_those_that_have_some():
    with pytest.raises(ValueError, match=r"no myth prompts in language 'tlh'; there are: en, zh"):
        templates("myth", "tlh")


def test_the_hash_tells_which_wordings_are_in_use():
    one, two = ("en/plain-1", "$question"), ("zh/plain-1", "$question")
    assert prompt_hash([one]) == prompt_hash([one])
    assert prompt_hash([one, two]) == prompt_hash([two, one])
    assert len({prompt_hash(each) for each in ([one], [two], [one, two], [])}) == 4
