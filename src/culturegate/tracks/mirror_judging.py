"""Path scores of a mirror reply: two calls of a judge, and a third where they are apart."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median

from culturegate.errors import CallError, ModelUnavailable
from culturegate.models.base import Message, Prompt
from culturegate.prompts import templates
from culturegate.scoring import read_json_object
from culturegate.tracks.base import Ask, Judgement, Trial

SECTION = "mirror_judge"
"""Where the rubric stands among the prompts."""
ASPECTS = ("path", "culture")
"""Validity of the reasoning; fitness of the cultural knowledge used. Each 0, 1 or 2."""
NONSTANDARD = "reasonable_nonstandard"
CALLS = 2
"""Independent calls; the next is the arbiter's."""
MAX_REPLY = 12_000
"""Characters of a reply that a judge is shown: its beginning and its end."""
_MAX_TOKENS = 100
_TEMPERATURE = 0.7  # at 0 the second call would be the first again
_SCHEMA = {
    "type": "object",
    "properties": {
        **{aspect: {"type": "integer", "minimum": 0, "maximum": 2} for aspect in ASPECTS},
        NONSTANDARD: {"type": "boolean"},
    },
    "required": [*ASPECTS, NONSTANDARD],
}


async def judged_paths(
    ask: Ask, lang: str, question: str, trial: Trial, reply: str, threshold: float
) -> list[Judgement]:
    """Ask the judge about one reply: twice, and once more where the two are apart.

    They are apart where their scores of an aspect differ by more than `threshold`, or where one
    calls the reasoning reasonable and not standard.
    """
    found: list[Judgement] = []
    for call in range(CALLS):
        found += await _call(ask, lang, question, trial, reply, call)
    if _apart(found, threshold):
        found += await _call(ask, lang, question, trial, reply, CALLS)
    return found


def _apart(found: Sequence[Judgement], threshold: float) -> bool:
    if any(each.nonstandard for each in found):
        return True
    for aspect in ASPECTS:
        scores = [e.score for e in found if e.aspect == aspect and e.score is not None]
        if len(scores) == CALLS and abs(scores[0] - scores[1]) > threshold:
            return True
    return False


async def _call(
    ask: Ask, lang: str, question: str, trial: Trial, reply: str, call: int
) -> list[Judgement]:
    rubric = templates(SECTION, lang)[0]
    shown = reply
    if len(reply) > MAX_REPLY:
        half = MAX_REPLY // 2
        shown = f"{reply[:half]}\n[…]\n{reply[-half:]}"
    text = rubric.render({"question": question, "reply": shown})
    prompt = Prompt(
        messages=(Message("user", text),),
        temperature=_TEMPERATURE,
        max_tokens=_MAX_TOKENS,
        # Replies that are alike are judged anew, each in calls of its own.
        sample=trial.sample * (CALLS + 1) + call,
        judge=True,
    )
    scores: Mapping[str, object] = {}
    detail = key = None
    try:
        given = await ask(prompt)
    except CallError as error:
        detail = f"{error.kind}: {error}"
    except ModelUnavailable as error:  # the judge's key or quota; the model's answer stands
        detail = str(error)
    else:
        key = given.key
        reading = read_json_object(given.text, _SCHEMA, given.finish_reason)
        if reading.lenient is not None and reading.lenient_ok:
            scores = reading.lenient
        else:
            detail = reading.detail or reading.reason or "no object of the form asked for"
    return [
        Judgement(
            template=trial.template,
            sample=trial.sample,
            aspect=aspect,
            call=call,
            score=float(str(scores[aspect])) if aspect in scores else None,
            nonstandard=scores.get(NONSTANDARD) is True,
            detail=detail,
            reply_key=key,
        )
        for aspect in ASPECTS
    ]


@dataclass(frozen=True, slots=True)
class PathScore:
    """What the judge's calls make of one aspect of one reply."""

    template: str
    sample: int
    aspect: str
    score: float | None
    """0 to 2; None where no call could be read."""
    calls: tuple[float | None, ...]
    """The score of each call, in order."""
    nonstandard: bool
    """Most readable calls call it reasonable and not standard; it is counted apart."""


def path_scores(judgements: Iterable[Judgement]) -> list[PathScore]:
    """Return the score of each trial and aspect.

    The mean of two calls, the median of three: the arbiter sides with one of them. A call that
    could not be read is left out.
    """
    groups: dict[tuple[str, int, str], list[Judgement]] = {}
    for each in judgements:
        groups.setdefault((each.template, each.sample, each.aspect), []).append(each)
    found = []
    for (template, sample, aspect), members in sorted(groups.items()):
        members.sort(key=lambda each: each.call)
        read = [each for each in members if each.score is not None]
        scores = [each.score for each in read if each.score is not None]
        marked = sum(each.nonstandard for each in read)
        score = None
        if scores:
            score = median(scores) if len(scores) > CALLS else fmean(scores)
        found.append(
            PathScore(
                template,
                sample,
                aspect,
                score,
                tuple(each.score for each in members),
                nonstandard=marked * 2 > len(read) > 0,
            )
        )
    return found
