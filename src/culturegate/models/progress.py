"""How far a run is, on stderr: one bar on a terminal, else a few plain lines."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from typing import IO, NoReturn

from tqdm import tqdm

BAR_SECONDS = 0.25
LINE_SECONDS = 30.0
"""Until the first line that no tenth of the cases brings; each later wait is half as long again."""
TENTHS = 10


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Counts at one moment."""

    total: int = 0
    """Cases to ask."""
    done: int = 0
    """Cases asked and judged."""
    in_flight: int = 0
    """Calls that the model is at work on."""
    retries: int = 0
    """Calls sent again after a failure."""
    answered: int = 0
    """Replies the model gave in this session."""
    reused: int = 0
    """Replies taken from the store instead."""
    failed: int = 0
    """Calls that gave no reply, after their retries."""
    rate_limited: int = 0
    """Answers that said to come back later (429)."""
    waits: int = 0
    """How often a request was held back: by a 429, a failure, or a rate that was set."""
    waited: float = 0.0
    """Seconds held back, summed over requests."""

    @classmethod
    def total_of(cls, parts: Iterable[Snapshot]) -> Snapshot:
        """Return the sum over several processes."""
        rows = [asdict(part) for part in parts]
        return cls(**{field.name: sum(row[field.name] for row in rows) for field in fields(cls)})

    @property
    def held_back(self) -> str:
        """What went wrong on the way and was mended, in a few words; empty where nothing was."""
        parts = [f"{self.retries} retries"] if self.retries else []
        parts += [f"{self.rate_limited} times told to slow down"] if self.rate_limited else []
        if self.waits:
            parts.append(f"{self.waits} waits, {_span(self.waited)} in all")
        return ", ".join(parts)

    def to_dict(self) -> dict[str, float]:
        """Return plain data, to travel on a test report; `Snapshot(**data)` reads it back."""
        return asdict(self)


class Progress:
    """Shows a run's snapshots, read from a thread of its own, from `start` to `stop`."""

    def __init__(
        self,
        read: Callable[[], Snapshot],
        stream: IO[str] | None = None,
        env: Mapping[str, str] = os.environ,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Choose how to show.

        Args:
            read: Returns the newest snapshot, whichever thread calls.
            stream: Where to write (default: stderr). A stream with a file descriptor is written
                through a copy of it, which pytest's capturing of output does not redirect.
            env: The environment; with `CI` set there are lines even on a terminal.
            clock: Seconds.
        """
        self._read = read
        self._stream, self._own = _beside_capture(stream or sys.stderr)
        self._bar: tqdm[NoReturn] | None = None
        self._use_bar = self._stream.isatty() and not env.get("CI")
        self._clock = clock
        self._started = clock()
        self._tenth = 0
        self._wait = LINE_SECONDS
        self._due = self._started + self._wait
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="culturegate-progress", daemon=True)

    @property
    def is_bar(self) -> bool:
        """Whether a bar is drawn, beside which nothing else should move."""
        return self._use_bar

    def start(self) -> None:
        """Begin to show."""
        self._thread.start()

    def stop(self) -> None:
        """Show the last state, take the bar away and release the stream; may be called again."""
        if self._stop.is_set():
            return
        self._stop.set()
        if self._thread.ident is not None:
            self._thread.join()
        if self._bar is not None:
            self._bar.close()
        elif not self._use_bar:
            self._line(self._read())
        if self._own:
            self._stream.close()

    def _run(self) -> None:
        while not self._stop.wait(BAR_SECONDS):
            self.show(self._read())

    def show(self, now: Snapshot) -> None:
        """Bring the bar up to date, or write a line where one is due."""
        if self._use_bar:
            self._draw(now)
            return
        tenth = now.done * TENTHS // now.total if now.total else 0
        late = self._clock() >= self._due
        if self._tenth < tenth < TENTHS or late:
            # A long run must not write many lines: each wait is longer than the one before.
            self._wait *= 1.5 if late else 1.0
            self._due = self._clock() + self._wait
            self._tenth = max(tenth, self._tenth)
            self._line(now)

    def _draw(self, now: Snapshot) -> None:
        bar = self._bar
        if bar is None:
            bar = self._bar = tqdm(
                total=now.total,
                desc="culturegate",
                unit="case",
                file=self._stream,
                leave=False,
                dynamic_ncols=True,
                mininterval=0,
            )
        bar.total = now.total
        bar.n = now.done
        bar.set_postfix_str(_calls(now), refresh=False)
        bar.refresh()

    def _line(self, now: Snapshot) -> None:
        seconds = self._clock() - self._started
        parts = [f"culturegate: {now.done} of {now.total} cases"]
        if now.done and seconds > 0:
            parts.append(f"{now.done / seconds:.1f} a second")
        parts.append(_calls(now))
        if 0 < now.done < now.total:
            left = seconds / now.done * (now.total - now.done)
            parts.append(f"about {_span(left)} left")
        else:
            parts.append(f"after {_span(seconds)}")
        self._stream.write(", ".join(parts) + "\n")
        self._stream.flush()


class Fetching:
    """Shows on stderr how much of the model has come: one bar on a terminal, else a few lines.

    Says nothing until it is first called, which is where something has to be fetched.
    """

    def __init__(self, stream: IO[str] | None = None, env: Mapping[str, str] = os.environ) -> None:
        """Choose how to show, as `Progress` does."""
        self._given = stream
        self._env = env
        self._stream: IO[str] | None = None
        self._own = False
        self._bar: tqdm[NoReturn] | None = None
        self._quarter = -1

    def __call__(self, done: int, total: int) -> None:
        """Show that `done` of `total` bytes are here; the last call ends it."""
        if self._stream is None:
            self._stream, self._own = _beside_capture(self._given or sys.stderr)
        if self._stream.isatty() and not self._env.get("CI"):
            self._draw(self._stream, done, total)
        elif done * 4 // total > self._quarter:
            self._quarter = done * 4 // total
            told = f"culturegate: {done / 1e6:.0f} of {total / 1e6:.0f} MB of the embedded model"
            self._stream.write(f"{told}, fetched once\n")
            self._stream.flush()
        if done >= total:
            self._end()

    def _draw(self, stream: IO[str], done: int, total: int) -> None:
        if self._bar is None:
            self._bar = tqdm(
                total=total,
                desc="fetching the embedded model, once",
                unit="B",
                unit_scale=True,
                file=stream,
                leave=False,
                dynamic_ncols=True,
                mininterval=0,
            )
        self._bar.n = done
        self._bar.refresh()

    def _end(self) -> None:
        if self._bar is not None:
            self._bar.close()
        if self._own and self._stream is not None:
            self._stream.close()
        self._stream, self._bar = None, None


def _calls(now: Snapshot) -> str:
    parts = [f"{now.in_flight} in flight"]
    parts += [now.held_back] if now.held_back else []
    parts += [f"{now.failed} failed"] if now.failed else []
    parts += [f"{now.reused} from the store"] if now.reused else []
    return ", ".join(parts)


def _span(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def _beside_capture(stream: IO[str]) -> tuple[IO[str], bool]:
    try:
        copy = os.dup(stream.fileno())
    except (OSError, AttributeError, ValueError):
        return stream, False
    return os.fdopen(copy, "w", encoding="utf-8", errors="replace"), True
