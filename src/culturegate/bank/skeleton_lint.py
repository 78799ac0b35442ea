"""A family's skeleton held against its arms: formulas, results, and every number in the text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction

from culturegate.bank.findings import Finding
from culturegate.bank.mirror import Arm, Family, Skeleton
from culturegate.bank.mirror_numerals import NumberedText, Numeral
from culturegate.bank.skeleton import Formula, FormulaError, number_text, read_formula
from culturegate.bank.wording import folded
from culturegate.errors import Problem
from culturegate.text import one_line

ANSWER = "answer"


def at_family(
    rule: str, family: Family, message: str, line: int | None = None, arm: Arm | None = None
) -> Finding:
    """Return a finding in a family, at a line of it; `arm` names the arm in the message."""
    told = f"{arm.name}: {message}" if arm is not None else message
    if line is None:
        line = arm.lines["arm"] if arm is not None else family.line
    return Finding(rule, Problem(family.file, told, line, family.id))


def faulty_skeletons(family: Family) -> Iterator[Finding]:
    """Name what is wrong in the skeletons of a family and in what its arms say of them."""
    whole: dict[int, bool] = {}
    for skeleton in {id(each): each for each in _skeletons(family)}.values():
        found = list(
            _numeric(family, skeleton)
            if family.answer_type == "number"
            else _logical(family, skeleton)
        )
        yield from found
        whole[id(skeleton)] = not found
    for arm in family.arms.values():
        if family.answer_type != "number":
            yield from _premises(family, arm)
            continue
        named = list(_named(family, arm))
        yield from named
        if not named and whole[id(arm.skeleton)]:
            yield from _results(family, arm)
        yield from _numbers(family, arm)


def _skeletons(family: Family) -> Iterator[Skeleton]:
    yield family.skeleton
    yield from (arm.skeleton for arm in family.arms.values())


def _numeric(family: Family, skeleton: Skeleton) -> Iterator[Finding]:
    def at(name: str, message: str) -> Finding:
        line = skeleton.lines.get(name, skeleton.lines.get("skeleton"))
        return at_family("skeleton", family, message, line)

    if skeleton.premises or skeleton.inference:
        yield at("skeleton", "premises and inference belong to families without a number")
    if not skeleton.steps:
        yield at("skeleton", "no steps; the last one is named 'answer'")
        return
    if skeleton.steps[-1].name != ANSWER:
        yield at(skeleton.steps[-1].name, "the last step is named 'answer'")
    names = [step.name for step in skeleton.steps]
    for name, count in Counter([*skeleton.conditions, *names]).items():
        if count > 1:
            yield at(name, f"{name!r} stands twice among conditions and steps")
    formulas: dict[str, Formula] = {}
    known = set(skeleton.conditions)
    for step in skeleton.steps:
        try:
            formula = read_formula(step.formula)
        except FormulaError as error:
            yield at(step.name, f"step {step.name!r}: {one_line(str(error), 200)}")
            known.add(step.name)
            continue
        formulas[step.name] = formula
        for name in sorted(formula.names - known):
            if name in names:
                message = f"uses {name!r}, which is worked out only later; are steps swapped?"
            else:
                message = f"uses {name!r}, which is neither a condition nor an earlier step"
            yield at(step.name, f"step {step.name!r} {message}")
        known.add(step.name)
    used = _leading(formulas, names[-1])
    for name in skeleton.conditions:
        if name not in used:
            yield at(name, f"condition {name!r} is used by no step that leads to the answer")
    for name in names[:-1]:
        if name not in used and name in formulas:
            yield at(name, f"step {name!r} does not lead to the answer")


def _leading(formulas: dict[str, Formula], last: str) -> set[str]:
    """Return the names that the last step rests on, itself too."""
    used: set[str] = set()
    waiting = [last]
    while waiting:
        name = waiting.pop()
        if name not in used:
            used.add(name)
            waiting += formulas[name].names if name in formulas else ()
    return used


def _logical(family: Family, skeleton: Skeleton) -> Iterator[Finding]:
    line = skeleton.lines.get("skeleton")
    if skeleton.conditions or skeleton.steps:
        message = "conditions and steps belong to families whose answer is a number"
        yield at_family("skeleton", family, message, line)
    if not skeleton.premises:
        yield at_family("skeleton", family, "no premises", line)
    if skeleton.inference is None:
        yield at_family("skeleton", family, "no inference from the premises", line)


def _named(family: Family, arm: Arm) -> Iterator[Finding]:
    """Name values and results that are missing, or that no condition or step has."""
    steps = [step.name for step in arm.skeleton.steps]
    for field, given, wanted, what in (
        ("values", arm.values, list(arm.skeleton.conditions), "condition"),
        ("results", arm.results, steps, "step"),
    ):
        line = arm.lines.get(field)
        for name in wanted:
            if name not in given:
                yield at_family("skeleton", family, f"{field}: no {name!r}", line, arm)
        for name in given:
            if name not in wanted:
                message = f"{field}: {name!r} is no {what} of the skeleton"
                yield at_family("skeleton", family, message, line, arm)


def _results(family: Family, arm: Arm) -> Iterator[Finding]:
    known: dict[str, Fraction] = dict(arm.values)
    for step in arm.skeleton.steps:
        try:
            value = read_formula(step.formula).value(known)
        except FormulaError as error:
            message = f"step {step.name!r} {error}"
            yield at_family("result", family, message, arm.lines.get("values"), arm)
            return
        stated = arm.results[step.name]
        if value != stated:
            message = (
                f"{step.name} is stated as {number_text(stated)}, "
                f"{step.formula} gives {number_text(value)}"
            )
            yield at_family("result", family, message, arm.lines.get("results"), arm)
        # What follows is judged by what is stated, so that one slip is one finding.
        known[step.name] = stated


def _numbers(family: Family, arm: Arm) -> Iterator[Finding]:
    text = NumberedText(arm.text, arm.lang)
    line = arm.lines.get("text")
    wanted = Counter(arm.values.values())
    for value, count in wanted.items():
        found = text.count(value)
        if found < count:
            names = ", ".join(name for name, other in arm.values.items() if other == value)
            times = f" {count} times" if count > 1 else ""
            message = f"the text does not state {number_text(value)}{times} ({names})"
            yield at_family("value", family, message, line, arm)
    for numeral in text.numerals:
        if not _accounted(numeral, arm, text):
            shown = one_line(text.shown(numeral), 40)
            is_answer = arm.results.get(ANSWER) in numeral.readings
            why = "the answer" if is_answer else "no condition's value"
            message = f"the text holds the number {shown}, which is {why}; state it as a condition"
            message = message if not is_answer else f"the text gives the answer, {shown}"
            yield at_family("stray", family, message, line, arm)


def _accounted(numeral: Numeral, arm: Arm, text: NumberedText) -> bool:
    """Say whether a numeral is a condition's value, or part of a name such as 401(k) or A4.

    One of a thing changes no result: "1 kilo costs 8".
    """
    if Fraction(1) in numeral.readings or any(
        value in numeral.readings or value * 100 in numeral.readings
        for value in arm.values.values()
    ):
        return True
    start, end = numeral.start, numeral.end
    around = text.folded[max(0, start - 1) : start] + text.folded[end : end + 2]
    if any(char.isascii() and (char.isalpha() or char == "#") for char in around[:1]):
        return True
    if text.folded[end : end + 3] == "(k)":
        return True
    shown = text.folded[start:end].strip()
    if any(reading in _idiomatic(arm) for reading in numeral.readings):
        return True
    return any(shown in folded(entity) for entity in arm.entities.values())


def _idiomatic(arm: Arm) -> set[Fraction]:
    """Return what the digits of 8折 or 2割 can be where the condition is a percentage."""
    if arm.lang not in ("zh", "ja"):
        return set()
    found: set[Fraction] = set()
    for value in arm.values.values():
        percent = value * 100 if value < 1 else value
        found |= {percent / 10, 10 - percent / 10, 100 - percent}
    return found


def _premises(family: Family, arm: Arm) -> Iterator[Finding]:
    line = arm.lines.get("premises")
    for field in ("values", "results", "unit"):
        if getattr(arm, field):
            message = f"{field}: only a family whose answer is a number has them"
            yield at_family("skeleton", family, message, arm.lines.get(field), arm)
    for name in arm.skeleton.premises:
        if name not in arm.premises:
            yield at_family("premise", family, f"premises: no {name!r}", line, arm)
    for name, words in arm.premises.items():
        if name not in arm.skeleton.premises:
            message = f"premises: {name!r} is no premise of the skeleton"
            yield at_family("premise", family, message, line, arm)
        if " ".join(words.split()) not in " ".join(arm.text.split()):
            message = f"the text does not hold the words of premise {name!r}: {one_line(words, 80)}"
            yield at_family("premise", family, message, line, arm)
