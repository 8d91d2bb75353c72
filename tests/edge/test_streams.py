"""The standard streams, where they are closed, full, slow or gone."""

import errno
import io
import os
import sys
import threading
from types import SimpleNamespace

import pytest

from triage import streams
from triage.errors import BadInput, OutputFailed, ReaderGone


class Broken(io.RawIOBase):
    """A file that fails."""

    def __init__(self, number: int) -> None:
        self._number = number

    def write(self, _data):
        """Fail."""
        raise OSError(self._number, os.strerror(self._number))

    def readinto(self, _buffer):
        """Fail."""
        raise OSError(self._number, os.strerror(self._number))

    def readable(self):
        """Be there."""
        return True

    def writable(self):
        """Be there."""
        return True


@pytest.mark.parametrize(
    ("number", "kind"), [(errno.ENOSPC, OutputFailed), (errno.EPIPE, ReaderGone)]
)
def test_failure(monkeypatch, number, kind):
    """Output that fails is an error of its own; standard error fails in silence."""
    file = SimpleNamespace(buffer=Broken(number), encoding="utf-8")
    monkeypatch.setattr(sys, "stdout", file)
    monkeypatch.setattr(sys, "stderr", file)
    with streams.guarded():
        sys.stderr.write("unheard")
        with pytest.raises(kind):
            sys.stdout.write("lost")
    assert sys.stdout is file


def test_closed(monkeypatch):
    """A stream that is closed cannot be written, and is no terminal."""
    for name in ("stdin", "stdout", "stderr"):
        monkeypatch.setattr(sys, name, None)
    with streams.guarded():
        sys.stderr.write("unheard")
        assert not sys.stdout.isatty()
        assert sys.stdout.name == "<closed>"
        with pytest.raises(OSError, match="fileno"):
            sys.stdout.fileno()
        with pytest.raises(OutputFailed, match="it is closed"):
            sys.stdout.buffer.write(b"lost")
    with pytest.raises(BadInput, match="standard input is closed"):
        streams.read_all()
    assert not streams.is_typed()


def test_what_no_encoding_takes(monkeypatch):
    """What the stream cannot encode is escaped."""
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, "ascii"))
    with streams.guarded():
        sys.stdout.write("caf\u00e9\n")
    assert raw.getvalue() == b"caf\\xe9\n"


def test_pipe_that_does_not_block(monkeypatch):
    """Of a pipe that takes less than there is nothing is lost."""
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    read = bytearray()

    def drain() -> None:
        while part := os.read(reading, 1 << 16):
            read.extend(part)

    with os.fdopen(writing, "w") as file:
        monkeypatch.setattr(sys, "stdout", file)
        with streams.guarded():
            assert sys.stdout.fileno() == writing
            assert sys.stdout.name == writing
            reader = threading.Timer(0, drain)
            sys.stdout.buffer.write(b"x" * 1000)
            reader.start()
            sys.stdout.buffer.write(b"y" * 1_000_000)
    reader.join()
    os.close(reading)
    assert bytes(read) == b"x" * 1000 + b"y" * 1_000_000


def test_input_that_fails(monkeypatch):
    """Input that cannot be read is bad input, with the reason."""
    file = io.TextIOWrapper(io.BufferedReader(Broken(errno.EISDIR)))
    monkeypatch.setattr(sys, "stdin", file)
    with pytest.raises(BadInput, match="cannot read standard input: is a directory"):
        streams.read_all()


def test_numbers_of_closed_streams_are_taken(monkeypatch):
    """No file that is opened later gets the number of a stream that is closed."""
    opened = []

    def fstat(number):
        if number == 1:
            raise OSError(errno.EBADF, "closed")

    system = SimpleNamespace(
        fstat=fstat,
        open=lambda name, _: opened.append(name),
        devnull=os.devnull,
        O_RDWR=os.O_RDWR,
    )
    monkeypatch.setattr("triage.streams.os", system)
    with streams.guarded():
        pass
    assert opened == [os.devnull]
