"""Cut the crashes out of a text that comes in pieces, however long it is.

What is held at once is bounded: a window that ends where no crash goes on.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from triage.core.model import Panic
from triage.core.panics import LOGGED, decipher
from triage.core.places import explainable

WINDOW: Final = 4 << 20
"""Bytes that are searched at once."""
LONGEST: Final = 64 << 20
"""Bytes of one crash; a longer dump is cut there."""
_TAIL: Final = 200
"""Lines at a window's end that are looked at again with what follows: a crash that ends
there may go on, and one that begins there may have its head there."""


@dataclass(frozen=True, slots=True)
class Cut:
    """A crash's own part of a text."""

    text: str
    logged: bool
    """It was merely logged, and nothing need have crashed."""


class Cutter:
    """Takes a text in pieces; gives each crash once, in the order of the text."""

    def __init__(self, *, window: int = WINDOW, longest: int = LONGEST) -> None:
        self._held = b""
        self._window = window
        self._wanted = window
        self._longest = longest

    def feed(self, piece: bytes) -> list[Cut]:
        """Take the next piece; return the crashes that are whole by now."""
        self._held += piece
        return self._cut(last=False) if len(self._held) >= self._wanted else []

    def end(self) -> list[Cut]:
        """Return what is left."""
        return self._cut(last=True)

    def _cut(self, *, last: bool) -> list[Cut]:
        mark = b"\n" if b"\n" in self._held else b"\r"  # as the reader counts
        lines = self._held.split(mark)
        found = sorted(_crashes(self._held), key=lambda panic: panic.lines)
        end = len(lines) if last else self._end(lines, found)
        done = [panic for panic in found if panic.lines[1] <= end]
        self._held = mark.join(lines[end:])
        self._wanted = max(self._window, 2 * len(self._held))
        return list(_cuts(lines, done))

    def _end(self, lines: Sequence[bytes], found: Sequence[Panic]) -> int:
        """Tell after which line nothing has ended that may still go on."""
        end = max(0, len(lines) - _TAIL)
        for panic in reversed(found):
            first, last = panic.lines
            if last > end:
                end = min(end, first - 1)
        too_long = len(self._held) >= self._longest
        return len(lines) - 1 if too_long and not end else end


def _crashes(text: bytes) -> list[Panic]:
    """Return the crashes that have a stack; a merely logged one is one."""
    found = decipher(text).crashes
    return [panic for panic in found if panic.crashed and panic.crashed.frames]


def _cuts(lines: Sequence[bytes], panics: Sequence[Panic]) -> Iterator[Cut]:
    """Cut each crash out; with what stands around it where it needs that."""
    before = 0
    for turn, panic in enumerate(panics):
        first, last = panic.lines
        after = panics[turn + 1].lines[0] - 1 if turn + 1 < len(panics) else len(lines)
        text = _between(lines, first - 1, last)
        if not explainable(decipher(text).crashes):
            text = _between(lines, min(before, first - 1), max(after, last))
        yield Cut(text, panic.kind in LOGGED)
        before = last


def _between(lines: Sequence[bytes], start: int, end: int) -> str:
    return (b"\n".join(lines[start:end]) + b"\n").decode("utf-8", "replace")
