"""The words that every track shares: a case, its trials, its outcome, its record."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any, Protocol, runtime_checkable

from culturegate.models.base import Prompt, Reply

Ask = Callable[[Prompt], Awaitable[Reply]]


@dataclass(frozen=True, slots=True)
class CaseFacts:
    """What is known of a case before it is asked: the facts that metrics and lines group by.

    A fact that a track does not have is None.
    """

    case: str
    """The case's id, an ASCII slug, unique in the bank: `greek-prometheus-fire-d1-zh`."""
    track: str
    kind: str
    item: str
    cluster: str
    culture: str
    lang: str
    arm: str | None = None
    condition: str | None = None
    form: str | None = None
    element: str | None = None
    task: str | None = None
    difficulty: int | None = None
    public: bool = True
    contaminated: bool = False
    chance: float | None = None
    """Probability that a uniform guess passes one trial."""


@dataclass(frozen=True, slots=True)
class Trial:
    """One prompt's reading, judged."""

    template: str
    sample: int
    status: str
    """A reading's status, or `error` for a failed call, or `unscored` for an unreadable verdict."""
    value: str | None = None
    """What was answered: for a choice the item's own option label, whatever order was shown."""
    correct: bool | None = None
    """None where nothing could be judged: the status is `error` or `unscored`."""
    rule: str | None = None
    reason: str | None = None
    """For a wrong choice the tag of the distractor picked; for a failed call its kind."""
    detail: str | None = None
    confidence: float | None = None
    option_order: str | None = None
    """Labels in the order shown, such as `cdab`."""
    reply_key: str | None = None
    language: str | None = None
    """Code of the reply's language, where that was looked at and is not the case's."""
    key: str | None = None
    """The right option's own label, where a track says it: what position bias is measured by."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """One call's verdict of a judge model on one aspect of a trial's reply."""

    template: str
    sample: int
    aspect: str
    """What was judged: a path's validity, a point of a checklist."""
    call: int
    """0 and 1 are the two independent calls, 2 is the arbiter's."""
    score: float | None
    """None where the verdict is unscored: unreadable, out of range, or the call failed."""
    nonstandard: bool = False
    """The judge calls the reply reasonable and not what the rubric expects."""
    detail: str | None = None
    reply_key: str | None = None


_FACTS = tuple(field.name for field in fields(CaseFacts))
_TRIAL = tuple(field.name for field in fields(Trial))
_JUDGEMENT = tuple(field.name for field in fields(Judgement))


def _flat(data: CaseFacts | Trial | Judgement, names: tuple[str, ...]) -> dict[str, Any]:
    # All values are plain; `asdict` would take eight times as long to look for others.
    return {name: getattr(data, name) for name in names}


@dataclass(frozen=True, slots=True)
class Record:
    """A case's facts and outcome: one line of records.jsonl."""

    facts: CaseFacts
    trials: tuple[Trial, ...]
    passed: bool | None
    """None where the case is an error."""
    modal: str | None = None
    """The most frequent answer; None where no trial answered or the top is shared."""
    agreement: float | None = None
    """Share of samples that give the modal answer, 0 to 1."""
    error: str | None = None
    """Why the case could not be judged; None where it could."""
    judgements: tuple[Judgement, ...] = ()
    """What a judge model said of the replies; never a part of the outcome."""

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON data, the facts flat beside the outcome."""
        outcome: dict[str, Any] = {
            "passed": self.passed,
            "modal": self.modal,
            "agreement": self.agreement,
            "error": self.error,
            "trials": [_flat(trial, _TRIAL) for trial in self.trials],
        }
        if self.judgements:
            outcome["judgements"] = [_flat(each, _JUDGEMENT) for each in self.judgements]
        return _flat(self.facts, _FACTS) | outcome

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Record:
        """Read back what `to_dict` gave; unknown keys are ignored so that newer runs load."""
        return cls(
            facts=CaseFacts(**{key: data[key] for key in _FACTS if key in data}),
            trials=tuple(
                Trial(**{key: trial[key] for key in _TRIAL if key in trial})
                for trial in data["trials"]
            ),
            passed=data["passed"],
            modal=data["modal"],
            agreement=data["agreement"],
            error=data["error"],
            judgements=tuple(
                Judgement(**{key: each[key] for key in _JUDGEMENT if key in each})
                for each in data.get("judgements", ())
            ),
        )


@runtime_checkable
class Case(Protocol):
    """One pytest node: an item in one language under one arm or condition."""

    @property
    def facts(self) -> CaseFacts:
        """What is known before asking."""
        ...

    @property
    def requests(self) -> int:
        """Number of prompts that asking this case sends, follow-ups apart."""
        ...

    @property
    def question(self) -> str:
        """What a reader of the report sees as the question."""
        ...

    @property
    def expected(self) -> str:
        """What a reader of the report sees as the right answer."""
        ...

    @property
    def choices(self) -> Mapping[str, str]:
        """The options by the item's own label; empty where the case is no choice."""
        ...

    async def run(self, ask: Ask) -> Record:
        """Ask every trial of the case and judge it; failed calls become error trials."""
        ...
