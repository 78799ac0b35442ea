"""Mirror families: read with every fault at its line, and each planted fault is found."""

from __future__ import annotations

import copy
import json
import time
from fractions import Fraction
from pathlib import Path

import pytest
from mirror_sample import ELEMENTS, TASKS, bank, document, family, write

from culturegate.bank import load_bank
from culturegate.bank.findings import LintLimits
from culturegate.bank.lint import lint
from culturegate.bank.mirror_layout import mirror_schema
from culturegate.bank.mirror_lint import lint_mirror, mirror_summary
from culturegate.bank.mirror_reading import load_mirror
from culturegate.bank.skeleton import number_text, read_formula

ROOT = Path(__file__).parents[2]
PRIVATE = LintLimits.private()


@pytest.fixture
def plant(tmp_path):
    """Lint one family, changed by a function, and return rule → message of each finding."""

    def changed(change, kind: str = "number", region: str = "china") -> list[str]:
        data = copy.deepcopy(family(region, 1, kind))
        change(data)
        folder = write(tmp_path, {f"{region}.yaml": document(region, [data])})
        found, problems = load_mirror([folder])
        if problems:
            return [f"load: {problem.message}" for problem in problems]
        findings = list(lint_mirror(found, PRIVATE))
        for finding in findings:
            place = finding.problem
            assert place.item == data["id"]
            assert place.file.name == f"{region}.yaml"
            assert place.line is not None
            assert place.line > 6
        return [f"{finding.rule}: {finding.problem.message}" for finding in findings]

    return changed


def nothing(_data: dict) -> None:
    pass


@pytest.mark.parametrize("kind", ["number", "choice", "text"])
@pytest.mark.parametrize("region", ["china", "mexico"])
def test_a_sound_family_has_no_finding(plant, kind, region):
    assert plant(nothing, kind, region) == []


def test_a_number_changed_in_one_text_is_found(plant):
    def change(data):
        arm = data["arms"]["localized"]
        arm["text"] = arm["text"].replace("1201", "1210")

    assert plant(change) == [
        "value: localized: the text does not state 1201 (price)",
        "stray: localized: the text holds the number 1210, which is no condition's value; state it "
        "as a condition",
    ]


def test_a_number_changed_in_one_result_is_found(plant):
    def change(data):
        data["arms"]["native"]["results"]["full"] = 8805

    assert plant(change) == [
        "result: native: full is stated as 8805, price * kilos gives 8804",
        "result: native: answer is stated as 6603, full * (100 - off) / 100 gives 6603.75",
    ]


def test_a_changed_formula_is_found_in_every_arm(plant):
    def change(data):
        data["skeleton"]["steps"][0]["formula"] = "price + kilos"

    found = plant(change)
    assert len(found) == 4
    assert all(one.startswith("result: ") and "price + kilos gives" in one for one in found)


def test_a_condition_dropped_from_the_skeleton_is_found(plant):
    def change(data):
        del data["skeleton"]["conditions"]["off"]

    found = plant(change)
    assert found[0] == (
        "skeleton: step 'answer' uses 'off', which is neither a condition nor an earlier step"
    )
    assert "skeleton: original: values: 'off' is no condition of the skeleton" in found


def test_a_condition_dropped_from_an_arm_is_found(plant):
    def change(data):
        del data["arms"]["literal"]["values"]["kilos"]

    assert plant(change) == [
        "skeleton: literal: values: no 'kilos'",
        "stray: literal: the text holds the number 4, which is no condition's value; state it as a "
        "condition",
    ]


def test_a_condition_dropped_from_a_text_is_found(plant):
    def change(data):
        arm = data["arms"]["original"]
        arm["text"] = arm["text"].replace(", 25% off", "")

    assert plant(change) == ["value: original: the text does not state 25 (off)"]


def test_a_condition_that_no_step_uses_is_found(plant):
    def change(data):
        data["skeleton"]["steps"][1]["formula"] = "full"

    assert plant(change)[0] == (
        "skeleton: condition 'off' is used by no step that leads to the answer"
    )


def test_a_step_that_leads_nowhere_is_found(plant):
    def change(data):
        data["skeleton"]["steps"].insert(1, {"name": "half", "formula": "full / 2"})

    assert plant(change)[0] == "skeleton: step 'half' does not lead to the answer"


def test_two_swapped_steps_are_found(plant):
    def change(data):
        data["skeleton"]["steps"].reverse()

    found = plant(change)
    assert found[:2] == [
        "skeleton: the last step is named 'answer'",
        "skeleton: step 'answer' uses 'full', which is worked out only later; are steps swapped?",
    ]


@pytest.mark.parametrize(
    "formula",
    [
        "__import__('os').system('true')",
        "price ** 9 ** 9",
        "[kilos for kilos in (1, 2)]",
        "price if kilos else off",
        "open",
        "price.real",
        "price * ",
        "min(price)",
        "'4' * kilos",
        "kilos * True",
    ],
)
def test_a_formula_is_arithmetic_and_nothing_else(plant, formula):
    def change(data):
        data["skeleton"]["steps"][0]["formula"] = formula

    found = plant(change)
    assert any(one.startswith("skeleton: step 'full'") for one in found), found


def test_a_division_by_zero_is_a_finding(plant):
    def change(data):
        data["skeleton"]["steps"][0]["formula"] = "price * kilos / (kilos - 4)"

    assert "result: original: step 'full' divides by zero" in plant(change)


@pytest.mark.parametrize("formula", ["price * 9e300 * 9e300 + 0.5", "price" + " * 9e300" * 32])
def test_a_result_that_nobody_could_state_is_a_finding(plant, formula):
    def change(data):
        data["skeleton"]["steps"][0]["formula"] = formula.replace("price", "price * kilos")

    assert "result: original: step 'full' has a result of more than 60 digits" in plant(change)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Fraction("123456789012.345678"), "123456789012.345678"),
        (Fraction("-0.05"), "-0.05"),
        (Fraction(1, 3), "1/3"),
        (Fraction(5, 2), "2.5"),
        (Fraction(-20), "-20"),
    ],
)
def test_a_number_is_shown_exactly(value, text):
    assert number_text(value) == text
    assert Fraction(number_text(value)) == value


def test_a_name_that_python_keeps_is_a_name_and_no_other_loses_its_end():
    assert read_formula("pass * class_ + tip__").names == {"pass", "class_", "tip__"}


def test_an_entity_left_untranslated_is_found(plant):
    def change(data):
        arm = data["arms"]["localized"]
        arm["text"] = arm["text"].replace("小林", "Emily")
        arm["entities"]["buyer"] = "Emily"

    assert plant(change) == [
        "untranslated: localized: buyer 'Emily' of the original is left untranslated; a brand that "
        "is written so there is no entity"
    ]


def test_a_name_that_both_languages_write_alike_may_stay_in_the_translation_alone(plant):
    def change(data, arm):
        data["arms"][arm]["text"] = data["arms"][arm]["text"].replace(
            data["arms"][arm]["entities"]["buyer"], "Emily"
        )
        data["arms"][arm]["entities"]["buyer"] = "Emily"

    assert plant(lambda data: change(data, "literal"), region="mexico") == []
    (found,) = plant(lambda data: change(data, "localized"), region="mexico")
    assert found.startswith("untranslated: localized: buyer 'Emily'")


@pytest.mark.parametrize(
    "slot", ["{price}", "{{name}}", "$shop", "<NAME>", "[CITY]", "____", "TODO", "%(n)s"]
)
def test_a_slot_that_nobody_filled_is_found(plant, slot):
    def change(data):
        data["arms"]["native"]["text"] += f" {slot}"

    assert any(one.startswith("slot: native: text holds a slot") for one in plant(change))


@pytest.mark.parametrize(
    ("field", "change"),
    [
        ("answer", lambda arm: arm.update(answer="{who}")),
        ("accepted", lambda arm: arm.update(accepted=[{"answer": "{who}", "reason": "as said"}])),
    ],
)
def test_a_slot_left_in_what_is_right_is_found(plant, field, change):
    assert plant(lambda data: change(data["arms"]["native"]), "text") == [
        f"slot: native: {field} holds a slot that nobody filled: {{who}}"
    ]


def test_a_slot_left_in_a_unit_is_found(plant):
    found = plant(lambda data: data["arms"]["native"].update(unit="{currency}"))
    assert found == ["slot: native: unit holds a slot that nobody filled: {currency}"]


@pytest.mark.parametrize(
    ("field", "value"), [("answer", "x" * 81), ("accepted", [{"answer": "x" * 81, "reason": "y"}])]
)
def test_a_short_answer_longer_than_replies_are_read_for_is_told(plant, field, value):
    (told,) = plant(lambda data: data["arms"]["native"].update({field: value}), "text")
    assert told == f"load: native: {field}: a short answer of 81 characters; at most 80"


@pytest.mark.parametrize(
    ("arm", "name", "left"),
    [
        ("original", "Ali", "A Ali"),
        ("original", "Omar", "an Omar"),
        ("localized", "阿里", "A 阿里"),
    ],
)
def test_an_article_left_before_a_name_is_found(plant, arm, name, left):
    def change(data):
        one = data["arms"][arm]
        one["text"] = one["text"].replace(one["entities"]["buyer"], left)
        one["entities"]["buyer"] = name

    assert plant(change) == [f"residue: {arm}: an article left before a name: {left!r}"]


def test_a_word_left_twice_is_found(plant):
    def change(data):
        data["arms"]["original"]["text"] += " Give the the price."

    assert plant(change) == ["residue: original: text says a word twice: the the"]


def test_an_entity_that_the_text_does_not_hold_is_found(plant):
    def change(data):
        data["arms"]["native"]["entities"]["shop"] = "便利店"

    assert plant(change) == ["entity: native: entities: the text does not hold shop '便利店'"]


def test_a_text_in_the_wrong_script_is_found(plant):
    def change(data):
        data["arms"]["native"]["text"] = data["arms"]["original"]["text"]
        data["arms"]["native"]["entities"] = {}

    assert any(one.startswith("script: native: text") for one in plant(change))


def test_a_translation_keeps_the_numbers(plant):
    def change(data):
        arm = data["arms"]["literal"]
        arm["text"] = arm["text"].replace("4公斤", "8公斤")
        arm["values"]["kilos"] = 8
        arm["results"] = {"full": 1608, "answer": 1206}

    assert plant(change) == [
        "arms: literal: values: kilos is 8, in the original 4; a translation keeps it",
        "arms: literal: results: answer is 1206, in the original 603; a translation keeps it",
        "arms: literal: results: full is 1608, in the original 804; a translation keeps it",
    ]


def test_a_key_that_does_not_correspond_is_found(plant):
    def change(data):
        data["arms"]["localized"]["answer"] = "a"

    (found,) = plant(change, "choice")
    assert found.startswith("arms: localized: the key is A, the original's is D")


def test_a_premise_that_the_text_does_not_state_is_found(plant):
    def change(data):
        arm = data["arms"]["localized"]
        arm["text"] = arm["text"].replace("必须", "可以")
        del data["arms"]["native"]["premises"]["p2"]

    assert plant(change, "choice") == [
        "premise: localized: the text does not hold the words of premise 'p1': 小林必须签收包裹。",
        "premise: native: premises: no 'p2'",
    ]


def test_an_author_is_no_reviewer_and_two_reviews_need_two_people(plant):
    def change(data):
        data["reviews"] = [
            {"reviewer": name, "date": "2026-01-02"} for name in ("Tests", "A Person", "a person")
        ]

    assert plant(change) == [
        "review: Tests is an author and can't review it",
        "review: a person signed twice; two reviews need two people",
    ]


def test_a_skeleton_of_its_own_is_for_the_native_arm_alone(plant):
    def change(data, arm):
        own = copy.deepcopy(data["skeleton"])
        own["steps"][0]["formula"] = "kilos * price"
        data["arms"][arm]["skeleton"] = own

    assert plant(lambda data: change(data, "native")) == []
    assert plant(lambda data: change(data, "localized")) == [
        "arms: localized: an own skeleton; only the native arm may have one"
    ]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: d.pop("skeleton"), "skeleton: a mapping of conditions, steps, premises"),
        (lambda d: d.update(arms=[]), "arms: a mapping of original, literal"),
        (lambda d: d["arms"].pop("native"), "arms: the arm 'native' is missing"),
        (lambda d: d["arms"].update(other={}), "arms: unknown arm 'other'; the arms are original"),
        (lambda d: d.update(region="x"), "unknown field 'region'"),
        (lambda d: d.update(task="maths"), "task: one of"),
        (lambda d: d.update(id="peru-x"), "id: a family's id starts with its region"),
        (lambda d: d["arms"]["literal"].update(txt="x"), "literal: unknown field 'txt'; did you"),
        (
            lambda d: d["arms"]["literal"]["values"].update(price="many"),
            "literal: values.price: a number was expected (18, 0.5 or 1/3), got 'many'",
        ),
        (lambda d: d["arms"]["literal"]["results"].pop("answer"), "literal: results: no value of"),
        (lambda d: d["arms"]["literal"].update(answer="a"), "literal: answer: the answer of a"),
    ],
)
def test_what_cannot_be_asked_is_told_when_it_is_read(plant, change, message):
    (told,) = plant(change)
    assert told.startswith(f"load: {message}")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda arm: arm.update(answer="e"), "native: answer: 'e' is not among the options"),
        (lambda arm: arm["options"].pop("b"), "native: options: at least two, labelled from a"),
        (lambda arm: arm["options"].update(b=arm["options"]["a"]), "native: options A and B"),
    ],
)
def test_options_that_cannot_be_shown_are_told_when_they_are_read(plant, change, message):
    found = plant(lambda data: change(data["arms"]["native"]), "choice")
    assert found[0].startswith(f"load: {message}")


def test_all_faults_of_all_files_come_at_once_with_their_lines(tmp_path):
    one, two = family("china", 0), family("china", 1)
    one["task"], two["difficulty"] = "maths", 9
    other = document("mexico", [family("mexico", 0), family("mexico", 0)])
    folder = write(tmp_path, {"china.yaml": document("china", [one, two]), "mexico.yaml": other})
    _, problems = load_mirror([folder])
    told = sorted(str(problem) for problem in problems)
    assert len(told) == 3
    assert "china.yaml:10: china-number-0: task: one of" in told[0]
    assert "difficulty" in told[1]
    assert "mexico-number-0: the family is also at" in told[2]


def test_a_later_folder_replaces_a_family_of_the_same_id(tmp_path):
    new = family("china", 0)
    new["task"] = "decision"
    first = write(tmp_path / "a", {"china.yaml": document("china", [family("china", 0)])})
    second = write(tmp_path / "b", {"mine.yaml": document("china", [new])})
    found, problems = load_mirror([first, second])
    assert problems == []
    assert [one.task for one in found.families] == ["decision"]
    assert len(found.files) == 2


def test_the_bank_hash_covers_what_is_asked_and_no_signature(tmp_path):
    def digest(change) -> str:
        data = family("china", 0)
        change(data)
        return load_bank([write(tmp_path, {"china.yaml": document("china", [data])})]).sha256

    plain = digest(nothing)
    review = {"reviewer": "A Person", "date": "2026-01-02"}
    assert digest(lambda data: data.update(reviews=[review])) == plain
    assert digest(lambda data: data["arms"]["native"].update(text="别的题")) != plain


def test_keys_that_stand_too_often_at_one_letter_are_found(tmp_path):
    members = [family("china", 4 * n, "choice") for n in range(12)]
    found, _ = load_mirror([write(tmp_path, {"china.yaml": document("china", members)})])
    told = [str(one.problem.message) for one in lint_mirror(found, PRIVATE) if one.rule == "letter"]
    assert "original: the key is C in 12 of 12 choice families" in told


def test_lint_counts_regions_tasks_and_elements_of_the_projects_own_bank(tmp_path):
    found = bank(tmp_path, 8)
    rules = [one for one in lint_mirror(found, LintLimits()) if one.rule in ("count", "balance")]
    told = {str(one.problem.message) for one in rules}
    assert told == {
        "2 regions; at least 5",
        "8 families; at least 20",
        "2 arithmetic, 2 commonsense, 2 deduction, 2 decision families; at least 5 of each task",
    }
    lines = list(mirror_summary(found))
    assert lines[0] == "16 mirror families, 2 regions, 0 signed by a person"
    assert lines[2].split() == [
        *("china", "8"), *("2", "2", "2", "2"), *("3", "3", "2"), *("4", "4", "0")
    ]  # fmt: skip


def test_a_thousand_families_are_linted_within_five_seconds(tmp_path):
    members = [family("china", n, ("number", "choice")[n % 2]) for n in range(1000)]
    folder = write(tmp_path, {"china.yaml": document("china", members)})
    start = time.process_time()  # a machine's other work is none of lint's
    loaded = load_bank([folder])
    findings = lint(loaded, PRIVATE)
    elapsed = time.process_time() - start
    assert len(loaded.mirror.families) == 1000
    assert {one.rule for one in findings} <= {"letter", "longest"}
    assert elapsed < 5


def test_the_schema_for_editors_is_the_one_that_is_kept():
    kept = json.loads((ROOT / "items" / "mirror.schema.json").read_text(encoding="utf-8"))
    assert kept == mirror_schema(), "write mirror_schema() to items/mirror.schema.json"


def test_the_projects_own_families_are_sound_and_enough():
    found, problems = load_mirror([ROOT / "items"])
    assert problems == []
    assert [str(one) for one in lint_mirror(found, LintLimits())] == []
    assert len(found.families) >= 100
    for region in found.cultures:
        members = [one for one in found.families if one.region == region]
        assert len(members) >= 20
        assert {one.task for one in members} == set(TASKS)
        assert {one.element for one in members} == set(ELEMENTS)
