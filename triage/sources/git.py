"""A repository's commits, read out of its git objects.

Neither work tree nor index is looked at. Once a commit is known everything goes by
object id, so that what was read holds for ever.
"""

import re
from collections.abc import Sequence
from pathlib import Path

from cachetools import LRUCache

from triage.core.model import Package, SourceFile, Unread
from triage.core.printed import shown
from triage.errors import BadInput, CommitMissing, FileMissing, TooLarge
from triage.sources.catfile import NOT_HERE, CatFile
from triage.sources.gitprocess import first_words, run_git
from triage.sources.gittrees import LeadsOut, TreeReader, Walk
from triage.sources.limits import (
    LFS_POINTER,
    MAX_FILE,
    TOO_LARGE,
    Budget,
    Problems,
    checked_path,
    is_lfs_pointer,
    is_plain,
    reading_order,
)
from triage.sources.probing import probe, read_files
from triage.sources.trees import Entry, Kind

_FULL_ID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_SHORT_ID = re.compile(r"[0-9a-fA-F]{4,64}")
# What git allows in a ref's name, with steps back from it; no option, no `@{...}`.
_REVISION = re.compile(r"(?![-/])(?!.*\.\.)[^\x00-\x20\x7f~^:?*\[\\{}]+(?:[~^]\d*)*")
_LONGEST_REVISION = 256
_MEND = "look with: git fsck --full; get it again with: git fetch --refetch"
_KEPT_LISTS = 4
_NAMED = 5


class GitSource:
    """Reads commits of the repository at *directory*, bare or not.

    *timeout* is in seconds, for each question to git.
    """

    name = "git"

    def __init__(self, directory: Path, *, timeout: float = 20.0) -> None:
        self._directory = directory
        self._timeout = timeout
        self._objects = CatFile(directory, timeout=timeout, limit=MAX_FILE)
        self._trees = TreeReader(self._objects)
        self._lists: LRUCache[str, tuple[str, ...]] = LRUCache(_KEPT_LISTS)

    async def resolve(self, revision: str | None) -> str:
        """Turn an id, short or full, a tag, a branch or HEAD into a full commit id.

        None is HEAD. Raises `CommitMissing`, which says what to do, and `BadInput`
        where *revision* can be no name at all.
        """
        name = "HEAD" if revision is None else revision
        fits = len(name) <= _LONGEST_REVISION and is_plain(name)
        if not fits or not _REVISION.fullmatch(name):
            raise BadInput(f"{shown(name)} is no commit id, tag or branch")
        (found,) = await self._objects.info([f"{name}^{{commit}}"])
        if found is None:
            raise CommitMissing(await self._why_missing(name))
        return found.oid

    async def paths(self, commit: str | None) -> tuple[str, ...]:
        """List every `.go`, `go.mod` and `go.work` file, sorted."""
        root = await self._root(commit)
        if root not in self._lists:
            self._lists[root] = await self._trees.listing(root)
        return self._lists[root]

    async def read(self, commit: str | None, path: str) -> bytes | None:
        """Read one file, through links; None where there is none.

        Raises `TooLarge` over 8 MiB, `FileMissing` where git has not the content.
        """
        walk = Walk([await self._root(commit)])
        directory, _, name = checked_path(path).rpartition("/")
        entry = await self._enter(walk, directory)
        if entry is None or entry.kind is not Kind.TREE:
            return None
        entry = await self._at_end(walk, path, name)
        if entry is None or entry.kind is not Kind.FILE:
            return None
        (blob,) = await self._objects.contents([entry.oid])
        if blob is None:
            raise _withheld(path, NOT_HERE, passing=True)
        if blob.data is None:
            raise TooLarge(f"{shown(path)} {TOO_LARGE}")
        if is_lfs_pointer(blob.data):
            raise _withheld(path, LFS_POINTER)
        return blob.data

    async def package(
        self, commit: str | None, directory: str, *, first: str | None = None
    ) -> Package:
        """Read the `.go` files of one directory, *first* before all others.

        What cannot be read is named in the package's problems. Raises `FileMissing`
        where there is no such directory or no `.go` file in it.
        """
        walk = Walk([await self._root(commit)])
        entry = await self._enter(walk, checked_path(directory))
        if entry is None or entry.kind is not Kind.TREE:
            inside = entry is not None and entry.kind is Kind.SUBMODULE
            why = "lies in a submodule" if inside else "is no directory"
            raise FileMissing(f"{shown(directory)} {why} of the commit")
        problems = Problems()
        blobs = await self._blobs(walk, entry, problems)
        if not blobs and not problems.said:
            raise FileMissing(f"there is no Go file in {shown(directory or '.')}")
        files = await self._files(blobs, first, problems)
        return Package(
            directory,
            files,
            tuple(problems.said),
            passing=problems.passing,
            unread=tuple(problems.unread),
        )

    async def read_all(
        self, commit: str | None, paths: Sequence[str]
    ) -> dict[str, bytes | Unread]:
        """Read files together; those that are not there are left out."""
        return await read_files(self, commit, paths)

    async def probe(
        self, commit: str | None, directories: Sequence[str]
    ) -> tuple[dict[str, Package], dict[str, bytes | Unread]]:
        """Look at *directories* that may not exist, and for modules above them."""
        return await probe(self, commit, directories)

    async def close(self) -> None:
        """End the git process; a second call does nothing."""
        await self._objects.close()

    async def _root(self, commit: str | None) -> str:
        """Find the root tree of a commit, by its full id or by name."""
        if commit is None or not _FULL_ID.fullmatch(commit):
            commit = await self.resolve(commit)
        root = await self._trees.root(commit)
        if root is None:
            raise CommitMissing(await self._why_missing(commit))
        return root

    async def _enter(self, walk: Walk, directory: str) -> Entry | None:
        """Go into a directory that may not be there; the walk moves along."""
        try:
            return await self._trees.find(walk, directory)
        except LeadsOut as error:
            raise FileMissing(f"{shown(directory)} {error}") from error

    async def _at_end(self, walk: Walk, path: str, name: str) -> Entry | None:
        """Find the last name of *path* where *walk* stands."""
        try:
            return await self._trees.find(walk, name)
        except LeadsOut as error:
            raise _withheld(path, str(error), passing=error.passing) from error

    async def _blobs(
        self, walk: Walk, directory: Entry, problems: Problems
    ) -> dict[str, str]:
        """Name the blobs of a directory's `.go` files, those behind links too."""
        blobs = {}
        for name, entry in sorted(
            (await self._trees.tree(directory.oid)).entries.items()
        ):
            if not name.endswith(".go"):
                continue
            found: Entry | None = entry
            if entry.kind is Kind.LINK:
                step = Walk([*walk.trees], [*walk.names])
                try:
                    found = await self._trees.find(step, name)
                except LeadsOut as error:
                    problems.add(name, str(error), passing=error.passing)
                    continue
            if found and found.kind is Kind.FILE:
                blobs[name] = found.oid
            elif found is None or found.kind is Kind.SUBMODULE:
                problems.add(name, "is a submodule, or a link into nothing")
        return blobs

    async def _files(
        self, blobs: dict[str, str], first: str | None, problems: Problems
    ) -> tuple[SourceFile, ...]:
        """Read blobs within the limits: one round trip for sizes, one for bytes."""
        names = reading_order(blobs, first)
        budget, kept = Budget(), list[str]()
        for name, info in zip(
            names,
            await self._objects.info([blobs[name] for name in names]),
            strict=True,
        ):
            if info is None:
                problems.add(name, NOT_HERE, passing=True)
            elif budget.takes(name, info.size):
                kept.append(name)
        problems.leave_out(budget)
        kept.sort()
        files = []
        for name, blob in zip(
            kept,
            await self._objects.contents([blobs[name] for name in kept]),
            strict=True,
        ):
            if blob is None or blob.data is None:
                problems.add(name, NOT_HERE, passing=True)
            elif is_lfs_pointer(blob.data):
                problems.add(name, LFS_POINTER)
            else:
                files.append(SourceFile(name, blob.oid, blob.data))
        return tuple(files)

    async def _why_missing(self, name: str) -> str:
        """Say why there is no such commit, and what to do."""
        commits = await self._commits_like(name)
        if len(commits) > 1:
            listed = ", ".join(commits[:_NAMED])
            return f"{shown(name)} may be any of {listed}; give more digits"
        if wrong := await self._what_is_wrong(name):
            return wrong
        shallow = await self._git("rev-parse", "--is-shallow-repository")
        if shallow == ["true"]:
            return f"{shown(name)} is not in this shallow clone; run: git fetch --unshallow"
        return (
            f"{shown(name)} is not in the repository;"
            " run: git fetch --all --tags, or name another commit"
        )

    async def _what_is_wrong(self, name: str) -> str | None:
        """Say what *name* is if no commit that can be read; None: it is not there."""
        (other,) = await self._objects.info([name])
        if other and other.kind == "commit":
            return f"{shown(name)} has lost its root tree; {_MEND}"
        if other:
            return f"{shown(name)} names a {other.kind}, not a commit"
        # What a ref says is told without reading the commit.
        target = await self._git(
            "rev-parse", "--verify", "--quiet", "--end-of-options", name
        )
        if target and target[0] != name.lower():
            return f"{shown(name)} is {target[0]}, which cannot be read; {_MEND}"
        if name == "HEAD" and await self._git("for-each-ref", "--count=1"):
            return "HEAD names no commit; name one with --commit"
        if name == "HEAD":
            return await self._without_refs()
        return None

    async def _without_refs(self) -> str:
        """Say why not a single ref can be read: there is no commit, or refs are lost."""
        words = await first_words(
            self._directory,
            *("cat-file", "--batch-all-objects", "--unordered"),
            "--batch-check=%(objecttype)",
            until=b"commit\n",
            seconds=self._timeout,
        )
        if b"commit\n" not in words:
            return "the repository has no commit yet"
        return (
            "HEAD names no commit, and no branch or tag does: the refs are lost or"
            " damaged; find commits with: git fsck --lost-found, and name one with"
            " --commit; or run: git fetch --all --tags"
        )

    async def _commits_like(self, prefix: str) -> Sequence[str]:
        """List the commits whose ids begin with *prefix*."""
        if not _SHORT_ID.fullmatch(prefix):
            return []
        oids = await self._git("rev-parse", f"--disambiguate={prefix.lower()}")
        found = await self._objects.info(oids)
        return [one.oid for one in found if one and one.kind == "commit"]

    async def _git(self, *arguments: str) -> list[str]:
        """Run git for its lines, none where it fails."""
        said = await run_git(self._directory, *arguments, seconds=self._timeout)
        return said.out.decode().split() if said.code == 0 else []


def _withheld(path: str, reason: str, *, passing: bool = False) -> FileMissing:
    """Make the error for a file whose name is there and whose content is not."""
    message = f"{shown(path)} {reason}"
    return FileMissing(message, reason=reason, passing=passing)
