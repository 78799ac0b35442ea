"""Base URLs as people paste them: one form to send to, one form to show."""

from __future__ import annotations

import base64
import ipaddress
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, unquote, urlsplit, urlunsplit

from culturegate.errors import CulturegateError

_CHAT = "/chat/completions"


@dataclass(frozen=True, slots=True)
class Address:
    """Where an endpoint is."""

    shown: str
    """The base URL without user, password, query and trailing slash: fit for any output."""
    query: str = field(default="", repr=False)
    """The query given with the base URL, sent with every request."""
    basic: str | None = field(default=None, repr=False)
    """The `Authorization` header that the URL's user and password make."""
    secrets: tuple[str, ...] = field(default=(), repr=False)
    """What must appear in no output: password, user and the query's values."""

    @property
    def chat(self) -> str:
        """The URL of chat completions, with the query; not to be shown."""
        return self._url(_CHAT)

    @property
    def models(self) -> str:
        """The URL of the list of models, with the query; not to be shown."""
        return self._url("/models")

    def root(self, path: str) -> str:
        """Return the URL of `path` on the same server outside the API."""
        parts = urlsplit(self.shown)
        return urlunsplit((parts.scheme, parts.netloc, path, self.query, ""))

    @property
    def bare(self) -> bool:
        """Whether the base URL has no path at all, which few servers mean."""
        return not urlsplit(self.shown).path

    def _url(self, path: str) -> str:
        return self.shown + path + (f"?{self.query}" if self.query else "")


def parse(base_url: str) -> Address:
    """Read a base URL in any form people paste.

    Understood are a missing scheme, trailing and doubled slashes, and the full URL of
    `/chat/completions`. A bare host on this machine or a private network gets `/v1`, where local
    servers keep the API; a bare public host is taken as given.

    Raises:
        CulturegateError: it is not an http or https URL with a host.
    """
    text = base_url.strip()
    local_guess = "://" not in text
    try:
        parts = urlsplit(text if not local_guess else f"http://{text}")
        host, port = parts.hostname or "", parts.port
    except ValueError as problem:
        raise CulturegateError(_bad(f"it cannot be read ({problem})", text)) from None
    if parts.scheme not in ("http", "https") or not host or any(c.isspace() for c in text):
        raise CulturegateError(_bad("it is not an http or https URL with a host", text))
    scheme = parts.scheme if not local_guess or _local(host) else "https"
    path = "/".join(["", *(piece for piece in parts.path.split("/") if piece)])
    path = path.removesuffix(_CHAT)
    if not path and not parts.path.rstrip("/").endswith(_CHAT) and _local(host):
        path = "/v1"
    netloc = f"[{host}]" if ":" in host else host
    netloc += "" if port is None else f":{port}"
    user, password = unquote(parts.username or ""), unquote(parts.password or "")
    basic = None
    if user or password:
        pair = f"{user}:{password}".encode()
        basic = "Basic " + base64.b64encode(pair).decode("ascii")
    values = [value for _, value in parse_qsl(parts.query, keep_blank_values=True)]
    raw = [piece.partition("=")[2] or piece for piece in parts.query.split("&")]
    hidden = [password, parts.password or "", user, *values, *raw, basic[6:] if basic else ""]
    return Address(
        shown=urlunsplit((scheme, netloc, path, "", "")),
        query=parts.query,
        basic=basic,
        secrets=tuple(dict.fromkeys(text for text in hidden if text)),
    )


def _local(host: str) -> bool:
    """Whether a host is this machine or on a private network: loopback, private IP, bare name."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return "." not in host or host.endswith((".local", ".localhost", ".internal", ".lan"))
    return address.is_private or address.is_loopback


def _bad(why: str, text: str) -> str:
    # A user and password may stand before the host, a key in the query: show neither.
    shown = text.split("?")[0].rpartition("@")[2][:100]
    return (
        f"base URL {shown!r}: {why}. Give one such as http://localhost:8000/v1 "
        "(--endpoint or OPENAI_BASE_URL)"
    )
