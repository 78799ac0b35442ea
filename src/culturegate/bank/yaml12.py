"""YAML read as YAML 1.2 says, over libyaml's parser, with nothing that surprises.

PyYAML's loaders follow YAML 1.1, where `no` is false, `21:30` is 1290 and `2024-02-10` is an
object. So only the parser's events are taken from it; scalars are resolved here by the core schema
of YAML 1.2.2 (section 10.3.2), or left as text. What makes a file mean more than it shows is an
error: duplicate keys, anchors, aliases, merge keys, tags, several documents.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import yaml
from yaml._yaml import CParser

from culturegate.errors import InputError, Problem
from culturegate.text import one_line

MAX_DEPTH = 32
"""Levels of nesting that are read; our own files use seven."""

Schema = Literal["core", "text"]

_CONSTANTS: dict[str, bool | float | None] = {
    "": None,
    "~": None,
    **dict.fromkeys(("null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), float("inf")),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), float("-inf")),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), float("nan")),
}
_INT = re.compile(r"[-+]?[0-9]{1,400}")
_OTHER_BASE = re.compile(r"0o[0-7]{1,400}|0x[0-9a-fA-F]{1,400}")
_FLOAT = re.compile(
    r"[-+]?(?:\.[0-9]{1,400}|[0-9]{1,400}(?:\.[0-9]{0,400})?)(?:[eE][-+]?[0-9]{1,9})?"
)
_NUMBER_START = frozenset("+-.0123456789")
# libyaml breaks lines at these as YAML 1.1 did; in 1.2 they are ordinary characters. Either way a
# reader of the file cannot see them.
_HIDDEN_BREAK = re.compile("[\x85\u2028\u2029]")


@dataclass(frozen=True, slots=True)
class Document:
    """One YAML document: plain data, and where each part of it stands.

    `data` holds dict (keys always text), list, str, and under the core schema int, float, bool and
    None.
    """

    data: Any
    file: Path
    _lines: dict[int, tuple[int, list[int]]]
    _start: int = 1

    def line(self, path: Sequence[str | int] = ()) -> int:
        """Return the line (from 1) of the part at `path`, or of the deepest part that is there."""
        node = self.data
        place = self._start
        for step in path:
            known = self._lines.get(id(node))
            if known is None:
                break
            if isinstance(node, dict):
                if step not in node:
                    break
                index = list(node).index(str(step))
            elif isinstance(step, int) and 0 <= step < len(node):
                index = step
            else:
                break
            place = known[1][index]
            node = node[step]
        return place

    def problem(
        self, message: str, path: Sequence[str | int] = (), item: str | None = None
    ) -> Problem:
        """Return `message` as a problem at the line of `path`."""
        return Problem(self.file, message, self.line(path), item)


def load(text: str, file: Path, schema: Schema = "core") -> Document:
    """Read one YAML document.

    With the schema `text` every scalar stays as it is written (`no`, `1.10`, `null`), save that a
    value left empty is None. Raises `InputError` with every problem found, each with its line;
    a syntax error ends the list.
    """
    problems = [
        Problem(
            file,
            f"U+{ord(found[0]):04X}, a line break that cannot be seen; write a plain one",
            text.count("\n", 0, found.start()) + 1,
        )
        for found in _HIDDEN_BREAK.finditer(text)
    ]
    if problems:
        raise InputError(problems, "YAML")
    builder = _Builder(file, schema)
    # libyaml drops a leading mark only from bytes, and files joined by a tool keep theirs.
    builder.read(text.removeprefix("\ufeff"))
    if builder.problems:
        raise InputError(builder.problems, "YAML")
    return Document(builder.root, file, builder.lines, builder.start)


def resolve(value: str) -> Any:
    """Return what a plain scalar stands for under YAML 1.2's core schema."""
    if value in _CONSTANTS:
        return _CONSTANTS[value]
    if value[0] not in _NUMBER_START:
        return value
    if _INT.fullmatch(value):
        return int(value)
    if _OTHER_BASE.fullmatch(value):
        return int(value[2:], 8 if value[1] == "o" else 16)
    if _FLOAT.fullmatch(value):
        return float(value)
    return value


class _Builder:
    """Turns the parser's events into data, without recursion."""

    def __init__(self, file: Path, schema: Schema) -> None:
        self.file = file
        self.schema = schema
        self.problems: list[Problem] = []
        self.lines: dict[int, tuple[int, list[int]]] = {}
        self.root: Any = None
        self.start = 1

    def say(self, message: str, line: int) -> None:
        self.problems.append(Problem(self.file, message, line + 1))

    def read(self, text: str) -> None:
        """Build the tree; problems are gathered, and a syntax error ends the reading."""
        try:
            parser = CParser(text)
            self._read(parser)
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            what = " ".join(filter(None, (error.context, error.problem)))
            self.say(
                f"not YAML: {what}; quote text that holds ': ' or ' #'", mark.line if mark else 0
            )
        except yaml.reader.ReaderError as error:
            line = text.encode("utf-8", "replace")[: error.position].count(b"\n")
            self.say(f"not YAML: {error.reason} ({one_line(repr(error.character), 20)})", line)
        except UnicodeEncodeError as error:
            self.say(
                "half of a surrogate pair, which is no character", text.count("\n", 0, error.start)
            )

    def _read(self, parser: Any) -> None:
        get = parser.get_event
        stack: list[tuple[Any, list[int], bool]] = []
        box: Any = None  # the container being filled
        marks: list[int] = []
        is_map = False
        key: str | None = None  # set between a key and its value
        duplicate = False
        documents = 0
        text_only = self.schema == "text"
        while True:
            event = get()
            kind = type(event)
            line = event.start_mark.line
            if kind is yaml.ScalarEvent:
                value: Any = event.value
                plain = not event.style
                if event.anchor is not None or event.tag is not None:
                    self._refuse(event, line)
                if is_map and key is None:
                    if plain and value == "<<":
                        self.say("a merge key ('<<'); write the fields out", line)
                    key = value
                    duplicate = value in box
                    if duplicate:
                        self.say(f"duplicate key {one_line(value, 60)!r}; keep one of them", line)
                    else:
                        marks.append(line + 1)
                    continue
                if plain and (not text_only or value == ""):
                    value = resolve(value)
            elif kind is yaml.MappingStartEvent or kind is yaml.SequenceStartEvent:
                if event.anchor is not None or event.tag is not None:
                    self._refuse(event, line)
                new_map = kind is yaml.MappingStartEvent
                if is_map and key is None:
                    self.say("a key that is itself a list or mapping; keys are text", line)
                    return
                if len(stack) >= MAX_DEPTH:
                    self.say(f"nested more than {MAX_DEPTH} levels deep", line)
                    return
                fresh: Any = {} if new_map else []
                fresh_marks: list[int] = []
                self.lines[id(fresh)] = (line + 1, fresh_marks)
                if box is None:
                    self.root, self.start = fresh, line + 1
                elif is_map:
                    # A duplicate's content must still be read, and must not stay.
                    box[_DROPPED if duplicate else key] = fresh
                    key = None
                else:
                    marks.append(line + 1)
                    box.append(fresh)
                stack.append((box, marks, is_map))
                box, marks, is_map = fresh, fresh_marks, new_map
                continue
            elif kind is yaml.MappingEndEvent or kind is yaml.SequenceEndEvent:
                if is_map:
                    box.pop(_DROPPED, None)
                box, marks, is_map = stack.pop()
                continue
            elif kind is yaml.AliasEvent:
                name = one_line(event.anchor, 60)
                self.say(f"an alias (*{name}); write the content out", line)
                if is_map and key is None:
                    key, duplicate = f"*{name}", True
                    continue
                value = None
            elif kind is yaml.DocumentStartEvent:
                documents += 1
                if documents == 2:
                    self.say("a second document ('---'); use one file for each", line)
                    return
                continue
            elif kind is yaml.StreamEndEvent:
                return
            else:
                continue
            # A finished scalar goes where it belongs.
            if box is None:
                self.root, self.start = value, line + 1
            elif is_map:
                if not duplicate:
                    box[key] = value
                key = None
            else:
                marks.append(line + 1)
                box.append(value)

    def _refuse(self, event: Any, line: int) -> None:
        if event.anchor is not None:
            self.say(f"an anchor (&{one_line(event.anchor, 60)}); write the content out", line)
        if event.tag is not None:
            self.say(f"a tag ({one_line(event.tag, 60)}); use quotes for text and no tags", line)


_DROPPED = object()
