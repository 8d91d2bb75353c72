"""The tier on disk: survives restarts, shared by the processes of a machine.

Small look-ups are made at once, on the event loop: tens of microseconds, and readers
wait for nobody. What is large is read in a thread. Writing is another thread's.
"""

import asyncio
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import apsw

from triage.cache import writes
from triage.cache.codec import unpack
from triage.cache.files import inode
from triage.cache.nodes import Node, node
from triage.cache.schema import (
    FIND_NODE,
    FIND_NODES,
    FIND_PATHS,
    marks,
    open_reader,
)
from triage.cache.writer import Writer
from triage.ports import Kind

CACHE: Final = "cache.db"
"""Its name in the data directory."""
LIMIT: Final = 1 << 30
"""Bytes that the file may take, if nothing else is said."""
_LARGE: Final = frozenset({"blobs", "tables"})
_AT_ONCE: Final = 500
_CHECKED_EVERY: Final = 1.0
"""Seconds after which it is looked whether the file is still the same."""
_TOUCHES: Final = 1_000
"""How many used keys are noted before they are written."""


class SqliteTier:
    """A `triage.ports.Tier` in the file *path*, of at most *limit* bytes."""

    name = "sqlite"

    def __init__(
        self,
        path: Path,
        *,
        limit: int = LIMIT,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._writer = Writer(path, limit=limit, now=now)
        self._quick = _Reader(path, self._writer, now)
        self._bulk = _Reader(path, self._writer, now)
        self._bulk_lock = threading.Lock()
        self._used: defaultdict[Kind, set[bytes]] = defaultdict(set)

    async def get(self, kind: Kind, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """Return those of *keys* that are held whole."""
        if kind in _LARGE:
            found = await asyncio.to_thread(self._get_large, kind, keys)
        else:
            found = self._get(self._quick, kind, keys)
        self._note(kind, found)
        return found

    def put(self, kind: Kind, items: Mapping[bytes, bytes]) -> None:
        """Take *items* to be written."""
        self._writer.add(writes.put(kind, items), sum(map(len, items.values())))

    async def paths(self, commit: bytes, forms: Sequence[str]) -> list[str]:
        """Return the paths of a commit that go by any of *forms*."""
        sql = FIND_PATHS.format(marks=marks(len(forms)))
        rows = self._quick.rows(sql, (commit, *forms))
        return [path for (path,) in rows]

    def put_paths(self, commit: bytes, forms: Mapping[str, str]) -> None:
        """Take paths to be written, each under a form that it goes by."""
        self._writer.add(writes.put_paths(commit, forms), sum(map(len, forms)))

    def slice_at(self, table: bytes, file: str, line: int) -> tuple[Node, ...]:
        """Return the declaration on a line and its neighbours, in two look-ups.

        *table* is the key of the package's symbol table. Empty where it is not kept.
        """
        found = [
            node(row) for row in self._quick.rows(FIND_NODE, (table, file, line, line))
        ]
        if not found:
            return ()
        near = found[0].neighbours[:_AT_ONCE]
        sql = FIND_NODES.format(marks=marks(len(near)))
        rows = self._quick.rows(sql, (found[0].pkg, *near))
        return (found[0], *map(node, rows))

    async def close(self) -> None:
        """Write what is waiting and close the file."""
        self._write_used()
        await asyncio.to_thread(self._writer.close)
        self._quick.close()
        with self._bulk_lock:
            self._bulk.close()

    def _get_large(self, kind: Kind, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        with self._bulk_lock:
            return self._get(self._bulk, kind, keys)

    def _get(
        self, reader: "_Reader", kind: Kind, keys: Sequence[bytes]
    ) -> dict[bytes, bytes]:
        found = {}
        for start in range(0, len(keys), _AT_ONCE):
            some = keys[start : start + _AT_ONCE]
            sql = f"SELECT key, value FROM {kind} WHERE key IN ({marks(len(some))})"  # noqa: S608 - our own names
            for key, packed in reader.rows(sql, tuple(some)):
                if (data := unpack(packed)) is not None:
                    found[key] = data
        return found

    def _note(self, kind: Kind, keys: Iterable[bytes]) -> None:
        """Remember what was used; written in bulk, for it is only for pruning."""
        self._used[kind].update(keys)
        if len(self._used[kind]) >= _TOUCHES:
            self._write_used()

    def _write_used(self) -> None:
        for kind, keys in self._used.items():
            self._writer.add(writes.touch(kind, keys), 0)
        self._used.clear()


class _Reader:
    """A connection that reads and never waits; without a file it has nothing."""

    def __init__(self, path: Path, writer: Writer, now: Callable[[], float]) -> None:
        self._path = path
        self._writer = writer
        self._now = now
        self._db: apsw.Connection | None = None
        self._inode: int | None = None
        self._checked = float("-inf")

    def rows(
        self, sql: str, values: tuple[bytes | str | int, ...]
    ) -> list[tuple[Any, ...]]:
        """Return all rows; none where something is wrong with the file."""
        try:
            db = self._opened()
            return db.execute(sql, values).fetchall() if db else []
        except (apsw.CorruptError, apsw.NotADBError):
            self.close()
            self._writer.report_damage(self._inode)
        except (apsw.Error, OSError):
            self.close()
        return []

    def close(self) -> None:
        """Close the connection; the next look-up opens another."""
        if self._db is not None:
            self._db.close()
            self._db = None

    def _opened(self) -> apsw.Connection | None:
        """Return the connection to the file that is there now."""
        if self._db is None or self._now() - self._checked >= _CHECKED_EVERY:
            self._checked = self._now()
            number = inode(self._path)
            if number != self._inode or self._db is None:
                self.close()
                self._inode = number
                self._db = open_reader(self._path)
        return self._db
