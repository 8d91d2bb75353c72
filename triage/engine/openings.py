"""The repositories of one engine: each opened once, the least used closed in time."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Final

from triage.engine.means import Opener, Repository
from triage.errors import SourceError

_KEPT: Final = 64
"""Repositories that stay open unused; one of git's is two processes."""

_Name = tuple[str, bool]


class _Opening:
    """A repository that is open, or about to be, and how many use it."""

    def __init__(self, repository: asyncio.Future[Repository]) -> None:
        self.repository = repository
        self.users = 0


class Openings:
    """Lends repositories by name; close it when done."""

    def __init__(self, open_repository: Opener, *, kept: int = _KEPT) -> None:
        self._open = open_repository
        self._kept = kept
        self._openings: dict[_Name, _Opening] = {}  # the last used comes last
        self._closed = False

    @asynccontextmanager
    async def lent(self, name: str, *, at_commit: bool) -> AsyncIterator[Repository]:
        """Lend a repository, opened once whoever of the waiting is cancelled.

        Raises `SourceError` after `close`: nobody would close what is opened then.
        """
        if self._closed:
            raise SourceError("the engine is closed; open another one")
        key = (name, at_commit)
        opening = self._openings.pop(key, None) or self._begin(key)
        self._openings[key] = opening
        opening.users += 1
        try:
            yield await asyncio.shield(opening.repository)
        finally:
            opening.users -= 1
            await self._shrink()

    async def close(self) -> None:
        """Close all of them, used or not, and lend no more."""
        self._closed = True
        openings = list(self._openings.values())
        self._openings.clear()
        await asyncio.gather(*map(_end, openings))

    def _begin(self, key: _Name) -> _Opening:
        name, at_commit = key
        repository = asyncio.ensure_future(self._open(name, at_commit=at_commit))
        repository.add_done_callback(partial(self._forget_failed, key))
        return _Opening(repository)

    def _forget_failed(self, key: _Name, done: asyncio.Future[Repository]) -> None:
        """Let the next one try again: it may find mended what failed."""
        if done.cancelled() or done.exception() is not None:
            self._openings.pop(key, None)

    async def _shrink(self) -> None:
        """Close what was used longest ago and is used by nobody."""
        idle = [key for key, opening in self._openings.items() if not opening.users]
        surplus = max(0, len(self._openings) - self._kept)
        dropped = [self._openings.pop(key) for key in idle[:surplus]]
        await asyncio.gather(*map(_end, dropped))


async def _end(opening: _Opening) -> None:
    """Close a source, once it is open; one that failed needs no closing."""
    (repository,) = await asyncio.gather(opening.repository, return_exceptions=True)
    if isinstance(repository, Repository):
        await repository.source.close()
