"""A progress bar on stderr, where that is a terminal."""

import sys
import time
from typing import Final, TextIO

_WIDTH: Final = 24


class Progress:
    """Shows how many of `total` are done; shows nothing when `stream` is no terminal."""

    def __init__(self, total: int, unit: str, stream: TextIO | None = None) -> None:
        self._total = total
        self._unit = unit
        self._stream = stream or sys.stderr
        self._is_shown = self._stream.isatty()
        self._began = time.monotonic()

    def step(self, done: int, score: str) -> None:
        """`done` are done; `score` is shown beside the bar."""
        if self._is_shown:
            seconds = time.monotonic() - self._began
            self._stream.write(f"\r{bar(done, self._total, seconds)} {self._unit}  {score}\033[K")
            self._stream.flush()

    def clear(self) -> None:
        """Take the bar away."""
        if self._is_shown:
            self._stream.write("\r\033[K")
            self._stream.flush()


def bar(done: int, total: int, seconds: float) -> str:
    """The bar as text, with the time that is left."""
    filled = _WIDTH * done // total
    left = round(seconds / done * (total - done)) if done else None
    told = "" if left is None else f" {left // 60}:{left % 60:02} left"
    return f"[{'#' * filled}{'.' * (_WIDTH - filled)}] {done}/{total}{told}"
