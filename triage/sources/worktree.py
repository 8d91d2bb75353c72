"""A repository as its files lie on disk. Reading happens in worker threads."""

import asyncio
import hashlib
import os
from collections.abc import Sequence
from pathlib import Path

from triage.core.model import Package, SourceFile
from triage.core.printed import shown
from triage.errors import BadInput, FileMissing, RepoMissing, SourceError, TooLarge
from triage.sources.limits import (
    LFS_POINTER,
    MAX_FILE,
    SKIPPED,
    Budget,
    checked_path,
    is_lfs_pointer,
    is_listed,
    is_plain,
    reading_order,
)
from triage.sources.probing import probe
from triage.sources.rooted import Refused, opened, read_all, size_of


class WorktreeSource:
    """Reads the files below *root*; it has no commits."""

    name = "worktree"

    def __init__(self, root: Path) -> None:
        self._root = Path(os.path.realpath(root))

    async def resolve(self, revision: str | None) -> None:
        """Keep None; raise `BadInput` for a revision."""
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

    async def probe(
        self, commit: str | None, directories: Sequence[str]
    ) -> tuple[dict[str, Package], dict[str, bytes]]:
        """Look at *directories* that may not exist, and for modules above them."""
        return await probe(self, commit, directories)

    async def close(self) -> None:
        """Do nothing: nothing is held."""

    def _list(self) -> tuple[str, ...]:
        if not self._root.is_dir():
            raise RepoMissing(f"{shown(str(self._root))} is no directory any more")
        found = []
        for directory, below, files in os.walk(self._root):
            below[:] = [
                name for name in below if name not in SKIPPED and is_plain(name)
            ]
            inner = os.path.relpath(directory, self._root)
            prefix = "" if inner == "." else inner + "/"
            found += [prefix + name for name in files if is_listed(name)]
        return tuple(sorted(found))

    def _read(self, path: str) -> bytes | None:
        try:
            with opened(self._root, path) as file:
                if size_of(file) > MAX_FILE:
                    raise TooLarge(f"{shown(path)} is over {MAX_FILE >> 20} MiB")
                return read_all(file)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except Refused as error:
            raise FileMissing(f"{shown(path)} {error}") from error
        except OSError as error:
            raise SourceError(f"{shown(path)} {_unreadable(error)}") from error

    def _package(self, directory: str, first: str | None) -> Package:
        budget, problems, files = Budget(), list[str](), list[SourceFile]()
        for name in reading_order(self._names(directory), first):
            try:
                data = self._file(f"{directory}/{name}" if directory else name, budget)
            except Refused as error:
                problems.append(f"{name} {error}")
            except OSError as error:
                problems.append(f"{name} {_unreadable(error)}")
            else:
                if data is not None:
                    files.append(SourceFile(name, blob_id(data), data))
        problems += budget.problems()
        if not files and not problems:
            raise FileMissing(f"there is no Go file in {shown(directory or '.')}")
        files.sort(key=lambda file: file.name)
        return Package(directory, tuple(files), tuple(problems))

    def _names(self, directory: str) -> list[str]:
        """List the `.go` files of a directory."""
        where = shown(directory or ".")
        try:
            with opened(self._root, directory) as place, os.scandir(place) as entries:
                names = [entry.name for entry in entries]
        except Refused as error:
            raise FileMissing(f"{where} {error}") from error
        except OSError as error:
            raise FileMissing(f"{where} {_unreadable(error)}") from error
        return [name for name in names if name.endswith(".go") and is_plain(name)]

    def _file(self, path: str, budget: Budget) -> bytes | None:
        """Read one file of a package, None where the budget has no room for it."""
        with opened(self._root, path) as file:
            if not budget.takes(path.rpartition("/")[2], size_of(file)):
                return None
            data = read_all(file)
        if is_lfs_pointer(data):
            raise Refused(LFS_POINTER)
        return data


def blob_id(data: bytes) -> str:
    """Give the id that git gives to a file of these bytes."""
    header = b"blob %d\0" % len(data)
    return hashlib.sha1(header + data, usedforsecurity=False).hexdigest()


def _unreadable(error: OSError) -> str:
    return f"cannot be read: {error.strerror}"
