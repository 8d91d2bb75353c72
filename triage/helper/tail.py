"""The last words of a child: the end of a stream of text, in bounded space."""

from collections import deque
from typing import Final

LINES: Final = 64
WIDTH: Final = 1_000
"""Bytes of a line that are kept, from its beginning."""


class Tail:
    """Keeps the last lines of what it is fed."""

    __slots__ = ("_lines", "_rest")

    def __init__(self) -> None:
        self._lines: deque[bytes] = deque(maxlen=LINES)
        self._rest = b""  # a line whose end has not come

    def feed(self, data: bytes) -> None:
        """Take *data*, which may begin and end anywhere."""
        *whole, rest = (self._rest + data).split(b"\n")
        self._lines.extend(line[:WIDTH] for line in whole)
        self._rest = rest[:WIDTH]

    def lines(self) -> tuple[str, ...]:
        """Return the lines so far, an unfinished one among them."""
        lines = [*self._lines, self._rest] if self._rest else [*self._lines]
        return tuple(line.decode(errors="replace").rstrip() for line in lines[-LINES:])
