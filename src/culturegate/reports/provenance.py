"""With what a run was made: versions, platform, commit."""

from __future__ import annotations

import os
import platform
import re
import subprocess
from collections.abc import Iterable, Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

from culturegate.text import clean, one_line

LABELS = {
    "experiment": "experiment",
    "model": "model asked for",
    "model_kind": "kind of model",
    "model_returned": "model that answered",
    "fingerprint": "server fingerprint",
    "framework": "framework",
    "base_url": "base URL",
    "protocol": "protocol",
    "protocol_overrides": "overrides",
    "partial": "partial run",
    "cut": "cut short",
    "cultures": "cultures",
    "langs": "languages",
    "templates": "templates",
    "rounds": "rounds",
    "samples": "samples",
    "temperature": "temperature",
    "top_p": "top p",
    "max_tokens": "max tokens",
    "home": "home region",
    "blinding": "codes of the conditions",
    "framing_seed": "framing seed",
    "judge_model": "judge model",
    "persona_chats": "the personas' chats",
    "max_connections": "requests in flight",
    "held_back": "retries and waits",
    "bank_seed": "bank seed",
    "prompt_hash": "prompt hash",
    "bank_hash": "bank hash",
    "thresholds_hash": "thresholds hash",
    "adjudicated": "readings adjudicated",
    "gate_profile": "gate profile",
    "started": "started",
    "seconds": "run time, seconds",
    "python": "Python",
    "platform": "platform",
    "git_commit": "git commit",
    "git_dirty": "uncommitted changes",
    "packages": "packages",
}
"""Keys of run.json that every report shows, in this order, and how a reader sees them."""


def collect_provenance(root: Path) -> dict[str, Any]:
    """Return `python`, `platform`, `packages`, `git_commit` and `git_dirty` of this session.

    `packages` maps culturegate and each installed package that it asks for to a version. The
    commit is that of the repository around `root`; both git facts are None where git or a
    repository is missing. `git_dirty` counts files that are not in the repository yet.
    """
    commit = _git(root, "rev-parse", "HEAD")
    status = _git(root, "status", "--porcelain") if commit is not None else None
    return {
        "python": platform.python_version(),
        "platform": f"{platform.system()} {platform.machine()}",
        "packages": _packages(),
        "git_commit": commit,
        "git_dirty": None if status is None else bool(status),
    }


def fact_text(value: Any) -> str:
    """Return a fact of run.json as bounded text: nested ones as `key: value`, joined."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        return clean("; ".join(f"{key}: {fact_text(each)}" for key, each in value.items()), 2000)
    if isinstance(value, Iterable) and not isinstance(value, str):
        return clean(", ".join(fact_text(each) for each in value), 2000)
    return one_line(str(value), 400)


def _packages() -> dict[str, str]:
    names = {"culturegate", "numpy"}
    try:
        requirements = metadata.requires("culturegate") or []
    except metadata.PackageNotFoundError:
        requirements = []
    for requirement in requirements:
        name = re.match(r"[A-Za-z0-9._-]+", requirement)
        if name is not None and not re.search(r"extra\s*==\s*['\"]dev", requirement):
            names.add(name.group())
    versions = {}
    for package in sorted(names, key=str.lower):
        try:
            versions[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return versions


def _git(root: Path, *arguments: str) -> str | None:
    # A repository's own configuration can start programs: none of them is wanted here.
    command = ["git", "--no-optional-locks", "-c", "core.fsmonitor=false", "-C", str(root)]
    # Under a git hook these name another repository than the one around `root`.
    env = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    try:
        done = subprocess.run(
            [*command, *arguments],
            capture_output=True,
            timeout=20,
            check=False,
            stdin=subprocess.DEVNULL,
            env=env | {"LC_ALL": "C"},
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.decode("utf-8", "replace").strip() if done.returncode == 0 else None
