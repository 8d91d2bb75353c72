"""The tables of `cache.db`, and how the file is opened.

Keys are digests that carry the schemas of what they lead to, so this file's own
version is raised only when its tables change.
"""

import ctypes
from pathlib import Path
from typing import Final

import apsw

from triage.database import transaction

VERSION: Final = 1
"""`user_version`: of the tables."""
_APPLICATION: Final = 0x54524941
"""`application_id`: TRIA."""

KINDS: Final = ("trees", "blobs", "tables", "contexts")
"""Tables of a key, a packed value, and when it was last used."""

_KEYED = """
CREATE TABLE {name} (
  id INTEGER PRIMARY KEY,
  key BLOB NOT NULL UNIQUE,
  value BLOB NOT NULL,
  used INTEGER NOT NULL
);
"""
_OTHERS = """
-- A file under both paths that it goes by: relative to the repository, to its module.
CREATE TABLE paths (
  "commit" BLOB NOT NULL,
  form TEXT NOT NULL,
  path TEXT NOT NULL,
  PRIMARY KEY ("commit", form, path)
) WITHOUT ROWID;

-- One row a declaration of a package in `tables`. Blobs hold int32, little-endian:
-- edges triples of target, line and how it is used; neighbours ids.
CREATE TABLE ast_nodes (
  pkg INTEGER NOT NULL,
  id INTEGER NOT NULL,
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  receiver TEXT NOT NULL,
  file TEXT NOT NULL,
  line INTEGER NOT NULL,
  end_line INTEGER NOT NULL,
  start INTEGER NOT NULL,
  end INTEGER NOT NULL,
  edges BLOB NOT NULL,
  neighbours BLOB NOT NULL,
  PRIMARY KEY (pkg, id)
) WITHOUT ROWID;
CREATE INDEX ast_nodes_by_line ON ast_nodes (pkg, file, line);
"""

FIND_PATHS: Final = 'SELECT path FROM paths WHERE "commit" = ? AND form IN ({marks})'
FIND_NODE: Final = (
    "SELECT n.* FROM tables t JOIN ast_nodes n ON n.pkg = t.id "
    "WHERE t.key = ? AND n.file = ? AND n.line <= ? AND n.end_line >= ? "
    "ORDER BY n.line DESC LIMIT 1"
)
FIND_NODES: Final = "SELECT * FROM ast_nodes WHERE pkg = ? AND id IN ({marks})"


class ForeignFile(Exception):
    """The file is a database, but not this one's."""


def open_writer(path: Path, *, busy_ms: int) -> apsw.Connection:
    """Open for writing, with the tables made; raises `apsw.Error`, `ForeignFile`.

    An older or newer file is emptied: everything in it can be had again.
    """
    db = apsw.Connection(str(path))
    try:
        db.set_busy_timeout(busy_ms)
        _keep_wal(db)
        if not _is_current(db):
            _make(db)
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = NORMAL")
    except BaseException:
        db.close()
        raise
    return db


def open_reader(path: Path) -> apsw.Connection | None:
    """Open for reading without ever waiting; None where there is no file of ours.

    Raises `apsw.Error`.
    """
    if not path.exists():
        return None
    db = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        _keep_wal(db)
        if _is_current(db):
            return db
    except BaseException:
        db.close()
        raise
    db.close()
    return None


def marks(count: int) -> str:
    """Return *count* question marks for an IN list."""
    return ",".join("?" * count)


def _is_current(db: apsw.Connection) -> bool:
    found = db.pragma("application_id"), db.pragma("user_version")
    return found == (_APPLICATION, VERSION)


def _make(db: apsw.Connection) -> None:
    """Make the tables in one transaction, so that no one sees half of them."""
    db.execute("PRAGMA auto_vacuum = INCREMENTAL")  # before the first table
    with transaction(db):
        if not _is_current(db):
            _drop_all(db)
            for name in KINDS:
                db.execute(_KEYED.format(name=name))
            db.execute(_OTHERS)
            db.execute(f"PRAGMA application_id = {_APPLICATION}")
            db.execute(f"PRAGMA user_version = {VERSION}")


def _drop_all(db: apsw.Connection) -> None:
    """Drop the tables of another version; raise `ForeignFile` for anyone else's."""
    names = [
        name
        for (name,) in db.execute(
            "SELECT name FROM sqlite_schema WHERE type = 'table'"
            " AND name NOT LIKE 'sqlite_%'"
        )
    ]
    if names and db.pragma("application_id") != _APPLICATION:
        raise ForeignFile
    for name in names:
        db.execute(f'DROP TABLE "{name}"')


def _keep_wal(db: apsw.Connection) -> None:
    """Leave the log on disk when the last connection closes.

    Who deletes it goes by its name, and that may be another file's by then: one that
    was made after this one had been set aside.
    """
    on = ctypes.c_int(1)
    db.file_control("main", apsw.SQLITE_FCNTL_PERSIST_WAL, ctypes.addressof(on))
