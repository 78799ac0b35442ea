"""Persona with a judge: the model writes its reply, and each point of the checklist is judged.

Every point is judged in two calls that show the verdicts in different orders; where they differ or
one cannot be read, a third call decides. A verdict stands where two calls give it; otherwise the
point is unscored, which is never taken for not met.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from culturegate.errors import CallError
from culturegate.models.base import Message, Prompt
from culturegate.prompts import Template
from culturegate.scoring import read_choice
from culturegate.scoring.reasoning import without_reasoning
from culturegate.tracks.base import Ask, CaseFacts, Judgement, Record, Trial
from culturegate.tracks.choice import Lettered
from culturegate.tracks.outcome import record
from culturegate.tracks.protocol import own_sample

VERDICTS = {"m": "met", "n": "not met", "c": "cannot tell"}
_TEXTS = {
    "m": "Met: the reply does this.",
    "n": "Not met: the reply does not do this.",
    "c": "Cannot tell from this reply.",
}
_ORDERS = ("mnc", "nmc", "cmn")
"""Order of the verdicts by call."""
_JUDGE_TOKENS = 512
"""Room for a judge that thinks before it answers."""
_LONGEST = 6000
"""Characters of a reply that a judge is shown."""


async def judged(
    ask: Ask,
    *,
    facts: CaseFacts,
    prompts: Sequence[Prompt],
    template: str,
    request: str,
    points: Mapping[str, str],
    judge: Template,
) -> Record:
    """Have replies written and judged, and return the record with every verdict.

    Args:
        ask: Sends a prompt.
        facts: Of the case.
        prompts: One a sample.
        template: Name of the wording that the prompts use.
        request: What the replies answer.
        points: What a fitting reply does, by aspect.
        judge: Wording for the judge.
    """
    written = await asyncio.gather(
        *(
            _sample(ask, prompt, (facts.case, template, sample), request, points, judge)
            for sample, prompt in enumerate(prompts)
        )
    )
    found = record(facts, [trial for trial, _ in written])
    judgements = tuple(each for _, several in written for each in several)
    return Record(
        facts,
        found.trials,
        found.passed,
        found.modal,
        found.agreement,
        found.error,
        judgements=judgements,
    )


async def _sample(
    ask: Ask,
    prompt: Prompt,
    place: tuple[str, str, int],
    request: str,
    points: Mapping[str, str],
    judge: Template,
) -> tuple[Trial, list[Judgement]]:
    _, template, sample = place
    try:
        reply = await ask(prompt)
    except CallError as error:
        failed = Trial(template, sample, "error", reason=error.kind, detail=str(error))
        return failed, []
    status = _status(reply.text, reply.finish_reason)
    trial = Trial(template, sample, status, correct=False, reply_key=reply.key)
    if status != "answered":
        return trial, []
    body, _ = without_reasoning(reply.text or "")
    verdicts = await asyncio.gather(
        *(
            _point(ask, judge, {"request": request, "reply": body[:_LONGEST], "point": point},
                   place, aspect)
            for aspect, point in points.items()
        )
    )  # fmt: skip
    judgements = [each for several in verdicts for each in several]
    return scored(trial, judgements), judgements


def _status(text: str | None, finish_reason: str | None) -> str:
    if finish_reason == "content_filter":
        return "filtered"
    body = without_reasoning(text or "")[0].strip()
    if not body:
        return "truncated" if finish_reason == "length" else "empty"
    return "answered"


async def _point(
    ask: Ask,
    judge: Template,
    slots: Mapping[str, str],
    place: tuple[str, str, int],
    aspect: str,
) -> list[Judgement]:
    calls = list(
        await asyncio.gather(*(_call(ask, judge, slots, place, aspect, call) for call in (0, 1)))
    )
    if calls[0].score is None or calls[0].detail != calls[1].detail:
        calls.append(await _call(ask, judge, slots, place, aspect, 2))
    return calls


async def _call(
    ask: Ask,
    judge: Template,
    slots: Mapping[str, str],
    place: tuple[str, str, int],
    aspect: str,
    call: int,
) -> Judgement:
    case, template, sample = place
    key = (template, sample, aspect)
    options = Lettered(_ORDERS[call], _TEXTS)
    text = judge.render({**slots, "options": options.lines})
    # Replies that are alike are judged anew, each in calls of its own.
    number = own_sample(case, sample * len(_ORDERS) + call)
    prompt = Prompt((Message("user", text),), max_tokens=_JUDGE_TOKENS, sample=number, judge=True)
    try:
        reply = await ask(prompt)
    except CallError as error:
        return Judgement(*key, call, None, detail=error.kind)
    reading = read_choice(
        reply.text, options=options.shown, lang="en", finish_reason=reply.finish_reason
    )
    if reading.value is None:
        return Judgement(*key, call, None, detail=reading.status, reply_key=reply.key)
    verdict = VERDICTS[options.label(reading.value)]
    score = 1.0 if verdict == "met" else 0.0
    return Judgement(*key, call, score, detail=verdict, reply_key=reply.key)


def verdicts(judgements: Iterable[Judgement]) -> dict[tuple[str, int, str], str | None]:
    """Return what stands of each point: the verdict that two calls give, None where none does.

    Keys are template, sample and aspect.
    """
    calls: dict[tuple[str, int, str], Counter[str]] = {}
    for each in judgements:
        found = calls.setdefault((each.template, each.sample, each.aspect), Counter())
        if each.score is not None and each.detail is not None:
            found[each.detail] += 1
    return {
        key: next((verdict for verdict, count in found.items() if count > 1), None)
        for key, found in calls.items()
    }


def scored(trial: Trial, judgements: Iterable[Judgement]) -> Trial:
    """Return a written reply with its outcome: right where every point is met.

    It is wrong where one is surely not, and unscored where that hangs on an unscored point.
    """
    found = list(verdicts(judgements).values())
    if any(verdict not in (None, "met") for verdict in found):
        correct: bool | None = False
    else:
        correct = None if None in found or not found else True
    told = Counter("unscored" if verdict is None else verdict for verdict in found)
    detail = ", ".join(f"{count} {verdict}" for verdict, count in sorted(told.items()))
    return Trial(
        trial.template,
        trial.sample,
        "unscored" if correct is None else trial.status,
        correct=correct,
        rule="checklist",
        detail=detail,
        reply_key=trial.reply_key,
    )
