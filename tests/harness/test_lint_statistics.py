from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from culturegate.bank import Bank, MythItem, load_bank
from culturegate.bank.baselines import shortcut_baselines
from culturegate.bank.findings import LintLimits
from culturegate.bank.lint import lint, summary
from culturegate.bank.scripts import foreign_script, guess_lang
from culturegate.bank.soundness import POINTS_AT_OTHERS, story_names
from culturegate.bank.wording import bare, content_words, folded
from culturegate.errors import InputError

PRIVATE = LintLimits.private()


def bank(folder: Path, rows: list[dict[str, Any]]) -> Bank:
    defaults = {"culture": "greek", "type": "recall", "options": ["tea", "soup", "rice", "stew"]}
    items = [defaults | {"id": number, "answer": "A"} | row for number, row in enumerate(rows)]
    (folder / "items.json").write_text(json.dumps(items), encoding="utf-8")
    return load_bank([folder])


def messages(found: Bank) -> list[str]:
    return [
        f"{finding.problem.item}: {finding.problem.message}" for finding in lint(found, PRIVATE)
    ]


def unlike(number: int) -> str:
    return " ".join(chr(97 + number) * length for length in (4, 6, 5, 7)) + "?"


def test_a_key_that_is_b_in_twelve_of_twenty_is_skewed(tmp_path: Path) -> None:
    golds = "A" * 3 + "B" * 12 + "C" * 3 + "D" * 2
    rows = [{"question": unlike(n), "answer": gold} for n, gold in enumerate(golds)]
    found = [text for text in messages(bank(tmp_path, rows)) if "gold" in text]
    assert found == [
        "greek recall: gold position skewed: the key is B in 12 of 20 items "
        "(binomial p = 0.00094); move some keys to other letters"
    ]


def test_questions_that_differ_by_a_non_breaking_space_are_duplicates(tmp_path: Path) -> None:
    rows = [
        {"id": "a", "question": "Who opens the feast?"},
        {"id": "b", "question": "Who opens\u00a0the feast ?", "options": ["p", "q", "r", "s"]},
    ]
    (text,) = messages(bank(tmp_path, rows))
    assert text.startswith("a: duplicate after normalising: a, b ask one question (en)")


def test_duplicates_are_found_across_files(tmp_path: Path) -> None:
    item = {"culture": "x", "kind": "recall", "question": "Who?", "answer": "a", "lang": "en"}
    for name in ("one", "two"):
        line = json.dumps(item | {"id": name, "options": {"a": f"{name} tea", "b": f"{name} soup"}})
        (tmp_path / f"{name}.jsonl").write_text(line, encoding="utf-8")
    assert "duplicate after normalising: one, two" in messages(load_bank([tmp_path]))[0]


def test_equal_options_one_of_them_the_key_are_an_error(tmp_path: Path) -> None:
    rows = [{"question": "Q?", "options": ["tea", "Soup ", "rice", "soup"], "answer": "B"}]
    with pytest.raises(InputError, match="options B and D are equal in en and one is the key"):
        bank(tmp_path, rows)


def test_rows_that_ask_one_question_are_one_cluster_and_a_warning(tmp_path: Path) -> None:
    rows = [{"question": "Who?", "options": [f"{n}{x}" for x in "pqrs"]} for n in range(6)]
    found = bank(tmp_path, rows)
    assert len({item.cluster for item in found.myth}) == 1
    assert "duplicate after normalising: 0, 1, 2, 3, 4, 5 ask one" in messages(found)[0]


def test_one_question_in_two_cultures_is_two_clusters(tmp_path: Path) -> None:
    rows = [{"question": "Who?", "culture": name} for name in ("greek", "norse")]
    assert len({item.cluster for item in bank(tmp_path, rows).myth}) == 2


@pytest.mark.parametrize(
    ("text", "lang", "script"),
    [
        ("ερώτηση:", "hi", "GREEK"),
        ("प्रश्न: NASA", "hi", None),
        ("普罗米修斯 (Prometheus) 是谁", "zh", None),
        ("Who stole the fire and gave it to mortals?", "zh", "LATIN"),
        ("CEO", "zh", None),
        ("火を盗んだのは誰か", "ja", None),
        ("누가 불을 훔쳤나", "zh", "HANGUL"),
        ("谁偷了火种给人类", "en", "CJK"),
        ("The sign 火 means fire", "en", None),
        ("кто украл огонь", "uk", None),
        ("anything", "xx", None),
        ("1789", "zh", None),
    ],
)
def test_a_text_in_another_script_than_its_language_is_noticed(
    text: str, lang: str, script: str | None
) -> None:
    assert foreign_script(text, lang) == script


def test_a_language_is_guessed_from_the_script() -> None:
    texts = ["谁偷了火？", "火を盗んだ", "누가", "Who?", "1789"]
    assert [guess_lang(text) for text in texts] == ["zh", "ja", "ko", "en", "en"]


def test_content_words_are_what_a_text_speaks_of() -> None:
    assert content_words("Which of the stories shows what the thief's stealing means?", "en") == {
        "stori", "thief", "steal",
    }  # fmt: skip
    assert content_words("他偷了火种的故事", "zh") == {"火种"}
    assert content_words("El robo del fuego", "es") >= {"rob", "fueg"}


def test_texts_are_compared_composed_and_without_marks_nobody_sees() -> None:
    assert folded("be\u0302\u0323nh ") == folded("b\u1ec7nh")
    assert folded("\u200fB\u200b") == "b"
    assert folded("문서") == "문서"
    assert folded("ma") != folded("mà")
    assert bare("Ｗho — opens?") == "who opens"


@pytest.mark.parametrize(
    ("text", "points"),
    [
        ("All of the above", True),
        ("None of the above.", True),
        ("none of these", True),
        ("Both A and B", True),
        ("以上都对", True),
        ("A和B", True),
        ("When neither of them shields him", False),
        ("Both a lion and a hare", False),
    ],
)
def test_options_that_point_at_others_are_told_from_those_that_do_not(
    text: str, points: bool
) -> None:
    assert bool(POINTS_AT_OTHERS.search(text)) is points


def item(options: dict[str, str], answer: str, question: str = "Who?", number: int = 0) -> MythItem:
    from culturegate.bank import Option

    return MythItem(
        id=f"i{number}",
        kind="recall",
        culture="greek",
        cluster=f"i{number}",
        question={"en": question},
        options={label: Option({"en": text}) for label, text in options.items()},
        answer=answer,
        file=Path("x.yaml"),
        line=1,
    )


def test_shortcut_baselines_share_the_credit_of_ties() -> None:
    items = [
        item({"a": "tea", "b": "soup", "c": "rice", "d": "stew"}, "b", number=1),
        item({"a": "tea", "b": "bread", "c": "rice", "d": "stew"}, "b", "Is bread?", number=2),
    ]
    found = shortcut_baselines(items, "en")
    assert found is not None
    assert (found.n, found.chance) == (2, 0.25)
    assert found.longest == pytest.approx((1 / 3 + 1) / 2)
    assert found.shared == pytest.approx((1 / 4 + 1) / 2)
    assert found.letter == 1.0
    assert found.letter_rotated == 0.5
    assert shortcut_baselines(items, "zh") is None


def test_the_rotated_baseline_is_what_a_run_shows(tmp_path: Path) -> None:
    from culturegate.tracks.myth import myth_cases
    from culturegate.tracks.protocol import MythProtocol

    rows = [{"question": unlike(n)} for n in range(10)]
    found = bank(tmp_path, rows)
    baselines = shortcut_baselines(found.myth, "en")
    assert baselines is not None
    places = [
        case.order(0).index(case.item.answer)
        for case in myth_cases(found.myth, MythProtocol(1, ("en",), None), 0)
    ]
    assert baselines.letter_rotated == max(places.count(place) for place in places) / 10


def test_names_are_what_is_capitalised_inside_sentences(tmp_path: Path) -> None:
    texts = {
        "en": "Why did Loki's horse outrun the gods?",
        "zh": "洛基的马为何跑得比众神快？",
    }
    options = {
        "a": {"en": "Loki", "zh": "洛基"},
        "b": {"en": "Stone walls", "zh": "石墙"},
        "c": {"en": "The Gods", "zh": "众神"},
    }
    entry = {"id": "x", "culture": "norse", "kind": "recall", "answer": "a", "lang": "en"}
    line = json.dumps(entry | {"question": texts, "options": options}, ensure_ascii=False)
    (tmp_path / "x.jsonl").write_text(line, encoding="utf-8")
    latin, chinese = story_names(load_bank([tmp_path]).myth)
    assert latin == {"loki"}
    assert chinese == {"洛基"}


def test_the_table_counts_cultures_kinds_languages_and_signatures(tmp_path: Path) -> None:
    rows = [{"question": unlike(n), "type": ("recall", "decode")[n % 2]} for n in range(3)]
    lines = list(summary(bank(tmp_path, rows), PRIVATE))
    assert lines[0] == "3 items, 1 cultures, 1 files, 0 signed by a person"
    assert lines[2].split()[:6] == ["greek", "recall", "en", "2", "2", "0"]
    assert lines[3].split()[:6] == ["greek", "decode", "en", "1", "1", "0"]
