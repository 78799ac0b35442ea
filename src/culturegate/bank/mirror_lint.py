"""`culturegate lint` of mirror families: whether the four arms are one problem, well worded."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator

from culturegate.bank.findings import Finding, LintLimits
from culturegate.bank.mirror import ARMS, ELEMENTS, TASKS, Arm, Family, MirrorBank
from culturegate.bank.scripts import foreign_script, script
from culturegate.bank.skeleton import number_text
from culturegate.bank.skeleton_lint import at_family, faulty_skeletons
from culturegate.bank.wording import bare, folded
from culturegate.errors import Problem
from culturegate.text import one_line

REGIONS = 5
FAMILIES = 20
"""Least number of families a region."""
PER_TASK = 5
"""Least number of families a region and task."""
KEYS_N = 10
"""Choice families of a region from which their keys' places are judged."""
ALPHA = 0.05

_SLOT = re.compile(
    r"\{[^{}]{0,60}\}|\$[A-Za-z_]\w*|%\([a-z_]+\)s|<[A-Za-z_ ]{2,30}>|\bTODO\b|\[[A-Z_ ]{3,30}\]"
    r"|_{3,}|｛[^｝]{0,60}｝"
)
_ARTICLE = re.compile(r"(?<![A-Za-z])(?:[Aa]n?|[Tt]he) ?(?![a-z])")
_DOUBLED = re.compile(
    r"\b(the|a|an|of|to|and|in|is|el|la|los|las|de|en|un|una) \1\b", re.IGNORECASE
)


def lint_mirror(bank: MirrorBank, limits: LintLimits) -> Iterator[Finding]:
    """Name what is wrong in the mirror families; nothing about size for a folder of one's own."""
    if limits.record and bank.files:
        yield from _miscounted(bank)
    for family in bank.families:
        yield from faulty_skeletons(family)
        yield from _unlike(family)
        for arm in family.arms.values():
            yield from _worded(family, arm)
        yield from _untranslated(family)
        yield from _signatures(family)
    yield from _skewed(bank)
    yield from _twice(bank)


def mirror_summary(bank: MirrorBank) -> Iterator[str]:
    """Yield the lines of the table: families of each region by task, element and answer."""
    if not bank.families:
        return
    yield (
        f"{len(bank.families)} mirror families, {len(bank.cultures)} regions, "
        f"{bank.signed} signed by a person"
    )
    heads = [*TASKS, *ELEMENTS, "number", "choice", "text"]
    width = max(len(region) for region in (*bank.cultures, "region"))
    yield f"{'region':{width}} families {' '.join(heads)}"
    for region in bank.cultures:
        members = [family for family in bank.families if family.region == region]
        counts: Counter[str] = Counter(
            fact for family in members for fact in (family.task, family.element, family.answer_type)
        )
        cells = " ".join(f"{counts[head]:{len(head)}d}" for head in heads)
        yield f"{region:{width}} {len(members):8d} {cells}"


def _miscounted(bank: MirrorBank) -> Iterator[Finding]:
    where = bank.files[0].parent
    if len(bank.cultures) < REGIONS:
        message = f"{len(bank.cultures)} regions; at least {REGIONS}"
        yield Finding("count", Problem(where, message))
    by_region: defaultdict[str, list[Family]] = defaultdict(list)
    for family in bank.families:
        by_region[family.region].append(family)
    for region, members in sorted(by_region.items()):
        file = members[0].file
        if len(members) < FAMILIES:
            message = f"{len(members)} families; at least {FAMILIES}"
            yield Finding("count", Problem(file, message, None, region))
        tasks = Counter(family.task for family in members)
        few = [f"{tasks[task]} {task}" for task in TASKS if tasks[task] < PER_TASK]
        if few:
            message = f"{', '.join(few)} families; at least {PER_TASK} of each task"
            yield Finding("balance", Problem(file, message, None, region))
        elements = {family.element for family in members}
        missing = [element for element in ELEMENTS if element not in elements]
        if missing:
            message = f"no family whose element is {', '.join(missing)}"
            yield Finding("balance", Problem(file, message, None, region))
    for file, canary in bank.canaries.items():
        if canary is None:
            yield Finding("canary", Problem(file, "no canary"))


def _unlike(family: Family) -> Iterator[Finding]:
    """Name where the arms that share a skeleton do not correspond."""
    original = family.arms["original"]
    for name in ("literal", "localized"):
        arm = family.arms[name]
        if arm.skeleton is not family.skeleton:
            message = "an own skeleton; only the native arm may have one"
            yield at_family("arms", family, message, arm.lines.get("skeleton"), arm)
        if bool(arm.unit) != bool(original.unit):
            message = "unit: the original and this arm both have one, or neither has"
            yield at_family("arms", family, message, arm.lines.get("unit"), arm)
        if family.answer_type == "choice":
            if list(arm.options) != list(original.options):
                message = "its options are not labelled as the original's are"
                yield at_family("arms", family, message, arm.lines.get("options"), arm)
            if arm.answer != original.answer:
                message = (
                    f"the key is {arm.answer.upper()}, the original's is "
                    f"{original.answer.upper()}; a label plays one part in both"
                )
                yield at_family("arms", family, message, arm.lines.get("answer"), arm)
    if original.skeleton is not family.skeleton:
        message = "an own skeleton; only the native arm may have one"
        yield at_family("arms", family, message, original.lines.get("skeleton"), original)
    literal = family.arms["literal"]
    for field, here, there in (
        ("values", literal.values, original.values),
        ("results", literal.results, original.results),
    ):
        for key in sorted(here.keys() & there.keys()):
            if here[key] != there[key]:
                message = (
                    f"{field}: {key} is {number_text(here[key])}, in the original "
                    f"{number_text(there[key])}; a translation keeps it"
                )
                yield at_family("arms", family, message, literal.lines.get(field), literal)
    for key in original.entities:
        if key not in literal.entities:
            message = f"entities: no {key!r}, which the original has"
            yield at_family("entity", family, message, literal.lines.get("entities"), literal)


def _worded(family: Family, arm: Arm) -> Iterator[Finding]:
    """Name what a filled-in template leaves behind in a text."""
    texts = [("text", "text", arm.text), ("answer", "answer", arm.answer)]
    texts += [("unit", "unit", arm.unit)] if arm.unit else []
    texts += [("options", f"option {key.upper()}", text) for key, text in arm.options.items()]
    texts += [("accepted", "accepted", each.answer) for each in arm.accepted]
    for field, where, text in texts:
        line = arm.lines.get(field)
        for match in _SLOT.finditer(text):
            message = f"{where} holds a slot that nobody filled: {one_line(match[0], 40)}"
            yield at_family("slot", family, message, line, arm)
        for match in _DOUBLED.finditer(text):
            message = f"{where} says a word twice: {one_line(match[0], 40)}"
            yield at_family("residue", family, message, line, arm)
        found = foreign_script(text, arm.lang)
        if found and (where == "text" or found != "LATIN"):
            message = f"{where}: script does not match language {arm.lang} (mostly {found.title()})"
            yield at_family("script", family, message, line, arm)
    line = arm.lines.get("entities")
    for key, entity in arm.entities.items():
        if not _stands(entity, arm.text, arm.lang):
            message = f"entities: the text does not hold {key} {one_line(entity, 60)!r}"
            yield at_family("entity", family, message, line, arm)
            continue
        left = _article(entity, arm)
        if left:
            message = f"an article left before a name: {one_line(left, 60)!r}"
            yield at_family("residue", family, message, arm.lines.get("text"), arm)


def _article(entity: str, arm: Arm) -> str | None:
    """Return an article that stands before a name as a filled slot leaves it ("A Ali").

    In English any, before a capital letter; in another script a lone Latin letter is one.
    """
    if not _ARTICLE.search(arm.text):  # the common case, and a pattern is dear to make
        return None
    if arm.lang == "en":
        if not entity[:1].isupper():
            return None
        # "A Presidents' Day sale" is English; "a Ali" and "a Ali buys" are not.
        noun = r"(?! [a-z])" if " " in entity else ""
        found = re.search(rf"\b[Aa]n? {re.escape(entity)}(?!\w){noun}", arm.text)
    elif script(entity[:1]) not in (None, "LATIN") or foreign_script(entity, arm.lang) is not None:
        found = re.search(rf"(?<![A-Za-z])(?:[Aa]n?|[Tt]he) ?{re.escape(entity)}", arm.text)
    else:
        return None
    return found[0] if found else None


def _untranslated(family: Family) -> Iterator[Finding]:
    """Name entities of the original that stand in another arm as they were."""
    original = family.arms["original"]
    for name in ARMS[1:]:
        arm = family.arms[name]
        # A personal name stays as it is where both languages write alike, in the translation.
        if name == "literal" and _latin(arm):
            continue
        for key, entity in original.entities.items():
            same = folded(arm.entities.get(key, "")) == folded(entity)
            if same or (not _latin(arm) and _stands(entity, arm.text, "en")):
                message = (
                    f"{key} {one_line(entity, 60)!r} of the original is left untranslated; a brand "
                    "that is written so there is no entity"
                )
                line = arm.lines.get("entities" if same else "text")
                yield at_family("untranslated", family, message, line, arm)


def _signatures(family: Family) -> Iterator[Finding]:
    """Name authors who review themselves, and people who signed twice."""
    authors = {folded(name) for name in family.authors}
    seen: set[str] = set()
    for review in family.reviews:
        reviewer = folded(review.reviewer)
        if reviewer in authors:
            message = f"{review.reviewer} is an author and can't review it"
            yield at_family("review", family, message)
        if reviewer in seen:
            message = f"{review.reviewer} signed twice; two reviews need two people"
            yield at_family("review", family, message)
        seen.add(reviewer)


def _latin(arm: Arm) -> bool:
    letters = [char for char in arm.text if char.isalpha()]
    return sum(script(char) == "LATIN" for char in letters) * 2 > len(letters)


def _stands(words: str, text: str, lang: str) -> bool:
    wanted, whole = folded(words), folded(text)
    if wanted not in whole:
        return False
    if lang in ("zh", "ja", "ar"):  # written without spaces, or with what belongs to a word joined
        return True
    return re.search(rf"(?<!\w){re.escape(wanted)}(?!\w)", whole) is not None


def _skewed(bank: MirrorBank) -> Iterator[Finding]:
    """Name the regions whose keys stand too often at one label, or are too often the longest."""
    from scipy.stats import binom  # half a second that only lint should pay

    groups: defaultdict[tuple[str, str, int], list[tuple[Family, Arm]]] = defaultdict(list)
    for family in bank.families:
        if family.answer_type == "choice":
            for arm in family.arms.values():
                groups[family.region, arm.name, len(arm.options)].append((family, arm))
    for (region, name, options), members in sorted(groups.items()):
        n = len(members)
        if n < KEYS_N:
            continue
        file = members[0][0].file
        label, hits = max(
            Counter(arm.answer for _, arm in members).items(), key=lambda p: (p[1], p)
        )
        p = float(binom.sf(hits - 1, n, 1 / options))
        if p * options < ALPHA:
            message = f"{name}: the key is {label.upper()} in {hits} of {n} choice families"
            yield Finding("letter", Problem(file, message, None, region))
        longest = [family.id for family, arm in members if _longest(arm)]
        p = float(binom.sf(len(longest) - 1, n, 1 / options))
        if p < ALPHA:
            message = (
                f"{name}: the key is the longest option in {len(longest)} of {n} choice families; "
                f"even out some of: {one_line(', '.join(longest), 600)}"
            )
            yield Finding("longest", Problem(file, message, None, region))


def _longest(arm: Arm) -> bool:
    sizes = {label: len(text) for label, text in arm.options.items()}
    return all(sizes[arm.answer] > size for label, size in sizes.items() if label != arm.answer)


def _twice(bank: MirrorBank) -> Iterator[Finding]:
    """Name texts that stand in two families or in two arms of one."""
    first: dict[str, tuple[Family, Arm]] = {}
    for family in bank.families:
        for arm in family.arms.values():
            other_family, other = first.setdefault(bare(arm.text), (family, arm))
            if other is not arm:
                message = f"the text is also that of {other_family.id}, {other.name}"
                yield at_family("duplicate", family, message, arm.lines.get("text"), arm)
