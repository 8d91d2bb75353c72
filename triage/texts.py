"""Texts to be read: files and standard input, compressed or not."""

import codecs
import errno
import gzip
import io
import sys
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final, cast

from triage.core.printed import shown
from triage.core.visible import printable
from triage.errors import BadInput

if TYPE_CHECKING:
    from typing_extensions import Buffer  # collections.abc has it from Python 3.12 on

STANDARD_INPUT: Final = "-"
_GZIP: Final = b"\x1f\x8b"
_ZSTD: Final = b"\x28\xb5\x2f\xfd"
_PIECE: Final = 1 << 20
_STEP: Final = 1 << 10
"""Bytes of zstd expanded at once: each may stand for 30,000."""
_WINDOW: Final = 128 << 20
"""The largest window that `zstd` makes by itself (`--long=27`)."""


@contextmanager
def opened(name: str) -> Iterator[BinaryIO]:
    """Open a text for reading, expanded where it is compressed; `-` is standard input.

    Everything that goes wrong within the block is `BadInput`.
    """
    try:
        if name == STANDARD_INPUT:
            if sys.stdin is None:
                raise BadInput("standard input is closed; name a file")
            yield _expanded(cast("io.BufferedReader", sys.stdin.buffer))
            return
        with Path(name).open("rb") as file:
            yield _expanded(file)
    except OSError as error:  # what gzip has to say is one too
        raise unreadable(name, error.strerror or str(error)) from error
    except (EOFError, zlib.error) as error:
        raise unreadable(name, "its gzip data is damaged or cut off") from error
    except ValueError as error:
        raise unreadable(name, "no file has such a name") from error


def _expanded(file: io.BufferedReader) -> BinaryIO:
    """Look at the first bytes, not at the name: a pipe has none."""
    head = file.peek(4)
    if head.startswith(_GZIP):
        return _recoded(io.BufferedReader(_Pieces(_unzipped(file)), _PIECE))
    if head.startswith(_ZSTD):
        return _recoded(io.BufferedReader(_Pieces(_unpacked(file)), _PIECE))
    return _recoded(file)


def _recoded(file: io.BufferedReader) -> BinaryIO:
    """Turn UTF-16, which Windows writes, into UTF-8."""
    if not file.peek(2).startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return file
    decoder = codecs.getincrementaldecoder("utf-16")("replace")
    texts = (decoder.decode(piece) for piece in iter(partial(file.read, _PIECE), b""))
    return io.BufferedReader(_Pieces(text.encode() for text in texts), _PIECE)


def _unzipped(file: BinaryIO) -> Iterator[bytes]:
    return iter(partial(gzip.GzipFile(fileobj=file).read, _PIECE), b"")


def _unpacked(file: BinaryIO) -> Iterator[bytes]:
    """Expand zstd, frame by frame; in small steps, so that a bomb never goes off."""
    import zstandard  # noqa: PLC0415 - few need it, and it takes its time

    engine = None
    try:
        while piece := file.read(_STEP):
            while piece:
                if engine is None:
                    decompressor = zstandard.ZstdDecompressor(max_window_size=_WINDOW)
                    engine = decompressor.decompressobj()
                yield engine.decompress(piece)
                piece = engine.unused_data if engine.eof else b""
                engine = None if engine.eof else engine
    except zstandard.ZstdError as error:
        raise OSError(errno.EIO, "its zstd data is damaged") from error
    if engine is not None:
        raise OSError(errno.EIO, "its zstd data is cut off")


class _Pieces(io.RawIOBase):
    """A file of what an iterator yields."""

    def __init__(self, pieces: Iterable[bytes]) -> None:
        self._pieces = iter(pieces)
        self._left = memoryview(b"")

    def readable(self) -> bool:
        """Be there for reading."""
        return True

    def readinto(self, buffer: "Buffer", /) -> int:
        """Hand out the next bytes; 0 at the end."""
        while not self._left:
            piece = next(self._pieces, None)
            if piece is None:
                return 0
            self._left = memoryview(piece)
        room = memoryview(buffer).cast("B")
        size = min(len(room), len(self._left))
        room[:size] = self._left[:size]
        self._left = self._left[size:]
        return size


def unreadable(name: str, reason: str) -> BadInput:
    """Say that a text cannot be read, and why."""
    told = shown(printable(name))
    return BadInput(f"cannot read {told}: {reason.lower()}; name a text file or -")
