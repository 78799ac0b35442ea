"""A recorded run as the model: answers from its replies and asks nobody."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from culturegate.errors import CallError, CulturegateError
from culturegate.models.base import ModelInfo, Prompt, Reply
from culturegate.models.recording import Recording, replay_file
from culturegate.models.replyfile import StoredReplies
from culturegate.text import one_line


class ReplayModel:
    """Answers with the replies of a run directory, of a reply store or of another tool's recording.

    A store answers exactly the prompts it was asked; another prompt is a failed call of kind
    `missing`. A recording answers by case and trial, and has no replies of a judge; a trial that it
    lacks is a failed call of kind `unrecorded`. Neither is ever a wrong answer.
    """

    def __init__(self, path: Path, recording: Recording | None = None) -> None:
        """Open what was recorded.

        Args:
            path: A run directory, its `replies.sqlite`, or the recording's file.
            recording: What `read_recording` found there; None for a run or store.

        Raises:
            CulturegateError: Where there is no store or it holds several models' replies.
        """
        self._path = path
        self._recording = recording
        self._stored: StoredReplies | None = None
        if recording is not None:
            self._info = ModelInfo(
                one_line(path.stem, 80), "replay", warnings=tuple(recording.warnings)
            )
            return
        self._stored = StoredReplies(replay_file(path)[0])
        sources = self._stored.sources()
        if len(sources) != 1:
            found = "; ".join(f"{model} at {url or 'no URL'}" for model, url in sources)
            message = f"--replay {path}: replies of one model are needed, got {found or 'none'}"
            self._stored.close()
            raise CulturegateError(message)
        self._info = ModelInfo(sources[0][0], "replay", sources[0][1])

    async def check(self) -> ModelInfo:
        """Return whose replies are replayed."""
        return self._info

    async def ask(self, prompt: Prompt) -> Reply:
        """Return the recorded reply; raise `CallError` where there is none."""
        key = prompt.key(self._info.name)
        if self._stored is not None:
            reply = self._stored.get(key, self._info.base_url)
            if reply is None:
                message = f"{self._path}: this prompt was not asked in the recorded run"
                raise CallError("missing", message)
            return replace(reply, latency=None, ttft=None, sent=None)
        if prompt.judge:
            raise CallError("missing", f"{self._path}: it holds no judge's replies")
        recorded = self._recording.replies.get(prompt.case or "", ()) if self._recording else ()
        trial = prompt.trial or 0
        if trial >= len(recorded):
            message = f"{self._path}: {len(recorded)} replies recorded for case {prompt.case}"
            raise CallError("unrecorded", f"{message}, trial {trial + 1} was asked")
        return replace(recorded[trial], key=key)

    async def aclose(self) -> None:
        """Close the recording."""
        if self._stored is not None:
            self._stored.close()
