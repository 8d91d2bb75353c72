"""The courier: takes what is to be told out of the outbox, and tells it.

Each message is told at least once, always under the same key; the outbox knows what was
told, whenever the process ends.
"""

import asyncio
import logging
import random
from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from triage.config import Settings
from triage.core.allowed import Allowed, read_allowed
from triage.core.masking import mask, masked_result
from triage.core.model import Result
from triage.core.notices import Notice
from triage.errors import (
    ConfigError,
    RateLimited,
    SourceTimeout,
    StoreError,
    StoreUnusable,
    TriageError,
)
from triage.pause import pause
from triage.ports import Clock, Sink
from triage.service.limits import Pace
from triage.service.workers import TRANSIENT
from triage.store import Inbox, Incident, Parcel

_AT_ONCE: Final = 4
_SECONDS: Final = 90.0
"""What one message may take; less than its lease."""

_log = logging.getLogger(__name__)
_results = msgspec.json.Decoder(Result)


class Courier:
    """Tells *sinks* of incidents; `start` it, and `stop` it at the end.

    *issues* are the repositories that issues may be made in.
    """

    def __init__(
        self,
        inbox: Inbox,
        sinks: Sequence[Sink],
        *,
        issues: Allowed,
        pace: Pace,
        clock: Clock,
    ) -> None:
        self._inbox = inbox
        self._sinks: Mapping[str, Sink] = {sink.name: sink for sink in sinks}
        self._issues = issues
        self._pace = pace
        self._clock = clock
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin, if there is anybody to tell."""
        if self._sinks:
            self._task = asyncio.create_task(self._run())

    async def stop(self) -> None:
        """Stop; what is under way is told again the next time."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        for sink in self._sinks.values():
            await sink.close()

    async def _run(self) -> None:
        while True:
            try:
                parcels = await self._inbox.take(_AT_ONCE)
                await asyncio.gather(*map(self._deliver, parcels))
            except (StoreError, StoreUnusable) as error:
                _log.warning("nothing can be told: %s", error)
                parcels = []
            if len(parcels) < _AT_ONCE:
                await pause(self._clock, self._pace.poll)

    async def _deliver(self, parcel: Parcel) -> None:
        """Tell one message, and note what came of it."""
        try:
            async with asyncio.timeout(_SECONDS):
                reference = await self._told(parcel)
        except TimeoutError as error:
            await self._failed(parcel, SourceTimeout("it took too long"), cause=error)
        except TriageError as error:
            await self._failed(parcel, error)
        except Exception as error:  # noqa: BLE001 - the edge: one must not end all
            _log.exception("incident %s cannot be told", parcel.incident)
            await self._inbox.give_up(parcel, "internal", type(error).__name__)
        else:
            await self._inbox.told(parcel, reference)

    async def _told(self, parcel: Parcel) -> str | None:
        sink = self._sinks.get(parcel.sink)
        incident = await self._inbox.incident(parcel.incident)
        if sink is None or incident is None:
            return None  # it was switched off, or is gone
        if sink.name == "issues" and not self._may(incident.repo):
            return None
        return await sink.tell(notice(incident, parcel))

    def _may(self, repo: str) -> bool:
        return any(one.allows(repo) for one in self._issues.permissions)

    async def _failed(
        self, parcel: Parcel, error: TriageError, *, cause: BaseException | None = None
    ) -> None:
        del cause
        if error.code not in TRANSIENT or parcel.attempt >= self._pace.most_attempts:
            _log.warning("incident %s is not told: %s", parcel.incident, error)
            await self._inbox.give_up(parcel, error.code, str(error))
            return
        wait = min(
            self._pace.first_pause * 2 ** (parcel.attempt - 1), self._pace.longest_pause
        )
        # Jitter, so that what failed together does not come back together.
        due = self._inbox.now() + wait * random.uniform(0.9, 1.1)  # noqa: S311 - no secret
        if isinstance(error, RateLimited) and error.reset_at is not None:
            due = max(due, error.reset_at)
        await self._inbox.tell_later(parcel, due, error.code, str(error))


def sinks(settings: Settings) -> tuple[str, ...]:
    """Name those that are to be told; raises `ConfigError` for half a setting."""
    if bool(settings.sink_url) != bool(settings.sink_secret):
        raise ConfigError(
            "TRIAGE_SINK_URL and TRIAGE_SINK_SECRET go together; set both"
        )
    read_allowed(settings.issues)
    found = ["webhook"] if settings.sink_url else []
    return (*found, "issues") if settings.issues else tuple(found)


def notice(incident: Incident, parcel: Parcel) -> Notice:
    """Make what is told of an incident, without secrets."""
    context = None
    if incident.contexts:
        context, _ = masked_result(_results.decode(incident.contexts[0]))
    return Notice(
        key=f"{incident.id[:32]}-{parcel.version}",
        fingerprint=incident.id,
        repo=incident.repo,
        kind=incident.kind,
        function=incident.function,
        message=mask(incident.message).text,
        count=incident.count,
        first_seen=incident.first_seen,
        last_seen=incident.last_seen,
        commits=incident.commits,
        context=context,
        reference=parcel.reference,
    )
