"""Foreign question sets into plain items: common public layouts, mapped and checked row by row."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from culturegate.bank.files import TABLES, Row, read_document, read_table
from culturegate.bank.golds import AnswerAs, LeftOut, answer_style, key_of, parsed
from culturegate.bank.layout import LABELS
from culturegate.bank.plain import lettered
from culturegate.bank.soundness import POINTS_AT_OTHERS
from culturegate.bank.wording import folded
from culturegate.errors import CulturegateError, Problem
from culturegate.text import one_line

FIELDS = ("id", "culture", "kind", "lang", "question", "options", "answer", "episode", "difficulty")
"""Fields that a column can be mapped to, and `a` to `j` for the options one by one."""

_USUAL = {
    "id": ("id", "item_id", "qid", "question_id", "uid"),
    "culture": ("culture", "country", "region"),
    "kind": ("kind", "type"),
    "lang": ("lang", "language"),
    "question": ("question", "prompt", "query", "stem", "input", "sentence"),
    "options": ("options", "choices", "candidates", "endings"),
    "answer": (
        "answer", "answerkey", "answer_key", "gold", "label", "target", "correct",
        "correct_answer", "correct_option", "answer_idx", "answer_index", "cop", "solution",
    ),
}  # fmt: skip
_OPTION_COLUMN = re.compile(
    r"(?:prompt_)?(?:option|opt|op|choice|answer|ans|ending)?[_ ]?([a-j]|\d)", re.ASCII
)
_SEVERAL = re.compile(r"\(?[A-Ja-j]\)?(?:\s*[,;/&+]\s*\(?[A-Ja-j]\)?)+", re.ASCII)


@dataclass(slots=True)
class Import:
    """What became of a foreign file."""

    items: list[dict[str, Any]] = field(default_factory=list)
    """Plain items, ready to be written."""
    problems: list[Problem] = field(default_factory=list)
    """Rows left out, and why."""
    shuffled: int = 0
    """Items whose options stood in alphabetical order and were put in an order of their own."""
    canary: str | None = None


def import_file(
    file: Path,
    mapping: Mapping[str, str],
    *,
    constants: Mapping[str, str],
    answer_as: AnswerAs | None = None,
    header: bool = True,
) -> Import:
    """Read a file of foreign rows into plain items.

    Args:
        file: CSV, TSV, JSON (a list of objects) or JSON Lines.
        mapping: Field to column; usual names are found without it. Without a header, columns
            are numbers from 1.
        constants: Value of a field where no column gives one, such as the culture.
        answer_as: How the key is given; worked out from the rows where it is None.
        header: Whether a table's first row names its columns.

    Raises `CulturegateError` where the layout is not understood and `InputError` where the file
    cannot be read.
    """
    found = Import()
    rows = list(_rows(file, found, header=header))
    if not rows:
        raise CulturegateError(f"{file}: no rows that can be read")
    columns = list(dict.fromkeys(name for row in rows for name in row.data))
    layout = _layout(columns, mapping, file)
    raw = [_Foreign(row, layout) for row in rows]
    style = answer_as or _answer_style(raw, file)
    seen: dict[str, int] = {}
    for number, row in enumerate(raw, 1):
        name = one_line(row.get("id") or "", 60) or f"row {number}"
        try:
            item = row.item(style, number, file.stem, constants)
            same = folded(
                json.dumps([item["question"], sorted(item["options"].values())], ensure_ascii=False)
            )
            first = seen.setdefault(same, row.row.start)
            if first != row.row.start:
                raise LeftOut(f"the same question and options as on line {first}")
        except LeftOut as error:
            found.problems.append(Problem(file, str(error), row.row.start, name))
            continue
        found.shuffled += _shuffle(item)
        found.items.append(item)
    return found


def as_lines(found: Import) -> Iterator[str]:
    """Yield imported items as JSON Lines, the canary first where the foreign file had one."""
    if found.canary:
        yield json.dumps({"canary": found.canary}, ensure_ascii=False)
    for item in found.items:
        yield json.dumps(item, ensure_ascii=False)


def write_items(found: Import, file: Path) -> None:
    """Write imported items to a JSON Lines file."""
    try:
        with file.open("w", encoding="utf-8", newline="\n") as stream:
            stream.writelines(f"{line}\n" for line in as_lines(found))
    except OSError as error:
        raise CulturegateError(f"{file}: cannot be written: {error.strerror}") from None


def _rows(file: Path, found: Import, *, header: bool) -> Iterator[Row]:
    if file.suffix.lower() in TABLES:
        found.canary, rows = read_table(file, header=header)
        for row in rows:
            if isinstance(row, Problem):
                found.problems.append(row)
            else:
                yield row
        return
    document = read_document(file)
    if not isinstance(document.data, list):
        raise CulturegateError(f"{file}: a list of rows was expected")
    for number, entry in enumerate(document.data):
        line = document.line((number,)) or number + 1
        if isinstance(entry, dict) and set(entry) == {"canary"}:
            found.canary = str(entry["canary"])
        elif isinstance(entry, dict):
            yield Row(entry, file, line)
        else:
            found.problems.append(Problem(file, "a row that is no object", line))


def _layout(columns: Sequence[str], mapping: Mapping[str, str], file: Path) -> dict[str, str]:
    """Return field to column, from what was mapped and what is usually meant."""
    shown = one_line(", ".join(columns), 300)
    for name, column in mapping.items():
        if name not in FIELDS and name not in LABELS:
            known = ", ".join((*FIELDS, "a … j"))
            raise CulturegateError(f"--map {name}={column}: no field {name!r}; there are {known}")
        if column not in columns:
            raise CulturegateError(
                f"--map {name}={column}: {file} has no column {column!r}; there are {shown}"
            )
    layout = dict(mapping)
    by_name = {column.casefold().strip(): column for column in columns}
    for name, usual in _USUAL.items():
        if name not in layout:
            hit = next((by_name[one] for one in usual if one in by_name), None)
            if hit is not None and hit not in layout.values():
                layout[name] = hit
    if not set(layout) & {"options", *LABELS}:
        layout |= _option_columns(columns, set(layout.values()))
    missing = [name for name in ("question", "answer") if name not in layout]
    if not set(layout) & {"options", *LABELS}:
        missing.append("options")
    if missing:
        raise CulturegateError(
            f"{file}: no column for {', '.join(missing)}; name it with --map "
            f"{missing[0]}=COLUMN; there are {shown}"
        )
    return layout


def _option_columns(columns: Sequence[str], taken: set[str]) -> dict[str, str]:
    found = {
        match[1]: column
        for column in columns
        if column not in taken and (match := _OPTION_COLUMN.fullmatch(column.casefold().strip()))
    }
    # Digits from 0 or from 1, letters from a: the order is the labels' order.
    names = sorted(found)
    return dict(zip(LABELS, (found[name] for name in names), strict=False)) if names else {}


class _Foreign:
    """One row under a layout."""

    def __init__(self, row: Row, layout: Mapping[str, str]) -> None:
        self.row = row
        self.layout = layout

    def get(self, name: str) -> str | None:
        """Return a field's text, None where it is absent or empty."""
        value = self.raw(name)
        text = str(value).strip() if isinstance(value, str | bool) else ""
        return text or None

    def raw(self, name: str) -> Any:
        """Return a field as the file has it."""
        column = self.layout.get(name)
        return self.row.data.get(column) if column is not None else None

    def options(self) -> dict[str, str]:
        """Return the option texts by label; empty options are left out at the end only."""
        if "options" in self.layout:
            return _option_texts(self.raw("options"))
        texts = {label: self.get(label) for label in LABELS if label in self.layout}
        given = {label: text for label, text in texts.items() if text is not None}
        if list(given) != list(texts)[: len(given)]:
            raise LeftOut("an option is empty")
        return given

    def golds(self) -> list[str]:
        """Return what the key field names: none, one, or several where the gold is a set."""
        value = parsed(self.raw("answer"))
        if isinstance(value, list):
            return [str(one).strip() for one in value]
        if isinstance(value, dict):
            value = value.get("text") or value.get("label")
        text = "" if value is None else str(value).strip()
        if _SEVERAL.fullmatch(text):
            return re.findall(r"[A-Ja-j]", text)
        return [text] if text else []

    def item(
        self, style: AnswerAs, number: int, stem: str, constants: Mapping[str, str]
    ) -> dict[str, Any]:
        """Return the plain item."""
        question = self.get("question")
        if question is None:
            raise LeftOut("no question")
        options = self.options()
        if len(options) < 2:
            raise LeftOut(f"{len(options)} options; at least two are needed")
        golds = self.golds()
        if not golds:
            raise LeftOut("no gold answer")
        if len(set(golds)) > 1:
            raise LeftOut(f"{len(set(golds))} gold answers; an item has one key")
        _distinct(options)
        item: dict[str, Any] = {"id": self.get("id") or f"{stem}-{number}"}
        for name in ("culture", "kind", "lang", "episode", "difficulty"):
            value = self.get(name) or constants.get(name)
            if value is not None:
                item[name] = value
        if "culture" not in item:
            raise LeftOut("no culture; map a column or give --culture")
        if item.setdefault("kind", "recall").casefold() not in {"recall", "decode"}:
            shown = one_line(item["kind"], 40)
            raise LeftOut(f"kind {shown!r} is neither recall nor decode; give --kind")
        item["kind"] = item["kind"].casefold()
        return item | {
            "question": question,
            "options": options,
            "answer": key_of(golds[0], options, style),
        }


def _option_texts(value: Any) -> dict[str, str]:
    given = parsed(value)
    if isinstance(given, dict) and set(given) >= {"text", "label"}:
        given = given["text"]
    if isinstance(given, dict):
        given = list(given.values())
    if isinstance(given, tuple | set):
        given = list(given)
    if not isinstance(given, list):
        raise LeftOut(f"options {one_line(str(given), 60)!r} are no list")
    texts = [str(one.get("text", "")) if isinstance(one, dict) else str(one) for one in given]
    if any(not text.strip() for text in texts):
        raise LeftOut("an option is empty")
    if len(texts) > len(LABELS):
        raise LeftOut(f"{len(texts)} options; at most {len(LABELS)} are asked")
    return lettered([text.strip() for text in texts])


def _distinct(options: Mapping[str, str]) -> None:
    first: dict[str, str] = {}
    for label, text in options.items():
        other = first.setdefault(folded(text), label)
        if other != label:
            raise LeftOut(f"options {other.upper()} and {label.upper()} are equal")


def _answer_style(rows: Sequence[_Foreign], file: Path) -> AnswerAs:
    golds: list[tuple[str, dict[str, str]]] = []
    for row in rows:
        try:
            options, found = row.options(), row.golds()
        except LeftOut:
            continue
        golds += [(gold, options) for gold in found]
    return answer_style(golds, file)


def _shuffle(item: dict[str, Any]) -> bool:
    """Give options in alphabetical order an order of their own, drawn from the item's text.

    In such an order an option's place tells its first letter. Options that point at others keep
    theirs.
    """
    texts: list[str] = list(item["options"].values())
    if texts != sorted(texts, key=folded) or any(POINTS_AT_OTHERS.search(text) for text in texts):
        return False
    key = item["options"][item["answer"]]
    salt = f"{item['id']}\n{item['question']}\n"
    texts.sort(key=lambda text: hashlib.sha256((salt + text).encode("utf-8", "replace")).digest())
    item["options"] = dict(zip(LABELS, texts, strict=False))
    item["answer"] = LABELS[texts.index(key)]
    return True
