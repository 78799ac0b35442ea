"""The file of replies: SQLite in WAL mode, a row a trial.

A row is named by `Prompt.key` (payload, model, sample index) and the base URL.
"""

from __future__ import annotations

import json
import os
import sqlite3
import time
from pathlib import Path
from typing import Any

from culturegate.errors import CulturegateError
from culturegate.models.base import Reply, Usage

VERSION = 1
BUSY_SECONDS = 30.0
"""How long a writer waits for others before it gives up."""
BATCH = 200
"""Most rows a statement: one statement takes the interpreter's lock once, whatever its rows."""

_APPLICATION = 0x63756C74  # "cult", so that another program's file is told apart
_TABLE = f"""
CREATE TABLE IF NOT EXISTS replies (
    key TEXT NOT NULL,
    base_url TEXT NOT NULL,
    model TEXT NOT NULL,
    case_id TEXT,
    prompt TEXT NOT NULL,
    reply TEXT NOT NULL,
    UNIQUE (key, base_url)
);
PRAGMA application_id = {_APPLICATION};
PRAGMA user_version = {VERSION};
"""

Row = tuple[str, str, str, str | None, str, str]

_CAUSES = {
    sqlite3.SQLITE_FULL: "the disk is full; make room, then go on with --resume",
    sqlite3.SQLITE_IOERR: "the disk failed or its quota is used up; see to it, then --resume",
    sqlite3.SQLITE_BUSY: f"another program kept the file locked for {BUSY_SECONDS:.0f} seconds",
    sqlite3.SQLITE_READONLY: "the file or its folder is write-protected",
    sqlite3.SQLITE_CANTOPEN: "there is no such file, or its folder cannot be written",
    sqlite3.SQLITE_NOTADB: "the file is no reply store",
    sqlite3.SQLITE_CORRUPT: "the file is damaged",
}


class StoreError(CulturegateError):
    """Replies cannot be kept or read; the run must stop, since what it pays for would be lost."""


class StoredReplies:
    """The replies of a store, to read."""

    def __init__(self, path: Path) -> None:
        """Open a store that exists.

        Raises:
            StoreError: Where there is no such file or it is no reply store.
        """
        self.path = path
        try:
            self._connection = connect(path, create=False)
        except sqlite3.Error as error:
            raise explain(path, error) from error

    def get(self, key: str, base_url: str | None) -> Reply | None:
        """Return the reply under `Prompt.key` and base URL, or None; StoreError if unreadable."""
        found = self._select(
            "SELECT reply FROM replies WHERE key = ? AND base_url = ?", (key, base_url or "")
        )
        return _reply(key, found[0][0]) if found else None

    def sources(self) -> list[tuple[str, str | None]]:
        """Return the models that answered, each with its base URL, sorted."""
        found = self._select("SELECT DISTINCT model, base_url FROM replies ORDER BY 1, 2", ())
        return [(model, base_url or None) for model, base_url in found]

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def _select(self, query: str, values: tuple[str, ...]) -> list[Any]:
        try:
            return self._connection.execute(query, values).fetchall()
        except sqlite3.Error as error:
            raise explain(self.path, error) from error


def connect(path: Path, *, create: bool) -> sqlite3.Connection:
    """Open a file of replies for any thread; raise `sqlite3.Error` where it is none."""
    mode = "rwc" if create else "rw"
    if not create and not os.access(path.parent, os.W_OK) and not Path(f"{path}-wal").exists():
        # A file in WAL mode opens only where its log can be made, or with the word that nobody
        # writes it, which holds for evidence on a medium that nobody can write.
        mode = "ro&immutable=1"
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode={mode}",
        uri=True,
        timeout=BUSY_SECONDS,
        isolation_level=None,
        check_same_thread=False,
    )
    try:
        if create:
            _prepare(connection)
        else:
            _check(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _prepare(connection: sqlite3.Connection) -> None:
    deadline = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            if not connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
                connection.executescript(f"BEGIN IMMEDIATE;{_TABLE}COMMIT;")
            _check(connection)
            # Changing to WAL does not wait for other processes that do the same; it just fails.
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
        except sqlite3.OperationalError as error:
            locked = error.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
            if not locked or time.monotonic() > deadline:
                raise
            if connection.in_transaction:
                connection.rollback()
            time.sleep(0.01)
        else:
            return


def _check(connection: sqlite3.Connection) -> None:
    if connection.execute("PRAGMA application_id").fetchone()[0] != _APPLICATION:
        raise sqlite3.DatabaseError(_CAUSES[sqlite3.SQLITE_NOTADB])
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if version != VERSION:
        message = f"it was written by another version of culturegate (format {version})"
        raise sqlite3.DatabaseError(message)


def insert(connection: sqlite3.Connection, rows: list[Row]) -> None:
    """Write rows in one transaction; a row with a name that is there replaces it."""
    connection.execute("BEGIN IMMEDIATE")
    for start in range(0, len(rows), BATCH):
        batch = rows[start : start + BATCH]
        connection.execute(
            "INSERT OR REPLACE INTO replies (key, base_url, model, case_id, prompt, reply) VALUES "
            + ", ".join(["(?, ?, ?, ?, ?, ?)"] * len(batch)),
            [value for row in batch for value in row],
        )
    connection.execute("COMMIT")


def reply_json(reply: Reply) -> str:
    """Return a reply as it is stored, without its key."""
    # Escaped to ASCII, so that a lone surrogate in a reply is stored as it came.
    data = {
        "text": reply.text,
        "finish_reason": reply.finish_reason,
        "prompt_tokens": reply.usage.prompt_tokens,
        "completion_tokens": reply.usage.completion_tokens,
        "latency": reply.latency,
        "ttft": reply.ttft,
        "sent": reply.sent,
        "retries": reply.retries,
        "model": reply.model,
        "fingerprint": reply.fingerprint,
        "notes": reply.notes,
    }
    if reply.option_order is not None:
        data["option_order"] = reply.option_order
    return json.dumps(data)


def _reply(key: str, text: str) -> Reply:
    data = json.loads(text)
    usage = Usage(data.pop("prompt_tokens"), data.pop("completion_tokens"))
    notes = tuple(data.pop("notes"))
    return Reply(usage=usage, key=key, notes=notes, **data)


def explain(path: Path, error: sqlite3.Error | OSError) -> StoreError:
    """Say in a sentence what kept a file from being written or read."""
    if isinstance(error, OSError):
        cause = error.strerror or str(error)
    else:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        cause = _CAUSES.get(code, str(error))
    return StoreError(f"{path}: replies cannot be kept or read here: {cause}")
