"""Text of thresholds.yaml to `Thresholds`, or every mistake in it with its line."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from culturegate.bank.files import read_text
from culturegate.bank.yaml12 import load
from culturegate.errors import InputError
from culturegate.gate.fields import Fields, Steps, shown
from culturegate.gate.line_parsing import LineReader
from culturegate.gate.thresholds import Line, Profile, Thresholds, Validity
from culturegate.metrics import Weighting

MAX_BYTES = 1_000_000
TRACKS = ("myth", "mirror", "persona", "framing")
"""The tracks of the composite; safety is in none."""

_TOP = ("confidence", "weights", "contaminated_weight", "profiles")
_PROFILE = ("validity", "lines")
_VALIDITY = ("max_unparsed_rate", "max_truncated_rate", "min_clusters")


def load_thresholds(file: Path) -> Thresholds:
    """Read a thresholds.yaml; raises `InputError` as `parse_thresholds` does."""
    return parse_thresholds(read_text(file, MAX_BYTES), file)


def parse_thresholds(text: str, file: Path) -> Thresholds:
    """Read the text of a thresholds.yaml.

    Raises:
        InputError: Every mistake at once, each with its line: syntax, unknown keys, metrics, facts
            and judges, limits that nothing could meet, lines of one name, and a line with neither
            or both of `min` and `max`.
    """
    reader = _Reader(Fields(load(text, file)))
    thresholds = reader.thresholds(hashlib.sha256(text.encode("utf-8")).hexdigest())
    if reader.fields.problems:
        raise InputError(
            sorted(reader.fields.problems, key=lambda each: each.line or 0), "thresholds"
        )
    return thresholds


class _Reader:
    """Reads the file around its lines."""

    def __init__(self, fields: Fields) -> None:
        self.fields = fields
        self.say = fields.say
        self.lines = LineReader(fields)

    def thresholds(self, sha256: str) -> Thresholds:
        """Return the whole file; only to be used where `problems` stays empty."""
        top = self.fields.mapping(self.fields.document.data, _TOP, (), "the file")
        confidence = 0.95
        if "confidence" in top:
            confidence = self.fields.number(top["confidence"], ("confidence",), 0.5, 0.9999) or 0.95
        default = Weighting()
        weights: Mapping[str, float] = default.tracks
        if "weights" in top:
            weights = self._weights(top["weights"])
        contaminated: float | None = default.contaminated
        if "contaminated_weight" in top:
            path = ("contaminated_weight",)
            contaminated = self.fields.number(top["contaminated_weight"], path, 0, 1)
        profiles: dict[str, Profile] = {}
        if isinstance(self.fields.document.data, dict) and "profiles" not in top:
            self.say("there are no profiles; name at least one", ())
        elif "profiles" in top:
            entries = top["profiles"]
            if not isinstance(entries, dict) or not entries:
                self.say(f"profiles is {shown(entries)}; it must name at least one", ("profiles",))
            else:
                profiles = {name: self._profile(name, entry) for name, entry in entries.items()}
        weighting = Weighting(weights, 0.5 if contaminated is None else contaminated)
        return Thresholds(self.fields.document.file, sha256, confidence, weighting, profiles)

    def _weights(self, value: Any) -> Mapping[str, float]:
        found = self.fields.mapping(value, TRACKS, ("weights",), "weights")
        weights = {
            track: self.fields.number(weight, ("weights", track), 0, 1e6) or 0.0
            for track, weight in found.items()
        }
        if isinstance(value, dict) and not any(weights.values()):
            self.say("weights has no track above 0", ("weights",))
        return weights

    def _profile(self, name: str, entry: Any) -> Profile:
        path: Steps = ("profiles", name)
        found = self.fields.mapping(entry, _PROFILE, path, f"profile {shown(name)}")
        validity = Validity()
        if "validity" in found:
            validity = self._validity(found["validity"], (*path, "validity"))
        entries = found.get("lines")
        if not isinstance(entries, list) or not entries:
            if isinstance(entry, dict):
                self.say(f"profile {shown(name)} has no lines; list at least one", path)
            return Profile(name, validity, ())
        lines: list[Line] = []
        names: dict[str, int] = {}
        for index, line_entry in enumerate(entries):
            line = self.lines.read(line_entry, (*path, "lines", index))
            if line is None:
                continue
            place = self.fields.document.line((*path, "lines", index))
            if line.name in names:
                first = names[line.name]
                told = f"a second line named {shown(line.name)}; the first is at line {first}"
                self.say(told, (*path, "lines", index))
            names.setdefault(line.name, place)
            lines.append(line)
        return Profile(name, validity, tuple(lines))

    def _validity(self, value: Any, path: Steps) -> Validity:
        found = self.fields.mapping(value, _VALIDITY, path, "validity")
        rates = {
            key: self.fields.number(found[key], (*path, key), 0, 1)
            for key in ("max_unparsed_rate", "max_truncated_rate")
            if key in found
        }
        given: dict[str, Any] = {key: rate for key, rate in rates.items() if rate is not None}
        if "min_clusters" in found:
            clusters = self.fields.count(found["min_clusters"], (*path, "min_clusters"))
            given |= {} if clusters is None else {"min_clusters": clusters}
        return Validity(**given)
