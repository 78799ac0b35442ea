"""Records for the tests of metrics and gate, made from the few facts that a test is about."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count

from culturegate.tracks.base import CaseFacts, Record, Trial
from culturegate.tracks.outcome import record

_NUMBERS = count()


def made(
    passed: bool | None,
    *,
    kind: str = "decode",
    cluster: str | None = None,
    culture: str = "greek",
    track: str = "myth",
    chance: float | None = 0.25,
    status: str = "answered",
    case: str | None = None,
    lang: str = "en",
    confidence: float | None = None,
    **facts: object,
) -> Record:
    """Return a record of one trial; `passed` None is a failed call."""
    name = case or f"case{next(_NUMBERS):06d}"
    trial = Trial(
        template="one",
        sample=0,
        status="error" if passed is None else status,
        value="a" if passed else "b",
        correct=passed,
        reason="timeout" if passed is None else None,
        confidence=confidence,
    )
    known = CaseFacts(
        case=name,
        track=track,
        kind=kind,
        item=name,
        cluster=cluster or name,
        culture=culture,
        lang=lang,
        chance=chance,
        **facts,  # type: ignore[arg-type]
    )
    return record(known, [trial])


def several(right: int, of: int, **facts: object) -> list[Record]:
    """Return `of` records of which `right` pass."""
    return [made(number < right, **facts) for number in range(of)]  # type: ignore[arg-type]


def asked(answers: Sequence[str | None], *, key: str = "C", templates: int = 1) -> Record:
    """Return a case asked once an answer; None is an unparsed reply, `?` an abstention."""
    trials = []
    for number, answer in enumerate(answers):
        status = {None: "unparsed", "?": "abstained"}.get(answer, "answered")
        trials.append(
            Trial(
                template=f"t{number % templates}",
                sample=number // templates,
                status=status,
                value=answer if status == "answered" else None,
                correct=answer == key,
            )
        )
    return record(made(True).facts, trials)


def episodes(
    count: int, recall: Sequence[bool], decode: Sequence[bool], culture: str = "greek"
) -> list[Record]:
    """Return `count` episodes that all answer the same."""
    return [
        made(passed, kind=kind, cluster=f"{culture}-{number}", culture=culture)
        for number in range(count)
        for kind, outcomes in (("recall", recall), ("decode", decode))
        for passed in outcomes
    ]
