"""A picture of a context: which declaration led to which, as boxes in columns.

The crash stands at the left. A declaration hangs on the one that its reason names, else
on the crash itself.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

WIDTH, HEIGHT = 216, 40
"""Of a box, in units of the picture."""
_ACROSS, _DOWN, _MARGIN = 44, 10, 4
_MOST = 40
"""Boxes over which a picture explains nothing any more."""
_LONGEST = 28
_RECEIVER = re.compile(r"\(\*?(\w+)(?:\[[^]]*\])?\)\.")
_NAME = re.compile(r"\w+(?:\.\w+)*")


class Drawn(Protocol):
    """What of a symbol is drawn."""

    @property
    def name(self) -> str:
        """Its plain name."""

    @property
    def receiver(self) -> str | None:
        """A method's type."""

    @property
    def section(self) -> str:
        """`crash` for the one that all hangs on."""

    @property
    def reason(self) -> str:
        """Why it is there."""


@dataclass(frozen=True, slots=True)
class Box:
    """One declaration; *number* is its place among the symbols."""

    number: int
    label: str
    section: str
    reason: str
    x: int
    y: int


@dataclass(frozen=True, slots=True)
class Link:
    """A line from a box to one that hangs on it."""

    x1: int
    y1: int
    x2: int
    y2: int

    @property
    def bend(self) -> int:
        """Where it turns."""
        return (self.x1 + self.x2) // 2


@dataclass(frozen=True, slots=True)
class Picture:
    """Boxes and lines in a field of that size."""

    width: int
    height: int
    boxes: tuple[Box, ...]
    links: tuple[Link, ...]
    left_out: int = 0
    """How many declarations there was no room for."""


def picture(symbols: Sequence[Drawn]) -> Picture:
    """Draw what hangs on what."""
    drawn = symbols[:_MOST]
    above = _parents(drawn)
    below = [list[int]() for _ in drawn]
    roots = list[int]()
    for number, parent in enumerate(above):
        (roots if parent is None else below[parent]).append(number)
    places = dict[int, tuple[int, int]]()
    rows = 0
    for root in roots:
        for number, column, row in _placed(below, root, rows):
            places[number] = column, row
            rows = max(rows, row + 1)
    boxes = [
        _box(drawn[number], number, *places[number]) for number in range(len(drawn))
    ]
    links = [
        _link(boxes[parent], boxes[number])
        for number, parent in enumerate(above)
        if parent is not None
    ]
    columns = 1 + max((column for column, _ in places.values()), default=0)
    return Picture(
        columns * (WIDTH + _ACROSS) - _ACROSS + 2 * _MARGIN,
        max(rows, 1) * (HEIGHT + _DOWN) - _DOWN + 2 * _MARGIN,
        tuple(boxes),
        tuple(links),
        len(symbols) - len(drawn),
    )


def label(symbol: Drawn) -> str:
    """Name a symbol, a method with its type."""
    return f"{symbol.receiver}.{symbol.name}" if symbol.receiver else symbol.name


def _parents(symbols: Sequence[Drawn]) -> list[int | None]:
    """Tell of each symbol on which other one it hangs."""
    root = next((n for n, s in enumerate(symbols) if s.section == "crash"), None)
    names = dict[str, int]()
    for number, symbol in enumerate(symbols):
        names.setdefault(label(symbol), number)
    above: list[int | None] = [None if n == root else root for n in range(len(symbols))]
    for number, symbol in enumerate(symbols):
        if number == root:
            continue
        for word in _NAME.findall(_RECEIVER.sub(r"\1.", symbol.reason)):
            parent = names.get(word)
            if parent is not None and not _hangs_on(above, parent, number):
                above[number] = parent
                break
    return above


def _hangs_on(above: Sequence[int | None], number: int | None, other: int) -> bool:
    """Tell whether *number* is *other* or hangs on it."""
    while number is not None:
        if number == other:
            return True
        number = above[number]
    return False


def _placed(
    below: Sequence[Sequence[int]], root: int, first: int
) -> Iterator[tuple[int, int, int]]:
    """Give each box of a tree its column and row; the first child stays in its row."""
    waiting = [(root, 0)]
    row, inner = first, True
    while waiting:
        number, column = waiting.pop()
        row += not inner
        yield number, column, row
        inner = bool(below[number])
        waiting += [(child, column + 1) for child in reversed(below[number])]


def _box(symbol: Drawn, number: int, column: int, row: int) -> Box:
    name = label(symbol)
    short = name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…"
    x = _MARGIN + column * (WIDTH + _ACROSS)
    return Box(
        number,
        short,
        symbol.section,
        symbol.reason,
        x,
        _MARGIN + row * (HEIGHT + _DOWN),
    )


def _link(start: Box, end: Box) -> Link:
    return Link(start.x + WIDTH, start.y + HEIGHT // 2, end.x, end.y + HEIGHT // 2)
