"""Files of the framing track to notes and jobs, with every problem of every file at once.

A folder's `framing/*.yaml` hold `samples` (a note in every language it is told in, and the facts
that it states) and `jobs` (a task, the JSON Schema that a reply must fit, and what else must hold
of it). Scalars follow YAML 1.2's core schema here, since facts and schemas hold numbers and nulls.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, StrictInt, StrictStr, ValidationError

from culturegate.bank import yaml12
from culturegate.bank.faults import explain
from culturegate.bank.files import read_text
from culturegate.bank.framing import FACTS, FramingBank, FramingFacts, FramingJob, FramingSample
from culturegate.bank.layout import Difficulty, LocalText, Slug, Text, Truth
from culturegate.errors import InputError, Problem
from culturegate.text import one_line

FOLDER = "framing"

Model = TypeVar("Model", bound=BaseModel)
Named = TypeVar("Named", FramingSample, FramingJob)


class _Entry(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _FactsEntry(_Entry):
    product: LocalText
    price: Annotated[float, Field(strict=True, gt=0, allow_inf_nan=False)] | None
    currency: Annotated[str, Field(pattern=r"^[A-Z]{3}$")] | None
    weight_grams: Annotated[StrictInt, Field(gt=0)] | None
    warranty_months: Annotated[StrictInt, Field(gt=0)] | None
    colours: dict[str, list[Text]]


class _SampleEntry(_Entry):
    id: Slug
    difficulty: Difficulty
    public: Truth
    text: LocalText
    facts: _FactsEntry


class _JobEntry(_Entry):
    id: Slug
    difficulty: Difficulty
    task: LocalText
    json_schema: dict[str, Any] = Field(alias="schema")
    content: dict[str, Any] = {}
    stated: dict[StrictStr, StrictStr] = {}
    said: dict[StrictStr, StrictStr] = {}


class _Head(_Entry):
    canary: Text | None = None
    authors: Annotated[list[Text], Field(min_length=1)]


def load_framing(directories: Sequence[Path]) -> tuple[FramingBank, list[Problem]]:
    """Read `<directory>/framing/*.yaml` of every directory, in order.

    A sample or job of a later directory replaces one of the same id; within a directory an id
    stands once.

    Returns:
        The bank of what could be read, and every problem of every file.
    """
    samples: dict[str, FramingSample] = {}
    jobs: dict[str, FramingJob] = {}
    files: list[Path] = []
    canaries: dict[Path, str | None] = {}
    problems: list[Problem] = []
    for directory in dict.fromkeys(directories):
        reader = _Reader()
        for file in _files(directory / FOLDER):
            reader.read(file)
            files.append(file)
        problems += reader.problems
        problems += [*_twice(reader.samples), *_twice(reader.jobs)]
        samples |= {sample.id: sample for sample in reader.samples}
        jobs |= {job.id: job for job in reader.jobs}
        canaries |= reader.canaries
    bank = FramingBank(
        samples=tuple(samples[name] for name in sorted(samples)),
        jobs=tuple(sorted(jobs.values(), key=lambda job: (job.difficulty, job.id))),
        files=tuple(files),
        canaries=canaries,
    )
    if files and not problems:
        problems += _unpaired(bank)
    return bank, problems


def _files(folder: Path) -> list[Path]:
    found = (path for pattern in ("*.yaml", "*.yml") for path in folder.glob(pattern))
    return sorted(path for path in found if not path.name.startswith("."))


def _twice(entries: Iterable[Named]) -> Iterator[Problem]:
    first: dict[str, Named] = {}
    for one in entries:
        other = first.setdefault(one.id, one)
        if other is not one:
            place = f"{other.file}:{other.line}"
            message = f"this id is also at {place}; an id stands once in a directory"
            yield Problem(one.file, message, one.line, one.id)


def _unpaired(bank: FramingBank) -> Iterator[Problem]:
    """Name what cannot be asked: notes without a job, jobs without a note in their language."""
    if not bank.jobs or not bank.samples:
        what = "jobs" if not bank.jobs else "samples"
        yield Problem(bank.files[0].parent, f"there are no {what}, so nothing can be asked")
        return
    for sample in bank.samples:
        if not any(lang in job.task for job in bank.jobs for lang in sample.text):
            message = f"no job is written in {', '.join(sample.text)}"
            yield Problem(sample.file, message, sample.line, sample.id)


class _Reader:
    """Reads the files of one folder; notes, jobs and problems gather in it."""

    def __init__(self) -> None:
        self.samples: list[FramingSample] = []
        self.jobs: list[FramingJob] = []
        self.problems: list[Problem] = []
        self.canaries: dict[Path, str | None] = {}

    def read(self, file: Path) -> None:
        """Read one file."""
        self.canaries[file] = None
        try:
            document = yaml12.load(read_text(file), file)
        except InputError as error:
            self.problems += error.problems
            return
        raw = document.data
        if not isinstance(raw, dict):
            message = "a mapping with canary, authors, and samples or jobs was expected"
            self.problems.append(Problem(file, message))
            return
        rest = {key: value for key, value in raw.items() if key not in ("samples", "jobs")}
        head = self._validate(_Head, rest, document, (), None)
        if head is not None:
            self.canaries[file] = head.canary
        authors = tuple(head.authors) if head is not None else ()
        if "samples" not in raw and "jobs" not in raw:
            self.problems.append(Problem(file, "holds neither samples nor jobs"))
        for number, entry in enumerate(self._list(document, "samples")):
            self._sample(document, number, entry, authors)
        for number, entry in enumerate(self._list(document, "jobs")):
            self._job(document, number, entry)

    def _list(self, document: yaml12.Document, key: str) -> list[Any]:
        found = document.data.get(key, [])
        if isinstance(found, list) and (found or key not in document.data):
            return found
        self.problems.append(document.problem(f"{key}: a list with something in it is needed",
                                              (key,)))  # fmt: skip
        return []

    def _sample(
        self, document: yaml12.Document, number: int, raw: Any, authors: tuple[str, ...]
    ) -> None:
        path = ("samples", number)
        name = _name(raw)
        entry = self._validate(_SampleEntry, raw, document, path, name)
        if entry is None:
            return
        facts = FramingFacts(
            product=entry.facts.product,
            price=entry.facts.price,
            currency=entry.facts.currency,
            weight_grams=entry.facts.weight_grams,
            warranty_months=entry.facts.warranty_months,
            colours={lang: tuple(found) for lang, found in entry.facts.colours.items()},
        )
        faults = list(_sample_faults(entry.text, facts))
        self.problems += [document.problem(fault, (*path, "facts"), name) for fault in faults]
        self.samples.append(
            FramingSample(entry.id, entry.difficulty, entry.public, entry.text, facts, authors,
                          document.file, document.line(path))
        )  # fmt: skip

    def _job(self, document: yaml12.Document, number: int, raw: Any) -> None:
        path = ("jobs", number)
        name = _name(raw)
        entry = self._validate(_JobEntry, raw, document, path, name)
        if entry is None:
            return
        job = FramingJob(entry.id, entry.difficulty, entry.task, entry.json_schema, entry.content,
                         entry.stated, entry.said, document.file,
                         document.line(path))  # fmt: skip
        for key, fault in _job_faults(job):
            self.problems.append(document.problem(fault, (*path, key), name))
        self.jobs.append(job)

    def _validate(
        self,
        model: type[Model],
        raw: Any,
        document: yaml12.Document,
        path: tuple[str | int, ...],
        name: str | None,
    ) -> Model | None:
        try:
            return model.model_validate(raw)
        except ValidationError as error:
            for fault in error.errors(include_url=False):
                steps = tuple(step for step in fault["loc"] if step != "[key]")
                message = explain(fault, steps, model)
                self.problems.append(document.problem(message, (*path, *steps), name))
            return None


def _name(raw: Any) -> str | None:
    return one_line(str(raw.get("id", "")), 80) or None if isinstance(raw, dict) else None


def _sample_faults(text: Mapping[str, str], facts: FramingFacts) -> Iterator[str]:
    """Say where a note and its facts do not fit together."""
    if (facts.price is None) != (facts.currency is None):
        yield "price and currency are stated together or not at all"
    for name in ("product", "colours"):
        told = getattr(facts, name)
        missing = sorted(set(text) - set(told))
        if missing:
            yield f"{name}: not given in {', '.join(missing)}"
    counts = {len(colours) for colours in facts.colours.values()}
    if len(counts) > 1:
        yield "colours: the languages do not have as many"


def _job_faults(job: FramingJob) -> Iterator[tuple[str, str]]:
    """Yield what is wrong with a job, each with the key that it stands under."""
    from jsonschema import Draft202012Validator, SchemaError

    for key, schema in (("schema", job.schema), ("content", job.content_schema)):
        try:
            Draft202012Validator.check_schema(schema)
        except SchemaError as error:
            yield key, f"{key}: not a JSON Schema: {one_line(error.message, 200)}"
            continue
        for ref in _lost_references(schema):
            yield key, f"{key}: $ref {one_line(ref, 80)!r} leads to nothing in this schema"
        if _has_expression(schema):
            yield key, f"{key}: no pattern: a reply can make one run for hours; use enum or lengths"
    if job.schema.get("type") != "object":
        yield "schema", "schema: its type is to be object"
    for lang, task in job.task.items():
        if task.count("$note") != 1:
            yield "task", f"task in {lang}: $note, where the note goes, is to stand in it once"
        if task.replace("$note", "").count("$"):
            yield "task", f"task in {lang}: a $ that is no slot; write it out"
    for key, fields in (("stated", job.stated), ("said", job.said)):
        for path, fact in fields.items():
            if fact not in FACTS:
                yield key, f"{key}: no fact {fact!r}; there are {', '.join(FACTS)}"
            if not _has_field(job.schema, path):
                yield key, f"{key}: the schema has no field {path!r}"


def _lost_references(schema: Mapping[str, Any]) -> Iterator[str]:
    """Yield each `$ref` that cannot be followed; another document's is never fetched."""
    from referencing import Registry
    from referencing.exceptions import Unresolvable
    from referencing.jsonschema import DRAFT202012

    whole: Registry[Any] = Registry().with_resource("", DRAFT202012.create_resource(schema))
    for node in _parts(schema):
        ref = node.get("$ref")
        if isinstance(ref, str):
            try:
                whole.resolver().lookup(ref)
            except Unresolvable:
                yield ref


def _has_expression(schema: Mapping[str, Any]) -> bool:
    # As a keyword `pattern` holds a text; a field of that name holds a schema.
    return any(
        isinstance(node.get("pattern"), str) or "patternProperties" in node
        for node in _parts(schema)
    )


def _parts(schema: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield every mapping in a schema, itself first."""
    stack: list[Any] = [schema]
    while stack:
        node = stack.pop()
        if isinstance(node, Mapping):
            yield node
            stack += node.values()
        elif isinstance(node, list):
            stack += node


def _has_field(schema: Mapping[str, Any], path: str) -> bool:
    node: Any = schema
    for step in path.split("."):
        node = node.get("properties", {}).get(step) if isinstance(node, Mapping) else None
    return node is not None
