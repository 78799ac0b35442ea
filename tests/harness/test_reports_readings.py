"""What the reports say of the readings: rules, other languages, how many were decided."""

from __future__ import annotations

import re
from dataclasses import replace

from reports_sample import records, run
from servers import ScriptedServer, answers
from suites import SMALL, key_letter, prompt_of

from culturegate.reports import html_summary_prefix, markdown, terminal_lines

SPANISH = "Creo que la respuesta correcta es {}, porque la historia cuenta ese episodio así."


def ruled(*rules: str, **changes: object):
    """Return records whose trials name these rules in turn."""
    return [
        replace(each, trials=(replace(each.trials[0], rule=rules[n % len(rules)], **changes),))
        for n, each in enumerate(records())
    ]


def test_every_report_page_shows_how_often_each_rule_read_a_reply(tmp_path):
    found = run(tmp_path, ruled("bare", "announced", "bare"))
    page = "".join(html_summary_prefix(found))
    table = re.search(r"<details><summary>How the replies were read.*?</details>", page)
    assert table is not None
    assert re.findall(r">(bare|announced|\d+|\d+%)</t[hd]>", table.group()) == [
        "bare", "96", "67%", "announced", "48", "33%"
    ]  # fmt: skip
    assert "Read by the rules 96 bare, 48 announced." in markdown(found)


def test_the_short_summary_names_the_most_used_rules_and_counts_the_others(tmp_path):
    found = run(tmp_path, ruled(*(f"rule{n}" for n in range(15))))
    assert " and 3 more." in markdown(found)


def test_a_rule_cannot_bring_markup_into_a_report(tmp_path):
    found = run(tmp_path, ruled("<b>|*x*"))
    assert "<b>" not in "".join(html_summary_prefix(found)).partition("How the replies")[2]
    assert "<b>|" not in markdown(found)


def test_replies_in_another_language_are_counted_in_every_report(tmp_path):
    found = run(tmp_path, [*ruled("bare", language="es")[:3], *records()[3:]])
    sentence = "3 replies in another language than asked."
    assert sentence in markdown(found)
    assert sentence in "".join(html_summary_prefix(found))
    assert sentence in terminal_lines(found)


def test_a_run_with_nothing_to_remark_says_nothing(tmp_path):
    found = run(tmp_path, [r for r in records() if r.trials[0].status == "answered"])
    for text in (markdown(found), "\n".join(terminal_lines(found))):
        assert "adjudicated" not in text
        assert "another language" not in text
        assert "dispute" not in text


def test_a_spanish_reply_to_an_english_question_is_read_and_noted(small):
    with ScriptedServer(
        answers(lambda body: SPANISH.format(key_letter(prompt_of(body))))
    ) as server:
        result = small.ask(server, *SMALL)
    result.stdout.fnmatch_lines(["6 replies in another language than asked."])
    for record in small.records():
        assert record["trials"][0]["language"] == "es"


def test_a_letter_alone_is_in_no_language(small):
    with ScriptedServer(answers(lambda body: key_letter(prompt_of(body)))) as server:
        small.ask(server, *SMALL)
    assert {record["trials"][0]["language"] for record in small.records()} == {None}
