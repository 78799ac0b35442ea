"""Reply to reading."""

from __future__ import annotations

from culturegate.scoring.choice import read_choice
from culturegate.scoring.language import languages
from culturegate.scoring.reading import Reading, Status

__all__ = ["Reading", "Status", "languages", "read_choice"]
