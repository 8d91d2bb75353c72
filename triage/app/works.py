"""What the service works with: no more than `TRIAGE_REPOS` lists can be read."""

import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

from triage.app.doctor import Check, hello
from triage.app.openers import CachingOpener, credentials
from triage.cache.parser import CachingParser
from triage.config import Settings
from triage.core.allowed import Allowed, read_allowed
from triage.core.events import Fetch
from triage.engine import Engine, Means, Repository
from triage.errors import RateLimited, SourceError
from triage.helper import Helper
from triage.ports import Logs, Sink
from triage.sinks import Webhook
from triage.sources.git import GitSource
from triage.sources.github.joblog import JobLogs
from triage.sources.github.wire import Request as GitHubRequest
from triage.sources.repository import find_repository
from triage.sources.sentry import HOST_KIND as SENTRY_EVENT
from triage.sources.sentry import SentryEvents

_READY = 5.0
"""Seconds that GitHub has to answer whether the credentials are good."""


@dataclass(frozen=True, slots=True)
class Figures:
    """What the service tells of its means; None where it is not known."""

    helper_deaths: int
    github_remaining: int | None


@dataclass(frozen=True, slots=True)
class Works:
    """What the service works with."""

    engine: Engine
    logs: Logs
    allowed: Allowed
    check: Callable[[], Awaitable[tuple[Check, ...]]]
    """Looks whether the means are in order."""
    figures: Callable[[], Figures]
    sinks: tuple[Sink, ...] = ()
    """Who is told of incidents; whoever tells them closes them."""


@asynccontextmanager
async def open_works(settings: Settings) -> AsyncIterator[Works]:
    """Open what the service needs: it reads what `TRIAGE_REPOS` lists, no more."""
    opener = ListedOpener(settings)
    engine = Engine(opener.means(), opener, max_tokens=settings.max_tokens)
    try:
        yield Works(
            engine,
            opener,
            opener.allowed,
            opener.check,
            opener.figures,
            opener.sinks(),
        )
    finally:
        await engine.close()
        await opener.close()


class ListedOpener(CachingOpener):
    """Opens what may be read by its OWNER/NAME, and no path that a caller names.

    Also a `triage.ports.Logs`, for the same repositories.
    """

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self.allowed = read_allowed(settings.repos)
        self._helper = Helper()
        self._sentry = SentryEvents(settings.sentry_token, url=settings.sentry_url)

    def means(self) -> Means:
        """Give the helper with memory, and keep it at hand."""
        means = super().means()
        return replace(means, parser=CachingParser(self._helper, self._tiers))

    async def fetch(self, fetch: Fetch) -> bytes:
        """Fetch a job's log from GitHub, or an event from Sentry."""
        if fetch.host_kind == SENTRY_EVENT:
            return await self._sentry.fetch(fetch)
        self.allowed.find(fetch.repo)
        return await JobLogs(self._api()).fetch(fetch)

    async def check(self) -> tuple[Check, ...]:
        """Look at the helper, and at the credentials for GitHub if there are any."""
        checks = [await hello(self._helper)]
        if credentials(self._settings) is not None:
            checks.append(await self._check_github())
        return tuple(checks)

    def sinks(self) -> tuple[Sink, ...]:
        """Open the places that are set to be told of incidents."""
        from triage.sources.github.issues import Issues  # noqa: PLC0415 - few want it

        found, told = list[Sink](), self._settings
        if told.sink_url and told.sink_secret:
            found.append(Webhook(told.sink_url, told.sink_secret))
        if told.issues:
            found.append(Issues(self._api()))
        return tuple(found)

    def figures(self) -> Figures:
        """Tell how often the helper died, and what GitHub's limit leaves."""
        remaining = self._github.remaining if self._github else None
        return Figures(self._helper.deaths, remaining)

    async def _check_github(self) -> Check:
        """Ask for the limits, which costs nothing of them."""
        deadline = time.monotonic() + _READY
        try:
            await self._api().call(
                GitHubRequest("/rate_limit"),
                lambda answer: answer.status,
                deadline=deadline,
                tries=1,
            )
        except RateLimited:
            return Check("github", fine=True, text="the limit is used up")
        except SourceError as error:
            return Check("github", fine=False, text=str(error))
        return Check("github", fine=True, text="the credentials are good")

    def _remote(self, name: str) -> str | None:
        """Take OWNER/NAME alone; what is listed with a path lies there."""
        listed, path = self.allowed.find(name)
        return listed if path is None else None

    async def _local(self, name: str, *, at_commit: bool) -> Repository:
        """Open the commits of the repository that stands for *name*."""
        del at_commit
        listed, path = self.allowed.find(name)
        place = await find_repository(str(path))
        return Repository(
            GitSource(place.top),
            place.subdirectory,
            name=f"git:{place.top}",
            remote=listed,
            moves=True,
        )
