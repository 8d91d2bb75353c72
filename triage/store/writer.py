"""The one thread that writes `inbox.db`: what waits together shares one fsync.

A write is done once its future has a result: then it is on disk. Where the disk takes
nothing, all that wait are told so, and nothing of them is written.
"""

import asyncio
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeVar

import apsw

from triage.database import transaction
from triage.errors import StoreBusy, StoreError, StoreUnusable, TriageError
from triage.store.schema import open_writer, unusable

T = TypeVar("T")
Write = Callable[[apsw.Connection], T]
"""Done within a transaction; writes nothing where it raises."""

_AT_ONCE: Final = 1_000
_WAITING: Final = 64 << 20
"""Bytes that may wait to be written; more is refused."""
_CLOSING: Final = 10.0
"""Seconds that closing waits for what is still to be written."""
_ENTRY: Final = 500
"""Bytes that a waiting write takes besides its bodies."""


@dataclass(slots=True)
class _Waiting:
    """A write and where its result goes."""

    write: Write[Any]
    size: int
    future: asyncio.Future[Any]
    result: Any = None
    error: BaseException | None = None

    def settle(self) -> None:
        """Give the result to whoever still waits for it; in the loop's thread."""
        if self.future.done():
            return
        if self.error is not None:
            self.future.set_exception(self.error)
        else:
            self.future.set_result(self.result)


class Writer:
    """Takes writes from one event loop; `open` it first, close it at the end."""

    def __init__(self, path: Path, *, busy_ms: int) -> None:
        self._path = path
        self._busy_ms = busy_ms
        self._state = threading.Condition()
        self._waiting = deque[_Waiting]()  # guarded by _state
        self._bytes = 0  # guarded by _state
        self._closing = False  # guarded by _state
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._db: apsw.Connection | None = None
        self._file: tuple[int, int] | None = None
        self.commits = 0
        """Transactions so far."""

    def open(self) -> None:
        """Open the file and start the thread; raises `StoreUnusable`, `StoreBusy`."""
        self._loop = asyncio.get_running_loop()
        try:
            self._db = open_writer(self._path, busy_ms=self._busy_ms)
            self._file = self._identity()
        except (apsw.Error, OSError) as error:
            raise translated(error, self._path, opening=True) from error
        self._thread = threading.Thread(
            target=self._run, name="triage-inbox", daemon=True
        )
        self._thread.start()

    async def do(self, write: Write[T], size: int = 0) -> T:
        """Do *write*, with about *size* bytes; returns once it is on disk.

        Raises `StoreBusy`, `StoreError` and what *write* raises. Whoever is cancelled
        may find it done all the same.
        """
        loop = asyncio.get_running_loop()
        size += _ENTRY
        future: asyncio.Future[T] = loop.create_future()
        with self._state:
            if self._closing or self._thread is None:
                raise StoreBusy("the inbox is closing; try again in a moment")
            if self._bytes + size > _WAITING:
                raise StoreBusy("too much waits for the disk; try again in a moment")
            self._waiting.append(_Waiting(write, size, future))
            self._bytes += size
            self._state.notify()
        return await future

    async def close(self) -> None:
        """Do what waits, within bounds, and close the file; a second call is fine."""
        with self._state:
            self._closing = True
            self._state.notify()
        if self._thread is not None:
            await asyncio.to_thread(self._thread.join, _CLOSING)

    # -- in the thread

    def _run(self) -> None:
        db = self._db
        if db is None:  # pragma: no cover - `open` has set it before the thread ran
            return
        while batch := self._next():
            self._write_all(db, batch)
            self._tell(batch)
        db.close()

    def _next(self) -> list[_Waiting]:
        """Wait for writes; none when closed and done."""
        with self._state:
            self._state.wait_for(lambda: self._waiting or self._closing)
            count = min(len(self._waiting), _AT_ONCE)
            batch = [self._waiting.popleft() for _ in range(count)]
            self._bytes -= sum(waiting.size for waiting in batch)
            return batch

    def _write_all(self, db: apsw.Connection, batch: list[_Waiting]) -> None:
        """Write a batch in one transaction; one by one where a write itself fails."""
        try:
            self._refuse_if_replaced()
            with transaction(db):
                for waiting in batch:
                    waiting.result = waiting.write(db)
            self.commits += 1
        except TriageError as error:
            if len(batch) == 1:
                batch[0].error = error
                return
            for waiting in batch:
                self._write_all(db, [waiting])
        except (apsw.Error, OSError) as error:
            for waiting in batch:
                waiting.error = translated(error, self._path)
                waiting.error.__cause__ = error

    def _refuse_if_replaced(self) -> None:
        """Raise where the file goes by its name no more: what is written would be lost."""
        try:
            found = self._identity()
        except FileNotFoundError:
            found = None
        if found != self._file:
            raise StoreUnusable(
                f"{self._path} was moved or deleted while it is used; put it back, or"
                " start Triage again"
            )

    def _identity(self) -> tuple[int, int]:
        found = self._path.stat()
        return found.st_dev, found.st_ino

    def _tell(self, batch: list[_Waiting]) -> None:
        def settle() -> None:
            for waiting in batch:
                waiting.settle()

        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(settle)


def translated(
    error: apsw.Error | OSError, path: Path, *, opening: bool = False
) -> TriageError:
    """Make our error of SQLite's or the system's."""
    if isinstance(error, apsw.CorruptError | apsw.NotADBError):
        return unusable(path, f"is damaged or no database ({error})")
    if isinstance(
        error, apsw.ReadOnlyError | apsw.CantOpenError | apsw.PermissionsError
    ):
        return unusable(path, f"cannot be opened or written ({error})")
    if isinstance(error, apsw.BusyError | apsw.LockedError):
        return StoreBusy("another program holds the inbox; end it, or wait")
    if isinstance(error, apsw.FullError | apsw.IOError):
        return StoreBusy(f"the inbox takes no more ({error}); make room on its disk")
    if opening:
        return unusable(path, f"cannot be opened ({error})")
    return StoreError(f"the inbox cannot be used: {error}")
