"""Soundness of single items: nothing in the question gives the key away, nothing is missing."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from culturegate.bank.findings import Finding, LintLimits, at_group, at_item
from culturegate.bank.items import MythItem
from culturegate.bank.scripts import foreign_script, script
from culturegate.bank.wording import content_words, folded

# A rotated order makes such an option point at the wrong ones.
POINTS_AT_OTHERS = re.compile(
    r"\bof the above\b"
    r"|^\W*(?:[Aa]ll|[Nn]one|[Bb]oth|[Nn]either|[Aa]ny) of (?:these|them|the others?)\W*$"
    r"|\b(?:[Bb]oth|[Ee]ither|[Nn]either) [A-J] (?:and|or|nor) [A-J]\b"
    r"|以上(?:都|皆|全|均)|[A-J]\s?[和与或]\s?[A-J]\s?(?:都|皆|均)|^[A-J]\s?[和与或]\s?[A-J]$",
)
_CAPITALISED = re.compile(r"[^\W\d_]+(?:[-’'][^\W\d_]+)*")
_SENTENCE_END = '.?!:;“”"‘(['


def unsound(items: Sequence[MythItem], limits: LintLimits) -> Iterator[Finding]:
    """Name the items that leak their key or lack what the bank asks of each."""
    for item in items:
        yield from _leaks(item)
        yield from _scripts(item)
        yield from _signatures(item)
        for lang in item.langs:
            for label, option in item.options.items():
                if POINTS_AT_OTHERS.search(option.text[lang]):
                    yield at_item(
                        "order",
                        item,
                        f"option {label.upper()} ({lang}) points at other options; their order "
                        "changes when the item is asked, so name what is meant",
                    )
        if limits.langs is not None:
            missing = [lang for lang in limits.langs if lang not in item.langs]
            if missing:
                yield at_item("languages", item, f"not written in {', '.join(missing)}")
        if limits.record:
            yield from _lacks(item)
    yield from _name_cues(items, limits)


def _leaks(item: MythItem) -> Iterator[Finding]:
    for lang in item.langs:
        question = item.question[lang]
        key = item.options[item.answer].text[lang]
        asked = content_words(question, lang)
        shared = asked & content_words(key, lang)
        if item.kind == "decode" and shared:
            words = ", ".join(sorted(shared)[:6])
            yield at_item(
                "leak", item, f"question and key share content words ({lang}): {words}; reword one"
            )
        elif _stands_in(key, question) and not _all_stand(item, lang):
            yield at_item("leak", item, f"the key stands in the question ({lang}); reword one")


def _stands_in(text: str, within: str) -> bool:
    wanted, whole = folded(text).rstrip(".。"), folded(within)
    if script(wanted[-1:]) == "CJK":
        return wanted in whole
    return re.search(rf"(?<!\w){re.escape(wanted)}(?!\w)", whole) is not None


def _all_stand(item: MythItem, lang: str) -> bool:
    """Say whether the question lists every option, which gives none of them away."""
    question = item.question[lang]
    return all(_stands_in(option.text[lang], question) for option in item.options.values())


def _scripts(item: MythItem) -> Iterator[Finding]:
    for lang in item.langs:
        texts = {"question": item.question[lang]} | {
            f"option {label.upper()}": option.text[lang] for label, option in item.options.items()
        }
        for where, text in texts.items():
            found = foreign_script(text, lang)
            if found:
                yield at_item(
                    "script",
                    item,
                    f"{where}: script does not match language {lang} (mostly {found.title()})",
                )


def _signatures(item: MythItem) -> Iterator[Finding]:
    authors = {folded(name) for name in item.authors}
    seen: set[str] = set()
    for review in item.reviews:
        reviewer = folded(review.reviewer)
        if reviewer in authors:
            yield at_item("review", item, f"{review.reviewer} is an author and can't review it")
        if reviewer in seen:
            yield at_item(
                "review", item, f"{review.reviewer} signed twice; two reviews need two people"
            )
        seen.add(reviewer)


def _lacks(item: MythItem) -> Iterator[Finding]:
    if item.source is None:
        yield at_item("citation", item, "no source (work and section)")
    if not item.authors:
        yield at_item("authors", item, "no authors")
    if item.difficulty is None:
        yield at_item("difficulty", item, "no difficulty (1 to 3)")
    if item.kind == "decode" and item.form is None:
        yield at_item("form", item, "a decode item without a form")
    bare = [
        label.upper()
        for label, option in item.options.items()
        if option.tag is None and label != item.answer
    ]
    if bare:
        yield at_item("tag", item, f"distractors without a tag that says what tempts: {bare}")


def _name_cues(items: Sequence[MythItem], limits: LintLimits) -> Iterator[Finding]:
    """Name the cultures whose decode questions mostly tell which story they stand for."""
    by_culture: defaultdict[str, list[MythItem]] = defaultdict(list)
    for item in items:
        by_culture[item.culture].append(item)
    for culture, members in sorted(by_culture.items()):
        decode = [item for item in members if item.kind == "decode"]
        latin, other = story_names(members)
        cued = [item for item in decode if _cue(item, latin, other)]
        if len(decode) >= limits.few_n and len(cued) > (1 - limits.name_free) * len(decode):
            shown = ", ".join(f"{item.id} ({_cue(item, latin, other)})" for item in cued[:8])
            yield at_group(
                "name",
                decode,
                f"{culture} decode",
                f"{len(cued)} of {len(decode)} questions hold a name from the stories, limit "
                f"{1 - limits.name_free:.0%}; describe the story instead in some of: {shown}",
            )


def story_names(items: Sequence[MythItem]) -> tuple[frozenset[str], frozenset[str]]:
    """Return the names in one culture's titles and recall items: Latin ones, and Chinese ones.

    A Latin name is a word that is capitalised inside a sentence and nowhere in these items small.
    A Chinese name is the text of an option whose English is nothing but such a name.
    """
    recall = [item for item in items if item.kind == "recall"]
    texts = [item.question.get("en", "") for item in recall]
    texts += [option.text.get("en", "") for item in recall for option in item.options.values()]
    texts += sorted({item.title.get("en", "") for item in items if item.title})
    texts_with_small = texts + [item.question.get("en", "") for item in items]
    small = {
        word for text in texts_with_small for word in _CAPITALISED.findall(text) if word.islower()
    }
    # What is capitalised only because a sentence starts is a name only if it is so elsewhere too.
    inside = {word for text in texts for word in _capitalised_inside(text)}
    latin = frozenset(
        word.casefold() for word in inside if len(word) > 2 and word.casefold() not in small
    )
    other = frozenset(
        option.text["zh"]
        for item in recall
        for option in item.options.values()
        if {"en", "zh"} <= set(option.text)
        and 2 <= len(option.text["zh"]) <= 6
        and {word.casefold() for word in _CAPITALISED.findall(option.text["en"])} <= latin
    )
    return latin, other


def _capitalised_inside(text: str) -> Iterator[str]:
    for match in _CAPITALISED.finditer(text):
        before = text[: match.start()].rstrip()
        if match[0][0].isupper() and before and before[-1] not in _SENTENCE_END:
            yield re.sub(r"[’']s$", "", match[0])


def _cue(item: MythItem, latin: frozenset[str], other: frozenset[str]) -> str | None:
    english = _CAPITALISED.findall(item.question.get("en", ""))
    for word in english:
        name = re.sub(r"[’']s$", "", word)
        if name[0].isupper() and name.casefold() in latin:
            return name
    chinese = item.question.get("zh", "")
    return next((name for name in sorted(other) if name in chinese), None)
