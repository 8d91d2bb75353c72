"""Openers: from a repository's name or path to what reads it, with memory or without."""

import asyncio
import logging
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from triage.cache.blobs import Blobs
from triage.cache.ledger import TieredLedger
from triage.cache.memory import MemoryShelf
from triage.cache.parser import CachingParser
from triage.cache.source import CachingSource, Recent
from triage.cache.sqlite import CACHE, SqliteTier
from triage.cache.stack import Stack
from triage.config import Settings
from triage.core.remote import github_hosts, repository_name
from triage.engine import Engine, Means, Repository
from triage.errors import ConfigError
from triage.helper import Helper
from triage.ports import Tier
from triage.sources.git import GitSource
from triage.sources.githistory import GitHistory
from triage.sources.repository import find_repository
from triage.sources.worktree import WorktreeSource

# A library says nothing that its user did not ask for.
logging.getLogger("triage").addHandler(logging.NullHandler())

if TYPE_CHECKING:
    from triage.sources.github import App, BlobStore, GitHubApi, Token

V = TypeVar("V")

_VIEWS = 384 << 20
"""Bytes in memory for decoded packages; a package takes some fifteen times its source."""
_ATLASES = 64 << 20
_ANSWERS = 64 << 20
_RECENT = 64 << 20
_CONTENTS = 16 << 20


@asynccontextmanager
async def open_engine(
    settings: Settings | None = None, *, share: float = 1.0
) -> AsyncIterator[Engine]:
    """Open an engine on *settings*, by default the environment's; closed on leaving.

    *share* is the part of its usual memory that it may fill: where it is one of many.
    """
    settings = settings or Settings.from_env()
    opener = Opener(settings) if settings.no_cache else CachingOpener(settings, share)
    engine = Engine(opener.means(), opener, max_tokens=settings.max_tokens)
    try:
        yield engine
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
        from triage.sources.github import GitHubSource  # noqa: PLC0415 - see `_api`

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
                history=GitHistory(place.top),
            )
        return Repository(WorktreeSource(place.top), place.subdirectory)

    def _api(self) -> "GitHubApi":
        """Connect to GitHub once for all repositories.

        PyGithub takes longer to import than a context takes: only who needs it waits.
        """
        from triage.sources.github import GitHubApi  # noqa: PLC0415 - as said above

        if self._github is None:
            asks = credentials(self._settings)
            self._github = GitHubApi(asks, url=self._settings.github_url)
        return self._github

    def _blobs(self) -> "BlobStore | None":
        """Give no store of blobs: without a cache every one is fetched."""
        return None


class CachingOpener(Opener):
    """Opens repositories whose commits are read once."""

    def __init__(self, settings: Settings, share: float = 1.0) -> None:
        super().__init__(settings)
        self._share = share
        self._tiers = Stack(SqliteTier(settings.data_dir / CACHE), *_shared(settings))
        self._ledger = TieredLedger(self._tiers)
        self._held = Blobs(self._tiers)
        self._recent = Recent.of(int(_RECENT * share))

    def means(self) -> Means:
        """Give the helper with memory, and the tiers behind it."""
        return Means(
            CachingParser(Helper(), self._tiers),
            answers=self._shelf(_ANSWERS),
            views=self._shelf(_VIEWS),
            contents=self._shelf(_CONTENTS),
            atlases=self._shelf(_ATLASES),
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

    def _blobs(self) -> "BlobStore | None":
        return self._held

    def _shelf(self, size: int) -> MemoryShelf[V]:
        return MemoryShelf(int(size * self._share))


async def repository_top(name: str) -> Path:
    """Return the top directory of the repository that *name* lies in.

    Raises a `SourceError` where there is none.
    """
    return (await find_repository(name)).top


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


def credentials(settings: Settings) -> "Token | App | None":
    """Read who asks; raises `ConfigError` for an App of which a part is missing."""
    from triage.sources.github import App, Token  # noqa: PLC0415 - see `Opener._api`

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
