"""The texts of a replay: files, directories, globs, standard input; compressed or not."""

import codecs
import errno
import glob
import gzip
import io
import os
import sys
import zlib
from collections.abc import Iterable, Iterator, Sequence
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
_MAGIC: Final = "*?["
_PIECE: Final = 1 << 20
_STEP: Final = 1 << 10
"""Bytes of zstd expanded at once: each may stand for 30,000."""
_WINDOW: Final = 128 << 20
"""The largest window that `zstd` makes by itself (`--long=27`)."""


def expand(inputs: Sequence[str], *, without: Path) -> Iterator[str]:
    """Yield the files that *inputs* name, sorted within a directory or a pattern.

    Hidden ones of a directory are left out, and *without*, the output. Raises
    `BadInput` for what does not exist and for a pattern that nothing fits.
    """
    for name in inputs:
        if name == STANDARD_INPUT or Path(name).is_file():
            yield name
        elif Path(name).is_dir():
            yield from _below(name, without)
        else:
            yield from _fitting(name, without)


def _below(directory: str, without: Path) -> Iterator[str]:
    """Walk *directory*; links to directories are not followed."""
    for top, directories, files in os.walk(directory, onerror=_refuse):
        directories[:] = sorted(d for d in directories if not d.startswith("."))
        for file in sorted(files):
            path = Path(top, file)
            if not file.startswith(".") and path.is_file() and not _same(path, without):
                yield str(path)


def _fitting(pattern: str, without: Path) -> Iterator[str]:
    """Yield the files that fit *pattern*; what is no pattern has to be a file."""
    if Path(pattern).exists() or Path(pattern).is_symlink():
        yield pattern  # a pipe, or what says itself why it cannot be read
        return
    found = sorted(glob.glob(pattern, recursive=True)) if _is_pattern(pattern) else []  # noqa: PTH207 - a pattern may be absolute
    if not found:
        raise _unreadable(pattern, os.strerror(errno.ENOENT))
    for name in found:
        if Path(name).is_file() and not _same(Path(name), without):
            yield name


def _is_pattern(name: str) -> bool:
    return any(mark in name for mark in _MAGIC)


def _same(path: Path, other: Path) -> bool:
    return other.exists() and path.samefile(other)


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
        raise _unreadable(name, error.strerror or str(error)) from error
    except (EOFError, zlib.error) as error:
        raise _unreadable(name, "its gzip data is damaged or cut off") from error
    except ValueError as error:
        raise _unreadable(name, "no file has such a name") from error


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


def _refuse(error: OSError) -> None:
    raise _unreadable(str(error.filename), error.strerror or "unreadable") from error


def _unreadable(name: str, reason: str) -> BadInput:
    told = shown(printable(name))
    return BadInput(f"cannot read {told}: {reason.lower()}; name a text file or -")
