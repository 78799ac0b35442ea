"""What became of one case: its record, and what was asked and given back for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from culturegate.models import Prompt, Reply
from culturegate.reports import shown
from culturegate.reports.shown import awaited, reading
from culturegate.tracks import Case, CaseFacts, Record


class UnaskedCase(Exception):
    """A case that could not be judged, since calls failed; it is an error, not a wrong answer."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__(outcome.record.error or "not asked")
        self.outcome = outcome


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a case, as the benchmark's test functions see it."""

    case: Case
    record: Record
    replies: Sequence[tuple[Prompt, Reply]]
    """What was asked and given back, in order of arrival."""

    def __repr__(self) -> str:
        # pytest puts it into the message of each failed assert, where it is made for each case.
        return f"<outcome of {self.record.facts.case}>"

    @property
    def passed(self) -> bool:
        """Whether a strict majority of the trials was right."""
        return self.record.passed is True

    @property
    def retries(self) -> int:
        """How many times calls were sent again before their replies came."""
        return sum(reply.retries for _, reply in self.replies)

    @property
    def shown(self) -> dict[str, Any]:
        """What the report shows of the case, made anew: plain, bounded data."""
        case = self.case
        replies = [reply for _, reply in self.replies]
        return shown(self.record, case.question, case.expected, replies, case.choices)

    @property
    def efficiency(self) -> dict[str, Any]:
        """Times and tokens, made anew: plain data, one entry a reply."""
        return _efficiency(self.record.facts, self.replies)

    def explain(self) -> str:
        """Return one line for a reader who wonders why the case did not pass."""
        statuses = ", ".join(trial.status for trial in self.record.trials)
        read = reading(self.record, self.case.choices)
        return f"read {read!r} ({statuses}), expected {awaited(self.case.expected)!r}"

    def payload(self) -> dict[str, Any]:
        """Return plain data to travel on a test report."""
        return {
            "record": self.record.to_dict(),
            "shown": self.shown,
            "efficiency": self.efficiency,
        }


def _efficiency(facts: CaseFacts, replies: Sequence[tuple[Prompt, Reply]]) -> dict[str, Any]:
    """Return the times and tokens of a case as plain data: one entry a reply."""
    return {
        "case": facts.case,
        "track": facts.track,
        "lang": facts.lang,
        "replies": [
            {
                "latency": reply.latency,
                "ttft": reply.ttft,
                "sent": reply.sent,
                "prompt_tokens": reply.usage.prompt_tokens,
                "completion_tokens": reply.usage.completion_tokens,
                "prompt_chars": sum(len(turn.content) for turn in prompt.messages),
                "reply_chars": len(reply.text or ""),
                "retries": reply.retries,
                "model": reply.model,
                "fingerprint": reply.fingerprint,
                "notes": list(reply.notes),
                **({"judge": True} if prompt.judge else {}),
            }
            for prompt, reply in replies
        ],
    }
