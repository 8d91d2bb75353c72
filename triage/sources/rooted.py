"""Open files below a directory and never any other.

A path is resolved first; what came out is then opened step by step without following
a link, so that a link put in its place in between is refused.
"""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from triage.sources.limits import MAX_FILE

_STEP = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW
# Without O_NONBLOCK, opening a FIFO would wait for its writer.
_LAST = _STEP | os.O_NONBLOCK


class Refused(Exception):
    """The end of a sentence that begins with the path."""


@contextmanager
def opened(root: Path, path: str) -> Iterator[int]:
    """Open the file or directory *path* below *root*, itself free of links.

    Raises `Refused` where it leads out, else `OSError`.
    """
    real = Path(os.path.realpath(root / path))
    if not real.is_relative_to(root):
        raise Refused("is a link that leads out of the repository")
    parts = real.relative_to(root).parts
    if ".git" in parts:
        raise Refused("is git's own")
    place = os.open(root, os.O_RDONLY | os.O_CLOEXEC | os.O_DIRECTORY)
    try:
        for at, part in enumerate(parts, start=1):
            flags = _LAST if at == len(parts) else _STEP | os.O_DIRECTORY
            step = os.open(part, flags, dir_fd=place)
            os.close(place)
            place = step
        yield place
    finally:
        os.close(place)


@contextmanager
def opened_in(place: int, root: Path, path: str) -> Iterator[int]:
    """Open the file *path*, whose directory is open as *place*: fewer steps."""
    try:
        file = os.open(path.rpartition("/")[2], _LAST, dir_fd=place)
    except OSError as error:
        if error.errno != errno.ELOOP:
            raise
        with opened(root, path) as behind:
            yield behind
        return
    try:
        yield file
    finally:
        os.close(file)


def is_directory(file: int) -> bool:
    """Tell whether what is open is a directory."""
    return stat.S_ISDIR(os.fstat(file).st_mode)


def size_of(file: int) -> int:
    """Give the size of an open file; `Refused` where it is no regular one."""
    about = os.fstat(file)
    if not stat.S_ISREG(about.st_mode):
        raise Refused("is no regular file")
    return about.st_size


def read_all(file: int) -> bytes:
    """Read an open file, but not beyond the limit: it may grow meanwhile."""
    chunks, left = [], MAX_FILE
    while left and (chunk := os.read(file, left)):
        chunks.append(chunk)
        left -= len(chunk)
    return b"".join(chunks)
