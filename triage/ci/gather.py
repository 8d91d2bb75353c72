"""Where crashes come from: a command's output, a log, a report of tests.

What is read is passed on as it comes. Memory does not grow with it.
"""

import os
import selectors
import signal
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import BinaryIO, Final

from triage.ci.junit import read_report
from triage.core.ci import Crash, Unweaver
from triage.errors import BadInput
from triage.texts import opened

_PIECE: Final = 1 << 16
_NOT_FOUND, _NOT_STARTED = 127, 126
"""How shells say that there is no such command, or that it cannot be run."""
_MOST: Final = 1_000
"""Crashes that are looked at; one more says nothing more."""

Sink = Callable[[bytes], object]


@dataclass(frozen=True, slots=True)
class Gathered:
    """The crashes, and how the command ended if there was one."""

    crashes: tuple[Crash, ...]
    status: int = 0
    left_out: int = 0
    """Crashes over those that are looked at."""


class _Crashes:
    """Keeps the first of them."""

    def __init__(self) -> None:
        self._kept = list[Crash]()
        self._left_out = 0

    def add(self, crashes: Sequence[Crash]) -> None:
        """Take some more."""
        room = _MOST - len(self._kept)
        self._kept += crashes[:room]
        self._left_out += max(0, len(crashes) - room)

    def gathered(self, status: int = 0) -> Gathered:
        """Return all of them."""
        return Gathered(tuple(self._kept), status, self._left_out)


def from_log(name: str, sink: Sink) -> Gathered:
    """Read a log, `-` for standard input; raises `BadInput` where that fails."""
    crashes, unweaver = _Crashes(), Unweaver()
    with opened(name) as stream:
        for piece in _pieces(stream):
            sink(piece)
            crashes.add(unweaver.feed(piece))
    crashes.add(unweaver.end())
    return crashes.gathered()


def _pieces(stream: BinaryIO) -> Iterator[bytes]:
    """Yield what is there, when it is there: a pipe's reader waits for no more."""
    read = getattr(stream, "read1", stream.read)
    while piece := read(_PIECE):
        yield piece


def from_report(path: Path) -> Gathered:
    """Read a JUnit report; raises `BadInput` for what is none."""
    crashes = _Crashes()
    for case in read_report(path):
        unweaver = Unweaver()
        found = [*unweaver.feed(case.text.encode("utf-8", "replace")), *unweaver.end()]
        crashes.add([Crash(one.text, case.package, case.test) for one in found])
    return crashes.gathered()


def from_command(command: Sequence[str], out: Sink, err: Sink) -> Gathered:
    """Run a command to its end, its output passed on to *out* and *err*.

    Signals that would end us are its own to answer.
    """
    try:
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
    except OSError as error:
        return _not_started(command[0], error, err)
    except ValueError as error:  # a name that no system call takes
        raise BadInput("the command cannot be run: no file has such a name") from error
    crashes = _Crashes()
    with process, _forwarded(process):
        for text, unweaver, sink in _output(process, out, err):
            sink(text)
            crashes.add(unweaver.feed(text) if text else unweaver.end())
    status = process.returncode
    return crashes.gathered(status if status >= 0 else 128 - status)


def _not_started(name: str, error: OSError, err: Sink) -> Gathered:
    reason = (error.strerror or "it fails").lower()
    err(f"triage: cannot run {name}: {reason}\n".encode("utf-8", "replace"))
    missing = isinstance(error, FileNotFoundError)
    return Gathered((), _NOT_FOUND if missing else _NOT_STARTED)


def _output(
    process: subprocess.Popen[bytes], out: Sink, err: Sink
) -> Iterator[tuple[bytes, Unweaver, Sink]]:
    """Yield what both streams say when they say it; nothing more at their ends."""
    with selectors.DefaultSelector() as selector:
        for stream, sink in ((process.stdout, out), (process.stderr, err)):
            if stream is not None:
                selector.register(stream, selectors.EVENT_READ, (Unweaver(), sink))
        while selector.get_map():
            for key, _ in selector.select():
                text = os.read(key.fd, _PIECE)
                yield text, *key.data
                if not text:
                    selector.unregister(key.fileobj)


@contextmanager
def _forwarded(process: subprocess.Popen[bytes]) -> Iterator[None]:
    """Leave it to the command how to end on a signal; its output is read to the end."""

    def forward(number: int, frame: FrameType | None) -> None:
        del frame
        if number != signal.SIGINT:  # a terminal sends that to both
            process.send_signal(number)

    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = [signal.signal(number, forward) for number in numbers]
    try:
        yield
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)
