"""What the report says of the diagnosis: what the score owes to form, one plain sentence each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from culturegate.metrics.estimate import Estimate
from culturegate.reports.run import Run
from culturegate.reports.section import Section, SectionTable
from culturegate.reports.summary import in_points, limits, percent, points
from culturegate.text import one_line
from culturegate.tracks.diagnosis import (
    EDITED,
    EXACT,
    KEY_REMOVED,
    NAMES_DESCRIBED,
    QUESTION_REMOVED,
    REORDERED,
)

TITLES = {
    QUESTION_REMOVED: "question removed",
    KEY_REMOVED: "key removed, “none of these” is right",
    REORDERED: "options in another order",
    NAMES_DESCRIBED: "names replaced by descriptions",
    EDITED: "slips of spelling and spacing",
}
FAULTS = {
    QUESTION_REMOVED: "answers do not need the question",
    KEY_REMOVED: "a missing key goes unnoticed",
    REORDERED: "the score depends on the options' order",
    NAMES_DESCRIBED: "the score goes by names",
    EDITED: "the score depends on the exact wording",
}
"""What a condition shows, where it shows something."""
CAUSES = {
    KEY_REMOVED: "Where the right option is taken away, part of the answers still pick one of the "
    "others: knowing which option is best is not knowing the answer.",
    REORDERED: "The answer hangs on where the key stands, not only on what it says.",
    NAMES_DESCRIBED: "The answer hangs on seeing a name: the story is not known by what happens in "
    "it.",
    EDITED: "No reader would stumble over these edits: what is lost goes by the exact string, as "
    "memory of the text does.",
}


def diagnosis_section(run: Run) -> Section | None:
    """Return the section, None where the run shows nothing of it."""
    data = run.metrics.get("diagnosis")
    if not data:
        return None
    whole = [row for row in data["variants"] if row["kind"] is None]
    tables = [_variant_table(data["variants"]), _letter_table(data["letters"])]
    tables += [_template_table(data["templates"]), _completed(data["completion"])]
    return Section(
        "Diagnosis: what the score owes to form",
        _headline(data, whole),
        tuple(_notes(data, whole, percent(1 - float(run.metrics["confidence"])))),
        tuple(table for table in tables if table is not None),
    )


def _headline(data: Mapping[str, Any], whole: Sequence[Mapping[str, Any]]) -> str:
    """Say what was exposed; nothing where nothing was and nobody asked."""
    letters, templates = data["letters"], data["templates"]
    found = [FAULTS[row["condition"]] for row in whole if row["shown"]]
    if letters and letters["constant"]:
        found.append(f"most answers are {letters['top_letter']}")
    elif letters and letters["biased"]:
        found.append("answers favour a position")
    if templates and templates["shown"]:
        found.append(f"wordings differ by {in_points(templates['spread'])}")
    if (data["completion"] or {}).get("shown"):
        found.append("questions come back from memory")
    if any(one["shown"] for one in data["canary"]):
        found.append("the bank's canary comes back")
    if found:
        return f"Diagnosis: {'; '.join(found)}."
    if whole and all(row["base"]["low"] <= row["chance"] for row in whole):
        return (
            "Diagnosis: the score is not certainly above chance, so there is nothing to trace to "
            "options, order, names or wording."
        )
    asked = whole or data["completion"] or data["canary"]
    return "Diagnosis: no shortcut shows in options, order, names or wording." if asked else ""


def _notes(
    data: Mapping[str, Any], whole: Sequence[Mapping[str, Any]], alpha: str
) -> Iterator[str]:
    if whole:
        yield (
            "Each case of the myth track was asked once more in its first wording, changed in one "
            "respect. A difference is of the same cases; it counts as shown where its test, "
            f"adjusted for all conditions (Holm), gives at most {alpha}."
        )
    for row in whole:
        yield _removed(row) if row["condition"] == QUESTION_REMOVED else _changed(row)
    if data["letters"]:
        yield _position(data["letters"])
    if data["templates"]:
        yield _wordings(data["templates"], alpha)
    if data["completion"]:
        yield _completion(data["completion"])
    for one in data["canary"]:
        yield _canary(one)


def _removed(row: Mapping[str, Any]) -> str:
    left, same = _estimate(row["variant"]), _estimate(row["same"])
    told = f"Without the question {_share(left)} are right, where guessing gives "
    told += percent(row["chance"])
    if row["above_chance"]:
        told += ": certainly more. The options give part of the answers away, or are remembered."
    else:
        told += ": no more than chance explains."
    told += f" {_share(same)} of answers stay the same without it"
    if row["unmoved"]:
        return f"{told}: most answers do not depend on what is asked."
    return f"{told}."


def _changed(row: Mapping[str, Any]) -> str:
    condition = row["condition"]
    lost = _estimate(row["difference"])
    assert lost.value is not None
    told = f"{TITLES[condition].capitalize()}: {percent(row['base']['value'])} right before, "
    told += f"{percent(row['variant']['value'])} after, {in_points(-lost.value)} "
    told += (
        f"({points(-_high(lost))} to {points(-_low(lost))}, n = {lost.n}, p {_p(row['p_holm'])})"
    )
    if not row["shown"]:
        return f"{told}; chance alone may explain it."
    return f"{told}. {CAUSES[condition]}" if lost.value > 0 else f"{told}: better than before."


def _position(data: Mapping[str, Any]) -> str:
    worst = max(map(_estimate, data["bias"]), key=lambda one: abs(one.value or 0.0))
    letter = dict(worst.where)["letter"]
    told = ""
    if data["constant"]:
        top = _estimate(data["top"])
        told = f"Constant answer: {data['top_letter']} is {_share(top)} of all answers. "
    told += (
        f"Position: {letter} is answered {in_points(abs(worst.value or 0.0))} "
        f"{'more' if (worst.value or 0.0) >= 0 else 'less'} often than it is right "
        f"(share of answers − share of keys: {_interval(worst)}), the largest of all letters"
    )
    if data["p"] is None:
        return f"{told}; {data['clusters']} clusters are too few for a test."
    test = f"chi-square({data['df']}) {data['chi_square']:.1f}, p {_p(data['p'])}"
    if data["biased"]:
        return f"{told}: more than chance explains ({test})."
    return f"{told}, which chance alone may explain ({test})."


def _wordings(data: Mapping[str, Any], alpha: str) -> str:
    told = (
        f"Wordings: the best and the worst are {in_points(data['spread'])} apart over "
        f"{data['n']} cases; alike ones would be {points(data['expected'])} apart by chance"
    )
    if data["shown"]:
        return f"{told} (p {_p(data['p'])}): the score depends on how it is asked."
    return f"{told} (p {_p(data['p'])}, above {alpha}), so no difference is shown."


def _completion(data: Mapping[str, Any]) -> str:
    mean, exact = _estimate(data["mean"]), _estimate(data["exact"])
    told = (
        f"Given the first half of a question, the model gives back {_share(mean)} of the letters "
        f"of the second; {_share(exact)} of the texts came back to {percent(EXACT)} or more"
    )
    if data["shown"]:
        return f"{told}: they were very likely in its training data."
    return f"{told}: no sign that they were in its training data."


def _canary(one: Mapping[str, Any]) -> str:
    told = f"Given the first half of the bank's canary, it gives back {percent(one['share'])}"
    if one["shown"]:
        return f"{told} of the rest: the bank's files were in its training data."
    return f"{told} of the rest, so it does not know it; that alone proves no absence."


def _variant_table(rows: Sequence[Mapping[str, Any]]) -> SectionTable | None:
    if not rows:
        return None
    heads = ("condition", "kind", "right before", "right after", "difference, points",
             "same option", "chance", "test", "p", "p, Holm")  # fmt: skip
    cells = []
    for row in rows:
        lost = _estimate(row["difference"])
        assert lost.value is not None
        cells.append(
            (
                TITLES[row["condition"]],
                row["kind"] or "both",
                _share(_estimate(row["base"])),
                _share(_estimate(row["variant"])),
                f"{points(-lost.value)} ({points(-_high(lost))} to {points(-_low(lost))})",
                percent(row["same"]["value"]),
                percent(row["chance"]),
                row["method"],
                _p(row["p"]),
                "–" if row["p_holm"] is None else _p(row["p_holm"]),
            )
        )
    return SectionTable("The same cases, changed in one respect", heads, tuple(cells))


def _letter_table(data: Mapping[str, Any] | None) -> SectionTable | None:
    if not data:
        return None
    rows = tuple(
        (
            letter,
            percent(data["answers"][letter] / data["n"]),
            percent(data["keys"][letter] / data["n"]),
            _interval(_estimate(bias)),
        )
        for letter, bias in zip(data["answers"], data["bias"], strict=True)
    )
    title = f"Position: {data['n']} answers of {data['clusters']} clusters, by letter shown"
    heads = ("letter", "share of answers", "share of keys", "difference, points")
    return SectionTable(title, heads, rows)


def _template_table(data: Mapping[str, Any] | None) -> SectionTable | None:
    if not data:
        return None
    rows = tuple(
        (one_line(dict(found.where)["template"], 40), _share(found))
        for found in map(_estimate, data["templates"])
    )
    return SectionTable("Accuracy by wording, over the same cases", ("wording", "right"), rows)


def _completed(data: Mapping[str, Any] | None) -> SectionTable | None:
    if not data or not data["cases"]:
        return None
    more = f" ({data['more']} more)" if data["more"] else ""
    rows = tuple((case,) for case in data["cases"])
    return SectionTable(f"Questions whose second half came back{more}", ("case",), rows)


def _estimate(found: Mapping[str, Any]) -> Estimate:
    return Estimate(**{**found, "where": tuple(sorted(found["where"].items()))})


def _share(found: Estimate) -> str:
    return f"{percent(found.value)} ({limits(found)}, n = {found.n})"


def _interval(found: Estimate) -> str:
    return f"{points(found.value or 0.0)} ({limits(found)})"


def _low(found: Estimate) -> float:
    return -1.0 if found.low is None else found.low


def _high(found: Estimate) -> float:
    return 1.0 if found.high is None else found.high


def _p(value: float) -> str:
    return f"{value:.3f}" if value >= 0.001 else f"{value:.2g}" if value else "< 1e-6"
