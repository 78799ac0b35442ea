"""Reply to reading: what a model's answer says, in every language that has a table."""

from __future__ import annotations

from culturegate.scoring.choice import read_choice
from culturegate.scoring.json_object import JsonReading, read_json_object
from culturegate.scoring.label import read_label
from culturegate.scoring.language import languages
from culturegate.scoring.number import number_equal, read_number
from culturegate.scoring.reading import Reading, Status
from culturegate.scoring.script import noted_language, reply_language, script_matches
from culturegate.scoring.stance import Stance, read_stance, stated_confidence

__all__ = [
    "JsonReading",
    "Reading",
    "Stance",
    "Status",
    "languages",
    "noted_language",
    "number_equal",
    "read_choice",
    "read_json_object",
    "read_label",
    "read_number",
    "read_stance",
    "reply_language",
    "script_matches",
    "stated_confidence",
]
