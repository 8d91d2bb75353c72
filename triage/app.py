"""The composition root: the only place that names concrete adapters."""

import asyncio
import logging
import os
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

from triage.cache import care
from triage.cache.blobs import Blobs
from triage.cache.care import Holdings
from triage.cache.ledger import TieredLedger
from triage.cache.memory import MemoryShelf
from triage.cache.parser import CachingParser
from triage.cache.source import CachingSource, Recent
from triage.cache.sqlite import CACHE, LIMIT, SqliteTier
from triage.cache.stack import Stack
from triage.config import Settings
from triage.core.allowed import Allowed, read_allowed
from triage.core.events import Fetch
from triage.core.remote import github_hosts, repository_name
from triage.engine import Engine, Means, Repository
from triage.errors import ConfigError, RateLimited, SourceError, TriageError
from triage.helper import Helper
from triage.ports import Logs, Tier
from triage.sources.git import GitSource
from triage.sources.github import App, BlobStore, GitHubApi, GitHubSource, Token
from triage.sources.github.joblog import JobLogs
from triage.sources.github.wire import Request as GitHubRequest
from triage.sources.gitprocess import MINIMUM, git_version
from triage.sources.repository import find_repository
from triage.sources.sentry import HOST_KIND as SENTRY_EVENT
from triage.sources.sentry import SentryEvents
from triage.sources.worktree import WorktreeSource

# A library says nothing that its user did not ask for.
logging.getLogger("triage").addHandler(logging.NullHandler())

_VIEWS = 384 << 20
"""Bytes in memory for decoded packages; a package takes some fifteen times its source."""
_ATLASES = 64 << 20
_ANSWERS = 64 << 20
_CONTENTS = 16 << 20
_READY = 5.0
"""Seconds that GitHub has to answer whether the credentials are good."""


@asynccontextmanager
async def open_engine(settings: Settings | None = None) -> AsyncIterator[Engine]:
    """Open an engine on *settings*, by default the environment's; closed on leaving."""
    settings = settings or Settings.from_env()
    opener = Opener(settings) if settings.no_cache else CachingOpener(settings)
    engine = Engine(opener.means(), opener, max_tokens=settings.max_tokens)
    try:
        yield engine
    finally:
        await engine.close()
        await opener.close()


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that `triage doctor` looked at."""

    name: str
    fine: bool
    text: str


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


@asynccontextmanager
async def open_works(settings: Settings) -> AsyncIterator[Works]:
    """Open what the service needs: it reads what `TRIAGE_REPOS` lists, no more."""
    opener = ListedOpener(settings)
    engine = Engine(opener.means(), opener, max_tokens=settings.max_tokens)
    try:
        yield Works(engine, opener, opener.allowed, opener.check, opener.figures)
    finally:
        await engine.close()
        await opener.close()


class Opener:
    """Opens repositories by path or by name, and what an engine needs besides."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._github: GitHubApi | None = None

    def means(self) -> Means:
        """Give the helper, and no memory."""
        return Means(Helper())

    async def __call__(self, name: str, *, at_commit: bool) -> Repository:
        """Open a directory, its files or its commits, else OWNER/NAME on GitHub."""
        if (remote := self._remote(name)) is None:
            return await self._local(name, at_commit=at_commit)
        source = GitHubSource(remote, self._api(), blobs=self._blobs())
        url = self._settings.github_url
        return Repository(
            source,
            name=f"{url} {remote}".lower(),
            remote=remote,
            moves=True,
        )

    async def close(self) -> None:
        """Close what the repositories shared."""
        if self._github is not None:
            await self._github.close()

    def _remote(self, name: str) -> str | None:
        """Read OWNER/NAME; a directory of that name is meant before it."""
        if os.path.isdir(name):  # noqa: PTH112 - Path's raises for a name too long
            return None
        try:
            return repository_name(name, github_hosts(self._settings.github_url))
        except ValueError:  # no address at all: a bracket where none may be
            return None

    async def _local(self, name: str, *, at_commit: bool) -> Repository:
        """Open files on disk, or commits where one is named or no files are."""
        place = await find_repository(name)
        if place.has_commits and (at_commit or not place.has_files):
            return Repository(
                GitSource(place.top),
                place.subdirectory,
                name=f"git:{place.top}",
                moves=not at_commit,
            )
        return Repository(WorktreeSource(place.top), place.subdirectory)

    def _api(self) -> GitHubApi:
        """Connect to GitHub once for all repositories."""
        if self._github is None:
            credentials = _credentials(self._settings)
            self._github = GitHubApi(credentials, url=self._settings.github_url)
        return self._github

    def _blobs(self) -> BlobStore | None:
        """Give no store of blobs: without a cache every one is fetched."""
        return None


class CachingOpener(Opener):
    """Opens repositories whose commits are read once."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self._tiers = Stack(SqliteTier(settings.data_dir / CACHE), *_shared(settings))
        self._ledger = TieredLedger(self._tiers)
        self._held = Blobs(self._tiers)
        self._recent = Recent()

    def means(self) -> Means:
        """Give the helper with memory, and the tiers behind it."""
        return Means(
            CachingParser(Helper(), self._tiers),
            answers=MemoryShelf(_ANSWERS),
            views=MemoryShelf(_VIEWS),
            contents=MemoryShelf(_CONTENTS),
            atlases=MemoryShelf(_ATLASES),
            ledger=self._ledger,
        )

    async def __call__(self, name: str, *, at_commit: bool) -> Repository:
        """Open a repository; files on disk are read each time."""
        plain = await super().__call__(name, at_commit=at_commit)
        if plain.name is None:
            return plain
        source = CachingSource(
            plain.source,
            plain.name,
            tiers=self._tiers,
            blobs=self._held,
            recent=self._recent,
            clock=asyncio.get_running_loop(),
        )
        return replace(plain, source=source, chart=source)

    async def close(self) -> None:
        """Write what is still to be written."""
        await super().close()
        self._ledger.flush()
        await self._tiers.close()

    def _blobs(self) -> BlobStore | None:
        return self._held


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
        checks = [await _hello(self._helper)]
        if _credentials(self._settings) is not None:
            checks.append(await self._check_github())
        return tuple(checks)

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


def _shared(settings: Settings) -> tuple[Tier, ...]:
    """Connect to the cache that machines share, if one is set."""
    if settings.redis_url is None:
        return ()
    try:
        from triage.cache.redis import RedisTier  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise ConfigError(
            "TRIAGE_REDIS_URL is set, but the redis package is not there;"
            " run: pip install 'triage-go[redis]'"
        ) from error
    return (RedisTier(settings.redis_url, clock=asyncio.get_running_loop()),)


def _credentials(settings: Settings) -> Token | App | None:
    """Read who asks; raises `ConfigError` for an App of which a part is missing."""
    parts = (
        settings.github_app_id,
        settings.github_app_key,
        settings.github_app_installation,
    )
    number, key, installation = parts
    if number is not None and key is not None and installation is not None:
        return App(number, key, installation)
    if any(part is not None for part in parts):
        raise ConfigError(
            "a GitHub App takes TRIAGE_GITHUB_APP_ID, TRIAGE_GITHUB_APP_KEY and"
            " TRIAGE_GITHUB_APP_INSTALLATION; set all three or none"
        )
    return Token(settings.github_token) if settings.github_token else None


def cache_stats(settings: Settings) -> Holdings:
    """Count what the cache on disk holds; raises `ConfigError`."""
    return care.stats(settings.data_dir / CACHE)


def prune_cache(settings: Settings) -> int:
    """Shrink the cache on disk to its bound; returns how many rows went."""
    return care.prune(settings.data_dir / CACHE, LIMIT)


def clear_cache(settings: Settings) -> None:
    """Empty the cache on disk."""
    care.clear(settings.data_dir / CACHE)


async def examine(settings: Settings | ConfigError) -> tuple[Check, ...]:
    """Look at what Triage needs: the helper, git, the settings or why there are none."""
    return (await _helper(), await _git(), _settings(settings))


async def _helper() -> Check:
    helper = Helper()
    try:
        return await _hello(helper)
    finally:
        await helper.close()


async def _hello(helper: Helper) -> Check:
    try:
        hello = await helper.hello()
    except TriageError as error:
        return Check("helper", fine=False, text=str(error))
    text = f"version {hello.version}, schema {hello.schema}, {hello.go}"
    return Check("helper", fine=True, text=text)


async def _git() -> Check:
    try:
        version = await git_version()
    except SourceError as error:
        return Check("git", fine=False, text=str(error))
    cure = f"install git {_dotted(MINIMUM)} or later"
    if version is None:
        return Check("git", fine=False, text=f"it does not say its version; {cure}")
    if version < MINIMUM:
        text = f"{_dotted(version)} is too old; {cure}"
        return Check("git", fine=False, text=text)
    return Check("git", fine=True, text=f"version {_dotted(version)}")


def _dotted(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version))


def _settings(settings: Settings | ConfigError) -> Check:
    """Say where the settings are from, or why they could not be read."""
    if isinstance(settings, ConfigError):
        return Check("settings", fine=False, text=str(settings))
    origin = settings.config_file or "no triage.toml"
    return Check("settings", fine=True, text=f"{origin}; data in {settings.data_dir}")
