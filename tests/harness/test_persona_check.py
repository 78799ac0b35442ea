"""`culturegate persona`: a persona printed, and chats checked by a blind reader."""

from __future__ import annotations

import csv
import io

import pytest
from persona_sample import culture, shown, write
from servers import ScriptedServer, answers

from culturegate.__main__ import main
from culturegate.bank.loader import load_bank
from culturegate.persona_check import questions, written


@pytest.fixture
def folder(tmp_path):
    return write(tmp_path / "items", [culture(), culture("sylvanian")])


def test_a_persona_is_printed_with_values_norms_and_history(folder, capsys):
    assert main(["persona", "persona-freedonian-01", str(folder)]) == 0
    told = capsys.readouterr().out
    assert told.startswith("persona-freedonian-01: Freedonian, seed 0\n")
    assert "history: 18 exchanges, about" in told
    assert told.count("  user: ") == told.count("  assistant: ") == 18
    assert "1 value-one: Value one." in told
    assert "(practice): Habit two is kept by many." in told


def test_a_persona_that_is_not_there_is_answered_with_those_that_are_near(folder, capsys):
    assert main(["persona", "persona-fredonian-1", str(folder)]) == 1
    assert "there are persona-freedonian-" in capsys.readouterr().err


def filled(path, states, signed="A reader"):
    """Fill a table in: `states` gives each row's state."""
    rows = list(csv.DictReader(io.StringIO(path.read_text("utf-8-sig"))))
    for row in rows:
        row["state"], row["signed"] = states(row), signed
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, rows[0])
        table.writeheader()
        table.writerows(rows)
    return rows


def test_a_person_names_the_states_in_a_table_and_hears_what_was_recovered(
    folder, tmp_path, capsys
):
    table = tmp_path / "states.csv"
    assert main(["persona", str(folder), "--sheet", str(table)]) == 0
    asked = questions(load_bank([folder]).persona, 0)
    assert f"{len(asked)} norms of 20 personas" in capsys.readouterr().out
    right = {(each.persona.id, each.norm.id): each.persona.states[each.norm.id] for each in asked}
    rows = filled(
        table,
        lambda row: (
            "cannot tell"
            if row["persona"].startswith("persona-sylv")
            else right[row["persona"], row["norm"]]
        ),
    )
    assert len(rows) == len(asked)
    # A history stands once, and gives neither state nor culture away.
    assert sum(bool(row["history"]) for row in rows) == 20
    assert rows[0]["history"] == written(asked[0].history)
    assert main(["persona", str(folder), "--check", str(table)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[2].startswith("freedonian    1.000 (")
    assert lines[3].startswith("sylvanian     0.000 (")
    assert lines[2].split()[-1] == "0"
    assert lines[-1] == "published     0.947, no explicit reveals"


def test_every_row_that_cannot_be_used_is_told_with_its_line(folder, tmp_path, capsys):
    table = tmp_path / "states.csv"
    main(["persona", str(folder), "--sheet", str(table)])
    filled(table, lambda row: "perhaps" if row["history"] else "follow", signed="")
    assert main(["persona", str(folder), "--check", str(table)]) == 1
    told = capsys.readouterr().err
    assert "states.csv:2: state 'perhaps'; one of follow, avoid, cannot tell" in told
    assert "not signed; write your name under signed" in told


def test_a_model_names_the_states_from_the_history_alone(folder, capsys):
    states = {
        (written(each.history), each.norm.text): each.persona.states[each.norm.id]
        for each in questions(load_bank([folder]).persona, 0)
    }

    def read(body):
        prompt = body["messages"][-1]["content"]
        state = next(
            state for (told, norm), state in states.items() if told in prompt and norm in prompt
        )
        wanted = "keeps" if state == "follow" else "does not"
        return next(letter for letter, text in shown(prompt).items() if wanted in text)

    with ScriptedServer(answers(read)) as server:
        code = main(["persona", str(folder), "--check", "--judge-endpoint", server.base_url])
        assert server.calls == len(states) or len(server.chats) >= len(states)
    assert code == 0
    assert capsys.readouterr().out.splitlines()[1].startswith("all           1.000 (")


def test_a_check_without_a_reader_says_what_is_needed(folder, capsys):
    assert main(["persona", str(folder), "--check"]) == 2
    assert "--judge-endpoint URL" in capsys.readouterr().err


def test_a_table_that_cannot_be_written_is_wrong_usage(folder, tmp_path, capsys):
    out = tmp_path / "nowhere" / "states.csv"
    assert main(["persona", str(folder), "--sheet", str(out)]) == 2
    assert f"{out} cannot be written: No such file" in capsys.readouterr().err
