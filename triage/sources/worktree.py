"""A repository as its files lie on disk. Reading happens in worker threads."""

import asyncio
import hashlib
import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from triage.core.model import Package, SourceFile, Unread
from triage.core.printed import shown
from triage.errors import (
    BadInput,
    FileMissing,
    FileUnreadable,
    RepoMissing,
    SourceError,
    TooLarge,
)
from triage.sources.limits import (
    LFS_POINTER,
    MAX_FILE,
    SKIPPED,
    TOO_LARGE,
    Budget,
    Extent,
    Problems,
    checked_path,
    is_lfs_pointer,
    is_listed,
    is_plain,
    reading_order,
)
from triage.sources.probing import probe, read_files
from triage.sources.rooted import (
    Refused,
    is_directory,
    opened,
    opened_in,
    read_all,
    size_of,
)


class WorktreeSource:
    """Reads the files below *root*; it has no commits."""

    name = "worktree"

    def __init__(self, root: Path) -> None:
        self._root = Path(os.path.realpath(root))

    async def resolve(self, revision: str | None) -> None:
        """Keep None; raise `BadInput` for a revision."""
        if revision is not None and self._is_damaged():
            raise SourceError(
                f"git does not take {shown(str(self._root))} for a repository, though"
                " there is a .git: its HEAD or its refs are damaged; run git status"
                " there to see, or leave --commit out"
            )
        if revision is not None:
            raise BadInput(
                f"{shown(str(self._root))} is read as files on disk, which have no"
                " commit; leave --commit out"
            )

    async def paths(self, commit: str | None) -> tuple[str, ...]:
        """List every `.go`, `go.mod` and `go.work` file, sorted, not beyond links."""
        await self.resolve(commit)
        return await asyncio.to_thread(self._list)

    async def read(self, commit: str | None, path: str) -> bytes | None:
        """Read one file, through links; None where there is none.

        Raises `TooLarge` over 8 MiB, `FileMissing` where *path* leads out.
        """
        await self.resolve(commit)
        return await asyncio.to_thread(self._read, checked_path(path))

    async def package(
        self, commit: str | None, directory: str, *, first: str | None = None
    ) -> Package:
        """Read the `.go` files of one directory, *first* before all others.

        What cannot be read is named in the package's problems. Raises `FileMissing`
        where there is no such directory or no `.go` file in it.
        """
        await self.resolve(commit)
        return await asyncio.to_thread(self._package, checked_path(directory), first)

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
        """Do nothing: nothing is held."""

    def _is_damaged(self) -> bool:
        """Tell whether there is a `.git` here or above; with a sound one git is asked."""
        places = (self._root, *self._root.parents)
        return any(os.path.lexists(place / ".git") for place in places)

    def _list(self) -> tuple[str, ...]:
        if not self._root.is_dir():
            raise RepoMissing(f"{shown(str(self._root))} is no directory any more")
        found, waiting, extent = list[str](), [""], Extent()
        while waiting:
            prefix = waiting.pop()
            # A directory that may not be read, or went away, has nothing to show.
            with suppress(OSError), os.scandir(f"{self._root}/{prefix}") as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        path = f"{prefix}{entry.name}/"
                        fine = entry.name not in SKIPPED and is_plain(entry.name)
                        if fine and extent.enters(path):
                            waiting.append(path)
                    elif is_listed(entry.name) and is_plain(entry.name):
                        found.append(extent.lists(prefix + entry.name))
        return tuple(sorted(found))

    def _read(self, path: str) -> bytes | None:
        try:
            with opened(self._root, path) as file:
                if is_directory(file):
                    return None
                if size_of(file) > MAX_FILE:
                    raise TooLarge(f"{shown(path)} {TOO_LARGE}")
                data = read_all(file)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except Refused as error:
            reason = str(error) if self._is_there(path) else ""
            raise FileMissing(f"{shown(path)} {error}", reason=reason) from error
        except OSError as error:
            # Below a directory that may not be looked into nobody knows what is there.
            reason = _unreadable(error) if self._names(path) else ""
            message = f"{shown(path)} {_unreadable(error)}"
            raise FileUnreadable(message, reason=reason) from error
        if is_lfs_pointer(data):
            raise FileMissing(f"{shown(path)} {LFS_POINTER}", reason=LFS_POINTER)
        return data

    def _names(self, path: str) -> bool:
        return os.path.lexists(self._root / path)

    def _is_there(self, path: str) -> bool:
        """Tell whether the directory of *path* lies inside: then the file is refused."""
        above = Path(os.path.realpath((self._root / path).parent))
        return above.is_relative_to(self._root)

    def _package(self, directory: str, first: str | None) -> Package:
        where = shown(directory or ".")
        problems = Problems()
        try:
            with opened(self._root, directory) as place:
                files = self._files(place, directory, first, problems)
        except Refused as error:
            raise FileMissing(f"{where} {error}") from error
        except PermissionError as error:
            problem = f"{where} {_unreadable(error)}"
            return Package(directory, (), (problem,), passing=True)
        except OSError as error:
            raise FileMissing(f"{where} {_unreadable(error)}") from error
        if not files and not problems.said:
            raise FileMissing(f"there is no Go file in {where}")
        unread = tuple(problems.unread)
        return Package(directory, files, tuple(problems.said), unread=unread)

    def _files(
        self, place: int, directory: str, first: str | None, problems: Problems
    ) -> tuple[SourceFile, ...]:
        """Read the `.go` files of a directory that is open as *place*."""
        with os.scandir(place) as entries:
            names = [
                entry.name
                for entry in entries
                if entry.name.endswith(".go") and is_plain(entry.name)
            ]
        budget, files = Budget(), list[SourceFile]()
        for name in reading_order(names, first):
            path = f"{directory}/{name}" if directory else name
            try:
                with opened_in(place, self._root, path) as file:
                    if not budget.takes(name, size_of(file)):
                        continue
                    data = read_all(file)
            except Refused as error:
                problems.add(name, str(error))
            except OSError as error:
                problems.add(name, _unreadable(error))
            else:
                if is_lfs_pointer(data):
                    problems.add(name, LFS_POINTER)
                else:
                    files.append(SourceFile(name, blob_id(data), data))
        problems.leave_out(budget)
        return tuple(sorted(files, key=lambda file: file.name))


def blob_id(data: bytes) -> str:
    """Give the id that git gives to a file of these bytes."""
    header = b"blob %d\0" % len(data)
    return hashlib.sha1(header + data, usedforsecurity=False).hexdigest()


def _unreadable(error: OSError) -> str:
    return f"cannot be read: {error.strerror}"
