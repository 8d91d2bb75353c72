"""From a text to items: lines of JSON, or a log with crashes in it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import BinaryIO, Final

from triage.core.replay import (
    Cut,
    Cutter,
    Failure,
    Given,
    Item,
    is_item,
    read_item,
    text_item,
)

_LONGEST: Final = 64 << 20
"""Bytes of one line of JSON."""
_PIECE: Final = 1 << 20
_MARK: Final = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Read:
    """An item; *logged* where it counts only if nothing else in its text crashed."""

    item: Item
    logged: bool = False


def read(stream: BinaryIO, name: str, given: Given) -> Iterator[Read]:
    """Read the items of one text, called *name*, in its order."""
    first = _first_line(stream)
    if is_item(first.text):
        yield from _objects(stream, first, name, given)
    else:
        yield from _crashes(stream, first, name, given)


@dataclass(frozen=True, slots=True)
class _First:
    """The first line that is not blank, and what was read to find it."""

    number: int
    text: bytes
    before: bytes


def _first_line(stream: BinaryIO) -> _First:
    number, before = 0, bytearray()
    while line := stream.readline(_LONGEST):
        number += 1
        text = line.removeprefix(_MARK).strip()
        if text:
            return _First(number, text, bytes(before) + line)
        before += line
        del before[:-_PIECE]  # blank all of it: no crash begins there
    return _First(number, b"", bytes(before))


def _objects(
    stream: BinaryIO, first: _First, name: str, given: Given
) -> Iterator[Read]:
    number, line = first.number, first.text
    whole = first.before.endswith(b"\n")
    while line:
        if text := line.strip():
            place = f"{name}:{number}"
            long = len(line) >= _LONGEST
            yield Read(_too_long(place) if long else read_item(text, place, given))
        if not whole:
            _skip_line(stream)
        line = stream.readline(_LONGEST)
        number, whole = number + 1, line.endswith(b"\n") or len(line) < _LONGEST


def _too_long(name: str) -> Item:
    said = f"the line is over {_LONGEST >> 20} MiB; cut the crash out of its trace"
    return Item(name, failure=Failure("too-large", said))


def _skip_line(stream: BinaryIO) -> None:
    """Go on to the next line."""
    while (rest := stream.readline(_PIECE)) and not rest.endswith(b"\n"):
        pass


def _crashes(
    stream: BinaryIO, first: _First, name: str, given: Given
) -> Iterator[Read]:
    """Yield the crashes of a log, numbered; those that were merely logged among them."""
    for number, cut in enumerate(_cuts(stream, first.before), 1):
        yield Read(text_item(cut.text, f"{name}#{number}", given), cut.logged)


def _cuts(stream: BinaryIO, before: bytes) -> Iterator[Cut]:
    cutter = Cutter()
    yield from cutter.feed(before)
    more: Callable[[], bytes] = partial(stream.read, _PIECE)
    for piece in iter(more, b""):
        yield from cutter.feed(piece)
    yield from cutter.end()
