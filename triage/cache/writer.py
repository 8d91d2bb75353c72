"""The one thread that writes `cache.db`, so that no answer waits for the disk.

What cannot be written is dropped: everything can be had again. A file that turns out
damaged is set aside and another one begun. Each trouble is told once.
"""

import logging
import threading
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Final

import apsw

from triage.cache.files import inode, make_private, set_aside
from triage.cache.schema import ForeignFile, open_writer
from triage.cache.upkeep import prune
from triage.cache.writes import Write
from triage.database import transaction

_log = logging.getLogger(__name__)

_WAITING: Final = 128 << 20
"""Bytes that may wait to be written; more are dropped."""
_AT_ONCE: Final = 200
_BUSY_MS: Final = 2_000
_GRACE: Final = 0.1
"""Seconds that writes wait: the answer that brought them should be out by then."""
_RETRY_AFTER: Final = 30.0
"""Seconds until a file that could not be written is tried again."""
_CLOSING: Final = 10.0
"""Seconds that closing may wait for what is still to be written."""
_BROKEN = (apsw.CorruptError, apsw.NotADBError, ForeignFile)


class Writer:
    """Takes writes at once and does them in order, many in one transaction.

    *limit* bounds the file in bytes; *now* tells the seconds, never backwards.
    """

    def __init__(
        self, path: Path, *, limit: int, now: Callable[[], float] = time.monotonic
    ) -> None:
        self._path = path
        self._limit = limit
        self._now = now
        self._state = threading.Condition()
        self._waiting = deque[tuple[Write, int]]()  # guarded by _state
        self._bytes = 0  # guarded by _state
        self._writing = False  # guarded by _state
        self._hurried = 0  # guarded by _state
        """How many wait for the writes."""
        self._closing = False  # guarded by _state
        self._thread: threading.Thread | None = None  # guarded by _state
        self._db: apsw.Connection | None = None
        self._inode: int | None = None
        self._paused_until = float("-inf")
        self._told: set[str] = set()

    def add(self, write: Write, size: int) -> None:
        """Take *write*, of about *size* bytes, to be done later."""
        with self._state:
            if self._closing or self._bytes + size > _WAITING:
                return
            self._waiting.append((write, size))
            self._bytes += size
            if self._thread is None:
                self._thread = threading.Thread(
                    target=self._run, name="triage-cache", daemon=True
                )
                self._thread.start()
            self._state.notify_all()

    def drain(self, seconds: float = _CLOSING) -> None:
        """Wait until what was taken is written or dropped; blocks."""
        with self._state:
            self._hurried += 1
            self._state.notify_all()
            self._state.wait_for(lambda: not (self._waiting or self._writing), seconds)
            self._hurried -= 1

    def close(self) -> None:
        """Do what is waiting, within bounds; blocks."""
        self.drain()
        with self._state:
            self._closing = True
            self._state.notify_all()
        if self._thread is not None:
            self._thread.join(1.0)

    def report_damage(self, number: int | None) -> None:
        """Set the file aside that a reader found damaged; *number* is its inode."""

        def check(db: apsw.Connection, _: int) -> None:
            del db
            if number == self._inode:
                raise apsw.CorruptError("found by a reader")

        self.add(check, 0)

    # -- in the thread

    def _run(self) -> None:
        while batch := self._next():
            if self._now() >= self._paused_until:
                self._write(batch)
        if self._db is not None:
            self._db.close()

    def _next(self) -> list[Write]:
        """Wait for writes; none when closed and done."""
        with self._state:
            self._writing = False
            self._state.notify_all()
            self._state.wait_for(lambda: self._waiting or self._closing)
            self._state.wait_for(lambda: self._hurried or self._closing, _GRACE)
            self._writing = bool(self._waiting)
            batch = list[Write]()
            while self._waiting and len(batch) < _AT_ONCE:
                write, size = self._waiting.popleft()
                self._bytes -= size
                batch.append(write)
            return batch

    def _write(self, batch: list[Write]) -> None:
        """Write a batch; into a new file where this one is damaged."""
        for _ in range(2):
            try:
                db = self._opened()
                with transaction(db):
                    now = time.time_ns() // 1000
                    for turn, write in enumerate(batch):
                        write(db, now + turn)
                prune(db, self._limit)
            except _BROKEN as error:
                self._replace_file(error)
            except (apsw.Error, OSError) as error:
                self._pause(error)
                return
            except Exception as error:  # noqa: BLE001 - the thread's own edge
                self._pass_over(error, batch)
                return
            else:
                return

    def _opened(self) -> apsw.Connection:
        """Return the connection; a file that was taken away is begun anew."""
        if self._db is not None and inode(self._path) != self._inode:
            self._close()
        if self._db is None:
            make_private(self._path)
            self._db = open_writer(self._path, busy_ms=_BUSY_MS)
            self._inode = inode(self._path)
        return self._db

    def _close(self) -> None:
        if self._db is not None:
            self._db.close()
            self._db = None

    def _replace_file(self, error: Exception) -> None:
        number = self._inode if self._db is not None else inode(self._path)
        self._close()
        try:
            kept = set_aside(self._path, number)
        except OSError as failure:
            self._pause(failure)
            return
        self._tell(
            "damaged",
            f"{self._path} is damaged or another program's ({_reason(error)});"
            f" it is now {kept}, and a new one is begun",
        )

    def _pause(self, error: Exception) -> None:
        """Give up on the batch, and on writing for a while."""
        self._close()
        self._paused_until = self._now() + _RETRY_AFTER
        self._tell(
            "unwritten",
            f"{self._path} cannot be written ({error}); answers are right but not"
            " kept: mend it, or name another directory with --data-dir",
        )

    def _pass_over(self, error: Exception, batch: list[Write]) -> None:
        """Drop the write that shows a bug of ours; the others are written, singly."""
        if len(batch) > 1:
            for write in batch:
                self._write([write])
            return
        name = type(error).__name__
        self._tell("bug", f"some answers are not kept: {name}: {error}; report this")

    def _tell(self, trouble: str, text: str) -> None:
        if trouble not in self._told:
            self._told.add(trouble)
            _log.warning(text)


def _reason(error: Exception) -> str:
    if isinstance(error, ForeignFile):
        return "it holds other tables"
    return str(error)
