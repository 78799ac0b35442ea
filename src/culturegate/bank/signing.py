"""Signatures into the YAML they belong to, every other character of the file left as it is."""

from __future__ import annotations

import json
import os
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from culturegate.bank import yaml12
from culturegate.bank.files import read_text
from culturegate.bank.items import Review
from culturegate.bank.sheet import Signature
from culturegate.errors import CulturegateError, InputError, Problem


def sign(signatures: Sequence[Signature]) -> list[Problem]:
    """Write signatures under their items; return those that could not be, and why.

    A file is replaced whole or not at all, and only if reading it again gives the same items with
    the new signatures.
    """
    problems: list[Problem] = []
    by_file: defaultdict[Path, list[Signature]] = defaultdict(list)
    for signature in signatures:
        by_file[signature.item.file].append(signature)
    for file, wanted in sorted(by_file.items()):
        if file.suffix.lower() not in {".yaml", ".yml"}:
            problems.append(Problem(file, "signatures go into YAML files only; add them by hand"))
            continue
        text = read_text(file)
        for signature in sorted(wanted, key=lambda one: -(one.item.line or 0)):
            try:
                text = _signed(text, file, signature)
            except _CannotSign as error:
                item = signature.item
                problems.append(Problem(file, str(error), item.line, item.id))
        _replace(file, text, crlf=b"\r\n" in file.read_bytes())
    return problems


class _CannotSign(Exception):
    pass


def _signed(text: str, file: Path, signature: Signature) -> str:
    document = yaml12.load(text, file, "text")
    path, entry = _entry(document, signature.item.line)
    lines = text.split("\n")
    keys = {key: document.line((*path, key)) for key in entry}
    if len(set(keys.values())) < len(keys):
        raise _CannotSign("the item's fields share a line; add the signature by hand")
    first = lines[keys[next(iter(entry))] - 1]
    indent = " " * (len(first) - len(first.lstrip(" -")))
    row = f"{indent}  - {_flow(signature.review)}"
    reviews = entry.get("reviews")
    if reviews:
        at = document.line((*path, "reviews", len(reviews) - 1))
        if at == keys["reviews"]:
            raise _CannotSign("the item's reviews stand on one line; add the signature by hand")
        last = lines[at - 1]
        row = " " * (len(last) - len(last.lstrip())) + f"- {_flow(signature.review)}"
        later = [line for line in keys.values() if line > at]
        # The last review may be several lines long: it ends where something less deep begins.
        end = min(later, default=at + 1) - 1 if later else _end(lines, at, last)
        lines.insert(end, row)
    elif "reviews" in entry:
        at = keys["reviews"]
        lines[at - 1 : at] = [f"{indent}reviews:", row]
    else:
        at = keys["answer"]
        lines[at:at] = [f"{indent}reviews:", row]
    written = "\n".join(lines)
    _check(document.data, path, signature.review, written, file)
    return written


def _end(lines: list[str], start: int, first: str) -> int:
    depth = len(first) - len(first.lstrip())
    for number in range(start, len(lines)):
        line = lines[number]
        if line.strip() and len(line) - len(line.lstrip()) <= depth:
            return number
    return start


def _entry(document: yaml12.Document, line: int | None) -> tuple[tuple[str | int, ...], Any]:
    for number, episode in enumerate(document.data["episodes"]):
        for place, entry in enumerate(episode["items"]):
            path = ("episodes", number, "items", place)
            if document.line(path) == line:
                return path, entry
    raise _CannotSign("the item is no longer where it was read")


def _flow(review: Review) -> str:
    fields = {"reviewer": review.reviewer, "date": review.date}
    if review.note:
        fields["note"] = review.note
    # A JSON string is a YAML string, whatever it holds.
    pairs = (f"{name}: {json.dumps(value, ensure_ascii=False)}" for name, value in fields.items())
    return "{" + ", ".join(pairs) + "}"


def _check(
    before: Any, path: tuple[str | int, ...], review: Review, written: str, file: Path
) -> None:
    try:
        after = yaml12.load(written, file, "text").data
    except InputError:
        raise _CannotSign("the file's layout is unusual; add the signature by hand") from None
    entry = before
    for step in path:
        entry = entry[step]
    added = {"reviewer": review.reviewer, "date": review.date}
    added |= {"note": review.note} if review.note else {}
    entry["reviews"] = [*(entry.get("reviews") or []), added]
    if before != after:
        raise _CannotSign("the file's layout is unusual; add the signature by hand")


def _replace(file: Path, text: str, *, crlf: bool) -> None:
    fresh = file.with_name(f".{file.name}.{os.getpid()}.tmp")
    try:
        fresh.write_text(text, encoding="utf-8", newline="\r\n" if crlf else "\n")
        fresh.replace(file)
    except OSError as error:
        fresh.unlink(missing_ok=True)
        raise CulturegateError(f"{file}: cannot be written: {error.strerror}") from None
