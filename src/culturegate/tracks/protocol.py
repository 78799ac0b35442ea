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
class Protocol:
    """One named amount of asking, over all tracks."""

    name: str
    myth: MythProtocol


PROTOCOLS = {
    "quick": Protocol("quick", MythProtocol(1, ("en",), 6)),
    "standard": Protocol("standard", MythProtocol(3, ("en", "zh"), None)),
    "full": Protocol("full", MythProtocol(5, ("en", "zh"), None)),
}


def stable_order(names: Iterable[str], seed: int) -> list[str]:
    """Return `names` in an order that depends on `seed` and on each name alone.

    A name added to the set never changes the order of the others, so a sample drawn from the
    front changes as little as can be when a bank grows.
    """
    return sorted(
        set(names), key=lambda name: (hashlib.sha256(f"{seed}:{name}".encode()).digest(), name)
    )


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
