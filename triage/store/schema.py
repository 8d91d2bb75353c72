"""The tables of `inbox.db`, and how the file is opened."""

import os
from pathlib import Path
from typing import Final

import apsw

from triage.database import transaction
from triage.errors import StoreUnusable

VERSION: Final = 3
"""`user_version`: raised with every change of the tables."""
_APPLICATION: Final = 0x54524942
"""`application_id`: TRIB."""

_TABLES = """
CREATE TABLE events (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  sender TEXT NOT NULL,
  delivery TEXT,
  head BLOB NOT NULL,
  report BLOB,
  parent TEXT,
  position INTEGER NOT NULL DEFAULT 0,
  state TEXT NOT NULL DEFAULT 'received',
  received_at REAL NOT NULL,
  retry_at REAL,
  finished_at REAL,
  attempts INTEGER NOT NULL DEFAULT 0,
  owner INTEGER, -- the process that works on it, or did last
  code TEXT,
  message TEXT,
  incident TEXT,
  context INTEGER,
  pruned INTEGER NOT NULL DEFAULT 0 -- 1 once what is not kept of it is gone
);
CREATE UNIQUE INDEX events_by_delivery ON events (sender, delivery)
  WHERE delivery IS NOT NULL;
CREATE UNIQUE INDEX events_by_parent ON events (parent, position)
  WHERE parent IS NOT NULL;
CREATE INDEX events_by_state ON events (state, seq);
CREATE INDEX events_by_retry ON events (retry_at) WHERE state = 'waiting';
CREATE INDEX events_by_incident ON events (incident, seq) WHERE incident IS NOT NULL;

-- Raw bodies by events.seq, apart: they are large, and go after a while.
CREATE TABLE bodies (seq INTEGER PRIMARY KEY, body BLOB NOT NULL);

CREATE TABLE incidents (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  repo TEXT NOT NULL,
  kind TEXT NOT NULL,
  function TEXT NOT NULL,
  message TEXT NOT NULL,
  count INTEGER NOT NULL,
  first_seen REAL NOT NULL,
  last_seen REAL NOT NULL
);
CREATE INDEX incidents_by_time ON incidents (last_seen, seq);
CREATE TABLE commits (
  incident TEXT NOT NULL,
  "commit" TEXT NOT NULL,
  last_seen REAL NOT NULL,
  PRIMARY KEY (incident, "commit")
) WITHOUT ROWID;

-- Contexts are the same for most events of an incident: each is kept once.
CREATE TABLE contexts (
  id INTEGER PRIMARY KEY,
  digest BLOB NOT NULL UNIQUE,
  value BLOB NOT NULL
);
"""


_OUTBOX = """
-- What is still to be told of incidents: a row for each at each sink.
CREATE TABLE outbox (
  incident TEXT NOT NULL,
  sink TEXT NOT NULL,
  version INTEGER NOT NULL, -- grows with what there is to tell
  sent INTEGER NOT NULL DEFAULT 0, -- the version that was told last
  attempts INTEGER NOT NULL DEFAULT 0,
  due_at REAL NOT NULL,
  owner INTEGER, -- the process that is telling it
  reference TEXT, -- what the sink calls it
  code TEXT,
  message TEXT,
  UNIQUE (incident, sink)
);
CREATE INDEX outbox_by_time ON outbox (due_at) WHERE sent < version;
"""
_INDEXES = """
CREATE INDEX events_to_prune ON events (finished_at)
  WHERE finished_at IS NOT NULL AND NOT pruned;
CREATE INDEX events_pruned ON events (incident, seq) WHERE pruned;
CREATE INDEX events_by_context ON events (context) WHERE context IS NOT NULL;
"""
_UPGRADES: Final = {
    1: "ALTER TABLE events ADD COLUMN pruned INTEGER NOT NULL DEFAULT 0;"
    "DROP INDEX events_by_end;" + _INDEXES,
    2: _OUTBOX,
}
"""What makes the tables of the next version, by version."""


def open_writer(path: Path, *, busy_ms: int) -> apsw.Connection:
    """Open for writing; a file that is not there is made, for its owner alone.

    Raises `apsw.Error`, `OSError`, and `StoreUnusable` for another file than this
    version's.
    """
    _make_file(path)
    db = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        db.set_busy_timeout(busy_ms)
        if not _is_ours(db, path):
            _make(db, path)
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = FULL")
    except BaseException:
        db.close()
        raise
    return db


def open_reader(path: Path, *, busy_ms: int) -> apsw.Connection:
    """Open a file that has its tables for reading; raises `apsw.Error`."""
    db = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    db.set_busy_timeout(busy_ms)
    return db


def touch(db: apsw.Connection) -> None:
    """Write what is there already, so that the disk has to take something."""
    db.execute(f"PRAGMA user_version = {VERSION}")


def unusable(path: Path, reason: str) -> StoreUnusable:
    """Make the error for a file that is there and cannot be used."""
    return StoreUnusable(
        f"{path} {reason}; it was left as it is: mend or move it, or name another"
        " directory with --data-dir"
    )


def _make_file(path: Path) -> None:
    """Make an empty file whose name outlives a power cut as its content does."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if path.exists():
        return
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600))
    directory = os.open(path.parent, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)


def _is_ours(db: apsw.Connection, path: Path) -> bool:
    """Tell whether this version's tables are there; raises where others are."""
    application, version = db.pragma("application_id"), db.pragma("user_version")
    if (application, version) == (_APPLICATION, VERSION):
        return True
    if application == _APPLICATION and version not in _UPGRADES:
        raise unusable(
            path,
            f"is of version {version}, this Triage's is {VERSION};"
            " use the Triage that made it",
        )
    if application == _APPLICATION:
        return False
    if application or version or db.execute("SELECT count(*) FROM sqlite_schema").get:
        raise unusable(path, "is another program's database")
    return False


def _make(db: apsw.Connection, path: Path) -> None:
    """Make the tables in one transaction, unless another process just did.

    Those of an older version are brought up to this one's.
    """
    db.execute("PRAGMA auto_vacuum = INCREMENTAL")  # before the first table
    with transaction(db):
        if not _is_ours(db, path):
            version = db.pragma("user_version")
            if not version:
                db.execute(_TABLES + _INDEXES + _OUTBOX)
            for older in range(version, VERSION) if version else ():
                db.execute(_UPGRADES[older])
            db.execute(f"PRAGMA application_id = {_APPLICATION}")
            db.execute(f"PRAGMA user_version = {VERSION}")
