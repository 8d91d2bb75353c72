"""What people do with `cache.db`: look into it, shrink it, empty it."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import apsw

from triage.cache import upkeep
from triage.cache.files import inode, set_aside
from triage.cache.schema import ForeignFile, open_writer
from triage.errors import ConfigError

_BUSY_MS = 5_000
_BROKEN = (apsw.CorruptError, apsw.NotADBError, ForeignFile)


@dataclass(frozen=True, slots=True)
class Holdings:
    """What the file holds."""

    tables: tuple[upkeep.Usage, ...]
    bytes: int
    """What of the file is in use."""


def stats(path: Path) -> Holdings:
    """Count what is in the file; a file that is not there holds nothing.

    Here as below, `ConfigError` is raised where the file cannot be used.
    """
    if not path.exists():
        return Holdings((), 0)
    with _opened(path) as db:
        return Holdings(upkeep.usage(db), upkeep.size_of(db))


def prune(path: Path, limit: int) -> int:
    """Drop what was used least until *limit* bytes hold; returns how many rows went."""
    if not path.exists():
        return 0
    with _opened(path) as db:
        return upkeep.prune(db, limit)


def clear(path: Path) -> None:
    """Empty the file; a damaged one is set aside."""
    if not path.exists():
        return
    number = inode(path)
    try:
        with _opened(path) as db:
            upkeep.clear(db)
    except ConfigError as error:
        if not isinstance(error.__cause__, _BROKEN):
            raise
        set_aside(path, number)


@contextmanager
def _opened(path: Path) -> Iterator[apsw.Connection]:
    """Open for writing; what SQLite says is translated."""
    try:
        db = open_writer(path, busy_ms=_BUSY_MS)
        try:
            yield db
        finally:
            db.close()
    except (apsw.Error, ForeignFile, OSError) as error:
        why = "other tables" if isinstance(error, ForeignFile) else error
        raise ConfigError(
            f"{path} cannot be used ({why}); remove it, or name another directory"
            " with --data-dir"
        ) from error
