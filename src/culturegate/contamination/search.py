"""Passages looked for in a stream of documents, by the character n-grams that they share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from culturegate.contamination.letters import Codes, grams, letters

WORDS = 13
"""Words of a sequence that other harnesses look for. Source: Brown et al. (2020), appendix C."""
SLACK = 1.25
"""Length of the window beside the passage's own, since a quotation is often a little longer."""
_BITS = 24

Places = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Passage:
    """A text to look for."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Overlap:
    """How much of a passage stands in a corpus."""

    name: str
    letters: int
    """Letters and digits of the passage."""
    window: float | None
    """Largest share of the passage's n-grams in one stretch of one document, about as long as the
    passage; None where the passage is too short to have any."""
    pooled: float | None
    """Share of its n-grams that stand anywhere in the corpus, however far apart."""
    words: float | None
    """Share of its sequences of 13 words that stand in the corpus, compared by their letters; None
    for a passage of fewer words."""
    place: str | None
    """The document of the best window; None where there is none."""


@dataclass(frozen=True, slots=True)
class Findings:
    """What a search through a corpus found."""

    overlaps: tuple[Overlap, ...]
    """In the order of the passages."""
    documents: int
    characters: int
    """Of the corpus, as read."""


class Searcher:
    """Looks for passages in documents, one piece at a time.

    Memory is bounded by the passages and one piece: each n-gram of the passages stands in one
    sorted table, and a piece carries over as much of its end as the longest window needs.
    """

    def __init__(self, passages: Sequence[Passage], size: int = 8) -> None:
        """Index the passages.

        Args:
            passages: What to look for.
            size: Letters of an n-gram.
        """
        self._size = size
        self._passages = passages
        codes = [letters(passage.text) for passage in passages]
        hashes = [grams(each, size) for each in codes]
        counts = [len(each) for each in hashes]
        flat = np.concatenate(hashes) if hashes else np.empty(0, dtype=np.uint64)
        order = np.argsort(flat, kind="stable")
        self._table = flat[order]
        self._owner = np.repeat(np.arange(len(passages)), counts)[order]
        self._offset = np.cumsum([0, *counts], dtype=np.int64)
        self._row = order  # Of each entry of the table: its place in all passages laid end to end.
        # A repeated n-gram counts once: its first place in the passage stands for all.
        firsts = [_first_places(each) + o for each, o in zip(hashes, self._offset, strict=False)]
        self._first = np.concatenate(firsts) if firsts else np.empty(0, dtype=np.int64)
        self._lengths = np.array([len(each) for each in codes], dtype=np.int64)
        self._distinct = np.array([len(np.unique(each)) for each in firsts], dtype=np.int64)
        self._filter = np.zeros(1 << _BITS, dtype=bool)
        self._filter[self._table >> np.uint64(64 - _BITS)] = True
        self._keep = int(max(self._lengths, default=0) * SLACK) + size
        self._sequences = [
            _sequences(passage.text, len(each))
            for passage, each in zip(passages, codes, strict=True)
        ]
        # The fewest n-grams that could hold a sequence of words, or make the best window better.
        self._worth = np.array(
            [
                min((stop - start - size + 1 for start, stop in each), default=len(flat))
                for each in self._sequences
            ],
            dtype=np.int64,
        )
        self._best = np.zeros(len(passages), dtype=np.int64)
        self._place: list[str | None] = [None] * len(passages)
        self._seen = np.zeros(len(flat), dtype=bool)
        self._quoted: list[set[int]] = [set() for _ in passages]

    def search(self, corpus: Iterable[tuple[str, Iterator[str]]]) -> Findings:
        """Read the corpus to its end and return what it holds of each passage.

        Args:
            corpus: Each document's name and its pieces, as `documents` yields them.
        """
        documents = characters = 0
        for name, pieces in corpus:
            documents += 1
            held: list[Codes] = [np.empty(0, dtype=np.uint32)]
            waiting = 0
            for piece in pieces:
                characters += len(piece)
                if not len(found := letters(piece)):
                    continue
                held.append(found)
                waiting += len(found)
                # Small pieces (the strings of a line) are gathered, large ones overlap.
                if waiting > 4 * self._keep + (1 << 19):
                    codes = np.concatenate(held)
                    self._look(name, codes)
                    held = [codes[-self._keep :]]
                    waiting = self._keep
            self._look(name, np.concatenate(held))
        return Findings(tuple(self._overlaps()), documents, characters)

    def _overlaps(self) -> Iterator[Overlap]:
        for index, passage in enumerate(self._passages):
            length = int(self._lengths[index])
            distinct = int(self._distinct[index])
            sequences = self._sequences[index]
            stretch = slice(self._offset[index], self._offset[index + 1])
            seen = len(np.unique(self._first[stretch][self._seen[stretch]]))
            yield Overlap(
                passage.name,
                length,
                int(self._best[index]) / distinct if distinct else None,
                seen / distinct if distinct else None,
                len(self._quoted[index]) / len(sequences) if sequences else None,
                self._place[index],
            )

    def _look(self, name: str, codes: Codes) -> None:
        hashes = grams(codes, self._size)
        near = np.flatnonzero(self._filter[hashes >> np.uint64(64 - _BITS)])
        if not len(near):
            return
        start = np.searchsorted(self._table, hashes[near], side="left")
        stop = np.searchsorted(self._table, hashes[near], side="right")
        each = stop - start
        place = np.repeat(near, each)
        if not len(place):
            return
        # Of each hit: every row of the table from `start` to `stop`.
        row = np.arange(len(place)) - np.repeat(np.cumsum(each) - each, each)
        row += np.repeat(start, each)
        owner, at = self._owner[row], self._row[row]
        self._seen[at] = True
        distinct = np.bincount(
            self._owner_of(np.unique(self._first[at])), minlength=len(self._passages)
        )
        promising = (distinct > self._best) | (distinct >= self._worth)
        use = promising[owner]
        owner, at, place = owner[use], at[use], place[use]
        order = np.argsort(owner, kind="stable")
        owner, at, place = owner[order], at[order], place[order]
        bounds = np.flatnonzero(np.diff(owner, prepend=-1, append=-1))
        for begin, end in pairwise(bounds):
            index = int(owner[begin])
            better = bool(distinct[index] > self._best[index])
            self._note(name, index, place[begin:end], at[begin:end], better)

    def _owner_of(self, rows: Places) -> Places:
        return np.searchsorted(self._offset, rows, side="right") - 1

    def _note(self, name: str, index: int, place: Places, at: Places, better: bool) -> None:
        """Take in the hits of one passage: `at` in the passages, at `place` in the piece.

        `better` says that a window of them could hold more than the best so far.
        """
        if better:
            width = int(self._lengths[index] * SLACK) - self._size + 1
            best = _densest(place, self._first[at], max(width, 1))
            if best > self._best[index]:
                self._best[index], self._place[index] = best, name
        wanted = self._sequences[index]
        if len(self._quoted[index]) < len(wanted):
            self._quoted[index] |= _runs(place, at - self._offset[index], wanted, self._size)


def _first_places(hashes: NDArray[np.uint64]) -> Places:
    """Return, for each place, the first place that holds the same n-gram."""
    _, first, inverse = np.unique(hashes, return_index=True, return_inverse=True)
    return np.asarray(first[inverse], dtype=np.int64)


def _densest(place: Places, gram: Places, width: int) -> int:
    """Return the most distinct n-grams that start within `width` letters of one another."""
    counts: dict[int, int] = {}
    best = begin = 0
    places, names = place.tolist(), gram.tolist()
    for end, name in enumerate(names):
        counts[name] = counts.get(name, 0) + 1
        while places[end] - places[begin] >= width:
            old = names[begin]
            counts[old] -= 1
            if not counts[old]:
                del counts[old]
            begin += 1
        best = max(best, len(counts))
    return best


def _sequences(text: str, total: int) -> list[tuple[int, int]]:
    """Return where each sequence of 13 words begins and ends among the text's letters."""
    lengths = [length for word in text.split() if (length := len(letters(word)))]
    if len(lengths) < WORDS or sum(lengths) != total:
        return []
    ends = np.cumsum(lengths)
    starts = ends - lengths
    return [
        (int(starts[first]), int(ends[first + WORDS - 1]))
        for first in range(len(lengths) - WORDS + 1)
    ]


def _runs(place: Places, at: Places, wanted: Sequence[tuple[int, int]], size: int) -> set[int]:
    """Return which of the stretches `wanted` stand unbroken in the piece."""
    order = np.lexsort((at, place - at))
    diagonal, at = (place - at)[order], at[order]
    breaks = (np.diff(diagonal) != 0) | (np.diff(at) > 1)
    edges = np.flatnonzero(np.concatenate([[True], breaks, [True]]))
    found: set[int] = set()
    for begin, end in pairwise(edges):
        low, high = int(at[begin]), int(at[end - 1]) + size
        found |= {n for n, (start, stop) in enumerate(wanted) if low <= start and stop <= high}
    return found
