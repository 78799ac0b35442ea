"""Each planted fault is found, and named with its file, line and item."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from bank_sample import CANARY, sample_bank, spoiled, write_bank

from culturegate.bank import load_bank
from culturegate.bank.findings import Finding, LintLimits
from culturegate.bank.lint import lint

LIMITS = LintLimits(cultures=1)
SOUND = sample_bank()
Entry = dict[str, Any]
Spoil = Callable[[Entry], None]


def found(folder: Path, bank: Entry, limits: LintLimits = LIMITS) -> list[Finding]:
    write_bank(folder, bank)
    return lint(load_bank([folder]), limits)


def items(bank: Entry, kind: str | None = None) -> list[Entry]:
    return [
        item
        for episode in bank["episodes"]
        for item in episode["items"]
        if kind in (None, item["kind"])
    ]


def first(bank: Entry, kind: str) -> Entry:
    return items(bank, kind)[0]


def key(item: Entry) -> dict[str, str]:
    option: dict[str, str] = item["options"][item["answer"]]
    return option


def wrong(item: Entry) -> list[dict[str, str]]:
    return [option for label, option in item["options"].items() if label != item["answer"]]


def longest_is_right(bank: Entry) -> None:
    for item in items(bank, "recall")[:10]:
        key(item)["en"] += " qu"


def shared_words_are_right(bank: Entry) -> None:
    for item in items(bank, "recall")[:10]:
        key(item)["en"] = item["question"]["en"].split()[0] + key(item)["en"][6:]


def one_letter_is_right(bank: Entry) -> None:
    for item in items(bank, "decode")[:20]:
        other, item["answer"] = item["answer"], "b"
        tag = item["options"]["b"].pop("tag", None)
        if tag:
            item["options"][other]["tag"] = tag


def options_differ_in_length(bank: Entry) -> None:
    for item in items(bank, "recall")[:6]:
        for option in wrong(item)[:1]:
            option["zh"] = option["zh"] * 2


def same_question_twice(bank: Entry) -> None:
    one, two = items(bank, "recall")[:2]
    two["question"]["en"] = "  " + one["question"]["en"].upper().replace(" ", "\u00a0") + " !"


def nearly_the_same(bank: Entry) -> None:
    one, two = items(bank, "decode")[:2]
    two["question"] = {lang: text + "xu" for lang, text in one["question"].items()}
    for label, option in one["options"].items():
        two["options"][label] = option | {"en": option["en"][:-1] + "x"}
    two["answer"] = one["answer"]


def decode_key_shares_a_word(bank: Entry) -> None:
    item = first(bank, "decode")
    item["question"]["en"] += " generously"
    key(item)["en"] = "generous" + key(item)["en"][6:]


def decode_key_shares_a_chinese_word(bank: Entry) -> None:
    item = first(bank, "decode")
    item["question"]["zh"] += "火种"
    key(item)["zh"] = "火种" + key(item)["zh"][2:]


def recall_key_stands_in_question(bank: Entry) -> None:
    item = first(bank, "recall")
    item["question"]["en"] += f" ({key(item)['en']}?)"


def no_canary(bank: Entry) -> None:
    del bank["canary"]


def one_language(bank: Entry) -> None:
    item = first(bank, "recall")
    del item["question"]["zh"]
    for option in item["options"].values():
        del option["zh"]


def too_few_items(bank: Entry) -> None:
    del bank["episodes"][9]["items"][-1]


def unbalanced(bank: Entry) -> None:
    for episode in bank["episodes"][:3]:
        episode["items"] = [
            item for item in episode["items"] if item["kind"] == "recall" or item["id"] == "d1"
        ]


def too_few_episodes(bank: Entry) -> None:
    bank["episodes"][0]["items"] += [
        item | {"id": item["id"] + "x"} for item in bank["episodes"][9]["items"]
    ]
    del bank["episodes"][9]


def episode_without_decode(bank: Entry) -> None:
    bank["episodes"][2]["items"] = [
        item for item in bank["episodes"][2]["items"] if item["kind"] == "recall"
    ]


def one_form_everywhere(bank: Entry) -> None:
    for item in items(bank, "decode"):
        item["form"] = "proverb"


def decode_without_form(bank: Entry) -> None:
    del first(bank, "decode")["form"]


def distractor_without_tag(bank: Entry) -> None:
    del wrong(first(bank, "recall"))[0]["tag"]


def author_reviews(bank: Entry) -> None:
    review = {"reviewer": "an  author", "date": "2024-05-01"}
    first(bank, "recall")["reviews"] = [review]


def one_person_reviews_twice(bank: Entry) -> None:
    review = {"reviewer": "A Reader", "date": "2024-05-01"}
    first(bank, "recall")["reviews"] = [review, review | {"date": "2024-06-01"}]


def greek_under_chinese(bank: Entry) -> None:
    first(bank, "recall")["question"]["zh"] = "Ποιος έκλεψε τη φωτιά"


def names_in_decode_questions(bank: Entry) -> None:
    first(bank, "recall")["question"]["en"] += " with Marduk"
    for item in items(bank, "decode")[:15]:
        item["question"]["en"] = "Marduk's " + item["question"]["en"]


def option_points_at_others(bank: Entry) -> None:
    wrong(first(bank, "recall"))[0]["en"] = "all of the above"


def too_few_variants(bank: Entry) -> None:
    for item in items(bank):
        item.pop("variant_of", None)


FAULTS: list[tuple[Spoil, str, str]] = [
    (longest_is_right, "longest", "always the longest option is right in "),
    (shared_words_are_right, "shared", "the option with most words of the question is right in "),
    (one_letter_is_right, "letter", "gold position skewed: the key is B in "),
    (options_differ_in_length, "length", "in 6 of 25 items the longest option is more than 1.6"),
    (same_question_twice, "duplicate", "duplicate after normalising: sample-episode-0-r1, sample"),
    (nearly_the_same, "duplicate", "nearly the same as sample-episode-0-d1 at "),
    (decode_key_shares_a_word, "leak", "question and key share content words (en): generous;"),
    (decode_key_shares_a_chinese_word, "leak", "question and key share content words (zh): 火种;"),
    (recall_key_stands_in_question, "leak", "the key stands in the question (en)"),
    (no_canary, "canary", "no canary"),
    (one_language, "languages", "not written in zh"),
    (too_few_items, "count", "24 decode items; at least 25"),
    (unbalanced, "balance", "25 recall and 21 decode items; the kinds stand one to one"),
    (too_few_episodes, "count", "9 episodes; at least 10"),
    (episode_without_decode, "balance", "an episode without a decode item"),
    (one_form_everywhere, "form", "25 of 25 decode items are proverb, limit 35%"),
    (decode_without_form, "form", "a decode item without a form"),
    (distractor_without_tag, "tag", "distractors without a tag that says what tempts: ['B']"),
    (author_reviews, "review", "an  author is an author and can't review it"),
    (one_person_reviews_twice, "review", "A Reader signed twice; two reviews need two people"),
    (greek_under_chinese, "script", "question: script does not match language zh (mostly Greek)"),
    (names_in_decode_questions, "name", "15 of 25 questions hold a name from the stories"),
    (option_points_at_others, "order", "option B (en) points at other options"),
    (too_few_variants, "variant", "0 variants of 50 items; at least 10%"),
]


def test_the_sound_bank_has_no_findings(tmp_path: Path) -> None:
    assert [str(finding) for finding in found(tmp_path, SOUND)] == []


@pytest.mark.parametrize(
    ("spoil", "rule", "message"), FAULTS, ids=[spoil.__name__ for spoil, _, _ in FAULTS]
)
def test_a_planted_fault_is_found(spoil: Spoil, rule: str, message: str, tmp_path: Path) -> None:
    bank = spoiled(SOUND)
    spoil(bank)
    hits = [
        finding
        for finding in found(tmp_path, bank)
        if finding.rule == rule and finding.problem.message.startswith(message)
    ]
    assert hits
    assert str(tmp_path) in str(hits[0])


def test_a_finding_about_an_item_names_its_line(tmp_path: Path) -> None:
    bank = spoiled(SOUND)
    distractor_without_tag(bank)
    (finding,) = found(tmp_path, bank)
    assert finding.problem.item == "sample-episode-0-r1"
    assert finding.problem.line is not None
    lines = (tmp_path / "sample.yaml").read_text(encoding="utf-8").split("\n")
    assert '"id": "r1"' in lines[finding.problem.line]


def test_a_fault_brings_no_finding_of_another_rule(tmp_path: Path) -> None:
    for number, (spoil, rule, _) in enumerate(FAULTS):
        # These change the counts that other rules look at.
        if spoil in (unbalanced, episode_without_decode, too_few_episodes, nearly_the_same):
            continue
        bank = spoiled(SOUND)
        spoil(bank)
        rules = {finding.rule for finding in found(tmp_path / str(number), bank)}
        assert rules <= {rule, "variant"}, spoil.__name__


def test_another_canary_in_one_file_is_found(tmp_path: Path) -> None:
    for name in ("sample", "second", "third"):
        bank = sample_bank(name)
        bank["canary"] = CANARY if name != "third" else CANARY + "x"
        write_bank(tmp_path, bank, f"{name}.yaml")
    (finding,) = [one for one in lint(load_bank([tmp_path]), LIMITS) if one.rule == "canary"]
    assert finding.problem.file == tmp_path / "third.yaml"


def test_a_private_folder_of_five_items_is_not_held_to_the_size_of_a_bank(tmp_path: Path) -> None:
    bank = spoiled(SOUND)
    bank["episodes"] = bank["episodes"][:1]
    bank["episodes"][0]["items"] = bank["episodes"][0]["items"][:3]
    for item in items(bank):
        item.pop("variant_of", None)
        item["answer"] = "a"
        for label, option in item["options"].items():
            option.pop("tag", None) if label == "a" else option.setdefault("tag", "surface")
    del bank["canary"]
    assert found(tmp_path, bank, LintLimits.private()) == []
    decode_key_shares_a_word(bank)
    assert [one.rule for one in found(tmp_path, bank, LintLimits.private())] == ["leak"]
