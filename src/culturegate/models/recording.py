"""Replies that another tool recorded: a JSONL file, read line by line onto the session's cases."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from culturegate.errors import CulturegateError, InputError, Problem
from culturegate.models.base import Reply
from culturegate.models.store import NAME
from culturegate.text import one_line

LONGEST = 4 * 1024 * 1024
"""Bytes a line of a file may have."""
MOST_PROBLEMS = 100
NAMED = 5
"""Lines of no case that the warning names."""


class ItemFacts(Protocol):
    """What tells which case a line of a file belongs to."""

    @property
    def case(self) -> str:
        """The case's id."""
        ...

    @property
    def item(self) -> str:
        """The item's id."""
        ...

    @property
    def lang(self) -> str:
        """The language."""
        ...


@dataclass(frozen=True, slots=True)
class Recording:
    """The replies of a JSONL file, by case."""

    path: Path
    replies: Mapping[str, Sequence[Reply]]
    """Case → one reply a trial, in the file's order; only cases that the session knows."""
    strangers: Sequence[tuple[int, str]]
    """Line and name of each line that is of no such case."""

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a reader should know of the file: one sentence about lines of no case."""
        if not self.strangers:
            return ()
        count = len(self.strangers)
        named = ", ".join(f"line {line} ({name})" for line, name in self.strangers[:NAMED])
        more = ", …" if count > NAMED else ""
        lines = "1 line is" if count == 1 else f"{count} lines are"
        message = f"{self.path.name}: {lines} of no case that this protocol asks, and left out"
        return (f"{message}: {named}{more}",)


def replay_file(path: Path) -> tuple[Path, bool]:
    """Return the file of a recording, and whether it is a reply store.

    Raises:
        CulturegateError: Where it can't be read.
    """
    file = path / NAME if path.is_dir() else path
    try:
        with file.open("rb") as stream:
            return file, stream.read(16) == b"SQLite format 3\0"
    except OSError as error:
        message = f"--replay {path}: no recorded replies there: {file}: {error.strerror}"
        raise CulturegateError(message) from error


def read_recording(
    path: Path, facts: Iterable[ItemFacts], labels: Callable[[str], Collection[str]]
) -> Recording | None:
    """Read a JSONL file; None where the path is a run or a reply store.

    A line is `{"item": …, "lang": …, "reply": …}`; further lines of one item and language belong
    to its further trials, in order. `"case"` may stand instead of item and language, and must where
    several cases share them; `"finish_reason"` may be given. `"option_order"` names the options in
    the order in which they were shown, by the bank's own labels (`"bcda"`); without it they stood
    in the bank's order. Other keys are ignored.

    Args:
        path: What was named.
        facts: The cases of the session.
        labels: A known case's options by their own labels, in the bank's order; none where it is no
            choice.

    Raises:
        InputError: With every bad line.
        CulturegateError: Where there is no file.
    """
    file, is_store = replay_file(path)
    if is_store:
        return None
    by_item: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for fact in facts:
        by_item[fact.item, fact.lang].append(fact.case)
    known = {case for cases in by_item.values() for case in cases}
    replies: defaultdict[str, list[Reply]] = defaultdict(list)
    strangers: list[tuple[int, str]] = []
    problems: list[Problem] = []
    count = 0
    with file.open("rb") as stream:
        number = 0
        while raw := stream.readline(LONGEST + 1):
            number += 1
            if raw.strip() in (b"", b"\xef\xbb\xbf"):
                continue
            count += 1
            try:
                data = _fields(raw.removeprefix(b"\xef\xbb\xbf"))
                case = _case(data, by_item)
                if case in known:
                    order = _order(data, case, labels(case))
                    reply = Reply(data["reply"], data.get("finish_reason"), option_order=order)
                    replies[case].append(reply)
                else:
                    strangers.append((number, one_line(case, 80)))
            except ValueError as error:
                problems.append(Problem(file, str(error), number))
            if len(raw) > LONGEST or len(problems) == MOST_PROBLEMS:
                problems.append(Problem(file, "reading stopped here", number))
                break
    if not count:
        problems.append(Problem(file, "there is no line in it"))
    if problems:
        raise InputError(problems, "replies to replay")
    return Recording(path, dict(replies), strangers)


def _fields(raw: bytes) -> dict[str, Any]:
    if len(raw) > LONGEST:
        message = f"the line has more than {LONGEST} bytes"
        raise ValueError(message)
    try:
        data = json.loads(raw.decode("utf-8"))
    except UnicodeDecodeError as error:
        message = f"not UTF-8: {error.reason} at byte {error.start}"
        raise ValueError(message) from error
    except (ValueError, RecursionError) as error:
        cut = "" if raw.endswith(b"\n") else "; the last line looks cut off: take it away"
        message = f"not JSON: {error}{cut}"
        raise ValueError(message) from error
    if not isinstance(data, dict):
        message = f'got {_shown(data)}, expected {{"item": …, "lang": …, "reply": …}}'
        raise ValueError(message)
    names = ("case", "reply") if "case" in data else ("item", "lang", "reply")
    for name in names:
        if not isinstance(data.get(name), str):
            got = f"got {_shown(data[name])}" if name in data else "it is not there"
            hint = "; leave the line out where the call failed" if name == "reply" else ""
            message = f"{name!r} must be a text, {got}{hint}"
            raise ValueError(message)
    for name in ("finish_reason", "option_order"):
        if data.get(name) is not None and not isinstance(data[name], str):
            message = f"{name!r} must be a text, got {_shown(data[name])}"
            raise ValueError(message)
    return data


def _case(data: Mapping[str, Any], by_item: Mapping[tuple[str, str], Sequence[str]]) -> str:
    if "case" in data:
        return str(data["case"])
    item, lang = data["item"], data["lang"]
    cases = by_item.get((item, lang), ())
    if len(cases) > 1:
        message = (
            f"item {_shown(item)} in {_shown(lang)} is asked in {len(cases)} cases: give "
            f'"case" instead, such as {cases[0]}'
        )
        raise ValueError(message)
    return cases[0] if cases else f"{item}-{lang}"


def _order(data: Mapping[str, Any], case: str, labels: Collection[str]) -> str | None:
    own = "".join(labels)
    order = data.get("option_order") or own
    if sorted(order) != sorted(own):
        there_are = f"each of {own!r} once" if own else f"no option: {case} has none"
        message = f"'option_order' must name {there_are}, got {_shown(order)}"
        raise ValueError(message)
    return order or None


def _shown(value: object) -> str:
    return one_line(json.dumps(value, ensure_ascii=False), 80)
