"""The files of a database on disk: which one it is, and moving a damaged one away."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


def inode(path: Path) -> int | None:
    """Return what tells a file from another one of its name; None where there is none."""
    try:
        return path.stat().st_ino
    except OSError:
        return None


def make_private(path: Path) -> None:
    """Make an empty file that only its owner may read: it will hold sources.

    Nothing is changed where there is one. Raises `OSError`.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600))


def set_aside(path: Path, number: int | None) -> Path:
    """Rename the database at *path* with its log; returns the new name.

    Only where it is still the file of inode *number*: another process may have set it
    aside already. Raises `OSError`.
    """
    aside = path.with_name(path.name + ".damaged")
    with _locked(path.with_name(path.name + ".lock")):
        if inode(path) == number:
            # The log first: beside a new file of this name it would be taken for
            # that one's.
            for suffix in ("-wal", "-shm", ""):
                with suppress(FileNotFoundError):
                    Path(f"{path}{suffix}").replace(f"{aside}{suffix}")
    return aside


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Let one process at a time into the block."""
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
    finally:
        os.close(file)
