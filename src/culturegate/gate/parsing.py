"""Text of thresholds.yaml to `Thresholds`, or every mistake in it with its line."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from culturegate.bank.files import read_text
from culturegate.bank.yaml12 import Document, load
from culturegate.errors import InputError
from culturegate.gate.thresholds import JUDGES, Judge, Line, Profile, Thresholds, Validity
from culturegate.metrics import FACTS, METRICS, Metric, Weighting, check_contrast, fact_text
from culturegate.text import one_line

MAX_BYTES = 1_000_000
TRACKS = ("myth", "mirror", "persona", "framing")
"""The tracks of the composite; safety is in none."""

_TOP = ("confidence", "weights", "contaminated_weight", "profiles")
_PROFILE = ("validity", "lines")
_VALIDITY = ("max_unparsed_rate", "max_truncated_rate", "min_clusters")
_BOUNDS = ("min", "max", "max_drop")
_LINE = (
    "name",
    "metric",
    "where",
    "by",
    *_BOUNDS,
    "judge",
    "min_n",
    "min_clusters",
    "redline",
    "warn",
    "against",
)

Path_ = tuple[str | int, ...]


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
    document = load(text, file)
    reader = _Reader(document)
    thresholds = reader.thresholds(hashlib.sha256(text.encode("utf-8")).hexdigest())
    if reader.problems:
        raise InputError(reader.problems, "thresholds")
    return thresholds


class _Reader:
    """Walks a document and gathers what is wrong with it."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.problems: list[Any] = []

    def say(self, message: str, path: Path_, item: str | None = None) -> None:
        self.problems.append(self.document.problem(message, path, item))

    def mapping(self, value: Any, keys: Sequence[str], path: Path_, what: str) -> dict[str, Any]:
        """Return a mapping's known keys, telling of the others."""
        if not isinstance(value, dict):
            self.say(f"{what} is {_shown(value)}; it must be a mapping", path)
            return {}
        for key in value:
            if key not in keys:
                self.say(f"unknown key {_shown(key)} in {what}{_meant(key, keys)}", (*path, key))
        return {key: value[key] for key in value if key in keys}

    def number(
        self, value: Any, path: Path_, low: float = -math.inf, high: float = math.inf
    ) -> float | None:
        """Return a finite number within [low, high], or tell what it is instead."""
        if isinstance(value, bool) or not isinstance(value, int | float):
            self.say(f"{path[-1]} is {_shown(value)}; it must be a number", path)
            return None
        try:
            found = float(value)
        except OverflowError:
            found = math.inf
        if not math.isfinite(found) or not low <= found <= high:
            allowed = f"from {low:g} to {high:g}" if math.isfinite(low + high) else "finite"
            if math.isfinite(low) and math.isinf(high):
                allowed = f"{low:g} or more"
            elif math.isinf(low) and math.isfinite(high):
                allowed = f"{high:g} or less"
            self.say(f"{path[-1]} is {_shown(value)}; it must be {allowed}", path)
            return None
        return found

    def count(self, value: Any, path: Path_) -> int | None:
        """Return a whole number of at least 1, or tell what it is instead."""
        if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= 10**9:
            self.say(f"{path[-1]} is {_shown(value)}; it must be a whole number from 1", path)
            return None
        return value

    def truth(self, value: Any, path: Path_) -> bool:
        """Return true or false, or tell what it is instead."""
        if not isinstance(value, bool):
            self.say(f"{path[-1]} is {_shown(value)}; it must be true or false", path)
            return False
        return value

    def thresholds(self, sha256: str) -> Thresholds:
        """Return the whole file; only to be used where `problems` stays empty."""
        top = self.mapping(self.document.data, _TOP, (), "the file")
        confidence = 0.95
        if "confidence" in top:
            confidence = self.number(top["confidence"], ("confidence",), 0.5, 0.9999) or 0.95
        default = Weighting()
        weights: Mapping[str, float] = default.tracks
        if "weights" in top:
            weights = self.weights(top["weights"])
        contaminated: float | None = default.contaminated
        if "contaminated_weight" in top:
            path = ("contaminated_weight",)
            contaminated = self.number(top["contaminated_weight"], path, 0, 1)
        profiles: dict[str, Profile] = {}
        if isinstance(self.document.data, dict) and "profiles" not in top:
            self.say("there are no profiles; name at least one", ())
        elif "profiles" in top:
            entries = top["profiles"]
            if not isinstance(entries, dict) or not entries:
                self.say(f"profiles is {_shown(entries)}; it must name at least one", ("profiles",))
            else:
                profiles = {name: self.profile(name, entry) for name, entry in entries.items()}
        weighting = Weighting(weights, 0.5 if contaminated is None else contaminated)
        return Thresholds(self.document.file, sha256, confidence, weighting, profiles)

    def weights(self, value: Any) -> Mapping[str, float]:
        found = self.mapping(value, TRACKS, ("weights",), "weights")
        weights = {
            track: self.number(weight, ("weights", track), 0, 1e6) or 0.0
            for track, weight in found.items()
        }
        if isinstance(value, dict) and not any(weights.values()):
            self.say("weights has no track above 0", ("weights",))
        return weights

    def profile(self, name: str, entry: Any) -> Profile:
        path: Path_ = ("profiles", name)
        found = self.mapping(entry, _PROFILE, path, f"profile {_shown(name)}")
        validity = Validity()
        if "validity" in found:
            validity = self.validity(found["validity"], (*path, "validity"))
        entries = found.get("lines")
        if not isinstance(entries, list) or not entries:
            if isinstance(entry, dict):
                self.say(f"profile {_shown(name)} has no lines; list at least one", path)
            return Profile(name, validity, ())
        lines: list[Line] = []
        names: dict[str, int] = {}
        for index, line_entry in enumerate(entries):
            line = self.line(line_entry, (*path, "lines", index))
            if line is None:
                continue
            place = self.document.line((*path, "lines", index))
            if line.name in names:
                first = names[line.name]
                self.say(
                    f"a second line of this name; the first is at line {first}",
                    (*path, "lines", index),
                    line.name,
                )
            names.setdefault(line.name, place)
            lines.append(line)
        return Profile(name, validity, tuple(lines))

    def validity(self, value: Any, path: Path_) -> Validity:
        found = self.mapping(value, _VALIDITY, path, "validity")
        rates = {
            key: self.number(found[key], (*path, key), 0, 1)
            for key in ("max_unparsed_rate", "max_truncated_rate")
            if key in found
        }
        given: dict[str, Any] = {key: rate for key, rate in rates.items() if rate is not None}
        if "min_clusters" in found:
            clusters = self.count(found["min_clusters"], (*path, "min_clusters"))
            given |= {} if clusters is None else {"min_clusters": clusters}
        return Validity(**given)

    def line(self, entry: Any, path: Path_) -> Line | None:
        before = len(self.problems)
        found = self.mapping(entry, _LINE, path, "a line")
        if not isinstance(entry, dict):
            return None
        name = found.get("name")
        if not isinstance(name, str) or not name.strip():
            told = "has no name" if "name" not in found else f"has the name {_shown(name)}"
            self.say(f"a line {told}; give it a few words, quoted where in doubt", path)
            name = ""
        label = one_line(name, 80) or None
        metric = self.metric(found, path, label)
        bound, limit = self.limit(found, metric, path, label)
        where = self.where(found.get("where", {}), (*path, "where"), label)
        by = self.by(found, where, path, label)
        if metric is not None:
            self.contrast(metric, where, by, path, label)
        judge = self.judge(found, metric, path, label)
        flags = {
            key: self.truth(found[key], (*path, key)) for key in ("redline", "warn") if key in found
        }
        if flags.get("redline") and flags.get("warn"):
            self.say("a red line vetoes and a warning never fails; keep one", path, label)
        counts = {
            key: self.count(found[key], (*path, key))
            for key in ("min_n", "min_clusters")
            if key in found
        }
        if len(self.problems) > before or metric is None or limit is None:
            return Line(name, METRICS["accuracy"], 0, "min") if name else None
        return Line(
            name=one_line(name),
            metric=metric,
            limit=limit,
            bound=bound,
            where=tuple(sorted(where.items())),
            by=by,
            judge=judge,
            min_n=counts.get("min_n") or 1,
            min_clusters=counts.get("min_clusters"),
            redline=flags.get("redline", False),
            warn=flags.get("warn", False),
            place=self.document.line(path),
        )

    def metric(self, found: dict[str, Any], path: Path_, label: str | None) -> Metric | None:
        if "metric" not in found:
            self.say(f"no metric; name one of {_listed(METRICS)}", path, label)
            return None
        name = found["metric"]
        if not isinstance(name, str) or name not in METRICS:
            self.say(
                f"unknown metric {_shown(name)}{_meant(name, METRICS)}", (*path, "metric"), label
            )
            return None
        return METRICS[name]

    def limit(
        self, found: dict[str, Any], metric: Metric | None, path: Path_, label: str | None
    ) -> tuple[Any, float | None]:
        """Return which bound a line sets, and the limit where it can be met."""
        against = found.get("against")
        if "against" in found and against != "baseline":
            told = f"against is {_shown(against)}; it can only be baseline"
            self.say(told, (*path, "against"), label)
        bounds = [bound for bound in _BOUNDS if bound in found]
        wanted = ["max_drop"] if "against" in found else ["min", "max"]
        if len(bounds) != 1 or bounds[0] not in wanted:
            need = "max_drop and no other limit" if "against" in found else "either min or max"
            if "against" not in found and "max_drop" in bounds:
                need += ", or max_drop with against: baseline"
            has = " and ".join(bounds) or "no limit"
            self.say(f"the line has {has}; it needs {need}", path, label)
            return "min", None
        bound = bounds[0]
        low, high = (-math.inf, math.inf) if metric is None else (metric.low, metric.high)
        if bound == "max_drop":
            low, high = 0, high - low
        return bound, self.number(found[bound], (*path, bound), low, high)

    def where(self, value: Any, path: Path_, label: str | None) -> dict[str, str]:
        if not isinstance(value, dict):
            self.say(f"where is {_shown(value)}; it must map facts to values", path, label)
            return {}
        group: dict[str, str] = {}
        for fact, wanted in value.items():
            if fact not in FACTS:
                self.say(f"unknown fact {_shown(fact)}{_meant(fact, FACTS)}", (*path, fact), label)
            elif wanted is None or isinstance(wanted, dict | list | float):
                told = f"{fact} is {_shown(wanted)}; it must be one value, such as a name"
                self.say(told, (*path, fact), label)
            else:
                group[fact] = fact_text(wanted) or ""
        return group

    def by(
        self, found: dict[str, Any], where: dict[str, str], path: Path_, label: str | None
    ) -> str | None:
        if "by" not in found:
            return None
        by = found["by"]
        if not isinstance(by, str) or by not in FACTS:
            self.say(
                f"by is {_shown(by)}; it must be one fact{_meant(by, FACTS)}", (*path, "by"), label
            )
            return None
        if by in where:
            self.say(f"where already fixes {by}, so by has nothing to split", (*path, "by"), label)
            return None
        return by

    def contrast(
        self, metric: Metric, where: dict[str, str], by: str | None, path: Path_, label: str | None
    ) -> None:
        try:
            check_contrast(metric, where if by is None else {**where, by: ""})
        except ValueError as error:
            self.say(str(error), path, label)

    def judge(
        self, found: dict[str, Any], metric: Metric | None, path: Path_, label: str | None
    ) -> Judge:
        value = found.get("judge", "point")
        for judge in JUDGES:
            if value == judge:
                if judge != "point" and metric is not None and not metric.interval:
                    told = f"{metric.name} has no interval; judge it by point"
                    self.say(told, (*path, "judge"), label)
                return judge
        self.say(f"unknown judge {_shown(value)}{_meant(value, JUDGES)}", (*path, "judge"), label)
        return "point"


def _shown(value: Any) -> str:
    if value is None:
        return "empty"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict | list):
        return "a mapping" if isinstance(value, dict) else "a list"
    return one_line(repr(value), 60)


def _meant(value: Any, names: Iterable[str]) -> str:
    close = get_close_matches(str(value)[:60], list(names), 1)
    told = f"; did you mean {close[0]!r}?" if close else ""
    return f"{told} (there are: {_listed(names)})"


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names)
