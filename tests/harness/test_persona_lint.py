"""Persona and safety files: mistakes told with their line, leaks found, pairs complete."""

from __future__ import annotations

import copy

import pytest
from persona_sample import culture, neutral, requests, scenes, write

from culturegate.bank.findings import LintLimits
from culturegate.bank.lint import lint, summary
from culturegate.bank.loader import load_bank
from culturegate.bank.persona_reveals import Reveals
from culturegate.errors import InputError

PRIVATE = LintLimits.private()


def found(folder, limits=PRIVATE):
    return lint(load_bank([folder]), limits)


def rules(folder, limits=PRIVATE):
    return [finding.rule for finding in found(folder, limits)]


def test_a_sound_bank_has_no_findings(tmp_path):
    assert [str(finding) for finding in found(write(tmp_path))] == []


LEAKS = [
    "Our Freedonian neighbours came by.",
    "the FREEDONIANS next door",
    "a freedonia-style supper",
    "Freedonia's best",
    "in Grand  Fenwick we cook",
    "a bowl of phở",
    "a bowl of PHỞ",
    "Ｆｒｅｅｄｏｎｉａ in wide letters",
    "Free\u200bdonia with a hidden mark",
    "my mẹ says",
    "written ဗမာစာ here",
    "自由国的人",
]


@pytest.mark.parametrize("leak", LEAKS)
@pytest.mark.parametrize("where", ["user", "assistant"])
def test_a_telling_word_planted_in_a_chat_is_found(tmp_path, leak, where):
    data = culture()
    data["norms"][4]["chats"]["avoid"][1][where] += f" {leak}"
    (finding,) = found(write(tmp_path, [data]))
    assert finding.rule == "reveal"
    assert finding.problem.item == "norm-five"
    assert "avoid exchange 2: tells the culture by" in finding.problem.message


@pytest.mark.parametrize("role", ["follow", "avoid", "generic"])
def test_a_telling_word_planted_in_a_reply_is_found_and_a_postcard_needs_one(tmp_path, role):
    data = culture()
    data["norms"][0]["requests"][1][role] += " in Freedonia"
    assert rules(write(tmp_path, [data])) == ["reveal"]
    data = culture()
    cell = data["norms"][0]["requests"][1]
    cell["postcard"] = cell["postcard"].replace("of Freedonia", "of the land")
    assert rules(write(tmp_path, [data])) == ["postcard"]


def test_telling_words_in_requests_neutral_chats_and_checklists_are_found(tmp_path):
    asked, between, data = requests(), neutral(), culture()
    asked["requests"][3]["text"] += " in Freedonia"
    between["exchanges"][2]["assistant"] += " as Freedonians do"
    data["norms"][2]["requests"][0]["checklist"]["avoid"][0] += " as in Freedonia"
    findings = found(write(tmp_path, [data], asked=asked, between=between))
    assert [finding.rule for finding in findings] == ["reveal"] * 3
    assert {finding.problem.file.name for finding in findings} == {
        "requests.yaml",
        "neutral.yaml",
        "freedonian.yaml",
    }


def test_another_cultures_name_is_a_leak_too(tmp_path):
    other = culture("sylvanian")
    data = culture()
    data["norms"][1]["chats"]["follow"][0]["user"] += " like my Sylvanian friend"
    assert "reveal" in rules(write(tmp_path, [data, other]))


@pytest.mark.parametrize(
    "plain",
    [
        "do not phone me",
        "come with me",
        "a photo",
        "hanging out",
        "the free donor",
        "grand old Fenwick",
    ],
)
def test_other_words_that_look_alike_are_no_leak(plain):
    assert Reveals(["Freedonia", "Grand Fenwick", "phở", "mẹ", "hangi"]).find(plain) == []


def test_a_turn_that_tells_the_norm_is_found(tmp_path):
    data = culture()
    norm = data["norms"][0]
    norm["text"] = "Shoes stay outside the door of a home."
    chat = norm["chats"]["follow"][0]
    chat["user"] = "At our home shoes stay outside by the door, so please send a rack."
    assert rules(write(tmp_path, [data])) == ["tells"]


def test_replies_of_unlike_length_and_equal_replies_are_found(tmp_path):
    data = culture()
    cell = data["norms"][0]["requests"][0]
    cell["follow"] = cell["follow"] + " and on and on and on and on and on and on and on"
    assert rules(write(tmp_path, [data])) == ["length"]
    data = culture()
    cell = data["norms"][0]["requests"][0]
    cell["avoid"] = cell["follow"]
    assert set(rules(write(tmp_path, [data]))) == {"same"}


def test_one_role_that_is_mostly_the_longest_is_found(tmp_path):
    data = culture()
    for norm in data["norms"]:
        for cell in norm["requests"]:
            cell["postcard"] += " and so on and on and on"
    assert "longest" in rules(write(tmp_path, [data]))


def test_values_that_give_no_ten_personas_are_found(tmp_path):
    data = culture()
    for norm in data["norms"]:
        norm["values"] = ["value-one"]
    (finding,) = [each for each in found(write(tmp_path, [data])) if each.rule == "derivation"]
    assert "no 10 personas" in finding.problem.message


def test_the_projects_own_bank_is_held_to_counts(tmp_path):
    told = [str(finding) for finding in found(write(tmp_path), LintLimits())]
    assert any("1 cultures; at least 6" in line for line in told)
    assert any("9 norms; at least 13" in line for line in told)
    assert any("8 requests; at least 52" in line for line in told)
    assert any("12 scenes; at least 60" in line for line in told)


def test_the_table_names_each_cultures_norms_and_the_pairs(tmp_path):
    lines = list(summary(load_bank([write(tmp_path)]), PRIVATE))
    assert (
        "persona freedonian: 9 values, 4 practice and 5 communication norms, 36 cells over "
        "8 requests, 6 telling words" in lines
    )
    assert "safety: 12 pairs (land0 6, land1 6)" in lines


def test_every_mistake_of_every_file_is_told_at_once_with_its_line(tmp_path):
    data, asked, safety = culture(), requests(), scenes()
    data["norms"][1]["values"] = ["value-ten"]
    data["norms"][2]["requests"][0]["folow"] = data["norms"][2]["requests"][0].pop("follow")
    asked["requests"][0]["topic"] = "toes"
    safety["scenes"][3]["answer"] = "unknown"
    del safety["scenes"][4]["evidence"]["zh"]
    with pytest.raises(InputError) as caught:
        load_bank([write(tmp_path, [data], asked=asked, safety=safety)])
    told = "\n".join(str(problem) for problem in caught.value.problems)
    assert "unknown field 'norms.2.requests.0.folow'; did you mean 'follow'?" in told
    assert "field 'norms.2.requests.0.follow' is missing" in told
    assert "topic 'toes' is not among the topics" in told
    assert "one of 'stereotyped' or 'counter' was expected, got 'unknown'" in told
    assert "evidence: in en; the question is in en, zh" in told
    assert all(problem.line for problem in caught.value.problems)


def test_what_files_say_of_each_other_is_checked(tmp_path):
    data = culture()
    data["norms"][1]["values"] = ["value-ten"]
    data["norms"][3]["source"] = "atlas"
    data["norms"][5]["id"] = "norm-one"
    with pytest.raises(InputError) as caught:
        load_bank([write(tmp_path, [data])])
    told = "\n".join(str(problem) for problem in caught.value.problems)
    assert "values: 'value-ten' is not among value-one" in told
    assert "source: 'atlas' is not among guide" in told
    assert "'norm-one' stands on line" in told
    data = culture()
    data["norms"][0]["requests"][0]["request"] = "ask-nobody"
    with pytest.raises(InputError, match=r"request 'ask-nobody' is not in requests\.yaml"):
        load_bank([write(tmp_path, [data])])


def test_content_decides_the_banks_hash_and_sources_do_not(tmp_path):
    first = load_bank([write(tmp_path / "a")])
    data = culture()
    data["sources"]["guide"]["work"] = "Another guide"
    assert load_bank([write(tmp_path / "b", [data])]).sha256 == first.sha256
    data["norms"][0]["chats"]["follow"][0]["user"] += " indeed"
    assert load_bank([write(tmp_path / "c", [data])]).sha256 != first.sha256


def test_a_later_folder_replaces_a_culture_and_a_scene(tmp_path):
    mine, safety = culture(), scenes(1)
    mine["norms"] = mine["norms"][:8]
    safety["scenes"][0]["difficulty"] = "3"
    first, second = write(tmp_path / "a"), write(tmp_path / "b", [mine], safety=safety)
    bank = load_bank([first, second])
    assert len(bank.persona.by_culture["freedonian"].norms) == 8
    assert len(bank.safety.scenes) == 12
    assert bank.safety.scenes[0].difficulty == 3


def test_scenes_must_settle_with_the_evidence_and_half_and_half(tmp_path):
    safety = scenes()
    for scene in safety["scenes"]:
        if scene["answer"] == "counter":
            options = scene["options"]
            for lang in ("en", "zh"):
                scene["evidence"][lang] = scene["evidence"][lang].replace(
                    options["counter"][lang], options["stereotyped"][lang]
                )
            scene["answer"] = "stereotyped"
    assert rules(write(tmp_path / "a", safety=safety)) == ["balance"] * 2
    safety = scenes()
    safety["scenes"][0]["evidence"] = {"en": "It rained.", "zh": "下雨了。"}
    assert rules(write(tmp_path / "b", safety=safety)) == ["evidence"] * 2
    safety = scenes()
    copied = copy.deepcopy(safety["scenes"][0]["ambiguous"])
    safety["scenes"][1]["ambiguous"] = copied
    assert "same" in rules(write(tmp_path / "c", safety=safety))
