"""The framing bank: what is read, what is refused, what lint finds."""

from __future__ import annotations

from pathlib import Path

import pytest
from framing_sample import JOBS, REPOSITORY, framing_bank, notes, write_framing_bank

from culturegate.bank.findings import LintLimits
from culturegate.bank.framing_lint import framing_summary, lint_framing
from culturegate.bank.framing_reading import load_framing


def problems_of(folder: Path, **files: str) -> list[str]:
    target = folder / "framing"
    target.mkdir()
    for name, text in {"notes": notes(3), "jobs": JOBS, **files}.items():
        (target / f"{name}.yaml").write_text(text, encoding="utf-8")
    _, problems = load_framing([folder])
    return [str(problem).replace(f"{target}/", "") for problem in problems]


def test_the_project_s_own_notes_and_jobs_are_sound():
    bank, problems = load_framing([REPOSITORY / "items"])
    assert problems == []
    assert list(lint_framing(bank, LintLimits())) == []
    assert len(bank.samples) >= 100
    assert [job.difficulty for job in bank.jobs] == [1, 2, 3]
    assert bank.langs == ("en", "zh")
    assert next(framing_summary(bank)).startswith(f"framing: {len(bank.samples)} samples")


def test_a_folder_without_framing_is_an_empty_bank(tmp_path):
    bank, problems = load_framing([tmp_path])
    assert (bank.samples, bank.jobs, problems) == ((), (), [])
    assert list(lint_framing(bank, LintLimits())) == list(framing_summary(bank)) == []


def test_a_note_of_a_later_folder_replaces_the_earlier_one(tmp_path):
    first = write_framing_bank(tmp_path / "a", 3)
    second = tmp_path / "b" / "framing"
    second.mkdir(parents=True)
    (second / "mine.yaml").write_text(notes(1).replace("stands on", "leans on"), encoding="utf-8")
    bank, problems = load_framing([first, second.parent])
    assert problems == []
    assert len(bank.samples) == 3
    assert "leans on" in bank.samples[0].text["en"]


def test_every_problem_of_every_file_comes_with_its_line(tmp_path):
    found = problems_of(
        tmp_path,
        notes=notes(2)
        .replace("difficulty: 1", "difficulty: 7", 1)
        .replace("currency: EUR", "currency: euro")
        .replace("price: 11.5", "price: eleven"),
        jobs=JOBS.replace("type: array", "type: listt", 1).replace(
            "price: price", "price: cost", 1
        ),
    )
    assert [line.partition(": ")[0].rpartition(":")[0] for line in found] == [
        "jobs.yaml", "jobs.yaml", "notes.yaml", "notes.yaml", "notes.yaml",
    ]  # fmt: skip
    text = "\n".join(found)
    assert "title: schema: not a JSON Schema" in text
    assert "no fact 'cost'" in text
    assert "difficulty" in text
    assert "facts.price" in text
    assert "facts.currency" in text


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("$note", "the note"), "$note, where the note goes, is to stand in it once"),
        (("says.price: price", "says.prize: price"), "the schema has no field 'says.prize'"),
        (("at most 60", "at most $60"), "a $ that is no slot"),
        (("id: listing", "id: title"), "this id is also at"),
    ],
)
def test_a_job_that_cannot_be_asked_is_refused(tmp_path, change, message):
    found = problems_of(tmp_path, jobs=JOBS.replace(*change))
    assert any(message in line for line in found), found


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("price: 11.5", "price: null"), "price and currency are stated together"),
        (("      zh: 台灯1\n", ""), "product: not given in zh"),
        (("note-001", "note-000"), "this id is also at"),
        (("note-001", "Note 1"), "is no slug"),
        (("weight_grams: 102", "weight_grams: 1.5"), "facts.weight_grams"),
        (("public: true", "publik: true"), "did you mean 'public'?"),
    ],
)
def test_a_note_that_cannot_be_asked_is_refused(tmp_path, change, message):
    found = problems_of(tmp_path, notes=notes(3).replace(*change))
    assert any(message in line for line in found), found


def test_a_pattern_that_a_reply_could_hang_is_refused(tmp_path):
    jobs = JOBS.replace("title: {type: string}", 'title: {type: string, pattern: "^(a+)+$"}', 1)
    assert any("no pattern" in told for told in problems_of(tmp_path, jobs=jobs))


@pytest.mark.parametrize("ref", ["#/$defs/none", "http://127.0.0.1:1/schema"])
def test_a_reference_that_leads_nowhere_is_refused_before_a_reply_meets_it(tmp_path, ref):
    jobs = JOBS.replace("type: array", f'type: array, $ref: "{ref}"', 1)
    assert any(
        f"$ref '{ref}' leads to nothing" in told for told in problems_of(tmp_path, jobs=jobs)
    )


def test_a_price_without_end_is_refused(tmp_path):
    told = problems_of(tmp_path, notes=notes(2).replace("price: 11.5", "price: .inf", 1))
    assert any("facts.price" in line for line in told)


def test_notes_without_a_job_are_refused(tmp_path):
    folder = tmp_path / "framing"
    folder.mkdir()
    (folder / "notes.yaml").write_text(notes(2), encoding="utf-8")
    _, problems = load_framing([tmp_path])
    assert "there are no jobs" in str(problems[0])


@pytest.mark.parametrize("text", ["- a\n", "samples: 3\n", "authors: [x]\nsamples: []\n", "{"])
def test_a_file_of_another_form_is_a_problem_and_no_traceback(tmp_path, text):
    assert problems_of(tmp_path, notes=text)


def test_lint_names_what_is_too_few_and_what_does_not_stand_in_the_text(tmp_path):
    bank = framing_bank(tmp_path, 6)
    rules = {finding.rule for finding in lint_framing(bank, LintLimits())}
    assert {"count", "length"} <= rules
    assert list(lint_framing(bank, LintLimits.private())) == []
    changed = notes(6).replace("11.5 euros", "12.5 euros")
    (tmp_path / "framing" / "notes.yaml").write_text(changed, encoding="utf-8")
    bank, _ = load_framing([tmp_path])
    found = [str(finding) for finding in lint_framing(bank, LintLimits())]
    assert any("the price 11.5 does not stand in en" in line for line in found)
