"""Workers: take events out of the inbox, explain them, and write what came of it.

Nothing is lost whenever the process ends: an event is done in the same transaction in
which its incident counts it, and until then it is taken again.
"""

import asyncio
import hashlib
import logging
import random
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Final, TypeVar

import msgspec

from triage.app import Works
from triage.core.events import Head, Reading, Report, read, read_fetched
from triage.core.model import Result, Telemetry
from triage.core.projects import Project
from triage.errors import (
    HelperQuarantined,
    RateLimited,
    SourceTimeout,
    StoreBusy,
    StoreError,
    StoreUnusable,
    TriageError,
)
from triage.pause import pause
from triage.ports import Clock
from triage.service.limits import Pace
from triage.service.packing import pack, unpack
from triage.store import Inbox, Job, Sighting

T = TypeVar("T")

TRANSIENT: Final = frozenset(
    {"rate-limited", "source-failed", "timeout", "busy", "helper-failed"}
)
"""What may be over after a while."""
_DAY: Final = 86_400
_AHEAD: Final = 300.0
"""Seconds by which a sender's clock may be before ours."""

_log = logging.getLogger(__name__)
_heads = msgspec.json.Decoder(Head)


class Workers:
    """Works on the events of *inbox*; `start` it, and `stop` it at the end.

    *hosts* are those whose addresses name repositories, as GitHub's do.
    *tell* is given what became of each event: `done`, `waiting` or `failed`.
    """

    def __init__(
        self,
        inbox: Inbox,
        works: Works,
        *,
        projects: Sequence[Project],
        hosts: Sequence[str] = (),
        pace: Pace,
        clock: Clock,
        tell: Callable[[str], object],
    ) -> None:
        self._inbox = inbox
        self._works = works
        self._projects = projects
        self._hosts = hosts
        self._pace = pace
        self._clock = clock
        self._tell = tell
        self._awake = asyncio.Event()
        self._stopping = False
        self._running: dict[asyncio.Task[None], Job] = {}
        self._slow: set[asyncio.Task[None]] = set()
        self._dispatcher: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to take events."""
        self._dispatcher = asyncio.create_task(self._dispatch())

    def wake(self) -> None:
        """Look for events now: some have come."""
        self._awake.set()

    async def stop(self) -> None:
        """Take no more, let what runs end within bounds, put the rest back."""
        self._stopping = True
        self._awake.set()
        if self._dispatcher is not None:
            await self._dispatcher
        if self._running:
            await asyncio.wait(self._running, timeout=self._pace.stopping)
        left = dict(self._running)
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)
        if left:
            try:
                await self._inbox.put_back(list(left.values()))
            except StoreBusy as error:
                _log.warning("events are put back at the next start: %s", error)

    async def _dispatch(self) -> None:
        """Keep as many events under way as there may be."""
        while not self._stopping:
            self._awake.clear()
            free = self._free()
            taken = await self._take(free) if free else []
            for job in taken:
                self._begin(job)
            if len(taken) < free or not free:
                timer = self._clock.call_later(self._pace.poll, self._awake.set)
                await self._awake.wait()
                timer.cancel()

    def _free(self) -> int:
        """Count the events that may be taken: those that take long hold up no other."""
        running = len(self._running)
        quick = running - len(self._slow)
        return min(self._pace.jobs - quick, self._pace.most_jobs - running)

    def _begin(self, job: Job) -> None:
        task = asyncio.create_task(self._work(job))
        self._running[task] = job
        timer = self._clock.call_later(self._pace.patience, partial(self._lags, task))
        task.add_done_callback(lambda _: timer.cancel())
        task.add_done_callback(self._ended)

    def _lags(self, task: asyncio.Task[None]) -> None:
        """Note that an event takes long."""
        self._slow.add(task)
        self._awake.set()

    async def _take(self, limit: int) -> list[Job]:
        try:
            return await self._inbox.claim(limit)
        except (StoreError, StoreUnusable) as error:
            _log.warning("no event can be taken: %s", error)
            return []

    def _ended(self, task: asyncio.Task[None]) -> None:
        """Note that an event is done with; the next start takes what could not be."""
        job = self._running.pop(task)
        self._slow.discard(task)
        if not task.cancelled() and task.exception() is not None:
            _log.error("event %s is left", job.id, exc_info=task.exception())
        self._awake.set()

    async def _work(self, job: Job) -> None:
        """Work on one event and write what came of it."""
        try:
            async with asyncio.timeout(self._pace.job_seconds):
                sighting = await self._explained(job)
        except TimeoutError as error:
            await self._trouble(job, _late(error))
        except TriageError as error:
            await self._trouble(job, error)
        except Exception:  # noqa: BLE001 - the edge: one event's bug must not end the service
            _log.exception("event %s failed", job.id)
            await self._end(job, "internal", "a bug of Triage's; its log says more")
        else:
            await self._written(lambda: self._inbox.finish(job, sighting))
            self._tell("done")

    async def _explained(self, job: Job) -> Sighting | None:
        """Go from the event to its context; None where there is nothing to explain."""
        report = await self._report(job)
        if report is not None and report.fetch is not None:
            text = await self._works.logs.fetch(report.fetch)
            reading = await asyncio.to_thread(
                read_fetched, report.fetch, text, self._projects, self._hosts
            )
            report = await self._first(job, reading)
        if report is None or report.telemetry is None:
            return None
        result = await self._works.engine.context(self._listed(report.telemetry))
        return _sighting(result, report.observed_at, job.received_at)

    async def _report(self, job: Job) -> Report | None:
        """Read the body, unless that has been done."""
        if job.report is not None:
            return unpack(job.report)
        head = _heads.decode(job.head)
        reading = await asyncio.to_thread(
            read, head, job.body, self._projects, self._hosts
        )
        return await self._first(job, reading)

    async def _first(self, job: Job, reading: Reading) -> Report | None:
        """Give the event its own crash, and each further one an event."""
        reports = reading.reports
        if reading.rejected:
            _log.warning("event %s: %s", job.id, reading.ignored)
        if len(reports) > 1 or (reports and job.report is not None):
            packed = [pack(report) for report in reports]
            await self._written(lambda: self._inbox.split(job, packed))
            self.wake()
        return reports[0] if reports else None

    def _listed(self, telemetry: Telemetry) -> Telemetry:
        """Name the repository as the list does; raises `RepoNotAllowed`."""
        name, _ = self._works.allowed.find(telemetry.repo)
        return replace(telemetry, repo=name)

    async def _trouble(self, job: Job, error: TriageError) -> None:
        """Let the event wait where that may help, else end it."""
        retry_at = self._retry_at(job, error)
        if retry_at is None:
            await self._end(job, error.code, str(error))
            return
        await self._written(
            lambda: self._inbox.wait(job, retry_at, error.code, str(error))
        )
        self._tell("waiting")

    def _retry_at(self, job: Job, error: TriageError) -> float | None:
        """Tell when to try again; None where no other try will help, or is left."""
        pace = self._pace
        if error.code not in TRANSIENT or isinstance(error, HelperQuarantined):
            return None
        if job.attempt >= pace.most_attempts:
            return None
        wait = min(pace.first_pause * 2 ** (job.attempt - 1), pace.longest_pause)
        # Jitter, so that what failed together does not come back together.
        wait *= random.uniform(0.9, 1.1)  # noqa: S311 - no secret hangs on it
        retry_at = self._inbox.now() + wait
        if isinstance(error, RateLimited) and error.reset_at is not None:
            retry_at = max(retry_at, error.reset_at + wait / 10)
        return retry_at if retry_at < job.received_at + pace.oldest else None

    async def _end(self, job: Job, code: str, message: str) -> None:
        await self._written(lambda: self._inbox.fail(job, code, message))
        self._tell("failed")

    async def _written(self, write: Callable[[], Awaitable[T]]) -> T:
        """Write, and again while the disk takes nothing: the work is done."""
        while True:
            try:
                return await write()
            except StoreBusy as error:
                _log.warning("what became of an event cannot be written: %s", error)
            await pause(self._clock, self._pace.poll)


async def housekeeping(
    inbox: Inbox, *, days: float, every: float, clock: Clock
) -> None:
    """Drop what has been kept long enough, again and again; times are in seconds."""
    while True:
        try:
            await inbox.prune(days * _DAY)
        except (StoreError, StoreUnusable) as error:
            _log.warning("old bodies cannot be dropped: %s", error)
        await pause(clock, every)


def _late(cause: TimeoutError) -> SourceTimeout:
    error = SourceTimeout("it took too long; try again later")
    error.__cause__ = cause
    return error


def _sighting(
    result: Result, observed_at: float | None, received_at: float
) -> Sighting:
    """Make what an incident counts; a moment that cannot be is the arrival's."""
    likely = observed_at is not None and 0 < observed_at <= received_at + _AHEAD
    same = replace(result, served_from="").to_json()
    return Sighting(
        fingerprint=result.fingerprint,
        repo=result.crash.repo,
        kind=result.panic.kind or "",
        function=result.crash.function,
        message=result.panic.message or "",
        commit=result.crash.commit,
        seen_at=observed_at if likely and observed_at is not None else received_at,
        context=result.to_json(),
        digest=hashlib.blake2b(same, digest_size=20).digest(),
    )
