"""A person's decisions about readings in dispute, applied to the records of a run.

Only a reading that the rules left open, ambiguous or unparsed, can be decided: nobody overrules a
reading. A decision names the reply that it is about, and is not applied to any other.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol, runtime_checkable

from culturegate.tracks.base import CaseFacts, Record, Trial
from culturegate.tracks.outcome import record as judged

DISPUTED = ("ambiguous", "unparsed")
"""Statuses of a reading that a person may decide."""
RULE = "adjudicated"
"""The rule of a reading that a person decided."""


@dataclass(frozen=True, slots=True)
class Decision:
    """How one person reads one reply."""

    case: str
    template: str
    sample: int
    reply_key: str
    """Which request the reply was to."""
    reply_hash: str
    """`hash_reply` of the reply that the person saw."""
    letter: str | None
    """The option's letter as that trial showed it; None where the reply names no option."""
    signed: str
    """Who decided."""


@runtime_checkable
class Decidable(Protocol):
    """A case whose trials a person can read in place of the rules."""

    @property
    def facts(self) -> CaseFacts:
        """What is known of the case."""
        ...

    @property
    def question(self) -> str:
        """What a person is to know as the question."""
        ...

    @property
    def letters(self) -> Sequence[str]:
        """The letters that options are shown under, in order."""
        ...

    def as_shown(self, trial: Trial) -> Mapping[str, str]:
        """Return letter → text of the options as the trial showed them."""
        ...

    def decided(self, trial: Trial, letter: str | None) -> Trial:
        """Return the trial as answered with this letter, or abstained where it is None."""
        ...


def hash_reply(text: str | None) -> str:
    """Return what tells a reply's text from another: `sha256:` and 32 hexadecimal digits."""
    data = (text or "").encode("utf-8", "backslashreplace")
    # The prefix keeps spreadsheets from taking the digits for a number.
    return f"sha256:{hashlib.sha256(data).hexdigest()[:32]}"


def adjudicate(
    case: Decidable, record: Record, replies: Mapping[str, str], decisions: Iterable[Decision]
) -> Record:
    """Return the record with the decisions applied that fit, and its outcome judged anew.

    Args:
        case: The case that the record is of.
        record: As the rules read it.
        replies: The replies' texts by their key.
        decisions: About this case.
    """
    by_trial = {(each.template, each.sample): each for each in decisions}
    trials = tuple(
        _decided(case, trial, by_trial.get((trial.template, trial.sample)), replies)
        for trial in record.trials
    )
    return record if trials == record.trials else judged(record.facts, trials)


def _decided(
    case: Decidable, trial: Trial, decision: Decision | None, replies: Mapping[str, str]
) -> Trial:
    if (
        decision is None
        or trial.status not in DISPUTED
        or trial.reply_key != decision.reply_key
        or hash_reply(replies.get(decision.reply_key)) != decision.reply_hash
    ):
        return trial
    found = case.decided(trial, decision.letter)
    return replace(found, rule=RULE, detail=f"was {trial.status}; signed by {decision.signed}")


def unapplied(decisions: Iterable[Decision], records: Mapping[str, Record]) -> Counter[str]:
    """Return how many decisions changed nothing in these records, by the reason why."""
    reasons: Counter[str] = Counter()
    for decision in decisions:
        record = records.get(decision.case)
        found = None
        for trial in () if record is None else record.trials:
            if (trial.template, trial.sample) == (decision.template, decision.sample):
                found = trial
        if found is None:
            reasons["about a trial that this run did not ask"] += 1
        elif found.status == "error":
            reasons["about a call that failed"] += 1
        elif found.rule == RULE and found.reply_key == decision.reply_key:
            continue
        elif found.status in DISPUTED or found.reply_key != decision.reply_key:
            reasons["about another reply"] += 1
        else:
            reasons["about a reading that is not in dispute"] += 1
    return reasons
