"""The composition root: the only place that names concrete adapters."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

from triage.cache import care
from triage.cache.blobs import Blobs
from triage.cache.care import Holdings
from triage.cache.ledger import TieredLedger
from triage.cache.memory import MemoryShelf
from triage.cache.parser import CachingParser
from triage.cache.source import CachingSource
from triage.cache.sqlite import CACHE, LIMIT, SqliteTier
from triage.cache.stack import Stack
from triage.config import Settings
from triage.engine import Engine, Means, Repository
from triage.errors import TriageError
from triage.helper import Helper
from triage.ports import Parser
from triage.sources.git import GitSource
from triage.sources.gitprocess import MINIMUM, git_version
from triage.sources.repository import find_repository
from triage.sources.worktree import WorktreeSource

_VIEWS = 384 << 20
"""Bytes in memory for decoded packages; a package takes some fifteen times its source."""
_ATLASES = 64 << 20
_ANSWERS = 64 << 20
_CONTENTS = 16 << 20


@asynccontextmanager
async def open_engine(settings: Settings | None = None) -> AsyncIterator[Engine]:
    """Open an engine on *settings*, by default the environment's; closed on leaving."""
    settings = settings or Settings.from_env()
    tiers = (
        Stack() if settings.no_cache else Stack(SqliteTier(settings.data_dir / CACHE))
    )
    means = Means(Helper()) if settings.no_cache else _remembering(Helper(), tiers)
    opener = _open_plain if settings.no_cache else _CachingOpener(tiers)
    engine = Engine(means, opener, max_tokens=settings.max_tokens)
    try:
        yield engine
    finally:
        await engine.close()
        await tiers.close()


def _remembering(parser: Parser, tiers: Stack) -> Means:
    """Give the engine memory, and the tiers behind it."""
    return Means(
        CachingParser(parser, tiers),
        answers=MemoryShelf(_ANSWERS),
        views=MemoryShelf(_VIEWS),
        contents=MemoryShelf(_CONTENTS),
        atlases=MemoryShelf(_ATLASES),
        ledger=TieredLedger(tiers),
    )


def cache_stats(settings: Settings) -> Holdings:
    """Count what the cache on disk holds; raises `ConfigError`."""
    return care.stats(settings.data_dir / CACHE)


def prune_cache(settings: Settings) -> int:
    """Shrink the cache on disk to its bound; returns how many rows went."""
    return care.prune(settings.data_dir / CACHE, LIMIT)


def clear_cache(settings: Settings) -> None:
    """Empty the cache on disk."""
    care.clear(settings.data_dir / CACHE)


async def _open_plain(name: str, *, at_commit: bool) -> Repository:
    """Open a directory: files on disk, or its commits where one is named."""
    place = await find_repository(name)
    if place.has_commits and (at_commit or not place.has_files):
        source = GitSource(place.top)
        return Repository(source, place.subdirectory, name=f"git:{place.top}")
    return Repository(WorktreeSource(place.top), place.subdirectory)


class _CachingOpener:
    """Opens repositories whose commits are read once."""

    def __init__(self, tiers: Stack) -> None:
        self._tiers = tiers
        self._blobs = Blobs(tiers)

    async def __call__(self, name: str, *, at_commit: bool) -> Repository:
        """Open a directory; files on disk are read each time."""
        plain = await _open_plain(name, at_commit=at_commit)
        if plain.name is None:
            return plain
        source = CachingSource(
            plain.source,
            plain.name,
            tiers=self._tiers,
            blobs=self._blobs,
            clock=asyncio.get_running_loop(),
        )
        return replace(plain, source=source, chart=source)


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that `triage doctor` looked at."""

    name: str
    fine: bool
    text: str


async def examine(settings: Settings) -> tuple[Check, ...]:
    """Look at what Triage needs: the helper, git, the settings."""
    return (await _helper(), await _git(), _settings(settings))


async def _helper() -> Check:
    helper = Helper()
    try:
        hello = await helper.hello()
    except TriageError as error:
        return Check("helper", fine=False, text=str(error))
    finally:
        await helper.close()
    text = f"version {hello.version}, schema {hello.schema}, {hello.go}"
    return Check("helper", fine=True, text=text)


async def _git() -> Check:
    version = await git_version()
    if version is None:
        return Check("git", fine=False, text="not found; install git 2.38 or later")
    text = ".".join(map(str, version))
    if version < MINIMUM:
        return Check(
            "git", fine=False, text=f"{text} is too old; install 2.38 or later"
        )
    return Check("git", fine=True, text=f"version {text}")


def _settings(settings: Settings) -> Check:
    """Say where the settings are from; reading them raised nothing."""
    origin = settings.config_file or "no triage.toml"
    return Check("settings", fine=True, text=f"{origin}; data in {settings.data_dir}")
