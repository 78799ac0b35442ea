"""An OpenAI-compatible endpoint as the model: asked fast, retried with care, never believed."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, field

from culturegate.errors import CallError, ModelUnavailable
from culturegate.models.base import Message, ModelInfo, Prompt, Reply
from culturegate.models.complaints import Complaints
from culturegate.models.http import Http, Response
from culturegate.models.limits import AdaptiveLimit, Counters, Pace
from culturegate.models.listing import Listing, framework, moving_name, read_listing
from culturegate.models.quirks import Quirks
from culturegate.models.replies import (
    Completion,
    NotACompletion,
    ServerError,
    read_completion,
    read_error,
)
from culturegate.models.retry import Clock, backoff, retry_after
from culturegate.models.streaming import arrival, assemble, is_stream
from culturegate.models.tokens import PROMPT_TRUNCATED, estimate, probably_truncated
from culturegate.models.urls import parse
from culturegate.text import one_line

_HANGS = 1
"""Retries after a time-out: it has cost a whole time-out already."""
_PATIENCE = 4
"""So many times more retries after a 429 than after a failure: the server is well, only busy."""
_DOWN = 16
"""Calls that failed for good in a row, after which a call is no longer retried until one works."""
_CHECK = 30.0
"""Seconds that a list of models may take."""


@dataclass(frozen=True, slots=True)
class EndpointConfig:
    """Where the endpoint is and how it may be asked."""

    base_url: str = field(repr=False)
    model: str | None = None
    """None takes the one model that the server lists."""
    api_key: str | None = field(default=None, repr=False)
    key_variable: str = "OPENAI_API_KEY"
    """Where the key comes from, for messages."""
    timeout: float = 120.0
    """Seconds for one request, from sending to the last byte."""
    max_connections: int = 32
    max_retries: int = 5
    """Retries of one call after 5xx and dropped connections."""
    rpm: float | None = None
    """Requests a minute."""
    tpm: float | None = None
    """Tokens a minute, prompt and reply."""
    retry_after_cap: float = 60.0
    """Seconds; a server that asks for a longer wait fails the call at once."""
    stream: bool = False
    """Whether replies are streamed, which tells the time to the first token."""


@dataclass(slots=True)
class _Tries:
    """What one call has been through."""

    retries: int = 0
    hangs: int = 0
    faults: int = 0
    busy: int = 0


@dataclass(frozen=True, slots=True)
class _Answer:
    """What one request brought."""

    content: Completion | ServerError
    seconds: float
    sent_at: float
    wait: float | None
    """Seconds that the server asks to wait."""
    ttft: float | None = None
    """Seconds to the first token of a streamed reply."""


class EndpointModel:
    """Asks the chat completions of one endpoint; one instance serves one event loop."""

    def __init__(self, config: EndpointConfig, clock: Clock | None = None) -> None:
        self._config = config
        self._clock = clock or Clock()
        self._address = parse(config.base_url)
        self._key = (config.api_key or "").strip() or None
        self._say = Complaints(self._address, self._key, config.key_variable)
        self._say.model = self._name = config.model or ""
        self._http: Http | None = None
        self._limit = AdaptiveLimit(config.max_connections, self._clock)
        self._requests = Pace(config.rpm, self._clock) if config.rpm else None
        self._tokens = Pace(config.tpm, self._clock) if config.tpm else None
        self._unavailable: ModelUnavailable | None = None
        self._failed_in_row = 0
        self.quirks = Quirks(stream=config.stream)
        """What the endpoint turned out not to take."""
        self.counters = Counters()

    @property
    def concurrency(self) -> int:
        """Requests that may be in flight now."""
        return self._limit.limit

    async def check(self) -> ModelInfo:
        """List the models, or where that tells too little send one request of one token."""
        listing = await self._list()
        self._say.model = self._name = self._name or self._only(listing)
        name = one_line(self._name)
        warnings = []
        if self._name not in listing.names:
            await self._probe(listing)
            if listing.names:
                warnings.append(f"the server answers for {name!r} but does not list it")
        if moving_name(self._name):
            warnings.append(
                f"model name {name!r} carries no version: what it stands for may change "
                "between runs"
            )
        return ModelInfo(
            name=self._name,
            kind="endpoint",
            base_url=self._address.shown,
            framework=await framework(self._open(), self._address, listing, self._name),
            warnings=tuple(warnings),
        )

    async def ask(self, prompt: Prompt) -> Reply:
        """Answer one prompt; see `Model.ask`."""
        try:
            reply = await self._ask(prompt)
        except CallError as failure:
            # A bad response came from a server that is up.
            self._failed_in_row += failure.kind != "bad_response"
            raise
        self._failed_in_row = 0
        self.counters.replies += 1
        return reply

    async def aclose(self) -> None:
        """Close all connections."""
        if self._http is not None:
            await self._http.aclose()

    # Asking.

    async def _ask(self, prompt: Prompt) -> Reply:
        tries = _Tries()
        while True:
            if self._unavailable is not None:
                raise self._unavailable
            body = self.quirks.body(self._name, prompt)
            wait: float | None = None
            try:
                answer = await self._send(body, prompt)
            except CallError as failure:
                self._failed(failure, tries)
            else:
                if isinstance(answer.content, Completion):
                    return self._reply(prompt, answer.content, answer, tries.retries)
                error = answer.content
                if error.cut_off or error.filtered:
                    finish = "length" if error.cut_off else "content_filter"
                    return Reply(None, finish, latency=answer.seconds, retries=tries.retries)
                if self._learns(error, body, prompt):
                    wait = 0.0
                else:
                    self._refused(error, answer, tries)
                    wait = answer.wait
            tries.retries += 1
            self.counters.retries += 1
            await self._hold(backoff(tries.retries - 1) if wait is None else wait)

    async def _send(self, body: dict[str, object], prompt: Prompt) -> _Answer:
        expected = 0.0
        if self._requests is not None:
            await self._hold(self._requests.reserve(1))
        if self._tokens is not None:
            expected = estimate(prompt) + prompt.max_tokens
            await self._hold(self._tokens.reserve(expected))
        raw = json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
        async with self._limit.slot() as sent_at:
            self.counters.requests += 1
            started = time.perf_counter()
            response = await self._open().send(
                "POST", self._address.chat, raw, streamed="stream" in body
            )
            seconds = time.perf_counter() - started
        content, ttft = self._read(response)
        if isinstance(content, ServerError):
            wait = retry_after(response.headers, self._clock.wall())
            return _Answer(content, seconds, sent_at, wait)
        self._limit.succeeded()
        usage = content.usage
        if self._tokens is not None and usage.prompt_tokens is not None:
            used = usage.prompt_tokens + (usage.completion_tokens or 0)
            self._tokens.settle(expected, used)
        return _Answer(content, seconds, sent_at, None, ttft)

    def _read(self, response: Response) -> tuple[Completion | ServerError, float | None]:
        """Return what came back, and of a streamed reply the seconds to its first token."""
        if not 200 <= response.status < 300:
            return read_error(response.status, response.body), None
        body, ttft = response.body, None
        if is_stream(response.headers):
            streamed = assemble(body)
            body, ttft = streamed.body, arrival(streamed.first, response.arrivals)
        try:
            content = read_completion(body)
        except NotACompletion as oddity:
            said = self._say.quote(oddity.body)
            raise CallError("bad_response", f"{oddity.what}: {said}") from None
        if isinstance(content, ServerError) and content.status == 200:
            said = self._say.quote(content.message)
            raise CallError("bad_response", f"an error in place of a reply: {said}")
        return content, ttft

    def _reply(self, prompt: Prompt, answer: Completion, got: _Answer, retries: int) -> Reply:
        notes = answer.notes + self.quirks.notes(prompt)
        if probably_truncated(prompt, answer.usage.prompt_tokens):
            notes += (PROMPT_TRUNCATED,)
        return Reply(
            text=answer.text and self._say.kept(answer.text),
            finish_reason=answer.finish_reason and self._say.safe(answer.finish_reason),
            usage=answer.usage,
            latency=got.seconds,
            ttft=got.ttft,
            sent=self._clock.wall() - got.seconds,
            retries=retries,
            model=answer.model and self._say.safe(answer.model),
            fingerprint=answer.fingerprint and self._say.safe(answer.fingerprint),
            notes=notes,
        )

    def _learns(self, error: ServerError, body: dict[str, object], prompt: Prompt) -> bool:
        """Learn a quirk from a refusal; return whether the next request will be another one."""
        if error.status not in (400, 422) or error.context_length:
            return False
        return self.quirks.learn(error, body) and self.quirks.body(self._name, prompt) != body

    def _failed(self, failure: CallError, tries: _Tries) -> None:
        """Count a request that brought no answer; raise where the call is to end."""
        if failure.kind == "timeout":
            self.counters.timeouts += 1
            tries.hangs += 1
        else:
            tries.faults += 1
        most = self._config.max_retries
        final = failure.kind == "bad_response" or tries.hangs > min(_HANGS, most)
        if final or tries.hangs + tries.faults > most or self._down:
            raise self._say.call(failure.kind, str(failure)) from None

    def _refused(self, error: ServerError, answer: _Answer, tries: _Tries) -> None:
        """Count an error of the server's; raise where the call, or the run, is to end."""
        say = self._say
        if error.context_length:
            told = f"the prompt is too long for the model ({say.told(error)})"
            raise say.call("bad_response", told)
        if not error.rate_limited and not error.passing:
            self._unavailable = say.refused(error)
            raise self._unavailable
        kind = "rate_limit" if error.rate_limited else "server"
        cap = self._config.retry_after_cap
        if error.rate_limited:
            self.counters.rate_limited += 1
            tries.busy += 1
            known = answer.wait is not None and answer.wait <= cap
            self._limit.refused(answer.sent_at, answer.wait if known else None)
        else:
            tries.faults += 1
        if answer.wait is not None and answer.wait > cap:
            told = (
                f"{error.status}, retry after {answer.wait:.0f} s; a call waits {cap:g} s at most"
            )
            raise say.call(kind, told)
        most = self._config.max_retries
        if tries.busy > most * _PATIENCE or tries.faults + tries.hangs > most or self._down:
            raise say.call(kind, f"{say.told(error)} (after {tries.retries} retries)")

    @property
    def _down(self) -> bool:
        return self._failed_in_row >= _DOWN

    async def _hold(self, seconds: float) -> None:
        if seconds > 0:
            self.counters.waits += 1
            self.counters.waited += seconds
            await self._clock.sleep(seconds)

    def _open(self) -> Http:
        if self._http is None:
            address = self._address
            timeout = self._config.timeout
            self._http = Http(address.shown, self._key, address.basic, timeout)
        return self._http

    # Checking.

    async def _list(self) -> Listing:
        try:
            response = await self._open().send("GET", self._address.models, within=_CHECK)
        except CallError as failure:
            advice = "Start the server or mend the base URL (--endpoint or OPENAI_BASE_URL)"
            raise self._say.stop(str(failure), advice) from None
        if response.status == 401:
            raise self._say.refused(read_error(401, response.body))
        return read_listing(response)

    def _only(self, listing: Listing) -> str:
        names = listing.names
        if len(names) == 1:
            return names[0]
        if names:
            cause = f"no model was named and the server has {len(names)}: {listing.shown()}"
            raise self._say.stop(cause, "Name one of them (--model)")
        cause = f"no model was named and /models lists none (HTTP status {listing.status})"
        advice = "Name one (--model) or mend the base URL (--endpoint)"
        raise self._say.stop(cause, advice + self._say.perhaps())

    async def _probe(self, listing: Listing) -> None:
        """Ask for one token: the only proof where the list does not name the model."""
        try:
            await self._ask(Prompt((Message("user", "Hi"),), max_tokens=1))
        except CallError as failure:
            cause = str(failure).removeprefix(f"{self._address.shown}: ")
            advice = "Check that an OpenAI-compatible server answers there (--endpoint)"
            raise self._say.stop(cause, advice + self._say.perhaps()) from None
        except ModelUnavailable as failure:
            if listing.names:
                raise ModelUnavailable(f"{failure} The server has: {listing.shown()}.") from None
            raise
