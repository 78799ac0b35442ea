"""Items that ask the same thing, word for word or nearly."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from culturegate.bank.findings import Finding, LintLimits, at_item
from culturegate.bank.items import MythItem
from culturegate.bank.wording import bare

_PERMUTATIONS = 64
_SHINGLE = 4


def duplicates(items: Sequence[MythItem], limits: LintLimits) -> Iterator[Finding]:
    """Name the items whose question stands elsewhere too, and those that are nearly another."""
    same: set[frozenset[str]] = set()
    for lang in sorted({lang for item in items for lang in item.langs}):
        asked: defaultdict[str, list[MythItem]] = defaultdict(list)
        for item in items:
            if lang in item.question:
                asked[bare(item.question[lang])].append(item)
        for members in asked.values():
            ids = frozenset(item.id for item in members)
            if len(members) > 1 and ids not in same:
                same.add(ids)
                shown = ", ".join(item.original_id or item.id for item in members[:6])
                more = f" and {len(members) - 6} more" if len(members) > 6 else ""
                yield at_item(
                    "duplicate",
                    members[0],
                    f"duplicate after normalising: {shown}{more} ask one question ({lang}); they "
                    "count as one piece of evidence, so reword or drop all but one",
                )
        yield from _near(items, lang, limits, same)


def _near(
    items: Sequence[MythItem], lang: str, limits: LintLimits, same: set[frozenset[str]]
) -> Iterator[Finding]:
    from datasketch import MinHash, MinHashLSH  # type: ignore[import-untyped]  # only lint pays

    # Candidates are asked for below the limit and then measured, since MinHash only estimates.
    index = MinHashLSH(threshold=limits.near_duplicate - 0.15, num_perm=_PERMUTATIONS)
    seen: dict[str, tuple[MythItem, frozenset[bytes]]] = {}
    for item in items:
        if lang not in item.question:
            continue
        shingles = _shingles(item, lang)
        sketch = MinHash(num_perm=_PERMUTATIONS)
        sketch.update_batch(sorted(shingles))
        for other_id in sorted(index.query(sketch)):
            other, theirs = seen[other_id]
            alike = len(shingles & theirs) / len(shingles | theirs)
            pair = frozenset({item.id, other_id})
            if alike >= limits.near_duplicate and not any(pair <= known for known in same):
                same.add(pair)
                yield at_item(
                    "duplicate",
                    item,
                    f"nearly the same as {other_id} at {other.file}:{other.line} ({lang}, "
                    f"{alike:.0%} alike); reword or drop one",
                )
        index.insert(item.id, sketch)
        seen[item.id] = (item, shingles)


def _shingles(item: MythItem, lang: str) -> frozenset[bytes]:
    """Return the character runs of question and options, so that short texts compare too."""
    texts = [item.question[lang], *sorted(option.text[lang] for option in item.options.values())]
    text = re.sub(r"\s+", " ", bare(" ".join(texts)))
    size = 2 if not text.isascii() else _SHINGLE
    return frozenset(text[at : at + size].encode() for at in range(max(len(text) - size + 1, 1)))
