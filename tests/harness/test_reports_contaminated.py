"""What the report says of contamination, and of published notes."""

from __future__ import annotations

import framing_sample
from made_records import several
from reports_sample import run

from culturegate.contamination import Asked, find_contamination
from culturegate.reports.contaminated import contaminated_section
from culturegate.reports.framing import framing_section
from culturegate.tracks.base import Record


def headline(tmp_path, records: list[Record]) -> str:
    """Return the section's first sentence where the tagged records stand in the corpus."""
    text = "Why did the old heron of the marsh leave its nest before the flood came, number {}?"
    asked = [
        Asked(record.facts.case, text.format(number) if record.facts.contaminated else "x" * 30, "")
        for number, record in enumerate(records)
    ]
    corpus = tmp_path / "corpus.txt"
    corpus.write_text("\n".join(one.question for one in asked if "heron" in one.question))
    made = run(tmp_path, records, contamination=find_contamination(asked, [corpus]))
    section = contaminated_section(made)
    assert section is not None
    return section.headline


def test_accuracy_clean_and_contaminated_is_told_within_a_track(tmp_path):
    tainted = [*several(9, 10, contaminated=True), *several(2, 10)]
    told = headline(tmp_path, [*tainted, *several(10, 10, track="framing", kind="framing")])
    assert told.startswith("10 of 30 cases stand in the corpus; accuracy: myth clean 20% (")
    assert "n = 10), contaminated 90% (" in told
    assert "framing" not in told


def test_tracks_of_unlike_difficulty_are_not_held_against_each_other(tmp_path):
    hard, easy = several(2, 10, contaminated=True), several(10, 10, track="framing", kind="framing")
    assert headline(tmp_path, [*hard, *easy]) == "10 of 20 cases stand in the corpus."


def test_the_report_says_why_published_notes_are_not_held_against_others(tmp_path):
    for public, told in ((True, "All notes are published"), (False, "No note is published")):
        records = framing_sample.made(lambda *_: True, samples=3, public=public)
        section = framing_section(run(tmp_path, records))
        assert section is not None
        assert section.notes[-1].startswith(told)
