"""What a run says, worked out once: the sentence, the caveats, the table; terminal, Markdown and
HTML only lay it out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from culturegate.metrics.estimate import Estimate
from culturegate.reports.gate_rows import GateRow, gate_rows
from culturegate.reports.run import Run
from culturegate.text import one_line
from culturegate.tracks.diagnosis import TRACK as DIAGNOSIS

ALL = "all"
"""Name of the row over all cultures."""

MANY_TRUNCATED = 0.05
"""Share of replies cut off beyond which a reader is told what to do about it."""

NEARLY_ALL = 0.9
"""Share of a judge's verdicts that could not be read beyond which a reader is told so first."""

_KIND_ORDER = ("recall", "decode")


class Estimates:
    """The estimates of metrics.json, found by metric and group."""

    def __init__(self, metrics: Mapping[str, Any]) -> None:
        self.confidence = float(metrics.get("confidence", 0.95))
        self._found: dict[tuple[str, tuple[tuple[str, str], ...]], Estimate] = {}
        for data in metrics.get("estimates", ()):
            where = tuple(sorted(data["where"].items()))
            self._found[data["metric"], where] = Estimate(**{**data, "where": where})

    def get(self, metric: str, **where: str) -> Estimate | None:
        """Return the estimate of a metric over exactly this group, None where there is none."""
        return self._found.get((metric, tuple(sorted(where.items()))))

    @property
    def level(self) -> str:
        """The confidence as a reader sees it, such as `95%`."""
        return percent(self.confidence)


@dataclass(frozen=True, slots=True)
class Row:
    """One culture of the table, or all of them."""

    name: str
    title: str
    """The name as a reader knows it."""
    accuracy: Mapping[str, Estimate | None]
    """By kind."""
    gap: Estimate | None


class Summary:
    """What a reader is told of a run, before it is laid out."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.estimates = Estimates(run.metrics)
        # Every other track has a section of its own.
        facts = [record.facts for record in run.records if record.facts.track == "myth"]
        kinds = {fact.kind for fact in facts}
        self.kinds = [kind for kind in _KIND_ORDER if kind in kinds]
        self.kinds += sorted(kinds.difference(_KIND_ORDER))
        self.cultures = sorted({fact.culture for fact in facts})

    @property
    def has_gap(self) -> bool:
        """Whether both sides of the gap were asked."""
        return {"recall", "decode"} <= set(self.kinds)

    @cached_property
    def rows(self) -> list[Row]:
        """The table culture × kind: a row for all cultures, then one each."""
        rows = [] if len(self.cultures) == 1 else [self._row(ALL, {})]
        rows += self._contaminated_rows()
        return rows + [self._row(name, {"culture": name}) for name in self.cultures]

    def _contaminated_rows(self) -> list[Row]:
        """Return the cases that stand in a corpus apart from the others, where some do."""
        if not any(record.facts.contaminated for record in self.run.records):
            return []
        return [
            replace(self._row(title, {"contaminated": value}), title=title)
            for title, value in (("Clean cases", "false"), ("Contaminated cases", "true"))
        ]

    @property
    def has_values(self) -> bool:
        """Whether the table has any value to show."""
        found = (one for row in self.rows for one in row.accuracy.values())
        return any(one is not None and one.value is not None for one in found)

    def title(self, culture: str) -> str:
        """Return a culture's name, short enough for a table."""
        return one_line(self.run.title(culture), 40)

    def _row(self, name: str, where: Mapping[str, str]) -> Row:
        get = self.estimates.get
        return Row(
            name,
            "All cultures" if name == ALL else self.title(name),
            {kind: get("accuracy", kind=kind, **where) for kind in self.kinds},
            get("gap", **where) if self.has_gap else None,
        )

    @property
    def headlines(self) -> list[str]:
        """What the run found, a sentence a track."""
        told = [section.headline for section in self.run.sections if section.headline]
        return told if told and not self.kinds else [self.sentence, *told]

    @cached_property
    def sentence(self) -> str:
        """What the model knows, what it uses, where it is worst, how sure that is."""
        model = one_line(self.run.model, 60)
        shares = {
            kind: found
            for kind in self.kinds
            if (found := self.estimates.get("accuracy", kind=kind)) is not None
            and found.value is not None
        }
        if not shares:
            return f"Nothing can be said of {model}: no case was answered and judged."
        told = f"{model} {self._ability(shares)}; {self._worst(shares)}."
        return f"{told} Ranges are {self.estimates.level} intervals."

    def _ability(self, shares: Mapping[str, Estimate]) -> str:
        if not {"recall", "decode"} <= set(shares):
            parts = [f"{_range(found)} of {kind} cases" for kind, found in shares.items()]
            told = f"gets {' and '.join(parts)} right"
            missing = {"recall", "decode"} - set(shares)
            return f"{told} (no gap: no {missing.pop()} case ran)" if len(missing) == 1 else told
        recall, decode = shares["recall"], shares["decode"]
        gap = self.estimates.get("gap")
        if gap is None or gap.value is None:
            why = (gap and gap.undefined) or "it was not computed"
            by = " in single trials" if "of single trials are right" in why else ""
            why = one_line(why.partition(": ")[0], 200)
            return (
                f"gets {_range(recall)} of recall and {_range(decode)} of decode cases right, "
                f"and no gap can be stated: {why}{by}"
            )
        return (
            f"knows {percent(recall.value)} (recall, {limits(recall)}%) and uses "
            f"{percent(decode.value)} (decode, {limits(decode)}%): {_gap(gap)}"
        )

    def _worst(self, shares: Mapping[str, Estimate]) -> str:
        """Say which culture fares worst, beside what chance does to equal cultures."""
        kind = "decode" if "decode" in shares else next(iter(shares))
        found = self.run.metrics.get("worst_culture", {}).get(kind, {})
        if not found.get("worst"):
            return (
                f"only {self.title(self.cultures[0])} was asked"
                if len(self.cultures) == 1
                else ("no culture can be called the worst")
            )
        names, value = found["worst"], found["value"]
        if len(names) == found["cultures"]:
            return f"all {len(names)} cultures are alike in {kind}"
        told = f"{_names([self.title(name) for name in names])} with {percent(value)} of {kind}"
        if len(names) == 1:
            worst = self.estimates.get("accuracy", culture=names[0], kind=kind)
            told = f"worst is {told}" + (f" ({limits(worst)}%)" if worst is not None else "")
        else:
            told = f"worst are {told}"
        equal = (
            f"the worst of {found['cultures']} equal cultures would get "
            f"{percent(found['expected'])} by chance"
        )
        if found["p"] <= 1 - self.estimates.confidence:
            return f"{told}, lower than chance explains ({equal})"
        return f"{told}, which may be chance ({equal})"

    @cached_property
    def caveats(self) -> list[str]:
        """What keeps the sentence from being the whole story; one short sentence each."""
        run = self.run
        told = self._unscored()
        if run.cut is not None:
            told.append(
                f"Cut short ({one_line(run.cut)}): {run.unasked} of {run.selected} selected cases "
                "were not asked, and no line was judged."
            )
            if run.resume_command:
                told.append(f"Go on with it: {one_line(run.resume_command, 1000)}")
        elif run.unasked:
            told.append(f"{run.unasked} of {run.selected} selected cases left no record.")
        partial = run.info.get("partial")
        if partial:
            why = f" ({one_line(partial)})" if isinstance(partial, str) else ""
            told.append(f"A partial run{why}: it says nothing about the cases left out.")
        if run.errors:
            causes = Counter(record.error or "unknown" for record in run.records if record.error)
            (cause, count), *_ = causes.most_common(1) or [("unknown", run.errors)]
            told.append(
                f"{run.errors} of {len(run.records)} cases could not be judged; {count} of them: "
                f"{one_line(cause, 200)}"
            )
        if run.info.get("baseline_unused"):
            told.append(
                "A baseline was named, and no line of the profile compares with it (see upgrade in "
                "thresholds.yaml)."
            )
        told += self._truncated()
        told += self._unapplied()
        told += [one_line(warning, 300) for warning in run.info.get("warnings") or ()]
        told += [one_line(warning, 300) for warning in run.metrics.get("warnings", ())]
        notes: Mapping[str, int] = run.info.get("reply_notes") or {}
        told += [f"{one_line(note, 100)}: {_replies(count)}." for note, count in notes.items()]
        if run.gate is not None:
            told += [one_line(note, 300) for note in run.gate.notes]
        return told

    def _unscored(self) -> list[str]:
        """Say it first where a judge judged next to nothing: all that it was to tell is missing."""
        scores: dict[str, list[float | None]] = {}
        for record in self.run.records:
            for each in record.judgements:
                scores.setdefault(record.facts.track, []).append(each.score)
        lost = {
            track: found
            for track, found in sorted(scores.items())
            if found.count(None) >= NEARLY_ALL * len(found)
        }
        if not lost:
            return []
        unread, total = sum(f.count(None) for f in lost.values()), sum(map(len, lost.values()))
        model = self.run.info.get("judge_model")
        named = f" ({one_line(str(model), 60)})" if model else ""
        return [
            f"{unread} of {total} verdicts of the judge{named} on {' and '.join(lost)} could not "
            "be read, so what only a judge can tell is not known. Choose one that keeps to the "
            "form asked for."
        ]

    def _truncated(self) -> list[str]:
        statuses = self.run.statuses
        cut, total = statuses["truncated"], statuses.total()
        if not total or cut / total <= MANY_TRUNCATED:
            return []
        return [
            f"{percent(cut / total)} of the replies were cut off before an answer; give them more "
            "room with --max-tokens."
        ]

    def _unapplied(self) -> list[str]:
        given = self.run.info.get("adjudicated") or {}
        left: Mapping[str, int] = given.get("not_applied") or {}
        if not left:
            return []
        return [
            f"{sum(left.values())} of {given['decisions']} decisions in "
            f"{one_line(given['file'], 80)} were not applied: {counted(left, 80)}."
        ]

    @property
    def totals(self) -> str:
        """Cases right, wrong and in error, in one line; the diagnosis's are counted apart."""
        run = self.run
        apart = [record.passed for record in run.records if record.facts.track == DIAGNOSIS]
        right, wrong = run.right - apart.count(True), run.wrong - apart.count(False)
        told = f"{right} right, {wrong} wrong, {_errors(run.errors)}"
        return f"{told}, {len(apart)} of the diagnosis" if apart else told

    @property
    def replies(self) -> str:
        """How the replies were read, by status."""
        return counted(self.run.statuses)

    @property
    def rules(self) -> list[tuple[str, int]]:
        """How many readings each rule gave, the most used first."""
        used: Mapping[str, int] = self.run.metrics.get("rules", {})
        return sorted(used.items(), key=lambda pair: (-pair[1], pair[0]))

    @property
    def remarks(self) -> list[str]:
        """What else there is to say of the readings; one short sentence each."""
        run = self.run
        told = []
        if run.adjudicated or run.info.get("adjudicated"):
            signed = (run.info.get("adjudicated") or {}).get("signed_by") or {}
            names = f", signed by {one_line(', '.join(signed), 120)}" if signed else ""
            told.append(f"{_readings(run.adjudicated)} adjudicated by a person{names}.")
        if run.disputed:
            told.append(f"{_readings(run.disputed)} in dispute, for a person to decide.")
        if run.other_language:
            told.append(f"{_replies(run.other_language)} in another language than asked.")
        if run.info.get("held_back"):
            told.append(f"On the way: {one_line(str(run.info['held_back']), 120)}.")
        return told

    @property
    def reviewed(self) -> str:
        """How many items a person has signed."""
        run = self.run
        return f"{run.signed_items} of {run.items} items reviewed and signed by a person"

    @cached_property
    def gate_rows(self) -> list[GateRow]:
        """The gate's lines as a reader sees them, worst first."""
        return gate_rows(() if self.run.gate is None else self.run.gate.verdicts)


def _readings(count: int) -> str:
    return "1 reading" if count == 1 else f"{count} readings"


def _replies(count: int) -> str:
    return "1 reply" if count == 1 else f"{count} replies"


def _errors(count: int) -> str:
    return "1 error" if count == 1 else f"{count} errors"


def _range(estimate: Estimate) -> str:
    return f"{percent(estimate.value)} ({limits(estimate)}%)"


def _names(names: Sequence[str]) -> str:
    shown = names[:4]
    if len(names) > len(shown):
        return f"{', '.join(shown)} and {len(names) - len(shown)} more"
    return " and ".join(filter(None, (", ".join(shown[:-1]), shown[-1])))


def _gap(gap: Estimate) -> str:
    assert gap.value is not None
    told = f"a gap of {in_points(gap.value)} ({limits(gap)})"
    if gap.low is None or gap.high is None:
        return told
    if gap.low > 0:
        return f"{told}, more than chance explains"
    if gap.high < 0:
        return f"{told}, so it uses more than it can name"
    return f"{told}, which chance alone may explain"


def percent(share: float | None) -> str:
    """Return a share as a whole percentage, never 0% or 100% for something between."""
    if share is None:
        return "?"
    if 0 < share < 0.005:
        return "<1%"
    if 0.995 < share < 1:
        return ">99%"
    return f"{share * 100:.0f}%"


def points(difference: float) -> str:
    """Return a difference of shares in whole percentage points, with a true minus."""
    rounded = round(difference * 100)
    return f"−{-rounded}" if rounded < 0 else str(rounded)


def in_points(difference: float) -> str:
    """Return a difference of shares with its unit: `1 point`, `−4 points`."""
    told = points(difference)
    return f"{told} point" if told in ("1", "−1") else f"{told} points"


def compared(difference: float, words: tuple[str, str, str]) -> str:
    """Return the word for a difference as it is shown: above 0, below 0, or 0."""
    rounded = round(difference * 100)
    return words[0] if rounded > 0 else words[1] if rounded < 0 else words[2]


def limits(estimate: Estimate) -> str:
    """Return an interval in percent or points, such as `62 to 94`."""
    if estimate.low is None or estimate.high is None:
        return "no interval"
    return f"{points(estimate.low)} to {points(estimate.high)}"


def counted(counts: Mapping[str, int], limit: int = 40) -> str:
    """Return counts as `12 answered, 3 unparsed`, the most frequent first."""
    ordered = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    return ", ".join(f"{count} {one_line(name, limit)}" for name, count in ordered)
