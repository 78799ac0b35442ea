"""The model under test with a judge beside it: each prompt goes to whom it is meant for."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from culturegate.models.base import Model, ModelInfo, Prompt, Reply


class Judged:
    """Sends prompts marked `judge` to the judge, all others to the model under test."""

    def __init__(self, model: Model, judge: Model) -> None:
        self._model = model
        self._judge = judge
        self.counters = getattr(model, "counters", None)
        """The model's own; the judge's calls are not its."""

    async def check(self) -> ModelInfo:
        """Reach both; raise `ModelUnavailable` where either can't be."""
        info, judge = await asyncio.gather(self._model.check(), self._judge.check())
        return replace(info, warnings=(*info.warnings, *judge.warnings))

    async def ask(self, prompt: Prompt) -> Reply:
        """Ask whom the prompt is meant for; raises as that model does."""
        return await (self._judge if prompt.judge else self._model).ask(prompt)

    async def aclose(self) -> None:
        """Release both."""
        await asyncio.gather(self._model.aclose(), self._judge.aclose())
