"""Find out what a directory is: part of a git work tree, a bare repository, or plain."""

import os
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from triage.core.printed import shown
from triage.core.visible import is_plain
from triage.errors import RepoMissing, SourceError
from triage.sources.gitprocess import run_git
from triage.sources.limits import SKIPPED

_LINES = 3
_LOOKED_AT = 10_000
"""How many names a plain directory may show before it counts as holding no Go."""


@dataclass(frozen=True, slots=True)
class RepositoryPlace:
    """Where a repository is, seen from a directory that was named."""

    top: Path
    """The top of the work tree, the bare repository, or the plain directory."""
    subdirectory: str
    """The named directory relative to *top*, with `/`; empty for *top* itself."""
    has_commits: bool
    """A `GitSource` can be opened on *top*."""
    has_files: bool
    """A `WorktreeSource` can be opened on *top*."""


async def find_repository(path: str | Path) -> RepositoryPlace:
    """Find the repository that the directory *path* lies in.

    Without git, the nearest directory above with a go.work or go.mod is taken, or
    *path* itself where it holds Go files. Raises `RepoMissing` where there is
    neither, `SourceError` where git refuses, with the cure.
    """
    named = str(path)
    directory = _directory(named)
    said = await run_git(
        directory,
        "rev-parse",
        "--is-bare-repository",
        "--is-inside-work-tree",
        "--show-prefix",
    )
    if said.code == 0:
        return _git_place(directory, os.fsdecode(said.out))
    if "not a git repository" in said.error:
        return _plain_place(directory, named)
    raise _refusal(said.error, directory)


def _directory(named: str) -> Path:
    """Give the real path of the directory that is *named*."""
    try:
        directory = Path(os.path.realpath(Path(named).expanduser()))
        if directory.is_dir():
            return directory
    except PermissionError as error:
        raise _unreadable(named) from error
    except (OSError, RuntimeError, ValueError):
        # No such user's home, a NUL, a name that is too long: all the same to people.
        pass
    raise RepoMissing(f"{shown(named)} is no directory; name one with --repo")


def _git_place(directory: Path, said: str) -> RepositoryPlace:
    """Read `rev-parse`'s three lines; the prefix leads from the top to here."""
    lines = said.split("\n", 2)
    if len(lines) < _LINES:
        raise SourceError("git did not answer as git does; see: type git")
    _, inside, prefix = lines
    prefix = prefix.removesuffix("\n").rstrip("/")
    top = directory
    for _ in filter(None, prefix.split("/")):
        top = top.parent
    # A configured work tree elsewhere (core.worktree) is not the repository's own.
    if inside != "true" or not (top / ".git").exists():
        return RepositoryPlace(directory, "", has_commits=True, has_files=False)
    return RepositoryPlace(top, prefix, has_commits=True, has_files=True)


def _plain_place(directory: Path, named: str) -> RepositoryPlace:
    """Take a directory without git, if there is any Go in it."""
    for marker in ("go.work", "go.mod"):
        for above in (directory, *directory.parents):
            # Path's own asks whether it may look, and above it need not.
            if os.path.isfile(above / marker):  # noqa: PTH113
                below = "/".join(directory.relative_to(above).parts)
                return RepositoryPlace(above, below, has_commits=False, has_files=True)
    try:
        os.scandir(directory).close()  # a walk is silent on what it may not read
    except OSError as error:
        raise _unreadable(named) from error
    if not any(name.endswith(".go") for name in _names(directory)):
        raise RepoMissing(
            f"{shown(named)} is no git repository and holds no Go file;"
            " name a repository with --repo"
        )
    return RepositoryPlace(directory, "", has_commits=False, has_files=True)


def _unreadable(named: str) -> SourceError:
    return SourceError(
        f"{shown(named)} may not be read; ask for the right to, or name another"
        " directory with --repo"
    )


def _names(directory: Path) -> Iterator[str]:
    """List the file names below *directory*, not more than one cares to wait for."""
    seen = 0
    for _, below, files in os.walk(directory):
        below[:] = [name for name in below if name not in SKIPPED]
        yield from files
        seen += len(below) + len(files)
        if seen > _LOOKED_AT:
            return


def _refusal(said: str, directory: Path) -> SourceError:
    """Word what git refuses to do, with the cure."""
    where = shown(str(directory))
    if "dubious ownership" in said:
        return SourceError(
            f"git does not trust {where}, which belongs to another user; if you do,"
            f" run: git config --global --add safe.directory {_quoted(directory)}"
        )
    if "cannot use bare repository" in said:
        return SourceError(
            f"git does not open the bare repository {where} unasked;"
            " run: git config --global safe.bareRepository all"
        )
    lines = said.splitlines()
    return SourceError(
        f"git cannot read {where}: {lines[-1] if lines else 'no reason'}"
    )


def _quoted(directory: Path) -> str:
    """Write a directory as one word of a shell, with nothing that moves a cursor."""
    name = str(directory)
    return shlex.quote(name) if is_plain(name) else "'<the directory>'"
