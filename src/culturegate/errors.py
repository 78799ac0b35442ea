"""What can go wrong through no fault of the model under test.

CulturegateError          a mistake a person can mend; the message is all they need
├── InputError            problems in files, each with its place
└── ModelUnavailable      nobody to ask: no server, no key, no such model, no budget
CallError                 one call failed; the case is an error, the run goes on
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


class CulturegateError(Exception):
    """A mistake that a person can mend; `str()` is the whole message, shown without a traceback."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong in one place of a file."""

    file: Path
    message: str
    line: int | None = None
    item: str | None = None

    def __str__(self) -> str:
        place = str(self.file) if self.line is None else f"{self.file}:{self.line}"
        return f"{place}: {self.item}: {self.message}" if self.item else f"{place}: {self.message}"


class InputError(CulturegateError):
    """Everything wrong in the files that were read, listed at once."""

    def __init__(self, problems: Sequence[Problem], what: str = "input") -> None:
        self.problems = tuple(problems)
        count = f"{len(self.problems)} problem" + ("" if len(self.problems) == 1 else "s")
        super().__init__("\n".join([f"{count} in the {what}:", *(f"  {p}" for p in self.problems)]))


class ModelUnavailable(CulturegateError):
    """No case can be asked at all; the message names the base URL and the cause."""


class CallError(Exception):
    """One call that gave no reply.

    `kind` is one of `timeout`, `connection`, `rate_limit`, `server`, `bad_response`, `cancelled`,
    `budget`, `missing` (not asked in the recorded run), `unrecorded` (another tool recorded fewer
    trials; those that it has are judged).
    """

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind
