"""One line of thresholds.yaml."""

from __future__ import annotations

import math
from typing import Any

from culturegate.gate.fields import Fields, Steps, listed, meant, shown
from culturegate.gate.thresholds import JUDGES, Bound, Judge, Line
from culturegate.metrics import EFFICIENCY, FACTS, METRICS, Metric, check_contrast, fact_text
from culturegate.text import one_line

_KNOWN = {**METRICS, **EFFICIENCY}
_BOUNDS: tuple[Bound, ...] = ("min", "max", "max_drop")
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


class LineReader:
    """Reads the lines of a file, noting their mistakes in its `Fields`."""

    def __init__(self, fields: Fields) -> None:
        self.fields = fields
        self.say = fields.say

    def read(self, entry: Any, path: Steps) -> Line | None:
        """Return a line, to be used only where no problem was noted; None where it has no name."""
        name = entry.get("name") if isinstance(entry, dict) else None
        self.fields.item = one_line(name, 80) if isinstance(name, str) and name.strip() else None
        try:
            return self._read(entry, path)
        finally:
            self.fields.item = None

    def _read(self, entry: Any, path: Steps) -> Line | None:
        before = len(self.fields.problems)
        found = self.fields.mapping(entry, _LINE, path, "a line")
        if not isinstance(entry, dict):
            return None
        name = found.get("name")
        if not isinstance(name, str) or not name.strip():
            told = "has no name" if "name" not in found else f"has the name {shown(name)}"
            self.say(f"a line {told}; give it a few words, quoted where in doubt", path)
            name = ""
        metric = self._metric(found, path)
        bound, limit = self._limit(found, metric, path)
        where = self._where(found.get("where", {}), (*path, "where"))
        by = self._by(found, where, path)
        if metric is not None:
            self._contrast(metric, where, by, path)
        judge = self._judge(found, metric, path)
        flags = {
            key: self.fields.truth(found[key], (*path, key))
            for key in ("redline", "warn")
            if key in found
        }
        if flags.get("redline") and flags.get("warn"):
            self.say("a red line vetoes and a warning never fails; keep one", path)
        counts = {
            key: self.fields.count(found[key], (*path, key))
            for key in ("min_n", "min_clusters")
            if key in found
        }
        if len(self.fields.problems) > before or metric is None or limit is None:
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
            place=self.fields.document.line(path),
        )

    def _metric(self, found: dict[str, Any], path: Steps) -> Metric | None:
        if "metric" not in found:
            self.say(f"no metric; name one of {listed(_KNOWN)}", path)
            return None
        name = found["metric"]
        if not isinstance(name, str) or name not in _KNOWN:
            self.say(f"unknown metric {shown(name)}{meant(name, _KNOWN)}", (*path, "metric"))
            return None
        return _KNOWN[name]

    def _limit(
        self, found: dict[str, Any], metric: Metric | None, path: Steps
    ) -> tuple[Bound, float | None]:
        """Return which bound a line sets, and the limit where it can be met."""
        against = found.get("against")
        if "against" in found and against != "baseline":
            told = f"against is {shown(against)}; it can only be baseline"
            self.say(told, (*path, "against"))
        bounds = [bound for bound in _BOUNDS if bound in found]
        wanted = ["max_drop"] if "against" in found else ["min", "max"]
        if len(bounds) != 1 or bounds[0] not in wanted:
            need = "max_drop and no other limit" if "against" in found else "either min or max"
            if "against" not in found and "max_drop" in bounds:
                need += ", or max_drop with against: baseline"
            has = " and ".join(bounds) or "no limit"
            self.say(f"the line has {has}; it needs {need}", path)
            return "min", None
        bound = bounds[0]
        low, high = (-math.inf, math.inf) if metric is None else (metric.low, metric.high)
        if bound == "max_drop":
            if metric is not None and metric.name in EFFICIENCY:
                told = f"{metric.name} can't be held against a baseline, whose times were others'"
                self.say(f"{told}; give it min or max", path)
            low, high = 0, high - low
        return bound, self.fields.number(found[bound], (*path, bound), low, high)

    def _where(self, value: Any, path: Steps) -> dict[str, str]:
        if not isinstance(value, dict):
            self.say(f"where is {shown(value)}; it must map facts to values", path)
            return {}
        group: dict[str, str] = {}
        for fact, wanted in value.items():
            if fact not in FACTS:
                self.say(f"unknown fact {shown(fact)}{meant(fact, FACTS)}", (*path, fact))
            elif wanted is None or isinstance(wanted, dict | list | float):
                told = f"{fact} is {shown(wanted)}; it must be one value, such as a name"
                self.say(told, (*path, fact))
            else:
                group[fact] = fact_text(wanted) or ""
        return group

    def _by(self, found: dict[str, Any], where: dict[str, str], path: Steps) -> str | None:
        if "by" not in found:
            return None
        by = found["by"]
        if not isinstance(by, str) or by not in FACTS:
            self.say(f"by is {shown(by)}; it must be one fact{meant(by, FACTS)}", (*path, "by"))
            return None
        if by in where:
            self.say(f"where already fixes {by}, so by has nothing to split", (*path, "by"))
            return None
        return by

    def _contrast(self, metric: Metric, where: dict[str, str], by: str | None, path: Steps) -> None:
        try:
            check_contrast(metric, where if by is None else {**where, by: ""})
        except ValueError as error:
            self.say(str(error), path)

    def _judge(self, found: dict[str, Any], metric: Metric | None, path: Steps) -> Judge:
        value = found.get("judge", "point")
        for judge in JUDGES:
            if value == judge:
                if judge != "point" and metric is not None and not metric.interval:
                    told = f"{metric.name} has no interval; judge it by point"
                    self.say(told, (*path, "judge"))
                return judge
        self.say(f"unknown judge {shown(value)}{meant(value, JUDGES)}", (*path, "judge"))
        return "point"
