"""The persona files' format as pydantic models: what an author may write."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from culturegate.bank.layout import LocalText, Slug, SourceEntry, Text

MAX_NORMS = 15
"""Norms of a culture; each is shown once in a history of 18 exchanges that neutral ones join."""

ShortText = Annotated[Text, Field(max_length=2000)]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ExchangeEntry(_Model):
    """One turn of the user and the assistant's reply."""

    user: ShortText
    assistant: ShortText


class ValueEntry(_Model):
    """Something that people of the culture may hold dear, or not."""

    id: Slug
    text: ShortText
    source: Slug


class ChatsEntry(_Model):
    """Exchanges that show a norm's state and never tell it."""

    follow: Annotated[list[ExchangeEntry], Field(min_length=2, max_length=8)]
    avoid: Annotated[list[ExchangeEntry], Field(min_length=2, max_length=8)]


class ChecklistEntry(_Model):
    """What a fitting reply does, by the norm's state."""

    follow: Annotated[list[ShortText], Field(min_length=1, max_length=6)]
    avoid: Annotated[list[ShortText], Field(min_length=1, max_length=6)]


class CellEntry(_Model):
    """A request where a norm matters, with four replies and the checklist."""

    request: Slug
    follow: ShortText
    avoid: ShortText
    postcard: ShortText
    generic: ShortText
    checklist: ChecklistEntry


class NormEntry(_Model):
    """A habit that some keep and some do not."""

    id: Slug
    type: Literal["practice", "communication"]
    text: ShortText
    values: Annotated[list[Slug], Field(min_length=1, max_length=5)]
    source: Slug
    chats: ChatsEntry
    requests: Annotated[list[CellEntry], Field(min_length=1, max_length=12)]


class CultureFile(_Model):
    """One culture's values and norms."""

    canary: Text | None = None
    culture: Slug
    title: LocalText
    authors: Annotated[list[Text], Field(min_length=1)]
    sources: Annotated[dict[Slug, SourceEntry], Field(min_length=1)]
    reveals: Annotated[list[ShortText], Field(min_length=1, max_length=500)]
    values: Annotated[list[ValueEntry], Field(min_length=1, max_length=30)]
    norms: Annotated[list[NormEntry], Field(min_length=1, max_length=MAX_NORMS)]


class TopicEntry(_Model):
    """A field that requests belong to."""

    id: Slug
    title: LocalText


class RequestEntry(_Model):
    """A health question that anybody might ask."""

    id: Slug
    topic: Slug
    text: ShortText


class RequestsFile(_Model):
    """The requests that every culture's norms are tried on."""

    canary: Text | None = None
    authors: list[Text] = []
    topics: Annotated[list[TopicEntry], Field(min_length=1)]
    requests: Annotated[list[RequestEntry], Field(min_length=1)]


class NeutralFile(_Model):
    """Exchanges that show no norm of any culture."""

    canary: Text | None = None
    authors: list[Text] = []
    exchanges: Annotated[list[ExchangeEntry], Field(min_length=2)]
