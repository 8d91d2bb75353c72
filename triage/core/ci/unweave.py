"""Crashes out of a log that comes in pieces; `go test -json` weaves packages together.

Each package's output is put together again before anything is looked for in it: events
hold a line each, tell the wrong test or none, and a package that crashed may even pass
(https://go.dev/issue/38226).
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import msgspec

from triage.core.replay import Cut, Cutter

_LONGEST = 1 << 20
"""Bytes of an event; a longer line is none."""
_MOST = 64
"""Packages whose output is put together at once; of more, the eldest is ended."""


class _Event(msgspec.Struct, frozen=True, rename="pascal"):
    """What test2json prints (https://pkg.go.dev/cmd/test2json), as far as it matters."""

    action: str
    package: str = ""
    import_path: str = ""
    test: str = ""
    output: str = ""


_events = msgspec.json.Decoder(_Event)
_ENDS = frozenset({"pass", "fail", "skip"})


@dataclass(frozen=True, slots=True)
class Crash:
    """The text of one crash, and the package that `go test` was running."""

    text: str
    package: str = ""
    test: str = ""
    """As a report names it; of a log nobody can say."""


class Unweaver:
    """Takes a log in pieces; gives each crash once. What was merely logged is none."""

    def __init__(self) -> None:
        self._rest = b""
        self._plain = Cutter()
        self._packages: dict[str, Cutter] = {}

    def feed(self, piece: bytes) -> list[Crash]:
        """Take the next piece; return the crashes that are whole by now."""
        head, mark, self._rest = (self._rest + piece).rpartition(b"\n")
        if not mark and len(self._rest) <= _LONGEST:
            return []
        if not mark:
            head, self._rest = self._rest, b""
        return list(self._taken(head + mark))

    def end(self) -> list[Crash]:
        """Return what is left."""
        found = list(self._taken(self._rest))
        for package in list(self._packages):
            found += self._ended(package)
        return [*found, *_crashes(self._plain.end())]

    def _taken(self, text: bytes) -> Iterator[Crash]:
        """Go through whole lines; those that are no events stay together."""
        if b'"Action":' not in text:
            yield from _crashes(self._plain.feed(text))
            return
        plain = list[bytes]()
        for line in text.splitlines(keepends=True):
            event = _event(line)
            if event is None:
                plain.append(line)
            else:
                yield from self._told(event)
        yield from _crashes(self._plain.feed(b"".join(plain)))

    def _told(self, event: _Event) -> Iterator[Crash]:
        package = event.package or event.import_path
        if event.output:
            cutter = self._packages.get(package)
            if cutter is None:
                if len(self._packages) >= _MOST:
                    yield from self._ended(next(iter(self._packages)))
                cutter = self._packages[package] = Cutter()
            cuts = cutter.feed(event.output.encode("utf-8", "replace"))
            yield from _crashes(cuts, package)
        elif event.action in _ENDS and not event.test:
            yield from self._ended(package)

    def _ended(self, package: str) -> Iterator[Crash]:
        cutter = self._packages.pop(package, None)
        if cutter is not None:
            yield from _crashes(cutter.end(), package)


def _event(line: bytes) -> _Event | None:
    start = line.find(b"{")
    if start < 0:
        return None
    try:
        # A runner's time stamp may stand before it.
        return _events.decode(line[start:])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def _crashes(cuts: Iterable[Cut], package: str = "") -> Iterator[Crash]:
    return (Crash(cut.text, package) for cut in cuts if not cut.logged)
