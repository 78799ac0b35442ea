"""Mirror files to families, or to problems that say where and what to do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from culturegate.bank import mirror_layout as layout
from culturegate.bank.faults import Steps, explain
from culturegate.bank.files import Located, read_document
from culturegate.bank.items import Review
from culturegate.bank.layout import LABELS
from culturegate.bank.mirror import (
    ARMS,
    MAX_ANSWER,
    ORIGINAL_LANG,
    Accepted,
    AnswerType,
    Arm,
    ArmName,
    Family,
    MirrorBank,
    Skeleton,
    Step,
)
from culturegate.bank.skeleton import number_text
from culturegate.bank.wording import folded
from culturegate.errors import InputError, Problem
from culturegate.text import one_line

FOLDER = "mirror"
ANSWER = "answer"
"""Name of a numeric skeleton's last step."""

Model = TypeVar("Model", bound=BaseModel)


def load_mirror(directories: Sequence[Path]) -> tuple[MirrorBank, list[Problem]]:
    """Read `mirror/*.yaml` of each directory; return the bank and every problem of every file.

    A family of a later directory replaces one of the same id in an earlier one; within one
    directory an id stands once.
    """
    families: dict[str, Family] = {}
    files: list[Path] = []
    titles: dict[str, Mapping[str, str]] = {}
    canaries: dict[Path, str | None] = {}
    problems: list[Problem] = []
    for directory in dict.fromkeys(directories):
        reader = _Reader()
        found = _files(directory)
        for file in found:
            reader.read(file)
        problems += reader.problems
        families |= reader.families
        titles |= reader.titles
        canaries |= reader.canaries
        files += found
    bank = MirrorBank(
        families=tuple(family for _, family in sorted(families.items())),
        files=tuple(files),
        titles=titles,
        canaries=canaries,
    )
    return bank, problems


def _files(directory: Path) -> list[Path]:
    found = [
        file
        for suffix in ("*.yaml", "*.yml")
        for file in (directory / FOLDER).glob(suffix)
        if not file.name.startswith((".", "_"))
    ]
    return sorted(found, key=lambda file: file.name)


class _Reader:
    """Reads the files of one directory; families and problems gather in it."""

    def __init__(self) -> None:
        self.families: dict[str, Family] = {}
        self.problems: list[Problem] = []
        self.titles: dict[str, Mapping[str, str]] = {}
        self.canaries: dict[Path, str | None] = {}

    def read(self, file: Path) -> None:
        """Read one file."""
        self.canaries[file] = None
        try:
            document = read_document(file)
        except InputError as error:
            self.problems += error.problems
            return
        if not isinstance(document.data, dict):
            self._say(document, (), "a mapping (region, lang, families) was expected")
            return
        rest = {key: value for key, value in document.data.items() if key != "families"}
        head = self._validate(layout.MirrorHead, rest, document, ())
        if head is not None:
            self.canaries[file] = head.canary
            self.titles[head.region] = head.title
        families = document.data.get("families")
        if not isinstance(families, list) or not families:
            self._say(document, ("families",), "families: a list of families was expected")
            return
        for number, raw in enumerate(families):
            self._read_family(document, ("families", number), raw, head)

    def _read_family(
        self, document: Located, path: Steps, raw: Any, head: layout.MirrorHead | None
    ) -> None:
        if not isinstance(raw, dict):
            self._say(document, path, "a family (id, task, skeleton, arms) was expected")
            return
        name = one_line(str(raw.get("id", "")), 80) or None
        before = len(self.problems)
        rest = {key: value for key, value in raw.items() if key not in ("skeleton", "arms")}
        found = self._validate(layout.FamilyHead, rest, document, path, name)
        entry = self._validate(
            layout.SkeletonEntry, raw.get("skeleton"), document, (*path, "skeleton"), name
        )
        arms = self._read_arms(document, (*path, "arms"), raw.get("arms"), name)
        if found is None or entry is None or head is None or len(self.problems) > before:
            return
        if not found.id.startswith(f"{head.region}-"):
            message = f"id: a family's id starts with its region, as in '{head.region}-…'"
            self._say(document, (*path, "id"), message, name)
        if found.id in self.families:
            other = self.families[found.id]
            message = f"the family is also at {other.file}:{other.line or '?'}; an id stands once"
            self._say(document, (*path, "id"), message, name)
        skeleton = _skeleton(entry, document, (*path, "skeleton"))
        for arm_name, arm in arms.items():
            place = (*path, "arms", arm_name)
            for steps, message in _arm_faults(found.answer_type, arm):
                self._say(document, (*place, *steps), f"{arm_name}: {message}", name)
        if len(self.problems) > before:
            return
        self.families[found.id] = Family(
            id=found.id,
            region=head.region,
            lang=head.lang,
            task=found.task,
            element=found.element,
            difficulty=found.difficulty,
            public=found.public,
            answer_type=found.answer_type,
            skeleton=skeleton,
            arms={
                arm_name: _arm(
                    arm_name,
                    ORIGINAL_LANG if arm_name == "original" else head.lang,
                    arm,
                    skeleton,
                    document,
                    (*path, "arms", arm_name),
                )
                for arm_name, arm in arms.items()
            },
            authors=tuple(found.authors or head.authors),
            reviews=tuple(Review(r.reviewer, r.date, r.note) for r in found.reviews),
            file=document.file,
            line=document.line(path),
        )

    def _read_arms(
        self, document: Located, path: Steps, raw: Any, name: str | None
    ) -> dict[ArmName, layout.ArmEntry]:
        if not isinstance(raw, dict):
            self._say(document, path, f"arms: a mapping of {', '.join(ARMS)} was expected", name)
            return {}
        for key in raw:
            if key not in ARMS:
                message = f"arms: unknown arm {one_line(key, 40)!r}; the arms are {', '.join(ARMS)}"
                self._say(document, (*path, key), message, name)
        found = {}
        for arm in ARMS:
            if arm not in raw:
                self._say(document, path, f"arms: the arm {arm!r} is missing", name)
                continue
            entry = self._validate(layout.ArmEntry, raw[arm], document, (*path, arm), name)
            if entry is not None:
                found[arm] = entry
        return found

    def _say(self, place: Located, path: Steps, message: str, item: str | None = None) -> None:
        self.problems.append(Problem(place.file, message, place.line(path), item))

    def _validate(
        self, model: type[Model], raw: Any, place: Located, path: Steps, name: str | None = None
    ) -> Model | None:
        if not isinstance(raw, dict):
            known = ", ".join(model.model_fields)
            self._say(place, path, f"{path[-1]}: a mapping of {known} was expected", name)
            return None
        try:
            return model.model_validate(raw)
        except ValidationError as error:
            for fault in error.errors(include_url=False):
                steps = tuple(step for step in fault["loc"] if step != "[key]")
                message = explain(fault, steps, model)
                inside = path[-1] if path and isinstance(path[-1], str) else None
                self._say(
                    place, (*path, *steps), f"{inside}: {message}" if inside else message, name
                )
            return None


def _arm_faults(kind: AnswerType, arm: layout.ArmEntry) -> Iterator[tuple[Steps, str]]:
    """Name what keeps an arm from being asked or judged."""
    if kind == "number":
        if ANSWER not in arm.results:
            yield ("results",), "results: no value of the step 'answer'"
        if arm.options or arm.answer is not None:
            field = "options" if arm.options else "answer"
            yield (field,), f"{field}: the answer of a numeric family stands in its results"
        return
    if arm.answer is None:
        yield (), "answer is missing"
    if kind == "text":
        for field, text in (
            ("answer", arm.answer or ""),
            *(("accepted", each.answer) for each in arm.accepted),
        ):
            if len(text) > MAX_ANSWER:
                message = f"{field}: a short answer of {len(text)} characters; at most {MAX_ANSWER}"
                yield (field,), message
        if arm.options:
            yield ("options",), "options: only a family of the answer type 'choice' has them"
        return
    labels = sorted(arm.options)
    if len(labels) < 2 or labels != list(LABELS[: len(labels)]):
        shown = ", ".join(labels) or "none"
        yield ("options",), f"options: at least two, labelled from a without a gap, got {shown}"
    elif arm.answer is not None and arm.answer not in arm.options:
        shown = one_line(arm.answer, 40)
        yield ("answer",), f"answer: {shown!r} is not among the options {', '.join(labels)}"
    if arm.accepted:
        yield ("accepted",), "accepted: a choice has one key"
    first: dict[str, str] = {}
    for label, text in sorted(arm.options.items()):
        other = first.setdefault(folded(text), label)
        if other != label:
            yield ("options", label), f"options {other.upper()} and {label.upper()} are equal"


def _skeleton(entry: layout.SkeletonEntry, document: Located, path: Steps) -> Skeleton:
    lines: dict[str, int] = {}
    places: list[tuple[str, Steps]] = [(name, ("conditions", name)) for name in entry.conditions]
    places += [(step.name, ("steps", number)) for number, step in enumerate(entry.steps)]
    places += [(name, ("premises", name)) for name in entry.premises]
    for name, steps in (("skeleton", ()), *places):
        line = document.line((*path, *steps))
        if line is not None:
            lines.setdefault(name, line)
    return Skeleton(
        entry.conditions,
        tuple(Step(step.name, step.formula) for step in entry.steps),
        entry.premises,
        entry.inference,
        lines,
    )


def _arm(
    name: ArmName,
    lang: str,
    entry: layout.ArmEntry,
    skeleton: Skeleton,
    document: Located,
    path: Steps,
) -> Arm:
    lines = {"arm": document.line(path) or 1}
    for field in entry.model_fields_set:
        lines[field] = document.line((*path, field)) or lines["arm"]
    results = {key: Fraction(value) for key, value in entry.results.items()}
    if entry.skeleton is not None:
        skeleton = _skeleton(entry.skeleton, document, (*path, "skeleton"))
    return Arm(
        name=name,
        lang=lang,
        text=entry.text,
        answer=number_text(results[ANSWER]) if entry.answer is None else entry.answer,
        unit=entry.unit,
        accepted=tuple(Accepted(each.answer, each.reason) for each in entry.accepted),
        options={label: entry.options[label] for label in sorted(entry.options)},
        values={key: Fraction(value) for key, value in entry.values.items()},
        results=results,
        premises=entry.premises,
        entities=entry.entities,
        skeleton=skeleton,
        lines=lines,
    )
