"""Whether items stand in a corpus that a model was trained on."""

from culturegate.contamination.corpus import documents
from culturegate.contamination.search import Findings, Overlap, Passage, Searcher
from culturegate.contamination.tagging import Asked, Contamination, Tag, find_contamination

__all__ = [
    "Asked",
    "Contamination",
    "Findings",
    "Overlap",
    "Passage",
    "Searcher",
    "Tag",
    "documents",
    "find_contamination",
]
