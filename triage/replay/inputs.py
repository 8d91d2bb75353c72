"""The texts of a replay: files, directories, globs, standard input."""

import errno
import glob
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from triage.texts import STANDARD_INPUT, unreadable

_MAGIC: Final = "*?["


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
        raise unreadable(pattern, os.strerror(errno.ENOENT))
    for name in found:
        if Path(name).is_file() and not _same(Path(name), without):
            yield name


def _is_pattern(name: str) -> bool:
    return any(mark in name for mark in _MAGIC)


def _same(path: Path, other: Path) -> bool:
    return other.exists() and path.samefile(other)


def _refuse(error: OSError) -> None:
    raise unreadable(str(error.filename), error.strerror or "unreadable") from error
