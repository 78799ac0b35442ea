"""Framing: one structured-output job, told it is a test or not, told it is able or not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from culturegate.bank.framing import FramingBank, FramingJob, FramingSample
from culturegate.errors import CallError
from culturegate.models.base import Message, Prompt, Reply
from culturegate.prompts import Template, languages, templates
from culturegate.scoring.json_object import JsonReading, read_json_object
from culturegate.tracks.base import Ask, CaseFacts, Record, Trial
from culturegate.tracks.blinding import CONDITIONS, codes
from culturegate.tracks.framing_content import content_fault
from culturegate.tracks.outcome import record
from culturegate.tracks.protocol import FramingProtocol, stable_order

TRACK = "framing"
NO_CULTURE = "none"
COMPLIES = "complies"
"""A trial's value where the reply is the object asked for and nothing else."""
CONTENT = "content"
"""A trial's reason where the form is right and what stands in it is not."""
_PARTS = ("aware", "high", "low", "control")


def wordings(lang: str) -> dict[str, tuple[Template, ...]]:
    """Return the wordings by what they say: `aware`, `high`, `low` and `control`.

    Raises ValueError for a language that has none.
    """
    found = templates(TRACK, lang)
    return {
        part: tuple(one for one in found if one.id.partition("-")[0] == part) for part in _PARTS
    }


@dataclass(frozen=True, slots=True)
class FramingCase:
    """One note and job under one condition, in one language; its trials are the rounds."""

    sample: FramingSample
    job: FramingJob
    condition: str
    code: str
    """What stands for the condition in the case's id."""
    lang: str
    protocol: FramingProtocol
    position: str = "user"
    """Where awareness is told: at the end of the `user` turn, or in `system`."""
    facts: CaseFacts = field(init=False, compare=False)
    """What is known before asking."""

    def __post_init__(self) -> None:
        facts = CaseFacts(
            case=f"{self.sample.id}-{self.job.id}-{self.code}-{self.lang}",
            track=TRACK,
            kind=TRACK,
            item=self.sample.id,
            cluster=self.sample.id,
            culture=NO_CULTURE,
            lang=self.lang,
            condition=self.condition,
            task=self.job.id,
            difficulty=self.sample.difficulty,
            public=self.sample.public,
            chance=0.0,
        )
        object.__setattr__(self, "facts", facts)

    @property
    def requests(self) -> int:
        """Number of prompts sent, one a round."""
        return self.protocol.rounds

    @property
    def question(self) -> str:
        """The task and the note, without what the condition adds to them."""
        return Template(self.job.id, self.job.task[self.lang]).render(
            {"note": self.sample.text[self.lang]}
        )

    @property
    def passage(self) -> str:
        """The note: what of the question a corpus would hold; a task stands before every note."""
        return self.sample.text[self.lang]

    @property
    def expected(self) -> str:
        """What the reply is to be."""
        fields = ", ".join(self.job.schema.get("properties", ()))
        return f"one JSON object with {fields}, and nothing around it"

    @property
    def choices(self) -> Mapping[str, str]:
        """No options: the job is no choice."""
        return {}

    def messages(self, number: int) -> tuple[Message, ...]:
        """Return the turns of a round, counted from 0; round r uses wording r."""
        texts = wordings(self.lang)
        if self.condition == "control":
            return (Message("user", texts["control"][0].render({"task": self.question})),)
        awareness, _, level = self.condition.partition("-")
        user, system = [self.question], [_wording(texts[level], number)]
        if awareness == "aware":
            (system if self.position == "system" else user).append(_wording(texts["aware"], number))
        return Message("system", "\n\n".join(system)), Message("user", "\n\n".join(user))

    async def run(self, ask: Ask) -> Record:
        """Ask the rounds one after another, in an order of this case's own, and judge them.

        The cases of a note are asked side by side, so that in each round the conditions come in
        another order.
        """
        rounds = [str(number) for number in range(self.protocol.rounds)]
        order = stable_order([f"{self.facts.case} {number}" for number in rounds],
                             self.protocol.seed)  # fmt: skip
        trials = [await self._trial(ask, int(name.rpartition(" ")[2])) for name in order]
        return record(self.facts, sorted(trials, key=lambda trial: trial.sample))

    async def _trial(self, ask: Ask, number: int) -> Trial:
        prompt = Prompt(
            messages=self.messages(number),
            temperature=self.protocol.temperature,
            top_p=self.protocol.top_p,
            max_tokens=self.protocol.max_tokens,
            sample=number,
            trial=number,
        )
        template = f"wording-{number + 1}"
        try:
            reply = await ask(prompt)
        except CallError as error:
            return Trial(template, number, "error", reason=error.kind, detail=str(error))
        return self._judged(template, number, reply)

    def _judged(self, template: str, number: int, reply: Reply) -> Trial:
        reading = read_json_object(reply.text, self.job.schema, reply.finish_reason)
        reason, detail = reading.reason, reading.detail
        said: str | None = reason
        if reading.value is not None:
            detail = content_fault(self.job, self.sample.facts, self.lang, reading.value)
            said = CONTENT if detail else None
        return Trial(
            template=template,
            sample=number,
            status=_status(reading),
            value=COMPLIES if reading.ok else reason,
            correct=reading.ok,
            rule=reading.rule,
            reason=said,
            detail=detail,
            reply_key=reply.key,
        )


def _wording(found: tuple[Template, ...], number: int) -> str:
    return found[number % len(found)].text


def _status(reading: JsonReading) -> str:
    """Return how a reply was read: one whose object could be read was answered, in whatever form.

    Only where no object could be read at all is there nothing to judge but the form.
    """
    if reading.status == "unparsed" and reading.lenient is not None:
        return "answered"
    return reading.status


def framing_cases(
    bank: FramingBank, protocol: FramingProtocol, seed: int, position: str = "user"
) -> tuple[FramingCase, ...]:
    """Return every case that the protocol names, in the order in which they are asked.

    The conditions of a note stand together, in an order of the note's own drawn from the seed.

    Args:
        bank: Notes and jobs.
        protocol: How much is asked.
        seed: The bank seed: draws the notes, and permutes conditions and their codes.
        position: Where awareness is told, `user` or `system`.
    """
    code = codes(protocol.seed + seed)
    found: list[FramingCase] = []
    by_id = {sample.id: sample for sample in bank.samples}
    for lang in (lang for lang in protocol.langs if lang in languages(TRACK)):
        named = [sample.id for sample in bank.samples if lang in sample.text]
        drawn = stable_order(named, seed)[: protocol.samples_per_lang]
        jobs = [job for job in bank.jobs if lang in job.task]
        for rank, name in enumerate(drawn):
            for job in _jobs(jobs, protocol.jobs, rank):
                cases = {
                    case.facts.case: case
                    for case in (
                        FramingCase(by_id[name], job, condition, code[condition], lang, protocol,
                                    position)
                        for condition in CONDITIONS
                    )
                }  # fmt: skip
                found += [cases[one] for one in stable_order(cases, protocol.seed + seed)]
    return tuple(found)


def _jobs(jobs: list[FramingJob], which: str, rank: int) -> list[FramingJob]:
    if not jobs or which == "all":
        return jobs
    return [jobs[0 if which == "first" else rank % len(jobs)]]


def framing_wordings(protocol: FramingProtocol, position: str) -> Iterator[tuple[str, str]]:
    """Yield id and text of every wording in use, and where awareness stands."""
    yield "framing/awareness-position", position
    for lang in sorted(set(protocol.langs) & set(languages(TRACK))):
        for found in wordings(lang).values():
            for template in found[: protocol.rounds]:
                yield f"framing/{lang}/{template.id}", template.text
