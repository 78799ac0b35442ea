"""What a server tells of itself: the models it lists and the software it runs."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from culturegate.errors import CallError
from culturegate.models.http import Http, Response
from culturegate.models.replies import read_json
from culturegate.models.urls import Address
from culturegate.text import one_line

_SHOWN = 10
_MOST = 10_000
_VERSION = re.compile(
    r"\d{4}-?\d{2}-?\d{2}|[-@:]\d{4}\b|\d+\.\d+|[-_:@.]v\d|@[0-9a-f]{7,}", re.IGNORECASE
)
_MOVING = re.compile(r"\b(latest|preview|experimental)\b", re.IGNORECASE)
_FRAMEWORKS = {
    # What a model says it is owned by: the software, and where it tells its version.
    "vllm": ("vLLM", "/version"),
    "library": ("Ollama", "/api/version"),
    "llamacpp": ("llama.cpp", None),
    "organization_owner": ("LM Studio", None),
    "sglang": ("SGLang", None),
}


@dataclass(frozen=True, slots=True)
class Listing:
    """The models a server lists; empty where it has no list."""

    names: tuple[str, ...] = ()
    owners: tuple[str, ...] = ()
    """Who owns each, "" where that is not said."""
    status: int = 200
    """The HTTP status that the list, or what came in its place, had."""

    def shown(self) -> str:
        """Return the names for a message: the first ten, and how many more there are."""
        text = ", ".join(repr(one_line(name, 80)) for name in self.names[:_SHOWN])
        more = len(self.names) - _SHOWN
        return f"{text} and {more} more" if more > 0 else text


def read_listing(response: Response) -> Listing:
    """Read the reply to `/models`; anything but a list of entries with an id lists nothing."""
    value = read_json(response.body) if response.status == 200 else None
    entries = value.get("data") if isinstance(value, dict) else value
    if not isinstance(entries, list):
        return Listing(status=response.status)
    named = [
        (entry["id"], _text(entry.get("owned_by")))
        for entry in entries[:_MOST]
        if isinstance(entry, dict) and isinstance(entry.get("id"), str) and entry["id"]
    ]
    return Listing(tuple(name for name, _ in named), tuple(owner for _, owner in named))


def moving_name(name: str) -> bool:
    """Return whether a model's name has no date and no version, or says that it moves."""
    return bool(_MOVING.search(name)) or not _VERSION.search(name)


async def framework(http: Http, address: Address, listing: Listing, name: str) -> str | None:
    """Return the name and version of the software that runs a listed model, where it tells."""
    owner = dict(zip(listing.names, listing.owners, strict=True)).get(name, "").lower()
    software, path = _FRAMEWORKS.get(owner, (None, None))
    if software is None or path is None:
        return software
    try:
        response = await http.send("GET", address.root(path), within=5)
    except CallError:
        return software
    value = read_json(response.body) if response.status == 200 else None
    version = _text(value.get("version")) if isinstance(value, dict) else ""
    return f"{software} {one_line(version, 40)}".rstrip()


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
