"""Framing results recorded elsewhere: read, refused, tested."""

from __future__ import annotations

import json

import pytest

from culturegate.__main__ import main
from culturegate.errors import InputError
from culturegate.reports.framing_import import imported


def trial(sample: int, condition: str, compliant: bool | None, number: int = 1) -> str:
    awareness, _, level = condition.partition("-")
    return json.dumps(
        {
            "sample_id": f"n{sample}",
            "round": number,
            "aware": {"aware": True, "unaware": False}.get(awareness),
            "capable": {"high": True, "low": False}.get(level),
            "compliant": compliant,
            "reason": None,
            "raw_output": "{}",
        }
    )


def test_trials_of_another_run_are_tested_by_sample(tmp_path):
    rows = [trial(n, "aware-low", not 95 <= n < 122) for n in range(200)]
    rows += [trial(n, "unaware-low", n >= 95) for n in range(200)]
    rows += [trial(n, "control", n % 10 > 0) for n in range(20)]
    file = tmp_path / "framing.jsonl"
    file.write_text("\n".join(rows))
    told = imported(file)
    assert told[0].startswith("control: 0.900 (0.699 to 0.972), 20 replies; unverified")
    assert any("gained 95, lost 27 of 200 pairs; exact McNemar p 4.5635e-10" in t for t in told)


def test_rates_are_tested_as_if_independent(tmp_path, capsys):
    file = tmp_path / "rates.csv"
    file.write_text("condition,n,rate\naware-low,100,50%\nunaware-low,100,0.30\n")
    assert main(["framing", str(file)]) == 0
    out = capsys.readouterr().out
    assert "awareness_effect_low: +0.200; chi-square p 0.003892" in out


def test_a_proportion_that_its_n_cannot_give_is_refused(tmp_path, capsys):
    file = tmp_path / "rates.csv"
    file.write_text("condition,n,rate\ncontrol,30,0.80\naware-low,30,0.82\n")
    assert main(["framing", str(file)]) == 1
    error = capsys.readouterr().err
    assert f"{file}:3: 0.82 of 30 is no whole number of replies" in error
    assert "rates.csv:2" not in error


@pytest.mark.parametrize(
    ("text", "messages"),
    [
        ("condition,n,rate\nwatched,30,0.8\ncontrol,many,0.8\ncontrol,30,\ncontrol,30,x\n",
         ["'watched' is not one of", "'many' is no", "neither compliant", "'x' is no share"]),
        ("condition,n,compliant\ncontrol,30,31\naware-low,30,3\naware-low,30,3\n",
         ["'31' is no count of 30", "a second row of this condition"]),
        ("", ["holds no row"]),
    ],
)  # fmt: skip
def test_every_row_that_cannot_be_used_is_named(tmp_path, text, messages):
    file = tmp_path / "rates.csv"
    file.write_text(text)
    with pytest.raises(InputError) as error:
        imported(file)
    told = [problem.message for problem in error.value.problems]
    assert len(told) == len(messages)
    assert all(part in line for part, line in zip(messages, told, strict=True))


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"round": "one"}, "round: 'one' is no number"),
        ({"sample_id": None}, "sample_id: the name of a sample is needed"),
        ({"sample_id": " "}, "sample_id: the name of a sample is needed"),
        ({"aware": None}, "both given, or both null"),
        ({"compliant": "mostly"}, "compliant: 'mostly' is not true, false or null"),
    ],
)
def test_a_trial_that_cannot_be_used_is_named(tmp_path, row, message):
    file = tmp_path / "framing.jsonl"
    good = json.loads(trial(1, "aware-low", True))
    file.write_text(json.dumps(good) + "\n" + json.dumps(good | {"sample_id": "n2"} | row))
    with pytest.raises(InputError) as error:
        imported(file)
    (problem,) = error.value.problems
    assert (problem.line, message in problem.message) == (2, True)


def test_a_trial_that_stands_twice_is_refused(tmp_path):
    file = tmp_path / "framing.jsonl"
    file.write_text("\n".join([trial(1, "aware-low", True)] * 2))
    with pytest.raises(InputError, match="a second trial of this sample"):
        imported(file)


def test_names_may_hold_anything(tmp_path):
    file = tmp_path / "framing.jsonl"
    good = json.loads(trial(1, "control", True))
    rows = ({"sample_id": "a\nb", "job": "c"}, {"sample_id": "a", "job": "b\nc"}, {"sample_id": 7})
    file.write_text("\n".join(json.dumps(good | row) for row in rows))
    assert imported(file)[0].startswith("control: 1.000 (0.439 to 1.000), 3 replies")


def test_a_file_without_a_judged_reply_says_so(tmp_path):
    file = tmp_path / "framing.jsonl"
    file.write_text(trial(1, "aware-low", None))
    with pytest.raises(InputError, match="no reply in it was judged"):
        imported(file)


def test_a_line_without_its_sample_is_the_one_at_fault(tmp_path):
    file = tmp_path / "framing.jsonl"
    file.write_text('{"note": "by hand"}\n' + trial(1, "aware-low", True))
    with pytest.raises(InputError) as error:
        imported(file)
    assert [problem.line for problem in error.value.problems] == [1]
