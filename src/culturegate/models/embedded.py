"""The embedded default: a small model inside this process, for a real run without any account."""

from __future__ import annotations

import asyncio
import threading
from dataclasses import dataclass
from pathlib import Path

from culturegate.models import weights
from culturegate.models.base import ModelInfo, Prompt, Reply
from culturegate.models.batching import Batcher, Request
from culturegate.models.limits import Counters

NAME = "SmolLM2-135M-Instruct-Q4_1"


@dataclass(frozen=True, slots=True)
class EmbeddedConfig:
    """Where the weights are kept and who is told while they are fetched."""

    cache: Path | None = None
    """None: `CULTUREGATE_CACHE`, or the user's cache folder."""
    progress: weights.Progress | None = None


class EmbeddedModel:
    """SmolLM2-135M-Instruct on OpenVINO; prompts asked at the same time are answered in a batch.

    Replies depend on the prompt and its sample alone: greedy at temperature 0, else drawn with a
    seed made from both.
    """

    def __init__(self, config: EmbeddedConfig | None = None) -> None:
        self._config = config or EmbeddedConfig()
        self._stop = threading.Event()
        self._batcher = Batcher(self._weights, NAME)
        self._started = False
        self.counters = Counters()

    async def check(self) -> ModelInfo:
        """Fetch the weights where they are missing, and load the model."""
        self._start()
        await asyncio.to_thread(self._batcher.wait_loaded)
        return ModelInfo(
            name=NAME, kind="embedded", framework=f"openvino-genai {self._batcher.version}"
        )

    async def ask(self, prompt: Prompt) -> Reply:
        """Answer one prompt; see `Model.ask`."""
        self._start()
        loop = asyncio.get_running_loop()
        # The sample is in the key, so that repeats differ and each can be had again.
        seed = int(prompt.key(NAME)[:8], 16)
        request = Request(prompt, seed, loop, loop.create_future())
        self.counters.requests += 1
        self._batcher.put(request)
        try:
            reply = await request.future
        except asyncio.CancelledError:
            self._batcher.drop(request)
            raise
        self.counters.replies += 1
        return reply

    async def aclose(self) -> None:
        """End the thread and free the model's memory."""
        self._stop.set()
        if self._started:
            await asyncio.to_thread(self._batcher.close)

    def _start(self) -> None:
        if not self._started:
            self._started = True
            self._batcher.start()

    def _weights(self) -> Path:
        return weights.find(
            cache=self._config.cache, progress=self._config.progress, stop=self._stop
        )
