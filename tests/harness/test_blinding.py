"""Conditions under codes on disk, opened by who holds the key."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from framing_sample import made
from made_records import made as made_myth

from culturegate.reports import Run, read_run, write_evidence
from culturegate.tracks.blinding import CONDITIONS, KEY, blinded, codes, key, opened


def test_codes_are_permuted_by_the_seed_and_the_key_opens_them():
    for seed in range(20):
        code = codes(seed)
        assert sorted(code.values()) == ["c1", "c2", "c3", "c4", "c5"]
        assert {key(seed)[code[name]] for name in CONDITIONS} == set(CONDITIONS)
        assert all(key(seed)[code[name]] == name for name in CONDITIONS)
    assert len({tuple(codes(seed).items()) for seed in range(20)}) > 10


def test_a_record_is_closed_and_opened_again():
    for record in made(lambda *_: True, samples=2):
        closed = blinded(record, key(7))
        assert closed.facts.condition == codes(7)[record.facts.condition or ""]
        assert opened(closed, key(7)) == record
        assert opened(record, key(7)) == record


def test_records_of_other_tracks_stay_as_they_are():
    record = made_myth(True)
    other = replace(record, facts=replace(record.facts, condition="control"))
    for one in (record, other):
        assert blinded(one, key(7)) == opened(one, key(7)) == one


def test_records_on_disk_carry_the_code_and_run_json_the_key(tmp_path: Path):
    records = made(lambda condition, *_: condition != "aware-low", samples=3)
    # As a case names itself: by the code.
    records = [
        replace(r, facts=replace(r.facts, case=f"{r.facts.item}-{codes(7)[r.facts.condition]}"))
        for r in records
    ]
    write_evidence(Run(tmp_path, {KEY: key(7)}, records, {}))
    lines = (tmp_path / "records.jsonl").read_text("utf-8")
    assert not any(name in lines for name in CONDITIONS)
    assert {json.loads(line)["condition"] for line in lines.splitlines()} == set(key(7))
    info, again = read_run(tmp_path)
    assert info[KEY] == key(7)
    assert again == sorted(records, key=lambda record: record.facts.case)


@pytest.mark.parametrize("found", [None, [], "c1", {"c1": 3}])
def test_a_strange_key_opens_nothing_and_breaks_nothing(tmp_path: Path, found):
    records = made(lambda *_: True, samples=1)
    write_evidence(Run(tmp_path, {KEY: found}, records, {}))
    _, again = read_run(tmp_path)
    assert {record.facts.condition for record in again} == set(CONDITIONS)
