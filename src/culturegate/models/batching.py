"""A thread that owns an OpenVINO pipeline and answers many prompts in one batch.

Requests come in through a queue and join the batch at its next step; results go back to the event
loop that asked. The pipeline is made, used and freed on this thread alone.
"""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import queue
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from culturegate.errors import CallError, CulturegateError, ModelUnavailable
from culturegate.models.base import Prompt, Reply, Usage
from culturegate.models.genai import import_genai
from culturegate.text import one_line

CONTEXT = 8192
"""Tokens of prompt and reply that the model can hold in mind."""

# With these three, a prompt's reply is the same alone, in a batch and with a cached prefix; with
# OpenVINO's defaults (activations and cache rounded to 8 bits) half the replies were not.
_EXACT = {
    "DYNAMIC_QUANTIZATION_GROUP_SIZE": 0,
    "INFERENCE_PRECISION_HINT": "f32",
    "KV_CACHE_PRECISION": "f32",
}
_KV_BLOCKS = 512
"""Of 32 tokens and 1.5 MB each."""
_BATCH_TOKENS = 1024
_SEQUENCES = 256


@dataclass(slots=True, eq=False)
class Request:
    """One prompt on its way through the batch."""

    prompt: Prompt
    seed: int
    loop: asyncio.AbstractEventLoop
    future: asyncio.Future[Reply]
    sent: float = field(default_factory=time.perf_counter)
    first: float | None = None
    handle: Any = None
    prompt_tokens: int = 0

    def settle(self, outcome: Reply | Exception) -> None:
        """Hand the outcome to the waiting task, from any thread."""

        def tell() -> None:
            if self.future.done():
                return
            if isinstance(outcome, Exception):
                self.future.set_exception(outcome)
            else:
                self.future.set_result(outcome)

        # The loop may have closed since.
        with contextlib.suppress(RuntimeError):
            self.loop.call_soon_threadsafe(tell)


class Batcher:
    """Runs one pipeline on a thread of its own."""

    def __init__(self, load: Callable[[], Path], model: str) -> None:
        """Plan the thread.

        Args:
            load: Finds the weights, on the thread; may raise `CulturegateError`.
            model: The model's name, for its replies.
        """
        self._find = load
        self._model = model
        self._inbox: queue.SimpleQueue[Request | None] = queue.SimpleQueue()
        self._dropped: queue.SimpleQueue[Request] = queue.SimpleQueue()
        self._running: list[Request] = []
        self._count = 0
        self._stop = False
        self._ended = False
        self._genai: Any = None
        self._broken: Exception | None = None
        self._loaded = threading.Event()
        self._thread = threading.Thread(target=self._run, name="culturegate-embedded", daemon=True)
        self.version = ""
        """The version of openvino-genai, once loaded."""

    def start(self) -> None:
        """Start the thread, which loads the model first."""
        # A daemon thread would be cut off inside native code as the interpreter ends, a plain one
        # would keep it from ending: so it is stopped in between.
        atexit.register(self.close)
        self._thread.start()

    def wait_loaded(self) -> None:
        """Wait until the model is loaded; raise `CulturegateError` where it cannot be."""
        self._loaded.wait()
        if self._broken is not None:
            raise self._broken

    def put(self, request: Request) -> None:
        """Add a prompt to the batch."""
        self._inbox.put(request)
        # Whoever comes second, the thread at its end or this line, finds the request.
        if self._ended:
            self._fail_all(self._broken or _closed())

    def drop(self, request: Request) -> None:
        """Take a prompt out of the batch; nobody waits for it any more."""
        self._dropped.put(request)

    def close(self, timeout: float = 30.0) -> None:
        """End the thread after the step it is at, and free the model."""
        atexit.unregister(self.close)
        self._stop = True
        self._inbox.put(None)
        if self._thread.is_alive():
            self._thread.join(timeout)

    # On the thread.

    def _run(self) -> None:
        try:
            pipeline = self._load()
            self._loaded.set()
            self._work(pipeline)
        except CulturegateError as problem:
            self._broken = problem
        except Exception as problem:
            told = one_line(str(problem).replace("\n", " "), 300)
            self._broken = ModelUnavailable(
                f"The embedded model broke down in openvino-genai {self.version}: {told}. Try "
                "again, or another version of openvino-genai, or an endpoint (--endpoint)."
            )
        finally:
            self._ended = True
            self._loaded.set()
            self._fail_all(self._broken or _closed())

    def _load(self) -> Any:
        genai = self._genai = import_genai()
        self.version = str(genai.__version__).split("-")[0]
        path = self._find()
        if self._stop:
            raise ModelUnavailable("The embedded model was not loaded: the run was stopped before.")
        scheduler = genai.SchedulerConfig()
        scheduler.num_kv_blocks = _KV_BLOCKS
        scheduler.max_num_batched_tokens = _BATCH_TOKENS
        scheduler.max_num_seqs = _SEQUENCES
        scheduler.enable_prefix_caching = True
        return genai.ContinuousBatchingPipeline(str(path), scheduler, "CPU", dict(_EXACT))

    def _work(self, pipeline: Any) -> None:
        while not self._stop:
            self._take_in(pipeline)
            self._take_out()
            if not self._running:
                continue
            pipeline.step()
            now = time.perf_counter()
            asked, self._running = self._running, []
            for request in asked:
                if request.first is None and request.handle.can_read():
                    request.first = now
                if request.handle.get_status().name == "RUNNING":
                    self._running.append(request)
                else:
                    request.settle(self._result(pipeline, request))
        for request in self._running:
            request.handle.cancel()
        # What was cancelled gives its memory back at the next step; freed before, the pipeline
        # would print that it leaks.
        if pipeline.has_non_finished_requests():
            pipeline.step()

    def _take_in(self, pipeline: Any) -> None:
        """Move what waits into the batch; with an empty batch, wait for something."""
        block = not self._running
        while not self._stop:
            try:
                request = self._inbox.get(block)
            except queue.Empty:
                return
            block = False
            if request is None or request.future.cancelled():
                continue
            try:
                self._add(pipeline, request)
            except CallError as failure:
                request.settle(failure)
            except RuntimeError as failure:
                told = one_line(str(failure).splitlines()[-1], 200)
                request.settle(CallError("bad_response", f"the embedded model: {told}"))

    def _take_out(self) -> None:
        while not self._dropped.empty():
            request = self._dropped.get()
            if request in self._running:
                request.handle.cancel()
                self._running.remove(request)

    def _add(self, pipeline: Any, request: Request) -> None:
        prompt = request.prompt
        tokenizer = pipeline.get_tokenizer()
        turns = [{"role": m.role, "content": _encodable(m.content)} for m in prompt.messages]
        text = tokenizer.apply_chat_template(turns, add_generation_prompt=True)
        tokens = tokenizer.encode(text, add_special_tokens=False).input_ids
        request.prompt_tokens = int(tokens.shape[1])
        if request.prompt_tokens + prompt.max_tokens > CONTEXT:
            told = f"{request.prompt_tokens} tokens and {prompt.max_tokens} to answer with"
            raise CallError(
                "bad_response",
                f"the prompt is too long for the embedded model: {told}, of {CONTEXT} in all",
            )
        settings = self._genai.GenerationConfig()
        own = pipeline.get_config()
        settings.eos_token_id = own.eos_token_id
        settings.stop_token_ids = own.stop_token_ids
        settings.max_new_tokens = prompt.max_tokens
        settings.do_sample = prompt.temperature > 0
        if settings.do_sample:
            settings.temperature = prompt.temperature
            settings.top_p = prompt.top_p
            settings.rng_seed = request.seed
        self._count += 1
        request.handle = pipeline.add_request(self._count, tokens, settings)
        self._running.append(request)

    def _result(self, pipeline: Any, request: Request) -> Reply | CallError:
        try:
            return self._reply(pipeline, request)
        except RuntimeError as failure:
            told = one_line(str(failure).splitlines()[-1], 200)
            return CallError("server", f"the embedded model: {told}")

    def _reply(self, pipeline: Any, request: Request) -> Reply | CallError:
        outputs = request.handle.read_all()
        if request.handle.get_status().name != "FINISHED" or not outputs:
            return CallError("server", "the embedded model had no room left for this prompt")
        ids = outputs[0].generated_ids
        latency = time.perf_counter() - request.sent
        finish = "length" if outputs[0].finish_reason.name == "LENGTH" else "stop"
        return Reply(
            text=pipeline.get_tokenizer().decode(ids),
            finish_reason=finish,
            usage=Usage(request.prompt_tokens, len(ids)),
            latency=latency,
            sent=time.time() - latency,
            ttft=None if request.first is None else request.first - request.sent,
            model=self._model,
        )

    def _fail_all(self, problem: Exception) -> None:
        for request in self._running:
            request.settle(problem)
        self._running = []
        while True:
            try:
                waiting = self._inbox.get_nowait()
            except queue.Empty:
                return
            if waiting is not None:
                waiting.settle(problem)


def _encodable(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")


def _closed() -> CallError:
    return CallError("cancelled", "the embedded model was closed before it answered")
