"""One item as a reader sees it, and the page on which a new one is written."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from importlib.resources import files

from culturegate.bank.bank import Bank
from culturegate.bank.items import MythItem
from culturegate.bank.slugs import slug
from culturegate.errors import CulturegateError
from culturegate.text import clean, one_line


class UnknownItem(CulturegateError):
    """No item has the id asked for; the message names those that are near."""


def find_item(bank: Bank, name: str) -> MythItem:
    """Return the item of an id, or of the id its file has; raises `UnknownItem`."""
    for item in bank.myth:
        if name in (item.id, item.original_id):
            return item
    close = difflib.get_close_matches(name, [item.id for item in bank.myth], n=3, cutoff=0.5)
    there = f"; there are {', '.join(close)}" if close else f" among {len(bank.myth)}"
    raise UnknownItem(f"no item {one_line(name, 80)!r}{there}")


def shown(item: MythItem) -> Iterator[str]:
    """Yield the lines of one item: every language, then source, key and signatures."""
    facts = [item.kind, item.culture, f"episode {item.cluster}"]
    facts += [item.form] if item.form else []
    facts += [f"difficulty {item.difficulty}"] if item.difficulty else []
    facts += [] if item.public else ["not public"]
    facts += [f"variant of {item.variant_of}"] if item.variant_of else []
    yield f"{item.id}: {', '.join(facts)}"
    if item.original_id:
        yield f"in its file: {one_line(item.original_id)}"
    for lang in item.langs:
        yield ""
        title = item.title.get(lang) if item.title else None
        yield f"[{lang}] {title}" if title else f"[{lang}]"
        yield clean(item.question[lang])
        for label, option in item.options.items():
            mark = " *" if label == item.answer else ""
            tag = f"  ({option.tag})" if option.tag else ""
            yield f"  {label.upper()}. {clean(option.text[lang])}{mark}{tag}"
    yield ""
    if item.source:
        checked = "checked" if item.source.checked else "not checked yet"
        yield f"source: {item.source.work}, {item.source.section} ({checked})"
    else:
        yield "source: none"
    yield f"authors: {', '.join(item.authors) or 'none'}"
    signatures = [f"{review.reviewer} ({review.date})" for review in item.reviews]
    yield f"signed by: {', '.join(signatures) or 'nobody yet'}"
    yield f"at {item.file}:{item.line}" if item.line else f"at {item.file}"


def template(culture: str) -> str | None:
    """Return a bank file of one episode, one recall and one decode item, ready to be filled in.

    None where `culture` has no letters that a slug can be made of.
    """
    name = slug(culture)
    if not name:
        return None
    page = files("culturegate.bank").joinpath("template.yaml").read_text(encoding="utf-8")
    return page.replace("CULTURE", name)
