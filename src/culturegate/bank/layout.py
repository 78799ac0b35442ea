"""The bank's file format as pydantic models: what an author may write, and the schema of it."""

from __future__ import annotations

import unicodedata
from typing import Annotated, Any, Literal, get_args

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    WithJsonSchema,
)

from culturegate.bank.items import Form, Kind, Tag
from culturegate.bank.slugs import MAX_SLUG, is_slug
from culturegate.text import clean

MAX_TEXT = 100_000
"""Characters of one text."""
LABELS = "abcdefghij"
"""Labels of options, in order."""
TAGS: tuple[str, ...] = get_args(Tag)
FORMS: tuple[str, ...] = get_args(Form)

_TRUE = frozenset({"true", "True", "TRUE"})
_FALSE = frozenset({"false", "False", "FALSE"})
_LANG_PATTERN = r"^[a-z]{2,3}(-[a-z0-9]{2,8})*$"
_SLUG_PATTERN = r"^[a-z0-9]+(-[a-z0-9]+)*$"


def _text(value: Any) -> Any:
    """Take what was written as text: composed (NFC), trimmed, free of what cannot be seen."""
    if isinstance(value, bool):
        value = str(value).lower()
    if not isinstance(value, str):
        got = "nothing" if value is None else "a list" if isinstance(value, list) else "a mapping"
        raise ValueError(f"text was expected, got {got}")
    text = unicodedata.normalize("NFC", value).strip()
    if not text:
        raise ValueError("the text is empty")
    if len(text) > MAX_TEXT:
        raise ValueError(f"{len(text)} characters; at most {MAX_TEXT} are read")
    if not text.isprintable() and clean(text) != text:
        bad = next(char for char in text if clean(char) != char)
        raise ValueError(f"holds the control character U+{ord(bad):04X}; remove it")
    return text


def _truth(value: Any) -> Any:
    if isinstance(value, str):
        if value in _TRUE:
            return True
        if value in _FALSE:
            return False
    if not isinstance(value, bool):
        raise ValueError(f"true or false was expected, got {str(value)[:60]!r}")
    return value


def _whole(value: Any) -> Any:
    return int(value) if isinstance(value, str) and value in {"1", "2", "3"} else value


def _slug(value: str) -> str:
    if not is_slug(value):
        raise ValueError(
            f"{value[:60]!r} is no slug: lower-case letters, digits and single hyphens, "
            f"at most {MAX_SLUG} characters"
        )
    return value


def _absent(value: Any) -> Any:
    # Every scalar of a YAML file comes as text, so an author's null does too.
    return None if isinstance(value, str) and value in {"", "~", "null"} else value


def _listed(value: Any) -> Any:
    return [] if value is None else value


Text = Annotated[str, BeforeValidator(_text), WithJsonSchema({"type": "string", "minLength": 1})]
Slug = Annotated[
    Text,
    AfterValidator(_slug),
    WithJsonSchema({"type": "string", "pattern": _SLUG_PATTERN, "maxLength": MAX_SLUG}),
]
Truth = Annotated[bool, BeforeValidator(_truth)]
Difficulty = Annotated[Literal[1, 2, 3], BeforeValidator(_whole)]
LangCode = Annotated[str, StringConstraints(pattern=_LANG_PATTERN)]
LocalText = Annotated[
    dict[LangCode, Text],
    Field(min_length=1),
    WithJsonSchema(
        {
            "type": "object",
            "properties": {"en": {"type": "string"}, "zh": {"type": "string"}},
            "patternProperties": {_LANG_PATTERN: {"type": "string", "minLength": 1}},
            "additionalProperties": False,
            "minProperties": 1,
        }
    ),
]
# A plain dict for speed: it is by far the most frequent object of a bank. `tag` is told from the
# languages, and checked, where the item is checked.
OptionText = Annotated[
    dict[str, Text],
    WithJsonSchema(
        {
            "type": "object",
            "properties": {
                "en": {"type": "string"},
                "zh": {"type": "string"},
                "tag": {"enum": list(TAGS)},
            },
            "patternProperties": {r"^(?!tag$)[a-z]{2,3}(-[a-z0-9]{2,8})*$": {"type": "string"}},
            "additionalProperties": False,
            "minProperties": 1,
        }
    ),
]
Options = Annotated[
    dict[Literal["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"], OptionText],
    Field(min_length=2),
]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class SourceEntry(_Model):
    """Where the story can be looked up."""

    work: Text
    section: Text
    checked: Truth = False


class ReviewEntry(_Model):
    """A person's signature; the list stays empty until a person signs."""

    reviewer: Text
    date: Annotated[str, StringConstraints(pattern=r"^\d{4}-\d{2}-\d{2}$")]
    note: Annotated[str, BeforeValidator(lambda value: value or "")] = ""


class ItemEntry(_Model):
    """One question, its options and its key."""

    id: Slug
    kind: Kind
    question: LocalText
    options: Options
    answer: Annotated[str, BeforeValidator(_text)]
    difficulty: Difficulty
    public: Truth = True
    form: Annotated[Form | None, BeforeValidator(_absent)] = None
    variant_of: Annotated[Slug | None, BeforeValidator(_absent)] = None
    source: SourceEntry | None = None
    authors: Annotated[list[Text], Field(min_length=1)] | None = None
    reviews: Annotated[list[ReviewEntry], BeforeValidator(_listed)] = []


class EpisodeHead(_Model):
    """A story, and where it can be looked up."""

    id: Slug
    title: LocalText
    source: SourceEntry


class EpisodeEntry(EpisodeHead):
    """A story and the items that rest on it."""

    items: Annotated[list[ItemEntry], Field(min_length=1)]


class BankHead(_Model):
    """The culture of a file and what its items share."""

    canary: Text | None = None
    culture: Slug
    title: LocalText
    authors: Annotated[list[Text], Field(min_length=1)]


class BankFile(BankHead):
    """A file of the myth bank: one culture's episodes."""

    episodes: Annotated[list[EpisodeEntry], Field(min_length=1)]


class PlainItem(_Model):
    """One item on its own, once its languages and labels are worked out."""

    id: Text
    culture: Text
    kind: Kind
    question: LocalText
    options: Options
    answer: Annotated[str, BeforeValidator(_text)]
    episode: Annotated[Text | None, BeforeValidator(_absent)] = None
    title: LocalText | None = None
    difficulty: Annotated[Difficulty | None, BeforeValidator(_absent)] = None
    public: Truth = True
    form: Annotated[Form | None, BeforeValidator(_absent)] = None
    variant_of: Annotated[Text | None, BeforeValidator(_absent)] = None
    source: SourceEntry | None = None
    authors: list[Text] = []
    reviews: Annotated[list[ReviewEntry], BeforeValidator(_listed)] = []


def file_schema() -> dict[str, Any]:
    """Return the JSON Schema of a bank file, for editors."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **BankFile.model_json_schema(),
    }
