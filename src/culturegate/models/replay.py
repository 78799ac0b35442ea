"""A recorded run as the model: answers from its replies and asks nobody."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

from culturegate.errors import CallError, CulturegateError, InputError, Problem
from culturegate.models.base import ModelInfo, Prompt, Reply
from culturegate.models.replyfile import StoredReplies
from culturegate.models.store import NAME
from culturegate.text import one_line

LONGEST = 4 * 1024 * 1024
"""Bytes a line of a replay file may have."""
MOST_PROBLEMS = 100


class ItemFacts(Protocol):
    """What tells which case a line of a replay file belongs to."""

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


class ReplayModel:
    """Answers with the replies of a run directory, of a reply store or of a JSONL file.

    A store answers exactly the prompts it was asked. A JSONL file, written by any tool, has a line
    `{"item": …, "lang": …, "reply": …}` for each trial; further lines of one item and language
    belong to its further trials, in order. `"case"` may stand instead of item and language, and
    must where several cases share them; `"finish_reason"` may be given; other keys are ignored. A
    prompt without a reply is a failed call of kind `missing`, never a wrong answer.
    """

    def __init__(self, path: Path, facts: Iterable[ItemFacts] = ()) -> None:
        """Open the recording.

        Args:
            path: A run directory, its `replies.sqlite`, or a JSONL file.
            facts: The cases of the session, which tell what a JSONL line belongs to.

        Raises:
            InputError: With every bad line of a JSONL file.
            CulturegateError: Where there is no recording or it holds several models' replies.
        """
        self._path = path
        self._stored: StoredReplies | None = None
        self._lines: dict[str, list[Reply]] = {}
        file = path / NAME if path.is_dir() else path
        try:
            with file.open("rb") as stream:
                is_store = stream.read(16) == b"SQLite format 3\0"
        except OSError as error:
            message = f"--replay {path}: no recorded replies there: {file}: {error.strerror}"
            raise CulturegateError(message) from error
        if not is_store:
            self._lines = _read_lines(file, facts)
            self._info = ModelInfo(one_line(path.stem, 80), "replay")
            return
        self._stored = StoredReplies(file)
        sources = self._stored.sources()
        if len(sources) != 1:
            found = "; ".join(f"{model} at {url or 'no URL'}" for model, url in sources)
            message = f"--replay {path}: replies of one model are needed, got {found or 'none'}"
            self._stored.close()
            raise CulturegateError(message)
        self._info = ModelInfo(sources[0][0], "replay", sources[0][1])

    async def check(self) -> ModelInfo:
        """Return whose replies are replayed."""
        return self._info

    async def ask(self, prompt: Prompt) -> Reply:
        """Return the recorded reply; raise `CallError` of kind `missing` where there is none."""
        key = prompt.key(self._info.name)
        if self._stored is not None:
            reply = self._stored.get(key, self._info.base_url)
            if reply is None:
                message = f"{self._path}: this prompt was not asked in the recorded run"
                raise CallError("missing", message)
            return replace(reply, latency=None, ttft=None, sent=None)
        recorded = self._lines.get(prompt.case or "", [])
        if prompt.trial >= len(recorded):
            message = f"{self._path}: {len(recorded)} replies recorded for case {prompt.case}"
            raise CallError("missing", f"{message}, trial {prompt.trial + 1} was asked")
        return replace(recorded[prompt.trial], key=key)

    async def aclose(self) -> None:
        """Close the recording."""
        if self._stored is not None:
            self._stored.close()


def _read_lines(file: Path, facts: Iterable[ItemFacts]) -> dict[str, list[Reply]]:
    known: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for fact in facts:
        known[fact.item, fact.lang].append(fact.case)
    replies: defaultdict[str, list[Reply]] = defaultdict(list)
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
                case, reply = _read_line(raw.removeprefix(b"\xef\xbb\xbf"), known)
                replies[case].append(reply)
            except ValueError as error:
                problems.append(Problem(file, str(error), number))
            if len(raw) > LONGEST or len(problems) == MOST_PROBLEMS:
                problems.append(Problem(file, "reading stopped here", number))
                break
    if not count:
        problems.append(Problem(file, "there is no line in it"))
    if problems:
        raise InputError(problems, "replies to replay")
    return dict(replies)


def _read_line(raw: bytes, known: dict[tuple[str, str], list[str]]) -> tuple[str, Reply]:
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
    finish = data.get("finish_reason")
    if finish is not None and not isinstance(finish, str):
        message = f"'finish_reason' must be a text, got {_shown(finish)}"
        raise ValueError(message)
    return _case(data, known), Reply(data["reply"], finish)


def _case(data: dict[str, Any], known: dict[tuple[str, str], list[str]]) -> str:
    if "case" in data:
        return str(data["case"])
    item, lang = data["item"], data["lang"]
    cases = known.get((item, lang), [])
    if len(cases) > 1:
        message = (
            f"item {_shown(item)} in {_shown(lang)} is asked in {len(cases)} cases: give "
            f'"case" instead, such as {cases[0]}'
        )
        raise ValueError(message)
    # A line for what this session leaves out is no fault.
    return cases[0] if cases else f"{item}-{lang}"


def _shown(value: object) -> str:
    return one_line(json.dumps(value, ensure_ascii=False), 80)
