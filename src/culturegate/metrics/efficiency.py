"""What answers cost: seconds, tokens and money, from the rows of efficiency.jsonl.

They depend on the clock and the server's load, so they stand apart from the metrics of records and
never in metrics.json. A judge model's calls are no part of them.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any, Literal

import numpy as np

from culturegate.metrics.measured import Measured, nothing
from culturegate.metrics.measuring import NO_GROUP, group_view
from culturegate.metrics.metric import Metric
from culturegate.metrics.table import Bools, Floats, Table
from culturegate.models.budget import Price
from culturegate.tracks.base import CaseFacts, Record

ENGLISH = "en"
_SAME_TEXT = (None, "original", "literal")
"""Arms that say the same in another language; the others have a setting of their own."""
_NO_TIMES = "no reply has a time: replayed replies carry none"
_NO_FIRST = "no first token was timed: replies come in one piece unless --stream is given"
_NO_TOKENS = "the server did not say how many tokens its replies took"
_NO_PRICE = "the model's price is unknown: it is set by the ini key prices"


class Efficiency:
    """The times and tokens of a run, to be measured over any group of its cases."""

    def __init__(
        self,
        rows: Iterable[Mapping[str, Any]],
        records: Iterable[Record],
        price: Price | None = None,
    ) -> None:
        """Index the calls.

        Args:
            rows: Lines of efficiency.jsonl; those of cases without a record are left out.
            records: The run's, which tell what group a case is in and what failed.
            price: The model's, None where it is unknown.
        """
        self.table = Table(records)
        self._price = price
        place = {record.facts.case: row for row, record in enumerate(self.table.records)}
        calls = [
            (place[row["case"]], reply)
            for row in rows
            if row["case"] in place
            for reply in row["replies"]
            if not reply.get("judge")
        ]
        self._row = np.array([row for row, _ in calls], dtype=np.intp)

        def column(name: str) -> Floats:
            values = (reply.get(name) for _, reply in calls)
            return np.array([np.nan if v is None else float(v) for v in values], dtype=np.float64)

        self._latency, self._ttft, self._sent = map(column, ("latency", "ttft", "sent"))
        self._prompt, self._reply = map(column, ("prompt_tokens", "completion_tokens"))
        self._chars = column("prompt_chars")
        trials = self.table.trials
        self._failed = np.bincount(trials.row[trials.status == "error"], minlength=len(self.table))

    def measure(
        self, metric: Metric, where: Mapping[str, str] = NO_GROUP, *, failed_slow: bool = False
    ) -> Measured:
        """Measure one of `EFFICIENCY` over a group.

        Args:
            metric: Which.
            where: The group, as fact and value.
            failed_slow: Count a call that failed as one that took for ever, where times are ranked.

        Raises:
            ValueError: As `estimate` does, on an unknown fact.
        """
        mask = group_view(metric, self.table, where).mask
        failed = int(self._failed[mask].sum()) if failed_slow else 0
        return _FORMULAS[metric.name](self, mask[self._row] if len(self._row) else mask[:0], failed)

    def failed(self, metric: Metric, where: Mapping[str, str]) -> int:
        """Return how many calls of a group failed."""
        return int(self._failed[group_view(metric, self.table, where).mask].sum())

    def busy(self, used: Bools | None = None) -> float | None:
        """Return the seconds in which a call was under way; None where no call has a time.

        The union of the calls' intervals, so that a run that was broken off and resumed, or asked
        by several workers, counts neither its pauses nor anything twice.
        """
        timed = ~np.isnan(self._sent) & ~np.isnan(self._latency)
        timed = timed if used is None else timed & used
        if not timed.any():
            return None
        starts = self._sent[timed]
        order = np.argsort(starts, kind="stable")
        starts, ends = starts[order], (starts + self._latency[timed])[order]
        reached = np.maximum.accumulate(ends)
        gaps = np.maximum(0.0, starts[1:] - reached[:-1]).sum()
        return float(reached[-1] - starts[0] - gaps)

    def in_flight(self) -> float | None:
        """Return how many calls were under way on average while any was."""
        busy = self.busy()
        timed = ~np.isnan(self._sent) & ~np.isnan(self._latency)
        return float(self._latency[timed].sum()) / busy if busy else None

    def languages(self) -> list[dict[str, Any]]:
        """Return what each language costs in tokens.

        Keys: `lang`, `tokens_per_character` of the prompts, `against_english` (prompt tokens of the
        items that were asked in both languages / their tokens in English) and `items`, how many
        those are. None where unknown.
        """
        metric = EFFICIENCY["tokens_per_character"]
        by_item = self._prompts_by_item()
        found = []
        for lang in self.table.values("lang"):
            english, here = 0.0, 0.0
            items = 0
            for tokens in by_item.values():
                if lang in tokens and ENGLISH in tokens:
                    english, here = english + tokens[ENGLISH], here + tokens[lang]
                    items += 1
            found.append(
                {
                    "lang": lang,
                    "tokens_per_character": self.measure(metric, {"lang": lang}).value,
                    "against_english": here / english if items and english else None,
                    "items": items,
                }
            )
        return found

    def _prompts_by_item(self) -> dict[tuple[Any, ...], dict[str, float]]:
        """Return the mean prompt tokens of each item by language."""
        tokens: defaultdict[tuple[Any, ...], defaultdict[str, list[float]]]
        tokens = defaultdict(lambda: defaultdict(list))
        for row, count in zip(self._row, self._prompt, strict=True):
            facts = self.table.records[row].facts
            if facts.arm in _SAME_TEXT and not math.isnan(count):
                tokens[_item(facts)][facts.lang].append(count)
        return {
            item: {lang: sum(each) / len(each) for lang, each in langs.items()}
            for item, langs in tokens.items()
        }

    # The formulas.

    def _percentile(
        self, used: Bools, failed: int, *, column: str, share: float, why: str
    ) -> Measured:
        seconds: Floats = getattr(self, column)
        known = used & ~np.isnan(seconds)
        n, clusters = self._size(known)
        if not n:
            return nothing(0, 0, why)
        ranked = np.concatenate([seconds[known], np.full(failed, np.inf)])
        # An observed time, not one between two: with failed calls there is nothing in between.
        value = float(np.quantile(ranked, share, method="inverted_cdf"))
        return Measured(n + failed, clusters, value, method="nearest rank")

    def _speed(self, used: Bools, failed: int) -> Measured:
        known = used & ~np.isnan(self._latency) & ~np.isnan(self._reply)
        n, clusters = self._size(known)
        seconds = float(self._latency[known].sum())
        if not seconds:
            return nothing(0, 0, _NO_TIMES if np.isnan(self._latency[used]).all() else _NO_TOKENS)
        return Measured(n, clusters, float(self._reply[known].sum()) / seconds)

    def _rate(self, used: Bools, failed: int, *, tokens: bool) -> Measured:
        known = used & ~np.isnan(self._latency) & ~np.isnan(self._sent)
        if not known.any():
            return nothing(0, 0, _NO_TIMES)
        if tokens:
            known &= ~np.isnan(self._reply)
        n, clusters = self._size(known)
        busy = self.busy(known)
        if not busy:
            return nothing(n, clusters, _NO_TOKENS if tokens else "the calls took no time")
        return Measured(n, clusters, (float(self._reply[known].sum()) if tokens else n) / busy)

    def _a_case(self, used: Bools, failed: int, *, cost: bool) -> Measured:
        if cost and self._price is None:
            return nothing(0, 0, _NO_PRICE)
        prompt, reply = (
            np.bincount(self._row[used], weights=column[used], minlength=len(self.table))
            for column in (self._prompt, self._reply)
        )
        asked = np.bincount(self._row[used], minlength=len(self.table)) > 0
        known = asked & ~np.isnan(prompt + reply)
        if not known.any():
            return nothing(0, 0, _NO_TOKENS)
        if cost and self._price is not None:
            sent, received = round(prompt[known].sum()), round(reply[known].sum())
            total = self._price.cost(sent, received)
        else:
            total = float((prompt + reply)[known].sum())
        n = int(known.sum())
        return Measured(n, len(np.unique(self.table.clusters[known])), total / n)

    def _per_character(self, used: Bools, failed: int) -> Measured:
        known = used & ~np.isnan(self._prompt) & (self._chars > 0)
        n, clusters = self._size(known)
        if not n:
            return nothing(0, 0, _NO_TOKENS)
        return Measured(n, clusters, float(self._prompt[known].sum() / self._chars[known].sum()))

    def _size(self, known: Bools) -> tuple[int, int]:
        return int(known.sum()), len(np.unique(self.table.clusters[self._row[known]]))


def _item(facts: CaseFacts) -> tuple[Any, ...]:
    return facts.track, facts.kind, facts.item, facts.task, facts.condition


_FORMULAS: Mapping[str, Callable[[Efficiency, Bools, int], Measured]] = {
    **{
        f"{name}_p{100 * share:.0f}": partial(
            Efficiency._percentile, column=f"_{name}", share=share, why=why
        )
        for name, why in (("latency", _NO_TIMES), ("ttft", _NO_FIRST))
        for share in (0.5, 0.95)
    },
    "tokens_per_second": Efficiency._speed,
    "requests_per_second": partial(Efficiency._rate, tokens=False),
    "throughput": partial(Efficiency._rate, tokens=True),
    "tokens_per_case": partial(Efficiency._a_case, cost=False),
    "cost_per_case": partial(Efficiency._a_case, cost=True),
    "tokens_per_character": Efficiency._per_character,
}


def _metric(
    name: str,
    meaning: str,
    better: Literal["higher", "lower"],
    unit: Literal["cases", "trials"] = "trials",
) -> Metric:
    return Metric(name, meaning, better, 0, math.inf, unit, interval=False, pipeline=True)


EFFICIENCY: Mapping[str, Metric] = {
    metric.name: metric
    for metric in (
        _metric("latency_p50", "seconds from sending to the last byte, median", "lower"),
        _metric("latency_p95", "the same, exceeded by one reply in twenty", "lower"),
        _metric("ttft_p50", "seconds from sending to the first token, median", "lower"),
        _metric("ttft_p95", "the same, exceeded by one reply in twenty", "lower"),
        _metric(
            "tokens_per_second", "reply tokens / seconds of their requests: one caller", "higher"
        ),
        _metric(
            "requests_per_second", "replies / seconds in which a request was under way", "higher"
        ),
        _metric("throughput", "reply tokens / seconds in which a request was under way", "higher"),
        _metric("tokens_per_case", "prompt and reply tokens / cases", "lower", "cases"),
        _metric("cost_per_case", "cost / cases, in the prices' currency", "lower", "cases"),
        _metric("tokens_per_character", "prompt tokens / prompt characters", "lower"),
    )
}
"""What a line may bound beside `METRICS`, judged from a run's times and tokens."""


def efficiency_summary(
    found: Efficiency, *, concurrency: int, streamed: bool, price: Price | None
) -> dict[str, Any]:
    """Return the content of efficiency.json, floats to six significant digits.

    Keys: `concurrency` (most requests in flight), `streamed`, `price` (a million prompt tokens, a
    million reply tokens), `busy_seconds`, `in_flight` (on average), `estimates` (each with its
    metric and group: all, each track, each language, each language of a track) and `languages`.
    """
    data: dict[str, Any] = _short(
        {
            "concurrency": concurrency,
            "streamed": streamed,
            "price": None if price is None else [price.prompt, price.completion],
            "busy_seconds": found.busy(),
            "in_flight": found.in_flight(),
            "estimates": [
                found.measure(metric, where)
                .at(metric.name, tuple(sorted(where.items())), 0.95)
                .to_dict()
                for where in _groups(found.table)
                for metric in EFFICIENCY.values()
            ],
            "languages": found.languages(),
        }
    )
    return data


def _groups(table: Table) -> Iterator[dict[str, str]]:
    yield {}
    langs = table.values("lang")
    yield from ({"lang": lang} for lang in langs)
    for track in table.values("track"):
        yield {"track": track}
        for lang in table.view({"track": track}).values("lang"):
            yield {"track": track, "lang": lang}


def _short(data: Any) -> Any:
    if isinstance(data, float):
        return float(f"{data:.6g}")
    if isinstance(data, dict):
        return {key: _short(value) for key, value in data.items()}
    return [_short(each) for each in data] if isinstance(data, list) else data
