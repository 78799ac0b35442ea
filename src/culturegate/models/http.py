"""One HTTP exchange with an endpoint: bounded in time and size, its failures told apart."""

from __future__ import annotations

import asyncio
import time
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from culturegate.errors import CallError

LARGEST_BODY = 2 * 1024**2
"""Bytes of a reply's body that are read; a longer one is a bad response."""
LARGEST_STREAM = 8 * LARGEST_BODY
"""The same of a streamed reply, which wraps each token in an event of its own."""
_MOST_ARRIVALS = 10_000
"""Arrivals noted of one body; a first token that comes later than so many pieces has no time."""


@dataclass(frozen=True, slots=True)
class Response:
    """What came back over HTTP."""

    status: int
    headers: Mapping[str, str]
    """Looked up in lower case."""
    body: bytes
    arrivals: tuple[tuple[int, float], ...] = ()
    """Bytes there so far and seconds since sending, of a streamed reply."""


@dataclass(frozen=True, slots=True)
class _Way:
    """How one address is reached."""

    session: Any
    """`aiohttp.ClientSession`"""
    url: Any
    """`yarl.URL`, parsed"""
    proxy: Mapping[str, Any]
    """Arguments of a request that goes through a proxy."""


class Http:
    """The HTTP client of `openai.AsyncOpenAI`, on its aiohttp transport.

    The `openai` package makes the headers (key, organisation, project), the client, its trusted
    certificates and its way through a proxy. Requests then go straight through the aiohttp session
    beneath: 0.2 ms of CPU a call, where `chat.completions.create` takes 1.25 and the client 0.45,
    for request and response models that are not used here.
    """

    def __init__(self, base_url: str, api_key: str | None, basic: str | None, timeout: float):
        # 0.6 s of import, spent only where an endpoint is asked.
        import aiohttp
        import openai

        self._timeout = timeout
        self._http: Any = openai.DefaultAioHttpClient(timeout=timeout)
        client = openai.AsyncOpenAI(
            base_url=base_url, api_key=api_key or "none", http_client=self._http, max_retries=0
        )
        made = {**client.default_headers, **client.auth_headers}
        headers = {
            name: value
            for name, value in made.items()
            # What the package tells of this machine in each request is nobody's business.
            if isinstance(value, str) and not name.lower().startswith("x-stainless")
        }
        if api_key is None:
            headers.pop("Authorization", None)
            if basic is not None:
                headers["Authorization"] = basic
        # Sizes are bounded as bytes arrive, and a compressed body tells nothing of its size.
        headers["Accept-Encoding"] = "identity"
        self._headers = headers
        # The whole exchange has one time-out; a timer for each of its steps would cost and add
        # nothing.
        self._unlimited = aiohttp.ClientTimeout()
        self._ways: dict[str, _Way] = {}

    async def send(
        self,
        method: str,
        url: str,
        body: bytes | None = None,
        within: float | None = None,
        *,
        streamed: bool = False,
    ) -> Response:
        """Send one request and read the whole reply, within the time-out or `within` seconds.

        Of a reply that was asked for as a stream it is noted when each piece came.

        Raises:
            CallError: `timeout` (not answered in full in time), `connection` (no server, or a
                connection dropped), `bad_response` (too large, or not HTTP).
        """
        seconds = self._timeout if within is None else min(within, self._timeout)
        started = time.perf_counter()
        try:
            # Found once; there are three or four addresses.
            way = self._ways.get(url)
            if way is None:
                way = self._ways[url] = self._way(url)
            async with (
                asyncio.timeout(seconds),
                way.session.request(
                    method,
                    way.url,
                    data=body,
                    headers=self._headers,
                    auto_decompress=False,
                    timeout=self._unlimited,
                    **way.proxy,
                ) as response,
            ):
                if streamed:
                    raw, arrivals = await _timed(response.content, started)
                else:
                    raw, arrivals = await _read(response.content), ()
                content = _decoded(response.headers, raw)
                return Response(response.status, response.headers, content, arrivals)
        except CallError:
            raise
        except Exception as failure:
            raise _told(failure, seconds) from None

    def _way(self, url: str) -> _Way:
        import aiohttp
        from yarl import URL

        parsed = self._http.build_request("GET", url).url
        transport = self._http._transport_for_url(parsed)
        # As the transport does at its own first request; it closes what it is given.
        if transport.client is None:
            transport.client = transport.get_client()
        proxy = transport.proxy
        told: dict[str, Any] = {}
        if proxy is not None:
            told = {"proxy": str(proxy.url), "proxy_headers": proxy.headers}
            if proxy.auth:
                told["proxy_auth"] = aiohttp.BasicAuth(*proxy.auth)
        return _Way(transport.client, URL(str(parsed), encoded=True), told)

    async def aclose(self) -> None:
        """Close all connections."""
        await self._http.aclose()


def _told(failure: Exception, seconds: float) -> Exception:
    """Say which failure of the call this is; what is no failure of HTTP comes back as it is."""
    import aiohttp

    # The transport wraps aiohttp's errors and takes a dropped connection for a time-out, so what
    # aiohttp and the system said decides, the most telling first.
    chain: list[BaseException] = []
    link: BaseException | None = failure
    while link is not None and link not in chain:
        chain.append(link)
        link = link.__cause__

    def met(*kinds: type[BaseException]) -> bool:
        return any(isinstance(cause, kinds) for cause in chain)

    if met(aiohttp.ClientConnectorDNSError):
        return CallError("connection", "no such host")
    if met(aiohttp.ClientConnectorCertificateError, aiohttp.ClientSSLError):
        return CallError("connection", "its TLS certificate is not trusted")
    if met(ConnectionRefusedError):
        return CallError("connection", "connection refused: no server listens there")
    if met(aiohttp.ClientConnectorError):
        return CallError("connection", "the host cannot be reached")
    if met(TimeoutError):
        return CallError("timeout", f"no reply within {seconds:g} s")
    if met(aiohttp.ClientResponseError):
        return CallError("bad_response", "it does not speak HTTP")
    if met(aiohttp.InvalidURL):
        return CallError("bad_response", "it cannot be asked under this URL")
    if met(aiohttp.ClientError, OSError):
        return CallError("connection", "the connection was dropped")
    if type(failure).__module__.startswith("httpx"):
        return CallError("bad_response", f"bad HTTP ({type(failure).__name__})")
    return failure


async def _read(content: Any) -> bytes:
    chunks: list[bytes] = []
    size = 0
    async for chunk in content.iter_any():
        size += len(chunk)
        if size > LARGEST_BODY:
            raise CallError("bad_response", f"the reply is larger than {LARGEST_BODY} bytes")
        chunks.append(chunk)
    return b"".join(chunks)


async def _timed(content: Any, started: float) -> tuple[bytes, tuple[tuple[int, float], ...]]:
    chunks: list[bytes] = []
    arrivals: list[tuple[int, float]] = []
    size = 0
    async for chunk in content.iter_any():
        size += len(chunk)
        if size > LARGEST_STREAM:
            raise CallError("bad_response", f"the reply is larger than {LARGEST_STREAM} bytes")
        chunks.append(chunk)
        if len(arrivals) < _MOST_ARRIVALS:
            arrivals.append((size, time.perf_counter() - started))
    return b"".join(chunks), tuple(arrivals)


def _decoded(headers: Mapping[str, str], raw: bytes) -> bytes:
    """Undo a compression that nobody asked for, within the same bound."""
    encoding = headers.get("content-encoding", "identity").strip().lower()
    if encoding in ("", "identity"):
        return raw
    if encoding not in ("gzip", "x-gzip", "deflate"):
        raise CallError("bad_response", "the reply is compressed in a way that was not asked for")
    try:
        # 32 more than the window's bits: zlib finds out itself whether it is gzip or zlib.
        unpacker = zlib.decompressobj(zlib.MAX_WBITS | 32)
        body = unpacker.decompress(raw, LARGEST_BODY)
    except zlib.error:
        raise CallError("bad_response", "the reply's compression is damaged") from None
    if unpacker.unconsumed_tail:
        raise CallError("bad_response", f"the reply is larger than {LARGEST_BODY} bytes")
    return body
