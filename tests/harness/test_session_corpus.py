"""A run that looks for its items in a training corpus."""

import json
from pathlib import Path

from servers import ScriptedServer, answers
from suites import SMALL, everything_right

from culturegate.conductor import Conductor
from culturegate.options import resolve


def test_contaminated_cases_are_tagged_and_shown_apart(small):
    corpus = small.path / "corpus.jsonl"
    noise = "an ordinary sentence about the weather and the trains " * 20
    seen = "land0recall0？ What of recall 0, land0? Right recall a0 of land0"
    corpus.write_text(json.dumps({"text": f"{noise}{seen}{noise}"}) + "\n", encoding="utf-8")
    with ScriptedServer(answers(everything_right)) as server:
        result = small.ask(server, *SMALL, f"--corpus={corpus}")
    assert result.ret == 0
    tagged = [record["case"] for record in small.records() if record["contaminated"]]
    assert tagged == ["land0-tale0-r1-en"]
    lines = (small.path / "run/contamination.jsonl").read_text("utf-8").splitlines()
    states = {row["case"]: row["state"] for row in map(json.loads, lines)}
    assert states["land0-tale0-r1-en"] == "contaminated"
    assert states["land0-tale1-r1-en"] == "clean"
    summary = (small.path / "run/summary.md").read_text("utf-8")
    assert "1 of 6 cases stand in the corpus" in summary
    assert "| Contaminated cases | **100%**" in summary
    assert small.info()["corpus"]["documents"] == 1


def test_the_workers_of_a_run_tag_as_one_process_does(small):
    corpus = small.path / "corpus.txt"
    corpus.write_text("so: What of decode 2, land0? Right decode c2 of land0, he said")
    with ScriptedServer(answers(everything_right)) as server:
        small.ask(server, *SMALL, f"--corpus={corpus}")
        small.ask(server, *SMALL, f"--corpus={corpus}", "-n", "2", run_dir="two")
    assert any(record["contaminated"] for record in small.records())
    assert small.records("two") == small.records()


def test_a_corpus_that_is_not_there_ends_the_run_before_the_first_case(small):
    with ScriptedServer(answers(everything_right)) as server:
        result = small.ask(server, *SMALL, "--corpus=nowhere.txt")
        assert server.calls == 0
    assert result.ret == 4
    result.stderr.fnmatch_lines(["ERROR: --corpus nowhere.txt: cannot be read: No such file*"])


def test_every_case_of_the_bank_stands_in_the_banks_own_files():
    items = Path(__file__).parents[2] / "items"
    given = {"protocol": "quick", "corpus": [str(items)], "model": "embedded"}
    conductor = Conductor(resolve(given, {}, {}, items.parent))
    found = conductor.contamination
    assert found is not None
    clean = [name for name, tag in found.tags.items() if tag.state != "contaminated"]
    assert clean == []
    assert {facts.track for facts in conductor.facts} > {"myth", "mirror", "persona", "framing"}
