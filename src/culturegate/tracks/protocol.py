"""How much is asked: the protocols, and the single settings that override them."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class MythProtocol:
    """How much of the myth track is asked."""

    templates: int
    """Number of wordings a case is asked in."""
    langs: tuple[str, ...]
    clusters_per_culture: int | None
    """Episodes asked a culture and kind; None asks all."""
    samples: int = 1
    temperature: float = 0.0
    top_p: float = 1.0
    max_tokens: int = 32


@dataclass(frozen=True, slots=True)
class MirrorProtocol:
    """How much of the mirror track is asked; each arm has a language of its own."""

    families_per_region: int | None
    """Families asked a region, from its task types in turn; None asks all."""
    samples: int
    temperature: float = 0.7
    top_p: float = 1.0
    max_tokens: int = 800
    judged_samples: int = 1
    """Samples of a case whose reasoning a judge scores, where there is a judge."""
    judge_threshold: float = 1.0
    """Points out of 2 by which two judge calls may differ without a third."""


@dataclass(frozen=True, slots=True)
class FramingProtocol:
    """How much of the framing track is asked."""

    langs: tuple[str, ...]
    samples_per_lang: int | None
    """Notes asked a language; None asks all."""
    rounds: int
    """Round r uses wording r of awareness and of framing."""
    jobs: str
    """`first`, `turns` (each note gets one job, all jobs in turn) or `all`."""
    temperature: float = 0.0
    top_p: float = 1.0
    max_tokens: int = 600
    seed: int = 42
    """Together with the bank seed: order and codes of the conditions, order of the rounds."""


@dataclass(frozen=True, slots=True)
class PersonaProtocol:
    """How much of the persona track is asked."""

    langs: tuple[str, ...]
    personas_per_culture: int
    requests_per_persona: int | None
    """None asks the whole grid."""
    arms: tuple[str, ...] = ("implicit", "hint", "explicit", "none")
    samples: int = 1
    temperature: float = 0.0
    top_p: float = 1.0
    max_tokens: int = 32
    reply_tokens: int = 300
    """Most tokens of a reply that a judge scores."""


@dataclass(frozen=True, slots=True)
class SafetyProtocol:
    """How much of the safety track is asked."""

    langs: tuple[str, ...]
    pairs: int | None
    """Pairs asked, over all cultures; None asks all."""
    samples: int = 1
    temperature: float = 0.0
    top_p: float = 1.0
    max_tokens: int = 32


@dataclass(frozen=True, slots=True)
class DiagnosisProtocol:
    """How the diagnosis is asked: once each, of what the myth track asks."""

    temperature: float = 0.0
    top_p: float = 1.0
    max_tokens: int = 32
    completion_tokens: int = 160
    """Most tokens of a reply that completes a text."""


@dataclass(frozen=True, slots=True)
class Protocol:
    """One named amount of asking, over all tracks."""

    name: str
    myth: MythProtocol
    mirror: MirrorProtocol
    framing: FramingProtocol
    persona: PersonaProtocol
    safety: SafetyProtocol
    diagnosis: DiagnosisProtocol = DiagnosisProtocol()


_EN = ("en",)
_BOTH = ("en", "zh")
PROTOCOLS = {
    "quick": Protocol(
        "quick",
        MythProtocol(1, _EN, 6),
        MirrorProtocol(4, samples=1, max_tokens=128),
        FramingProtocol(_EN, 12, rounds=1, jobs="first", max_tokens=120),
        PersonaProtocol(_EN, 2, 4, arms=("implicit", "none")),
        SafetyProtocol(_EN, 20),
    ),
    "standard": Protocol(
        "standard",
        MythProtocol(3, _BOTH, None),
        MirrorProtocol(None, samples=5),
        FramingProtocol(_BOTH, 100, rounds=3, jobs="turns"),
        PersonaProtocol(_EN, 10, 8),
        SafetyProtocol(_EN, None),
    ),
    "full": Protocol(
        "full",
        MythProtocol(5, _BOTH, None),
        MirrorProtocol(None, samples=10),
        FramingProtocol(_BOTH, None, rounds=3, jobs="all"),
        PersonaProtocol(_EN, 10, None),
        SafetyProtocol(_BOTH, None),
    ),
}


def stable_order(names: Iterable[str], seed: int) -> list[str]:
    """Return `names` in an order that depends on `seed` and on each name alone.

    A name added to the set never changes the order of the others, so a sample drawn from the
    front changes as little as can be when a bank grows.
    """
    return sorted(
        set(names), key=lambda name: (hashlib.sha256(f"{seed}:{name}".encode()).digest(), name)
    )


def own_sample(case: str, sample: int) -> int:
    """Return a `Prompt.sample` of the case's own, for a payload that other cases may send too.

    Without it such cases would share one reply's key, and a replay would give all of them the
    reply that was stored last. It depends on the case's id and the sample alone.
    """
    return int(hashlib.sha256(case.encode()).hexdigest()[:8], 16) * _SAMPLES + sample


_SAMPLES = 100_000
"""More than a case has samples, and more than there are calls on them."""


def sample_clusters(
    members: Iterable[tuple[tuple[str, ...], str]], count: int | None, seed: int
) -> set[tuple[tuple[str, ...], str]]:
    """Draw whole clusters, `count` from each stratum (all where `count` is None).

    Args:
        members: Pairs of stratum and cluster id, repeats allowed.
        count: How many clusters a stratum gives; a smaller stratum gives all it has.
        seed: The bank seed.

    Returns:
        The pairs drawn.
    """
    strata: defaultdict[tuple[str, ...], set[str]] = defaultdict(set)
    for stratum, cluster in members:
        strata[stratum].add(cluster)
    return {
        (stratum, cluster)
        for stratum, clusters in strata.items()
        for cluster in stable_order(clusters, seed)[:count]
    }
