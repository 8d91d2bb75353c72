"""The standard streams of a command: nothing raw on a terminal, no failure unnoticed.

Within `guarded` every write goes out at once, so that nothing is left to fail when the
interpreter ends. What cannot be written to standard output is an error of its own, which
click does not know; standard error has nobody to complain to.
"""

import errno
import io
import os
import select
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, BinaryIO, Final, TextIO

from triage.core import limits
from triage.errors import BadInput, OutputFailed, ReaderGone

if TYPE_CHECKING:
    from typing_extensions import Buffer  # collections.abc has it from Python 3.12 on

_AT_ONCE: Final = 1 << 20


@contextmanager
def guarded() -> Iterator[None]:
    """Put streams that tell of failures in place of `sys.stdout` and `sys.stderr`."""
    _reserve()
    before = sys.stdout, sys.stderr
    sys.stdout = _wrapped(sys.stdout, _Output)
    sys.stderr = _wrapped(sys.stderr, _Writer)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


def _reserve() -> None:
    """Take the numbers of closed streams, or the next file that is opened has them."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)


def _wrapped(stream: TextIO | None, kind: "type[_Writer]") -> TextIO:
    """Wrap a stream, or none where it is closed; what it cannot encode is escaped."""
    encoding = "utf-8" if stream is None else stream.encoding
    return io.TextIOWrapper(
        kind(stream), encoding, "backslashreplace", write_through=True
    )


class _Writer(io.BufferedIOBase):
    """Writes all that it is given to a stream's file, past the stream's buffer.

    A buffer keeps what could not be written, and tries again when nobody listens.
    """

    def __init__(self, stream: TextIO | None) -> None:
        self._stream = stream
        buffer = None if stream is None else stream.buffer
        self._file: BinaryIO | None = getattr(buffer, "raw", buffer)

    @property
    def name(self) -> str:
        """What the stream is called; a text stream asks for it."""
        return "<closed>" if self._stream is None else self._stream.name

    def writable(self) -> bool:
        """Be there for writing alone."""
        return True

    def isatty(self) -> bool:
        """Tell whether it is a terminal."""
        return self._stream is not None and self._stream.isatty()

    def fileno(self) -> int:
        """Return the file's number; raises where there is none."""
        if self._stream is None:
            raise io.UnsupportedOperation("fileno")
        return self._stream.fileno()

    def write(self, data: "Buffer", /) -> int:
        """Write all of *data*."""
        left = memoryview(data).cast("B")
        size = len(left)
        try:
            while left:
                left = left[self._write(left) :]
        except OSError as error:
            self._fail(error)
        return size

    def _write(self, data: memoryview) -> int:
        """Write some of *data*; a pipe that does not block is waited for."""
        if self._file is None:
            raise OSError(errno.EBADF, "it is closed")
        written: int | None = self._file.write(data)
        if written is None:
            select.select([], [self._file], [])
        return written or 0

    def _fail(self, error: OSError) -> None:
        """Say what becomes of an error: of standard error's, nothing."""


class _Output(_Writer):
    """Standard output, whose failures end the command."""

    def _fail(self, error: OSError) -> None:
        if error.errno == errno.EPIPE:
            raise ReaderGone("nobody reads standard output any more") from error
        reason = (error.strerror or "it fails").lower()
        raise OutputFailed(f"cannot write to standard output: {reason}") from error


def read_all() -> bytes:
    """Read standard input to its end.

    Raises `BadInput` where that fails, `TooLarge` where it is too long.
    """
    if sys.stdin is None:
        raise BadInput("standard input is closed; name a text file")
    try:
        return read_bounded(sys.stdin.buffer, "standard input")
    except OSError as error:
        reason = (error.strerror or "unreadable").lower()
        raise BadInput(
            f"cannot read standard input: {reason}; name a text file"
        ) from error


def read_bounded(stream: BinaryIO, what: str) -> bytes:
    """Read all of *stream*; raises `TooLarge`, naming *what*, once it is too long."""
    parts, left = list[bytes](), limits.MOST + 1
    while left and (part := stream.read(min(left, _AT_ONCE))):
        parts.append(part)
        left -= len(part)
    limits.refuse_large(limits.MOST + 1 - left, what)
    return b"".join(parts)


def is_typed() -> bool:
    """Tell whether standard input is a terminal."""
    return sys.stdin is not None and sys.stdin.isatty()
