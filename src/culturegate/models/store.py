"""The reply store: every reply of a run in one SQLite file, as it arrives.

Many processes may write the file, and a process killed at any moment leaves a sound file that lacks
at most what it had not written yet. A thread of the store's own writes all rows that have come in
since its last commit in one go, so that the event loop never waits for a disk. Failed calls are not
replies and never stand here.
"""

from __future__ import annotations

import json
import sqlite3
import threading
from contextlib import suppress
from pathlib import Path
from types import TracebackType

from culturegate.models.base import ModelInfo, Prompt, Reply
from culturegate.models.replyfile import (
    Row,
    StoredReplies,
    StoreError,
    connect,
    explain,
    insert,
    reply_json,
)

NAME = "replies.sqlite"
"""The store's file in a run directory."""
GATHER = 0.02
"""Seconds that the first of some rows waits for more: each commit takes time from the callers."""


class ReplyStore:
    """One file of replies, open for reading and writing by any number of processes."""

    def __init__(self, path: Path) -> None:
        """Open the file, or create it with its folder.

        Raises:
            StoreError: Where it cannot be written or is no reply store.
        """
        self.path = path
        self._reader: StoredReplies | None = None
        self._rows: list[Row] = []
        self._change = threading.Condition()
        self._writing = False
        self._flushing = 0
        """How many callers wait for everything to be written."""
        self._closed = False
        self._failure: StoreError | None = None
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._writer = connect(path, create=True)
        except (sqlite3.Error, OSError) as error:
            raise explain(path, error) from error
        self._thread = threading.Thread(
            target=self._write_all, name="culturegate-store", daemon=True
        )
        self._thread.start()

    def put(self, prompt: Prompt, reply: Reply, info: ModelInfo) -> None:
        """Hand over one reply; it is on its way to the disk when this returns.

        Raises:
            StoreError: Where an earlier reply could not be written.
        """
        row = (
            reply.key,
            info.base_url or "",
            info.name,
            prompt.case,
            json.dumps(prompt.payload()),
            reply_json(reply),
        )
        with self._change:
            self._raise_failure()
            self._rows.append(row)
            if len(self._rows) == 1 and not self._writing:
                self._change.notify_all()

    def get(self, key: str, base_url: str | None) -> Reply | None:
        """Return the reply stored under `Prompt.key` and base URL, or None.

        Raises:
            StoreError: Where the file cannot be read.
        """
        if self._reader is None:
            self._reader = StoredReplies(self.path)
        return self._reader.get(key, base_url)

    def flush(self) -> None:
        """Wait until everything handed over is on the disk.

        Raises:
            StoreError: Where something could not be written.
        """
        with self._change:
            self._flushing += 1
            self._change.notify_all()
            while (self._rows or self._writing) and self._failure is None:
                self._change.wait(0.2)
            self._flushing -= 1
            self._raise_failure()

    def close(self) -> None:
        """Write what is left and close the file; may be called more than once."""
        with self._change:
            self._closed = True
            self._change.notify_all()
        self._thread.join()
        if self._reader is not None:
            self._reader.close()
            self._reader = None

    def __enter__(self) -> ReplyStore:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _raise_failure(self) -> None:
        if self._failure is not None:
            raise self._failure

    def _write_all(self) -> None:
        try:
            while rows := self._take():
                insert(self._writer, rows)
        except sqlite3.Error as error:
            self._failure = explain(self.path, error)
        finally:
            with suppress(sqlite3.Error):
                self._writer.close()
            with self._change:
                self._writing = False
                self._change.notify_all()

    def _take(self) -> list[Row]:
        """Wait for rows and take them all; an empty list means that the store is closed."""
        with self._change:
            self._writing = False
            self._change.notify_all()
            while not self._rows and not self._closed:
                self._change.wait()
            if not (self._closed or self._flushing):
                self._change.wait(GATHER)
            rows, self._rows = self._rows, []
            self._writing = bool(rows)
        return rows
