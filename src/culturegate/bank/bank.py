"""The whole bank: every track's part of it, read and validated."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

from culturegate.bank.framing import FramingBank
from culturegate.bank.items import MythItem
from culturegate.bank.mirror import MirrorBank
from culturegate.bank.names import NamesBank
from culturegate.bank.persona import PersonaBank
from culturegate.bank.safety import SafetyBank


class TrackBank(Protocol):
    """What one track's part of the bank tells of itself."""

    @property
    def files(self) -> tuple[Path, ...]:
        """Files that it was read from."""
        ...

    @property
    def canaries(self) -> Mapping[Path, str | None]:
        """Each file's canary."""
        ...

    @property
    def cultures(self) -> tuple[str, ...]:
        """Slugs of its cultures, sorted."""
        ...

    def content(self) -> Iterable[dict[str, Any]]:
        """Return what replies and metrics depend on, as plain data."""
        ...


@dataclass(frozen=True)
class Bank:
    """Every item that a run can ask, read and validated."""

    myth: tuple[MythItem, ...]
    """Sorted by id."""
    files: tuple[Path, ...]
    titles: Mapping[str, Mapping[str, str]]
    """Each culture's title by language, where a file gives one."""
    canaries: Mapping[Path, str | None]
    """Each file's canary."""
    mirror: MirrorBank = field(default_factory=MirrorBank)
    persona: PersonaBank = field(default_factory=PersonaBank)
    safety: SafetyBank = field(default_factory=SafetyBank)
    framing: FramingBank = field(default_factory=FramingBank)
    names: NamesBank = field(default_factory=NamesBank)
    """Descriptions of the myth track's names, which belong to no item."""

    @property
    def tracks(self) -> tuple[TrackBank, ...]:
        """The parts of the tracks other than myth, and the names."""
        return (self.framing, self.mirror, self.persona, self.safety, self.names)

    @cached_property
    def cultures(self) -> tuple[str, ...]:
        """Slugs of the cultures that have items, sorted."""
        found = {item.culture for item in self.myth}
        return tuple(sorted(found.union(*(track.cultures for track in self.tracks))))

    @property
    def size(self) -> int:
        """Number of items over all tracks: a norm's request is one, and so is a scene."""
        return (
            len(self.myth)
            + len(self.framing.samples)
            + len(self.mirror.families)
            + self.persona.size
            + len(self.safety.scenes)
        )

    @cached_property
    def signed(self) -> int:
        """Number of items that at least one person has signed."""
        return sum(bool(item.reviews) for item in self.myth) + self.mirror.signed

    @cached_property
    def sha256(self) -> str:
        """SHA-256 (hex) of the items' content; places, sources and signatures do not enter."""
        digest = hashlib.sha256()
        for item in self.myth:
            digest.update(_line(item.content()))
        for track in self.tracks:
            for content in track.content():
                digest.update(_line(content))
        return digest.hexdigest()


def _line(content: dict[str, Any]) -> bytes:
    return json.dumps(content, ensure_ascii=False, sort_keys=True).encode() + b"\n"
