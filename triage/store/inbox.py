"""The inbox as the service sees it: writes that are on disk, reads beside them."""

import asyncio
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Concatenate, Final, ParamSpec, TypeVar

import apsw

from triage.errors import StoreBusy
from triage.store import events, outbox, pruning, reading
from triage.store.outbox import Parcel
from triage.store.reading import Filter
from triage.store.schema import open_reader, touch
from triage.store.values import (
    Arrival,
    Event,
    Incident,
    Job,
    Page,
    Receipt,
    Sighting,
    State,
)
from triage.store.writer import Writer, translated

P = ParamSpec("P")
T = TypeVar("T")

INBOX: Final = "inbox.db"
_READERS: Final = 2
_BUSY_MS: Final = 2_000
_RECOUNT: Final = 1.0
"""Seconds for which a count of the open events is believed."""


class Inbox:
    """Events and incidents in the file at *path*; `open` it first, close it at the end.

    *sinks* are told of what is news. *limit* bounds the events that are not done, *busy_ms* the wait for another process
    that writes; *now* is the time since the epoch.
    Everything raised is a `StoreError`, `StoreUnusable` on opening, or `BadInput`.
    """

    def __init__(
        self,
        path: Path,
        *,
        limit: int = 100_000,
        busy_ms: int = 5_000,
        now: Callable[[], float] = time.time,
        sinks: Sequence[str] = (),
    ) -> None:
        self._path = path
        self._sinks = sinks
        self._limit = limit
        self.now = now
        self._writer = Writer(path, busy_ms=busy_ms)
        self._readers = ThreadPoolExecutor(_READERS, thread_name_prefix="triage-reader")
        self._local = threading.local()
        self._connections: list[apsw.Connection] = []
        self._open_events = 0
        self._counted_at = float("-inf")

    def open(self) -> None:
        """Open the file; blocks for a moment."""
        self._writer.open()

    async def close(self) -> None:
        """Write what waits, and close the file."""
        self._readers.shutdown(wait=True)
        for connection in self._connections:
            connection.close()
        self._connections.clear()
        await self._writer.close()  # last: it brings the log into the file

    async def receive(self, arrivals: Sequence[Arrival]) -> list[Receipt]:
        """Take deliveries: once this returns they are on disk, all of them.

        Raises `StoreBusy` where there is no room for them, and keeps none.
        """
        await self._refuse_if_full()
        size = sum(len(arrival.body) + len(arrival.head) for arrival in arrivals)
        taken = await self._writer.do(events.receive(arrivals, self.now()), size)
        self._open_events += len(taken)
        return taken

    async def claim(self, limit: int) -> list[Job]:
        """Take up to *limit* events to work on."""
        return await self._writer.do(events.claim(limit, self.now()))

    async def split(self, job: Job, reports: Sequence[bytes]) -> bool:
        """Note the crashes found in an event's body; False where it is not ours now."""
        size = sum(map(len, reports))
        return await self._writer.do(events.split(job, reports, self.now()), size)

    async def finish(self, job: Job, sighting: Sighting | None) -> bool:
        """End an event well and count it, once."""
        size = len(sighting.context) if sighting else 0
        return await self._writer.do(
            events.finish(job, sighting, self.now(), self._sinks), size
        )

    async def take(self, limit: int) -> list[Parcel]:
        """Take up to *limit* of what is to be told, and due."""
        return await self._writer.do(outbox.take(limit, self.now()))

    async def told(self, parcel: Parcel, reference: str | None) -> None:
        """Note that it was told; *reference* is what its place calls it."""
        await self._writer.do(outbox.told(parcel, reference, self.now()))

    async def tell_later(
        self, parcel: Parcel, due_at: float, code: str, message: str
    ) -> None:
        """Note why it could not be told, and when to try again."""
        await self._writer.do(outbox.later(parcel, due_at, code, message))

    async def give_up(self, parcel: Parcel, code: str, message: str) -> None:
        """Note that it will not be told, and why."""
        await self._writer.do(outbox.given_up(parcel, code, message))

    async def fail(self, job: Job, code: str, message: str) -> bool:
        """End an event with its error."""
        return await self._writer.do(events.fail(job, code, message, self.now()))

    async def wait(self, job: Job, retry_at: float, code: str, message: str) -> bool:
        """Let an event wait until *retry_at*."""
        return await self._writer.do(events.wait(job, retry_at, code, message))

    async def put_back(self, jobs: Sequence[Job]) -> None:
        """Give events back that were not worked on."""
        await self._writer.do(events.put_back(jobs))

    async def recover(self, most_attempts: int, owner: int | None = None) -> int:
        """Put back what a process that is gone was working on; None: all are gone."""
        return await self._writer.do(events.recover(most_attempts, owner, self.now()))

    async def retry(self, names: Sequence[str] = ()) -> int:
        """Try failed events again: all, or those named; returns how many."""
        return await self._writer.do(events.retry(names, self.now()))

    async def prune(self, seconds: float, *, at_once: int = 500) -> int:
        """Drop what is not kept of events that ended longer ago than that.

        Returns how many there were. After *at_once* of them others may write.
        """
        before, pruned = self.now() - seconds, 0
        while True:
            count = await self._writer.do(pruning.prune(before, at_once))
            pruned += count
            if count < at_once:
                return pruned

    async def event(self, name: str) -> Event | None:
        """Read one event with its context."""
        return await self._read(reading.event, name)

    async def events(
        self, state: State | None, cursor: str | None, limit: int
    ) -> Page[Event]:
        """List events, the newest first."""
        return await self._read(reading.events, state, cursor, limit)

    async def incident(self, name: str) -> Incident | None:
        """Read one incident with its contexts."""
        return await self._read(reading.incident, name)

    async def incidents(
        self, wanted: Filter, cursor: str | None, limit: int
    ) -> Page[Incident]:
        """List incidents, the last seen first."""
        return await self._read(reading.incidents, wanted, cursor, limit)

    async def check(self) -> None:
        """Raise the error that a delivery would have now: a little is written."""
        await self._writer.do(touch)

    async def depth(self) -> dict[str, int]:
        """Count the events that are not done, by state."""
        return await self._read(reading.depth)

    async def _refuse_if_full(self) -> None:
        """Raise `StoreBusy` where too many events wait; counted now and then."""
        now = time.monotonic()
        if now >= self._counted_at + _RECOUNT:
            self._counted_at = now
            self._open_events = sum((await self.depth()).values())
        if self._open_events >= self._limit:
            raise StoreBusy("the inbox is full; try again later")

    async def _read(
        self,
        read: Callable[Concatenate[apsw.Connection, P], T],
        *arguments: P.args,
        **options: P.kwargs,
    ) -> T:
        loop = asyncio.get_running_loop()

        def run() -> T:
            try:
                return read(self._connection(), *arguments, **options)
            except (apsw.Error, OSError) as error:
                raise translated(error, self._path) from error

        return await loop.run_in_executor(self._readers, run)

    def _connection(self) -> apsw.Connection:
        """Return the thread's own connection."""
        connection = getattr(self._local, "connection", None)
        if not isinstance(connection, apsw.Connection):
            connection = open_reader(self._path, busy_ms=_BUSY_MS)
            self._local.connection = connection
            self._connections.append(connection)
        return connection
