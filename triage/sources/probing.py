"""Look at what may not exist, where reading is cheap."""

from collections.abc import Iterable, Sequence
from typing import Protocol

from triage.core.model import Package, Unread
from triage.errors import FileMissing, FileUnreadable, TooLarge
from triage.sources.limits import TOO_LARGE
from triage.together import together


class Reader(Protocol):
    """What a look needs of a source; see `triage.ports.Source`."""

    async def read(self, commit: str | None, path: str) -> bytes | None:
        """Read one file."""
        ...

    async def package(
        self, commit: str | None, directory: str, *, first: str | None = None
    ) -> Package:
        """Read the `.go` files of one directory."""
        ...


async def probe(
    source: Reader, commit: str | None, directories: Sequence[str]
) -> tuple[dict[str, Package], dict[str, bytes | Unread]]:
    """Do what `Source.probe` says, by its other methods, all at once."""
    paths = module_paths(directories)
    found: list[Package | bytes | Unread | None] = await together(
        [
            *(_package(source, commit, directory) for directory in directories),
            *(_file(source, commit, path) for path in paths),
        ]
    )
    packages = [one for one in found if isinstance(one, Package)]
    files = zip(paths, found[len(directories) :], strict=True)
    return (
        {package.directory: package for package in packages},
        {path: one for path, one in files if isinstance(one, bytes | Unread)},
    )


async def read_files(
    source: Reader, commit: str | None, paths: Sequence[str]
) -> dict[str, bytes | Unread]:
    """Do what `Source.read_all` says, a file at a time."""
    files = await together(_file(source, commit, path) for path in paths)
    pairs = zip(paths, files, strict=True)
    return {path: data for path, data in pairs if data is not None}


def module_paths(directories: Iterable[str]) -> list[str]:
    """Name the module files in *directories* and on the way up to the root."""
    found = dict[str, None]()
    for directory in directories:
        above = directory
        while above:
            found[above + "/"] = None
            above = above.rpartition("/")[0]
    return [start + name for start in (*found, "") for name in ("go.mod", "go.work")]


async def _package(
    source: Reader, commit: str | None, directory: str
) -> Package | None:
    try:
        return await source.package(commit, directory)
    except FileMissing:
        return None


async def _file(source: Reader, commit: str | None, path: str) -> bytes | Unread | None:
    """Read a file, or say why it cannot be had; None where there is none."""
    try:
        return await source.read(commit, path)
    except FileMissing as error:
        return Unread(error.reason, error.passing) if error.reason else None
    except FileUnreadable as error:
        return Unread(error.reason, passing=True) if error.reason else None
    except TooLarge:
        return Unread(TOO_LARGE)
