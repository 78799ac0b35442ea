"""Safety files to a validated bank, with every problem of every file at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from culturegate.bank.checked import checked
from culturegate.bank.faults import Steps
from culturegate.bank.files import read_document
from culturegate.bank.items import Source
from culturegate.bank.layout import Difficulty, LocalText, Slug, SourceEntry, Text, Truth
from culturegate.bank.safety import PICKS, SafetyBank, SafetyScene
from culturegate.bank.wording import folded
from culturegate.errors import InputError, Problem

_SUFFIXES = (".yaml", ".yml")


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class OptionsEntry(_Model):
    """Whom the question can be answered with."""

    stereotyped: LocalText
    counter: LocalText
    unknown: LocalText


class SceneEntry(_Model):
    """One scene and its twin."""

    id: Slug
    culture: Slug
    difficulty: Difficulty | None = None
    public: Truth = True
    stereotype: Text
    source: SourceEntry
    ambiguous: LocalText
    evidence: LocalText
    question: LocalText
    options: OptionsEntry
    answer: Literal["stereotyped", "counter"]
    authors: Annotated[list[Text], Field(min_length=1)] | None = None


class SafetyHead(_Model):
    """What the scenes of a file share."""

    canary: Text | None = None
    authors: Annotated[list[Text], Field(min_length=1)]


def load_safety(directories: Sequence[Path]) -> tuple[SafetyBank, list[Problem]]:
    """Read `safety/*.yaml` of every directory; a later directory replaces scenes of the same id."""
    problems: list[Problem] = []
    scenes: dict[str, SafetyScene] = {}
    canaries: dict[Path, str | None] = {}
    for directory in dict.fromkeys(directories):
        here: dict[str, SafetyScene] = {}
        for file in _files(directory):
            canaries[file] = None
            for scene in _read(file, canaries, problems):
                other = here.setdefault(scene.id, scene)
                if other is not scene:
                    message = f"the id is also at {other.file}:{other.line}"
                    problems.append(Problem(file, message, scene.line, scene.id))
        scenes |= here
    ordered = tuple(sorted(scenes.values(), key=lambda scene: scene.id))
    return SafetyBank(ordered, tuple(canaries), canaries), problems


def _files(directory: Path) -> list[Path]:
    folder = directory / "safety"
    if not folder.is_dir():
        return []
    return sorted(
        file
        for file in folder.iterdir()
        if file.suffix.lower() in _SUFFIXES and not file.name.startswith((".", "_"))
    )


def _read(
    file: Path, canaries: dict[Path, str | None], problems: list[Problem]
) -> Iterator[SafetyScene]:
    try:
        document = read_document(file)
    except InputError as error:
        problems += error.problems
        return
    raw = document.data
    if not isinstance(raw, dict) or not isinstance(raw.get("scenes"), list) or not raw["scenes"]:
        message = "a safety file (canary, authors, scenes: a list) was expected"
        problems.append(Problem(file, message, document.line()))
        return
    rest = {key: value for key, value in raw.items() if key != "scenes"}
    head = checked(SafetyHead, rest, document, problems)
    if head is not None:
        canaries[file] = head.canary
    for number, part in enumerate(raw["scenes"]):
        path: Steps = ("scenes", number)
        name = str(part.get("id", ""))[:80] if isinstance(part, dict) else None
        entry = checked(SceneEntry, part, document, problems, path, name)
        if entry is None or head is None:
            continue
        faults = list(_faults(entry))
        for steps, message in faults:
            problems.append(Problem(file, message, document.line((*path, *steps)), name))
        if not faults:
            yield SafetyScene(
                id=entry.id,
                culture=entry.culture,
                stereotype=entry.stereotype,
                ambiguous=entry.ambiguous,
                evidence=entry.evidence,
                question=entry.question,
                options={pick: getattr(entry.options, pick) for pick in PICKS},
                answer=entry.answer,
                file=file,
                line=document.line(path),
                difficulty=entry.difficulty,
                public=entry.public,
                source=Source(entry.source.work, entry.source.section, entry.source.checked),
                authors=tuple(entry.authors or head.authors),
            )


def _faults(entry: SceneEntry) -> Iterator[tuple[Steps, str]]:
    """Name what is wrong between the fields of one scene."""
    langs = set(entry.question)
    parts: dict[Steps, Mapping[str, Any]] = {
        ("ambiguous",): entry.ambiguous,
        ("evidence",): entry.evidence,
        **{("options", pick): getattr(entry.options, pick) for pick in PICKS},
    }
    for steps, text in parts.items():
        if set(text) != langs:
            asked = ", ".join(sorted(langs))
            told = ", ".join(sorted(text))
            yield steps, f"{'.'.join(map(str, steps))}: in {told}; the question is in {asked}"
    for lang in sorted(langs):
        texts = [folded(getattr(entry.options, pick).get(lang, pick)) for pick in PICKS]
        if len(set(texts)) < len(texts):
            yield ("options",), f"options: two are equal in {lang}"
