"""Which cases there are: every track's, from the bank, the protocol and the session's choices."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from culturegate.bank import Bank
from culturegate.prompts import templates
from culturegate.tracks.base import Case
from culturegate.tracks.diagnosis import diagnosis_cases, diagnosis_wordings
from culturegate.tracks.framing import framing_cases, framing_wordings
from culturegate.tracks.mirror import mirror_cases, mirror_wordings
from culturegate.tracks.myth import myth_cases
from culturegate.tracks.persona import persona_cases, persona_wordings
from culturegate.tracks.protocol import Protocol
from culturegate.tracks.safety import safety_cases, safety_wordings


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything that decides which cases there are and how they are worded."""

    bank: Bank
    protocol: Protocol
    seed: int
    judged: bool = False
    """Whether a judge model is there to score replies."""
    home: str | None = None
    """Region whose arms are the baseline of the mirror track; None for the original arms."""
    awareness_position: str = "user"
    """Where framing's line of awareness stands: at the end of the `user` turn, or in `system`."""
    diagnose: bool = False
    """Whether the myth track's cases are asked once more, changed in one respect each."""


@dataclass(frozen=True, slots=True)
class Track:
    """One track, as the session sees it."""

    name: str
    cases: Callable[[Plan], tuple[Case, ...]]
    """Every case that the protocol names, in the order in which they are asked."""
    wordings: Callable[[Plan], Iterable[tuple[str, str]]]
    """Id and text of every wording in use, for the hash of the prompts."""


def _myth_wordings(plan: Plan) -> Iterable[tuple[str, str]]:
    myth = plan.protocol.myth
    for lang in sorted(myth.langs):
        for template in templates("myth", lang)[: myth.templates]:
            yield f"{lang}/{template.id}", template.text


_ALL = (
    Track(
        "myth",
        lambda plan: myth_cases(plan.bank.myth, plan.protocol.myth, plan.seed),
        _myth_wordings,
    ),
    Track(
        "mirror",
        lambda plan: mirror_cases(
            plan.bank.mirror,
            plan.protocol.mirror,
            plan.seed,
            judged=plan.judged,
            home=plan.home,
        ),
        lambda plan: mirror_wordings(plan.bank.mirror, judged=plan.judged),
    ),
    Track(
        "framing",
        lambda plan: framing_cases(
            plan.bank.framing, plan.protocol.framing, plan.seed, plan.awareness_position
        ),
        lambda plan: framing_wordings(plan.protocol.framing, plan.awareness_position),
    ),
    Track(
        "persona",
        lambda plan: persona_cases(
            plan.bank.persona, plan.protocol.persona, plan.seed, judged=plan.judged
        ),
        lambda plan: persona_wordings(plan.bank.persona, plan.protocol.persona, judged=plan.judged),
    ),
    Track(
        "safety",
        lambda plan: safety_cases(plan.bank.safety, plan.protocol.safety, plan.seed),
        lambda plan: safety_wordings(plan.bank.safety, plan.protocol.safety),
    ),
    Track(
        "diagnosis",
        lambda plan: diagnosis_cases(plan.bank, plan.protocol, plan.seed) if plan.diagnose else (),
        lambda plan: diagnosis_wordings(plan.protocol) if plan.diagnose else (),
    ),
)
TRACKS: Mapping[str, Track] = {track.name: track for track in _ALL}
