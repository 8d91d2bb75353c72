"""What is written into `cache.db`: each function within a transaction of the writer."""

from collections.abc import Callable, Iterable, Mapping
from typing import Final

import apsw

from triage.cache.codec import pack
from triage.cache.nodes import rows
from triage.core.table import Table
from triage.errors import HelperProtocolError
from triage.ports import Kind

Write = Callable[[apsw.Connection, int], None]
"""Takes the connection, and the time in microseconds."""

_COMPRESSED: Final = frozenset({"trees", "blobs"})
"""Text, and read in a thread or small; the others are asked for in a hurry."""


def put(kind: Kind, items: Mapping[bytes, bytes]) -> Write:
    """Keep values under their keys, and the declarations of symbol tables."""

    def write(db: apsw.Connection, now: int) -> None:
        for turn, (key, data) in enumerate(items.items()):
            packed = pack(data, compress=kind in _COMPRESSED)
            number = db.execute(
                f"INSERT INTO {kind} (key, value, used) VALUES (?, ?, ?)"  # noqa: S608 - our own names
                " ON CONFLICT (key) DO UPDATE SET value = excluded.value,"
                " used = excluded.used RETURNING id",
                (key, packed, now + turn),
            ).get
            if kind == "tables":
                _put_nodes(db, number, data)

    return write


def put_paths(commit: bytes, forms: Mapping[str, str]) -> Write:
    """Keep paths, each under a form that it goes by."""

    def write(db: apsw.Connection, _: int) -> None:
        db.executemany(
            "INSERT OR REPLACE INTO paths VALUES (?, ?, ?)",
            ((commit, form, path) for form, path in forms.items()),
        )

    return write


def touch(kind: Kind, keys: Iterable[bytes]) -> Write:
    """Note that values were used."""
    touched = list(keys)

    def write(db: apsw.Connection, now: int) -> None:
        db.executemany(
            f"UPDATE {kind} SET used = ? WHERE key = ?",  # noqa: S608 - our own names
            ((now + turn, key) for turn, key in enumerate(touched)),
        )

    return write


def _put_nodes(db: apsw.Connection, number: int, data: bytes) -> None:
    """Write the declarations of a table, row by row: each step lets others run."""
    db.execute("DELETE FROM ast_nodes WHERE pkg = ?", (number,))
    try:
        table = Table(data)
    except HelperProtocolError:
        return  # the engine will say so, with the cure
    db.executemany(
        "INSERT INTO ast_nodes VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        ((number, *row) for row in rows(table)),
    )
