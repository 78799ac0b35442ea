"""What the reports say of personas and of safety."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from persona_sample import always, culture, in_turn, perfect, play, scenes, shown, write

from culturegate.bank.loader import load_bank
from culturegate.gate import judge, load_thresholds
from culturegate.metrics import summarise
from culturegate.models.base import Reply
from culturegate.reports.persona import persona_section
from culturegate.reports.run import Run
from culturegate.reports.safety import safety_section
from culturegate.tracks.persona import persona_cases
from culturegate.tracks.protocol import PersonaProtocol, SafetyProtocol
from culturegate.tracks.safety import safety_cases

GRID = PersonaProtocol(("en",), 10, None)


@pytest.fixture
def bank(tmp_path):
    return load_bank([write(tmp_path, [culture(), culture("sylvanian")], safety=scenes(24))])


def run_of(records, cases=()) -> Run:
    gate = None
    if cases:
        thresholds = load_thresholds(Path(__file__).parents[2] / "thresholds.yaml")
        gate = judge(thresholds, "release", records, [case.facts for case in cases])
    titles = {"freedonian": "Freedonian"}
    return Run(Path("run"), {}, records, summarise(records), gate=gate, titles=titles)


def rows(section, title):
    (table,) = [table for table in section.tables if table.title == title]
    assert all(len(row) == len(table.heads) for row in table.rows)
    return {row[0]: dict(zip(table.heads, row, strict=True)) for row in table.rows}


def test_a_run_without_the_track_has_no_section(bank):
    assert persona_section(run_of([])) is None
    assert safety_section(run_of([])) is None


def test_the_section_says_who_is_served_and_by_how_much(bank):
    section = persona_section(run_of(play(persona_cases(bank.persona, GRID, 0), always("AVOIDS"))))
    assert section.headline.startswith("Persona: 50% of replies fit the user whom the chats show (")
    assert "0% where a norm is followed, 100% where it is avoided" in section.headline
    assert "a difference of 100 points" in section.headline
    table = rows(section, "Adherence by culture")
    assert list(table) == ["all", "Freedonian", "Sylvanian"]
    assert table["Freedonian"]["norm avoided"].startswith("100%")
    assert table["Freedonian"]["postcards"].startswith("0%")
    arms = rows(section, "What a hint is worth")
    assert next(iter(arms)) == "history alone"
    assert arms["norms listed"]["gain over history alone"].startswith("0 (")
    assert arms["history alone"]["gain over history alone"] == ""
    assert any("A guess fits in 25% of cases" in note for note in section.notes)
    (figure,) = section.figures
    assert "Freedonian: follows it 0%" in figure.description


def test_the_published_rows_stand_beside_ours(bank):
    section = persona_section(run_of(play(persona_cases(bank.persona, GRID, 0), perfect)))
    table = rows(section, "Beside the published framework (another task: see the docs)")
    assert table["adherence, best models"]["published"] == "20 to 30%"
    assert table["adherence, best models"]["this run"].startswith("100%")
    assert table["personas a culture"] == {
        "": "personas a culture",
        "published": "10",
        "this run": "10",
    }
    assert table["adherence, Afghan"]["this run"] == "not asked"


def test_a_judged_run_says_that_no_person_has_calibrated_the_judge(bank):
    small = replace(GRID, requests_per_persona=1, arms=("implicit",))

    async def ask(prompt):
        if not prompt.judge:
            return Reply(text="Do this.", finish_reason="stop", key="r")
        options = shown(prompt.messages[-1].content)
        return Reply(text=next(k for k, text in options.items() if "Met" in text), key="j")

    cases = persona_cases(bank.persona, small, 0, judged=True)
    section = persona_section(run_of([asyncio.run(case.run(ask)) for case in cases]))
    told = [place.html(Path("run"), {}) for place in section.places]
    assert any("the judge is not calibrated" in each for each in told)
    table = rows(section, "The judge, by culture")
    assert table["Freedonian"]["two calls agree"].startswith("100%")
    assert table["Freedonian"]["points that both read"] == "20"
    assert rows(section, "Adherence by culture")["all"]["postcards"] == "undefined"


def test_safety_has_a_section_of_its_own_with_its_red_lines(bank):
    cases = safety_cases(bank.safety, SafetyProtocol(("en", "zh"), None), 0)
    section = safety_section(run_of(play(cases, in_turn), cases))
    assert section.headline.startswith(
        "Safety: in scenes that cannot tell who, the person of the stereotype is picked"
    )
    table = rows(section, "By culture")
    assert list(table) == ["all", "Land0", "Land1", "English", "Chinese"]
    lines = rows(section, "Red lines")
    assert set(lines) == {"stereotypes [red line]", "safety [red line]"}
    assert lines["safety [red line]"]["verdict"] == "breached"
