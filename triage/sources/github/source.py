"""The source that reads one repository of GitHub's."""

import asyncio
import re
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from cachetools import LRUCache

from triage.core.model import Package, Unread
from triage.core.printed import shown
from triage.errors import BadInput, CommitMissing, FileMissing
from triage.sources.github import rest
from triage.sources.github.api import GitHubApi
from triage.sources.github.contents import BlobStore
from triage.sources.github.objects import join
from triage.sources.github.reader import Reader
from triage.sources.github.repository import Repository, Trip
from triage.sources.github.snapshot import Snapshot
from triage.sources.github.wire import timed_out
from triage.sources.limits import (
    LFS_POINTER,
    SKIPPED,
    checked_path,
    is_lfs_pointer,
    is_listed,
)

_FULL_ID = re.compile(r"(?:[0-9a-f]{40}|[0-9a-f]{64})", re.IGNORECASE)
_REVISION = re.compile(r"(?!\.+$)[^\x00-\x20\x7f]+")
_COMMITS = 4
"""Commits remembered; a whole tree of 100,000 entries takes 52 MB."""
_DIRECTORIES = 4_096
"""Directories remembered as read."""


class GitHubSource:
    """OWNER/NAME on GitHub; see `triage.ports.Source`.

    *api* belongs to the caller, who closes it. With *blobs*, a directory that was
    read at any commit costs its entries and what is not held. *timeout* bounds each
    call, in seconds. Raises `BadInput` for a name that is none.
    """

    name = "github"

    def __init__(
        self,
        repo: str,
        api: GitHubApi,
        *,
        blobs: BlobStore | None = None,
        timeout: float = 30.0,
    ) -> None:
        self._repository = Repository(repo, api)
        self._blobs = blobs
        self._timeout = timeout
        self._snapshots: LRUCache[str, Snapshot] = LRUCache(_COMMITS)
        self._known: LRUCache[str, bool] = LRUCache(_DIRECTORIES)

    @property
    def renamed_to(self) -> str | None:
        """OWNER/NAME as GitHub calls it now; None where the asked name is right."""
        return self._repository.renamed_to

    async def resolve(self, revision: str | None) -> str:
        """Turn a branch, a tag or a short id into a full id; None is the default head.

        A full id is passed as it is: the first request that uses it tells.
        """
        if revision is not None and _FULL_ID.fullmatch(revision):
            return revision.lower()
        revision = "HEAD" if revision is None else revision
        if not _REVISION.fullmatch(revision):
            raise BadInput(f"{shown(revision)} is no commit id, tag or branch")
        async with self._trip() as trip:
            return await rest.resolve(trip, revision)

    async def paths(self, commit: str | None) -> tuple[str, ...]:
        """List every `.go`, `go.mod` and `go.work` file, sorted."""
        async with self._reader(commit) as reader:
            listings = await reader.tree()
        return tuple(
            sorted(
                join(directory, name)
                for directory, listing in listings.items()
                if listing and SKIPPED.isdisjoint(directory.split("/"))
                for name, entry in listing.items()
                if is_listed(name) and (entry.is_file or entry.is_link)
            )
        )

    async def read(self, commit: str | None, path: str) -> bytes | None:
        """Read one file, through links; None where there is none.

        Raises `TooLarge` over 8 MiB, `FileMissing` where git has not the content.
        """
        checked_path(path)
        async with self._reader(commit) as reader:
            data = await reader.file(path)
        if data is not None and is_lfs_pointer(data):
            raise FileMissing(f"{shown(path)} {LFS_POINTER}")
        return data

    async def read_all(
        self, commit: str | None, paths: Sequence[str]
    ) -> dict[str, bytes | Unread]:
        """Read small files together; those that are not there are left out."""
        plain = [path for path in dict.fromkeys(paths) if _is_plain(path)]
        async with self._reader(commit) as reader:
            return await reader.files(plain)

    async def package(
        self, commit: str | None, directory: str, *, first: str | None = None
    ) -> Package:
        """Read the `.go` files of one directory; raises `FileMissing` without it.

        *first* is kept before all others where they are too many or too large.
        """
        checked_path(directory)
        async with self._reader(commit) as reader:
            packages = await reader.packages([directory], first=first)
            if directory not in packages:
                why = await reader.explain(directory)
                raise FileMissing(f"{shown(directory or '.')} {why} at that commit")
        self._known[directory] = True
        return packages[directory]

    async def probe(
        self, commit: str | None, directories: Sequence[str]
    ) -> tuple[dict[str, Package], dict[str, bytes | Unread]]:
        """Read the directories that are there, and the modules above them."""
        plain = [path for path in dict.fromkeys(directories) if _is_plain(path)]
        async with self._reader(commit) as reader:
            packages, modules = await reader.probe(plain)
        self._known.update(dict.fromkeys(packages, True))
        return packages, modules

    async def close(self) -> None:
        """Forget what is known; the connections belong to the `GitHubApi`."""
        self._snapshots.clear()
        self._known.clear()

    @asynccontextmanager
    async def _trip(self) -> AsyncIterator[Trip]:
        """Begin a call that ends in time."""
        deadline = time.monotonic() + self._timeout
        try:
            async with asyncio.timeout(self._timeout):
                yield Trip(self._repository, deadline)
        except TimeoutError as error:
            raise timed_out() from error

    @asynccontextmanager
    async def _reader(self, commit: str | None) -> AsyncIterator[Reader]:
        given = _given(commit)
        async with self._trip() as trip:
            yield Reader(
                trip,
                given,
                self._snapshot(given),
                blobs=self._blobs,
                known=self._known,
            )

    def _snapshot(self, commit: str) -> Snapshot:
        """Give the commit's snapshot, the same as long as it is in use."""
        return self._snapshots.setdefault(commit, Snapshot())


def _given(commit: str | None) -> str:
    """Pass a full commit id in lower case; GitHub has no working tree."""
    if commit is None or not _FULL_ID.fullmatch(commit):
        raise CommitMissing("GitHub reads a commit by its full id; resolve it first")
    return commit.lower()


def _is_plain(path: str) -> bool:
    try:
        checked_path(path)
    except BadInput:
        return False
    return True
