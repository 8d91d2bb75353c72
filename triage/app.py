"""The composition root: the only place that names concrete adapters."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from triage.config import Settings
from triage.engine import Engine, Means, Repository
from triage.errors import TriageError
from triage.helper import Helper
from triage.sources.git import GitSource
from triage.sources.gitprocess import git_version
from triage.sources.repository import find_repository
from triage.sources.worktree import WorktreeSource


@asynccontextmanager
async def open_engine(settings: Settings | None = None) -> AsyncIterator[Engine]:
    """Open an engine on *settings*, by default the environment's; closed on leaving."""
    settings = settings or Settings.from_env()
    engine = Engine(Means(Helper()), _open_repository, max_tokens=settings.max_tokens)
    try:
        yield engine
    finally:
        await engine.close()


async def _open_repository(name: str, *, at_commit: bool) -> Repository:
    """Open a directory: files on disk, or its commits where one is named."""
    place = await find_repository(name)
    if place.has_commits and (at_commit or not place.has_files):
        return Repository(GitSource(place.top), place.subdirectory)
    return Repository(WorktreeSource(place.top), place.subdirectory)


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that `triage doctor` looked at."""

    name: str
    fine: bool
    text: str


async def examine(settings: Settings) -> tuple[Check, ...]:
    """Look at what Triage needs: the helper, git, the settings."""
    return (await _helper(), await _git(), _settings(settings))
