"""What every source holds to: sizes, and which names are read at all."""

from collections.abc import Iterable

from triage.core import visible
from triage.core.printed import is_endless, shown
from triage.errors import BadInput, SourceError

MAX_FILES = 2_000
"""Files a package."""
MAX_PACKAGE = 32 << 20
"""Bytes a package."""
MAX_FILE = 8 << 20
"""Bytes a file."""
MAX_DIRECTORIES = 400_000
"""Directories that a list of paths goes into."""
MAX_PATHS = 400_000
"""Files that a list of paths names; an index over them takes half a kilobyte each."""
MAX_ENTRIES = 2_000_000
"""Names in the trees that are read for a list; each takes some microseconds."""
MAX_PATH_BYTES = 128 << 20
"""Characters in all the paths of a list, those of directories too."""
SKIPPED = frozenset({".git", "node_modules"})
"""Directories that no list of paths goes into.

All others are listed, `testdata`, `vendor` and those with `_` or `.` in front too: a
program in them can crash, and `go run` takes it, though `go build ./...` does not.
"""
TOO_LARGE = f"is over {MAX_FILE >> 20} MiB"
"""The end of a sentence that begins with a file's name, as the next one."""
LFS_POINTER = "is kept by Git LFS, not by git"

_LFS = b"version https://git-lfs.github.com/spec/v1"


class Extent:
    """How large a repository may be: told of each directory and file as it is found."""

    def __init__(self) -> None:
        self._directories = 0
        self._paths = 0
        self._entries = 0
        self._bytes = 0

    def reads(self, entries: int) -> None:
        """Count in the names of a tree that was read."""
        self._entries += entries
        if self._entries > MAX_ENTRIES:
            raise SourceError(
                f"the repository's trees have over {MAX_ENTRIES} entries; too many to"
                " list"
            )

    def enters(self, path: str) -> bool:
        """Count a directory in; False where it is too deep for anyone to go into.

        Raises `SourceError`, as `lists` does, where the repository is too large.
        """
        self._directories += 1
        if self._directories > MAX_DIRECTORIES:
            raise SourceError(
                f"the repository has over {MAX_DIRECTORIES} directories; too many to"
                " list"
            )
        self._grow(path)
        return not is_endless(path)

    def lists(self, path: str) -> str:
        """Count a file's path in and give it back."""
        self._paths += 1
        if self._paths > MAX_PATHS:
            raise SourceError(
                f"the repository has over {MAX_PATHS} files; too many to list"
            )
        self._grow(path)
        return path

    def _grow(self, path: str) -> None:
        self._bytes += len(path)
        if self._bytes > MAX_PATH_BYTES:
            raise SourceError(
                f"the repository's paths take over {MAX_PATH_BYTES >> 20} MiB; too"
                " much to list"
            )


class Problems:
    """What could not be read of a package."""

    def __init__(self) -> None:
        self.said: list[str] = []
        self.unread: list[str] = []
        self.passing = False
        """One of them may be gone the next time."""

    def add(self, name: str, reason: str, *, passing: bool = False) -> None:
        """Note that the file *name* is there, and why it cannot be read."""
        self.said.append(f"{name} {reason}")
        self.unread.append(name)
        self.passing = self.passing or passing

    def leave_out(self, budget: "Budget") -> None:
        """Take over what a budget has left out."""
        self.said += budget.problems()
        self.unread += budget.left_out


class Budget:
    """What a package may still take."""

    def __init__(self) -> None:
        self._files = 0
        self._bytes = 0
        self._too_big: list[str] = []
        self._left_out: list[str] = []

    def takes(self, name: str, size: int) -> bool:
        """Count a file of *size* bytes in, or note that it is left out."""
        if size > MAX_FILE:
            self._too_big.append(name)
        elif self._files == MAX_FILES or self._bytes + size > MAX_PACKAGE:
            self._left_out.append(name)
        else:
            self._files += 1
            self._bytes += size
            return True
        return False

    @property
    def left_out(self) -> list[str]:
        """Name what was left out."""
        return [*self._too_big, *self._left_out]

    def problems(self) -> list[str]:
        """Say what was left out: one sentence a big file, one for all the rest."""
        said = [
            f"{name} is left out: it is over {MAX_FILE >> 20} MiB"
            for name in self._too_big
        ]
        if self._left_out:
            more = len(self._left_out) - 1
            said.append(
                f"{self._left_out[0]}{f' and {more} more files' if more else ''} left"
                f" out: a package may have {MAX_FILES} files and"
                f" {MAX_PACKAGE >> 20} MiB"
            )
        return said


def reading_order(names: Iterable[str], first: str | None) -> list[str]:
    """Sort the names of a package's files, *first* before all others."""
    return sorted(names, key=lambda name: (name != first, name))


def checked_path(path: str) -> str:
    """Pass a path that stays inside a repository; raise `BadInput` for any other.

    The empty path is the root.
    """
    if not is_plain(path):
        raise BadInput(f"the path {shown(path)} holds control characters")
    if path.startswith("/"):
        raise BadInput(f"the path {shown(path)} must be relative to the repository")
    if path and any(part in {"", ".", ".."} for part in path.split("/")):
        raise BadInput(f"the path {shown(path)} must be plain, without . or ..")
    return path


def is_plain(name: str) -> bool:
    """Tell whether *name* can be shown and sent: no control characters, whole UTF-8."""
    return visible.is_plain(name) and "\N{REPLACEMENT CHARACTER}" not in name


def is_listed(name: str) -> bool:
    """Tell whether `Source.paths` lists files of this name."""
    return name.endswith(".go") or name in {"go.mod", "go.work"}


def is_lfs_pointer(data: bytes) -> bool:
    """Tell whether Git LFS holds the content: https://git-lfs.com."""
    return data.startswith(_LFS)
