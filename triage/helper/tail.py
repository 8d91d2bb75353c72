"""What a child said on standard error, in bounded space."""

import re
from collections import deque
from typing import Final

LINES: Final = 64
HEAD: Final = 8
"""So many of the lines are the first ones: a Go crash begins with what it is."""
WIDTH: Final = 1_000
"""Bytes of a line that are kept, from its beginning."""

_HEADLINE: Final = re.compile(r"panic: |fatal error: |runtime: |SIG[A-Z]+: ")


class Tail:
    """Keeps the first few lines and the last ones of what it is fed."""

    __slots__ = ("_first", "_last", "_rest")

    def __init__(self) -> None:
        self._first: list[bytes] = []
        self._last: deque[bytes] = deque(maxlen=LINES - HEAD)
        self._rest = b""  # a line whose end has not come

    def feed(self, data: bytes) -> None:
        """Take *data*, which may begin and end anywhere."""
        *whole, rest = (self._rest + data).split(b"\n")
        room = HEAD - len(self._first)
        self._first.extend(line[:WIDTH] for line in whole[:room])
        self._last.extend(line[:WIDTH] for line in whole[room:])
        self._rest = rest[:WIDTH]

    def lines(self) -> tuple[str, ...]:
        """Return what is kept, an unfinished line among it."""
        rest = [self._rest] if self._rest else []
        last = [*self._last, *rest][-(LINES - HEAD) :]
        lines = [*self._first, *last]
        return tuple(line.decode(errors="replace").rstrip() for line in lines)

    def headline(self) -> str:
        """Return the line that says most: a crash's first, else the last; or none."""
        lines = self.lines()
        crash = (line for line in lines if _HEADLINE.match(line))
        return next(crash, lines[-1] if lines else "")
