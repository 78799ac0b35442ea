"""pytest's terminal as a stream for lines that come while dots are being written."""

from __future__ import annotations

import io
from typing import Any


class BetweenDots(io.StringIO):
    """Writes each line through pytest's terminal reporter, on a line of its own."""

    def __init__(self, reporter: Any) -> None:
        super().__init__()
        self._reporter = reporter

    def write(self, text: str, /) -> int:
        """Write one line."""
        self._reporter.ensure_newline()
        # With `-q` pytest does not know that its dots stand on an unfinished line.
        if self._reporter._tw.width_of_current_line:
            self._reporter.line("")
        self._reporter.write_line(text.removesuffix("\n"))
        return len(text)
