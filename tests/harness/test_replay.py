"""--replay: another tool's replies read by the order it showed, and a run that is itself again."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import diagnosis_sample
import framing_sample
import mirror_sample
import persona_sample
import pytest
from servers import ScriptedServer
from suites import REPOSITORY, SMALL, Suite, refusal

from culturegate.bank import load_bank
from culturegate.models import Prompt, ReplayModel, Reply, ReplyStore, read_recording
from culturegate.models.base import ModelInfo
from culturegate.models.replyfile import StoredReplies
from culturegate.tracks import TRACKS, Case, Plan, Record
from culturegate.tracks.protocol import PROTOCOLS


def every_track(folder: Path) -> Path:
    """Write a small bank of every track into a folder and return it."""
    for old in folder.glob("myth/*"):
        old.unlink()
    diagnosis_sample.bank(folder)
    framing_sample.write_framing_bank(folder, 3)
    cultures = [persona_sample.culture(), persona_sample.culture("sylvanian")]
    persona_sample.write(folder, cultures, safety=persona_sample.scenes(4))
    mirror_sample.bank(folder, 2)
    return folder


def cases(folder: Path, protocol: str, *, judged: bool = False) -> list[Case]:
    named = PROTOCOLS[protocol]
    asked = replace(named, mirror=replace(named.mirror, judged_samples=2))
    plan = Plan(load_bank([folder]), asked, 0, judged=judged, diagnose=True)
    return [case for track in TRACKS.values() for case in track.cases(plan)]


def write_lines(path: Path, rows: Iterable[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def replayed(path: Path, asked: Iterable[Case]) -> list[Record]:
    """Return what becomes of cases whose replies another tool recorded in a file."""
    by_name = {case.facts.case: case for case in asked}
    facts = [case.facts for case in by_name.values()]
    model = ReplayModel(path, read_recording(path, facts, lambda name: by_name[name].choices))

    async def one(case: Case) -> Record:
        asked: list[Prompt] = []

        async def ask(prompt: Prompt) -> Reply:
            asked.append(prompt)
            number = len(asked) - 1 if prompt.trial is None else prompt.trial
            return await model.ask(replace(prompt, case=case.facts.case, trial=number))

        return await case.run(ask)

    async def every() -> list[Record]:
        return [await one(case) for case in by_name.values()]

    return asyncio.run(every())


def said(case: Case, order: str) -> str:
    """Return the reply that names the key where the options stand in this order."""
    texts = [case.choices[label] for label in order]
    letter = "ABCD"[texts.index(case.expected)]
    if case.facts.track != "mirror":
        return letter
    answer, confidence = mirror_sample.LINES[case.facts.lang]
    return f"{answer} {letter}\n{confidence} 70%"


@pytest.mark.parametrize("turned", [False, True])
def test_another_tools_letters_are_read_by_the_order_that_it_showed(tmp_path: Path, turned: bool):
    asked = [case for case in cases(every_track(tmp_path / "items"), "standard") if case.choices]
    rows = []
    for case in asked:
        own = "".join(case.choices)
        order = own[2:] + own[:2] if turned else own
        row = {"case": case.facts.case, "reply": said(case, order)}
        rows.append(row | {"option_order": order} if turned else row)
    path = write_lines(tmp_path / "theirs.jsonl", rows)
    records = replayed(path, asked)
    assert {record.facts.track for record in records} == set(TRACKS) - {"framing"}
    # Each was asked for several trials; those recorded are the case's.
    assert {len(record.trials) for record in records} == {1}
    assert [record.facts.case for record in records if not record.passed] == []
    orders = {record.facts.case: record.trials[0].option_order for record in records}
    assert orders == {
        row["case"]: row.get("option_order", "".join(case.choices))
        for row, case in zip(rows, asked, strict=True)
    }


def test_another_tools_rounds_are_read_in_order_whatever_order_they_are_asked_in(tmp_path: Path):
    framed = [case for case in cases(every_track(tmp_path), "standard")
              if case.facts.track == "framing"]  # fmt: skip
    # Only the last round's reply is empty, so that a round in another's place is seen.
    replies = ("{", "{}", "")
    rows = [{"case": case.facts.case, "reply": text} for case in framed for text in replies]
    records = replayed(write_lines(tmp_path / "theirs.jsonl", rows), framed)
    empty = {trial.sample for record in records for trial in record.trials
             if trial.status == "empty"}  # fmt: skip
    assert empty == {2}


def test_the_order_another_tool_showed_is_stored_with_its_reply(tmp_path: Path):
    prompt, info = Prompt(()), ModelInfo("m", "replay")
    key = prompt.key("m")
    with ReplyStore(tmp_path / "replies.sqlite") as store:
        store.put(prompt, Reply("A", key=key, option_order="dcba"), info)
    stored = StoredReplies(tmp_path / "replies.sqlite")
    found = stored.get(key, None)
    stored.close()
    assert found is not None
    assert found.option_order == "dcba"


def test_what_a_file_lacks_is_left_out_and_what_no_case_has_is_told_once(small: Suite):
    rows = [
        # Tale 1 has its key at "b", tale 2 at "c".
        {"item": "land0-tale1-d1", "lang": "en", "reply": "B"},
        {"item": "land0-tale2-d1", "lang": "en", "reply": "B", "option_order": "acbd"},
        {"item": "land0-tale2-r1", "lang": "en", "reply": "C"},
        *({"item": f"nowhere-{n}", "lang": "en", "reply": "B"} for n in range(9)),
    ]
    path = write_lines(small.path / "theirs.jsonl", rows)
    for run_dir, workers in (("run", "0"), ("two", "2")):
        result = small.run(f"--replay={path}", "-n", workers, "--templates=3", run_dir=run_dir)
        records = small.records(run_dir)
        assert {record["case"] for record in records} == {
            "land0-tale1-d1-en", "land0-tale2-d1-en", "land0-tale2-r1-en"
        }  # fmt: skip
        assert [record["passed"] for record in records] == [True, True, True]
        assert [len(record["trials"]) for record in records] == [1, 1, 1]
        (warning,) = small.info(run_dir)["warnings"]
        assert warning.startswith(
            "theirs.jsonl: 9 lines are of no case that this protocol asks, and left out: "
            "line 4 (nowhere-0-en), "
        )
        assert warning.endswith("line 8 (nowhere-4-en), …")
        assert result.ret == 0
        assert "3 of 12 cases ran" in result.stdout.str()


def test_a_file_of_no_case_is_refused_with_its_lines(small: Suite):
    path = write_lines(small.path / "x.jsonl", [{"item": "x", "lang": "en", "reply": "B"}])
    assert refusal(small.run(f"--replay={path}", *SMALL)) == (
        "0 cases selected by --replay: x.jsonl: 1 line is of no case that this protocol asks, and "
        "left out: line 1 (x-en)"
    )


@pytest.mark.parametrize("judged", [False, True])
def test_no_two_requests_of_a_session_share_a_key(tmp_path: Path, judged: bool):
    keys: list[str] = []

    async def ask(prompt: Prompt) -> Reply:
        keys.append(prompt.key("m"))
        return Reply("A", "stop", key=keys[-1])

    async def every() -> None:
        for case in cases(every_track(tmp_path), "standard", judged=judged):
            await case.run(ask)

    asyncio.run(every())
    assert len(set(keys)) == len(keys)


@pytest.mark.parametrize(
    ("amount", "judge"),
    [
        # Ten personas a culture: several have one request without history.
        (("--protocol=standard", "--samples=1", "--lang=en"), ()),
        (("--protocol=quick", "--samples=2"), ("--judge-model", "scripted")),
    ],
)
def test_a_replay_is_the_run_again_however_random_the_model_was(suite: Suite, amount, judge):
    every_track(suite.path / "items")
    for test in (REPOSITORY / "tests" / "benchmark").glob("test_*.py"):
        (suite.path / "tests" / "benchmark" / test.name).write_bytes(test.read_bytes())
    draw = random.Random(1)
    replies = ["A", "B", "C", "D", "I don't know.", "12", '{"path": 2, "culture": 0}', "{}"]
    options = (*amount, "--diagnose", *judge)
    with ScriptedServer(lambda _body, _number: draw.choice(replies)) as server:
        suite.ask(server, *options, *(("--judge-endpoint", server.base_url) if judge else ()))
    suite.run(f"--replay={suite.path / 'run'}", *options, run_dir="again")
    assert {record["track"] for record in suite.records()} == set(TRACKS)
    for name in ("records.jsonl", "metrics.json"):
        first, again = (suite.path / run / name for run in ("run", "again"))
        assert first.read_bytes() == again.read_bytes()
