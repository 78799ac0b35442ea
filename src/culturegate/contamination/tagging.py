"""Which cases are contaminated: their question, their key and both, looked for in a corpus."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from culturegate.contamination.corpus import documents
from culturegate.contamination.search import Overlap, Passage, Searcher

FIELDS = ("question", "key", "both")
DECISIVE = ("question", "both")
"""A key alone is a phrase that any text may hold; it is shown and decides nothing."""
CONTAMINATED, CLEAN, TOO_SHORT = "contaminated", "clean", "too short"


@dataclass(frozen=True, slots=True)
class Asked:
    """The texts of a case."""

    case: str
    question: str
    key: str


@dataclass(frozen=True, slots=True)
class Tag:
    """What a corpus holds of one case."""

    case: str
    state: str
    """`contaminated`, `clean`, or `too short` where no decisive field has letters enough."""
    overlaps: Mapping[str, Overlap]
    """By field."""

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON data, a share with six digits."""
        fields = {}
        for field, overlap in self.overlaps.items():
            data = {key: value for key, value in asdict(overlap).items() if key != "name"}
            fields[field] = {
                key: round(value, 6) if isinstance(value, float) else value
                for key, value in data.items()
            }
        return {"case": self.case, "state": self.state, **fields}


@dataclass(frozen=True, slots=True)
class Contamination:
    """What a corpus holds of all cases, and how it was looked for."""

    tags: Mapping[str, Tag]
    """By case."""
    paths: tuple[Path, ...]
    documents: int
    characters: int
    size: int
    """Letters of an n-gram."""
    least: float
    """Overlap from which on a case is contaminated, 0 to 1."""

    def is_contaminated(self, case: str) -> bool:
        """Return whether a case stands in the corpus."""
        tag = self.tags.get(case)
        return tag is not None and tag.state == CONTAMINATED


def find_contamination(
    asked: Iterable[Asked], paths: Sequence[Path], size: int = 8, least: float = 0.8
) -> Contamination:
    """Read a corpus once and return what it holds of each case.

    Args:
        asked: The cases' texts; cases of the same texts are looked for once.
        paths: Files and folders of the corpus.
        size: Letters of an n-gram. Source of the measure: OpenAI (2023), GPT-4 technical report,
            appendix C, with n-grams in place of whole substrings.
        least: Overlap from which on a case is contaminated, 0 to 1.

    Raises:
        CulturegateError: Where the corpus can't be read.
    """
    cases = list(asked)
    texts: dict[str, Passage] = {}
    for case in cases:
        for text in _texts(case).values():
            texts.setdefault(text, Passage(text, text))
    found = Searcher(list(texts.values()), size).search(documents(paths))
    by_text = {overlap.name: overlap for overlap in found.overlaps}
    tags = {}
    for case in cases:
        overlaps = {field: by_text[text] for field, text in _texts(case).items()}
        tags[case.case] = Tag(case.case, _state(overlaps, least), overlaps)
    return Contamination(tags, tuple(paths), found.documents, found.characters, size, least)


def _texts(case: Asked) -> dict[str, str]:
    both = f"{case.question} {case.key}"
    return dict(zip(FIELDS, (case.question, case.key, both), strict=True))


def _state(overlaps: Mapping[str, Overlap], least: float) -> str:
    windows = [window for field in DECISIVE if (window := overlaps[field].window) is not None]
    if not windows:
        return TOO_SHORT
    return CONTAMINATED if max(windows) >= least else CLEAN
