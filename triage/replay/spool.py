"""The items of a replay on disk, so that memory does not grow with the input.

It is a private file of SQLite's without a name: gone however the process ends.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import groupby, islice
from operator import itemgetter
from types import TracebackType
from typing import Any, Final, Self

import apsw
import msgspec

from triage.core.model import Telemetry
from triage.core.packing import made
from triage.core.printed import shown
from triage.core.replay import Failure, Item, place
from triage.core.visible import printable
from triage.errors import BadInput, OutputFailed
from triage.replay.reading import Read

Batch = tuple[Item, ...]
"""Items of one package, as far as that is known."""

_MOST: Final = 200
"""Items that are handed out together."""
_SCHEMA: Final = """
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
PRAGMA temp_store = FILE;
PRAGMA cache_size = -8192;
CREATE TABLE items(
    seq INTEGER PRIMARY KEY, id TEXT UNIQUE, place TEXT, done INT DEFAULT 0, item BLOB
);
BEGIN
"""


class Spool:
    """Takes items in; hands them out by package. Close it when done."""

    def __init__(self) -> None:
        self._dated = False
        with _translated():
            self._db = apsw.Connection("")
            self._db.execute(_SCHEMA).fetchall()  # some tell something

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._db.close()

    def take(self, reads: Iterable[Read], *, most: int | None = None) -> int:
        """Take the items of one text, at most *most*; return how many.

        What was merely logged is dropped where the text tells of a real crash. Raises
        `BadInput` for an id that is there already.
        """
        logged, real = list[int](), 0
        with _translated():
            for read in reads:
                if real == most:
                    break
                self._add(read.item)
                if read.logged:
                    logged.append(self._db.last_insert_rowid())
                else:
                    real += 1
            dropped = logged if real else logged[most:] if most is not None else []
            rows = [(number,) for number in dropped]
            self._db.executemany("DELETE FROM items WHERE seq = ?", rows)
        return real + len(logged) - len(dropped)

    def _add(self, item: Item) -> None:
        where = place(item.telemetry) if item.telemetry else ""
        self._dated = self._dated or item.at is not None
        self._db.execute(
            "INSERT OR IGNORE INTO items(id, place, item) VALUES(?, ?, ?)",
            (item.id, where, msgspec.msgpack.encode(item)),
        )
        if not self._db.changes():
            raise BadInput(
                f"the id {shown(printable(item.id))} is there twice; give each item its"
                " own, or none"
            )

    def tick_off(self, id_: str) -> bool:
        """Note that an item has its line; False where there is none of that id."""
        with _translated():
            self._db.execute(
                "UPDATE items SET done = 1 WHERE id = ? AND NOT done", (id_,)
            )
            return bool(self._db.changes())

    def moment(self, id_: str) -> float | None:
        """Tell when an item crashed, in seconds since the epoch, if that is known."""
        if not self._dated:
            return None
        with _translated():
            blob: Any = self._db.execute(
                "SELECT item FROM items WHERE id = ?", (id_,)
            ).get
        return None if blob is None else _unpacked(blob).at

    def left(self) -> int:
        """Count the items that have no line yet."""
        with _translated():
            count: int = self._db.execute(
                "SELECT count(*) FROM items WHERE NOT done"
            ).get
        return count

    def batches(self) -> Iterator[Batch]:
        """Yield what is left, by repository, commit and package."""
        with _translated():
            self._db.execute(
                "CREATE INDEX by_place ON items(place, seq) WHERE NOT done"
            )
            rows = self._db.cursor().execute(
                "SELECT place, item FROM items WHERE NOT done ORDER BY place, seq"
            )
            for _, group in groupby(rows, key=itemgetter(0)):
                blobs = (blob for _, blob in group)
                while part := tuple(map(_unpacked, islice(blobs, _MOST))):
                    yield part


def _unpacked(blob: bytes) -> Item:
    parts: dict[str, Any] = msgspec.msgpack.decode(blob)
    return Item(
        parts["id"],
        telemetry=made(Telemetry, parts["telemetry"]),
        at=parts["at"],
        failure=made(Failure, parts["failure"]),
    )


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except apsw.Error as error:
        raise OutputFailed(
            f"the items cannot be put in order on disk: {error}; make room in the"
            " directory for temporary files, or name another in TMPDIR"
        ) from error
