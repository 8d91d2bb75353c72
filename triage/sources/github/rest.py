"""The REST calls that read a repository: listings, files, blobs, trees, commits.

https://docs.github.com/en/rest/repos/contents and /en/rest/git
"""

import re
from base64 import b64decode
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Literal
from urllib.parse import quote

import msgspec

from triage.core.printed import shown
from triage.errors import RepoMissing, SourceError, TooLarge
from triage.sources.github.objects import (
    Entry,
    Listing,
    is_intact,
    split,
    type_modes,
)
from triage.sources.github.refusal import (
    Absent,
    missing_commit,
    missing_repository,
)
from triage.sources.github.repository import Trip
from triage.sources.github.wire import Answer
from triage.sources.limits import MAX_FILE, Extent
from triage.together import together

LISTED = 1_000
"""Entries after which the Contents API cuts a directory."""

_SHA_ALONE = "application/vnd.github.sha"
_FULL_ID = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_LARGEST_TREE = 64 << 20
"""Bytes of one tree's answer: GitHub cuts one at 100,000 entries, far below."""
_MOST_TREES = 300
"""Requests that one walk through a truncated tree may take."""


class _Item(msgspec.Struct):
    """A file, or a name in a directory."""

    type: str
    name: str
    sha: str
    size: int = 0
    git_url: str | None = None
    content: str = ""
    encoding: str = "none"


class _Blob(msgspec.Struct):
    content: str
    encoding: Literal["base64", "utf-8"]


class _TreeItem(msgspec.Struct):
    path: str
    mode: str
    sha: str
    size: int = 0


class _Tree(msgspec.Struct):
    sha: str
    tree: list[_TreeItem]
    truncated: bool = False


class _Commit(msgspec.Struct):
    sha: str


async def list_directory(trip: Trip, commit: str, directory: str) -> Listing | None:
    """List a directory, None where there is none; `LISTED` entries may be cut."""

    def read(answer: Answer) -> Listing | None:
        found = msgspec.json.decode(answer.body, type=list[_Item] | _Item)
        if isinstance(found, _Item):
            return None
        return {item.name: _entry(item) for item in found}

    try:
        return await trip.get(_contents(directory), read, parameters={"ref": commit})
    except Absent:
        return None


async def read_file(trip: Trip, commit: str, path: str) -> bytes | None:
    """Read one file, through links; None where there is none.

    Over 1 MB the Contents API leaves the content out, and the blob has it.
    """

    def read(answer: Answer) -> _Item | None:
        found = msgspec.json.decode(answer.body, type=list[_Item] | _Item)
        return found if isinstance(found, _Item) and found.type == "file" else None

    try:
        item = await trip.get(_contents(path), read, parameters={"ref": commit})
    except Absent:
        return None
    if item is None or _entry(item).is_submodule:
        return None
    if item.size > MAX_FILE:
        raise TooLarge(f"{shown(path)} is over {MAX_FILE >> 20} MiB")
    if item.encoding == "base64":
        data = b64decode(item.content)
        if is_intact(data, item.sha):
            return data
    return await read_blob(trip, item.sha)


async def read_blob(trip: Trip, oid: str) -> bytes:
    """Read one blob by its id; raises `SourceError` where it is another."""

    def read(answer: Answer) -> bytes:
        blob = msgspec.json.decode(answer.body, type=_Blob)
        data = blob.content.encode()
        if blob.encoding == "base64":
            data = b64decode(data)
        if not is_intact(data, oid):
            raise ValueError(oid)
        return data

    return await trip.get(f"/git/blobs/{oid}", read)


async def list_tree(trip: Trip, commit: str) -> dict[str, Listing]:
    """List all directories of a commit.

    One request where GitHub sends the tree whole; else one for each part of it that
    it does. Raises `SourceError` where even the parts are too many.
    """
    walk = _Walk(trip)
    await walk.go("", commit)
    return dict(walk.listings)


async def resolve(trip: Trip, revision: str) -> str:
    """Turn a branch, a tag or a short id into a full id; raises `NotFound`."""

    def read(answer: Answer) -> str:
        text = answer.body.strip()
        if text.startswith(b"{"):  # a server that does not know the media type
            oid = msgspec.json.decode(text, type=_Commit).sha
        else:
            oid = text.decode("ascii")
        if not _FULL_ID.fullmatch(oid):
            raise ValueError(oid)
        return oid

    try:
        path = f"/commits/{quote(revision, safe='')}"
        return await trip.get(path, read, accept=_SHA_ALONE)
    except Absent as error:
        await _require_repository(trip)
        raise missing_commit(revision) from error


async def _require_repository(trip: Trip) -> None:
    """Raise `RepoMissing` where the repository cannot be seen."""
    try:
        await trip.get("", lambda _: None)
    except Absent as error:
        message = missing_repository(trip.name, anonymous=trip.anonymous)
        raise RepoMissing(message) from error


class _Walk:
    """One walk through a tree, as deep as truncated answers make it."""

    def __init__(self, trip: Trip) -> None:
        self.listings: defaultdict[str, dict[str, Entry]] = defaultdict(dict)
        self._trip = trip
        self._requests = 0
        self._extent = Extent()

    async def go(self, directory: str, oid: str) -> None:
        """Read all below *directory*, whose tree is *oid*."""
        if not await self._take(directory, oid, recursive=True):
            return
        if await self._take(directory, oid, recursive=False):
            raise self._too_large(directory)
        subtrees = [
            self.go(path, entry.oid)
            for path, entry in self._below(directory)
            if entry.is_tree
        ]
        await together(subtrees)

    async def _take(self, directory: str, oid: str, *, recursive: bool) -> bool:
        """Fetch one tree and keep it unless it is truncated; tell whether it is."""
        self._requests += 1
        if self._requests > _MOST_TREES:
            raise self._too_large(directory)
        tree = await self._trip.get(
            f"/git/trees/{oid}",
            _read_tree,
            parameters={"recursive": "1"} if recursive else {},
        )
        if not tree.truncated:
            self._keep(directory, tree.tree)
        return tree.truncated

    def _keep(self, directory: str, items: Sequence[_TreeItem]) -> None:
        prefix = f"{directory}/" if directory else ""
        self.listings[directory].update()  # an empty directory is one, too
        for item in items:
            parent, name = split(self._extent.lists(prefix + item.path))
            entry = Entry(name, int(item.mode, 8), item.sha, item.size)
            self.listings[parent][name] = entry

    def _below(self, directory: str) -> list[tuple[str, Entry]]:
        prefix = f"{directory}/" if directory else ""
        return [(prefix + n, entry) for n, entry in self.listings[directory].items()]

    def _too_large(self, directory: str) -> SourceError:
        return SourceError(
            f"GitHub cannot list {directory or 'the repository'}: it is too large;"
            " name the file by its path in the repository"
        )


def _read_tree(answer: Answer) -> _Tree:
    """Read a tree, unless it alone would fill memory."""
    if len(answer.body) > _LARGEST_TREE:
        raise SourceError(
            f"a tree of GitHub's is over {_LARGEST_TREE >> 20} MiB; name the file by"
            " its path in the repository"
        )
    return msgspec.json.decode(answer.body, type=_Tree)


def _contents(path: str) -> str:
    return f"/contents/{quote(path)}" if path else "/contents"


def _entry(item: _Item) -> Entry:
    """Read a listed item; a submodule calls itself a file there.

    Its object is a commit, so that its address is that of a tree.
    """
    modes: Mapping[str, int] = type_modes
    submodule = item.type == "file" and "/git/trees/" in (item.git_url or "")
    mode = modes["submodule"] if submodule else modes.get(item.type, 0)
    return Entry(item.name, mode, item.sha, item.size)
