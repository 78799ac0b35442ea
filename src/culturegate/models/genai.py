"""The way into openvino-genai: only when it is wanted, and without its telemetry."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from typing import Any

from culturegate.errors import ModelUnavailable
from culturegate.text import one_line


def import_genai() -> Any:
    """Import openvino-genai without its telemetry.

    Raises:
        ModelUnavailable: it is not installed or does not load.
    """
    try:
        with _no_telemetry():
            import openvino_genai
    except (ImportError, OSError) as problem:
        why = "is not installed"
        if not isinstance(problem, ModuleNotFoundError):
            why = f"does not load ({one_line(str(problem))})"
        raise ModelUnavailable(
            f"The embedded model runs on openvino-genai, which {why}. Install the extra "
            "(python -m pip install 'culturegate[embedded]', in a checkout -e '.[embedded]') or "
            "name an endpoint (--endpoint)."
        ) from None
    return openvino_genai


@contextlib.contextmanager
def _no_telemetry() -> Iterator[None]:
    """Keep OpenVINO from reporting its import over the network: it can do without that package."""
    name = "openvino_telemetry"
    if name in sys.modules or "openvino_genai" in sys.modules:
        yield
        return
    sys.modules[name] = None  # type: ignore[assignment]  # the import system's word for "absent"
    try:
        yield
    finally:
        del sys.modules[name]
