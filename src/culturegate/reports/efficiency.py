"""What the report says of times, tokens and cost."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from culturegate.reports.run import Run
from culturegate.reports.section import Section, SectionTable

_COLUMNS = (
    ("latency_p50", "latency p50, s"),
    ("latency_p95", "p95, s"),
    ("ttft_p50", "first token p50, s"),
    ("ttft_p95", "p95, s"),
    ("tokens_per_second", "tokens a second, one caller"),
    ("requests_per_second", "requests a second"),
    ("throughput", "tokens a second, all"),
    ("tokens_per_case", "tokens a case"),
    ("cost_per_case", "cost a case"),
)


def efficiency_section(run: Run) -> Section | None:
    """Return the section on efficiency, None where no reply has a time or a number of tokens."""
    data = run.efficiency_summary
    if data is None:
        return None
    found = {
        (each["metric"], tuple(sorted(each["where"].items()))): each for each in data["estimates"]
    }
    if all(each["value"] is None for each in found.values()):
        return None
    groups = list(dict.fromkeys(where for _, where in found))
    shown = [column for column in _COLUMNS if found[column[0], ()]["value"] is not None]
    tables = [
        SectionTable(
            "By track and language",
            ("", "replies", *(head for _, head in shown)),
            tuple(_row(found, where, [name for name, _ in shown]) for where in groups),
        )
    ]
    if any(each["tokens_per_character"] is not None for each in data["languages"]):
        tables.append(_languages(data["languages"]))
    return Section("Efficiency", "", tuple(_notes(data, found)), tuple(tables))


def _notes(data: Mapping[str, Any], found: Mapping[Any, Mapping[str, Any]]) -> list[str]:
    notes = [
        f"Asked with at most {data['concurrency']} requests in flight"
        + (f", {_number(data['in_flight'])} on average" if data["in_flight"] is not None else "")
        + ". Times belong to this server under this load: compare runs only where both are alike. "
        "A percentile is an observed time (nearest rank); a second in which no request was under "
        "way does not count, and groups that were asked side by side share the server."
    ]
    missing: dict[str, list[str]] = {}
    for name, head in _COLUMNS:
        why = found[name, ()]["undefined"]
        if why is not None:
            missing.setdefault(why, []).append(head if head != "p95, s" else name)
    notes += [f"Not known: {', '.join(names)} ({why})." for why, names in missing.items()]
    return notes


def _row(
    found: Mapping[Any, Mapping[str, Any]], where: tuple[tuple[str, str], ...], names: list[str]
) -> tuple[str, ...]:
    group = ", ".join(value for _, value in sorted(where, reverse=True)) or "all"
    size = max(each["n"] for (_, place), each in found.items() if place == where)
    return (group, str(size), *(_number(found[name, where]["value"]) for name in names))


def _languages(rows: list[Mapping[str, Any]]) -> SectionTable:
    return SectionTable(
        "What a language costs: prompts, as the model's tokenizer cuts them",
        ("language", "tokens a character", "tokens against English, same items", "items"),
        tuple(
            (
                row["lang"],
                _number(row["tokens_per_character"]),
                "–" if row["against_english"] is None else f"× {row['against_english']:.2f}",
                str(row["items"]),
            )
            for row in rows
        ),
    )


def _number(value: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
