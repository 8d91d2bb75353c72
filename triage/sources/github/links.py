"""Follow symbolic links through a repository's listings. Knows no API."""

from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from triage.sources.github.objects import Entry, Listing, join, split

_MOST = 16
"""Links on one way, after which it is a circle."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a path ends."""

    directory: str
    """The directory itself, or the one that holds *entry*."""
    entry: Entry | None = None
    """The file; None for a directory, and where there is a problem."""
    problem: str | None = None
    """Why the path ends nowhere: `leads out of the repository`."""


class Walker:
    """Walks paths as the file system would, through links.

    *listing* gives a directory's entries (None: no such directory), *target* what a
    link says (None: it cannot be read).
    """

    def __init__(
        self,
        listing: Callable[[str], Awaitable[Listing | None]],
        target: Callable[[Entry], Awaitable[str | None]],
    ) -> None:
        self._listing = listing
        self._target = target

    async def walk(self, start: str, path: str) -> Place:
        """Go from the directory *start*, which holds no link, along *path*."""
        at, parts, links = start, deque(path.split("/")), 0
        while parts:
            name = parts.popleft()
            if name in {"", "."}:
                continue
            if name == "..":
                if not at:
                    return Place("", problem="leads out of the repository")
                at = split(at)[0]
                continue
            entry = (await self._listing(at) or {}).get(name)
            if entry is not None and entry.is_tree:
                at = join(at, name)
            elif entry is not None and entry.is_link and links < _MOST:
                links += 1
                target = await self._target(entry)
                if target is None or target.startswith("/"):
                    return Place(at, problem="leads out of the repository")
                parts.extendleft(reversed(target.split("/")))
            else:
                return _end(at, name, entry, more=any(parts))
        return Place(at)


def _end(at: str, name: str, entry: Entry | None, *, more: bool) -> Place:
    """Make the place where the way ends; *more*: there should be something below."""
    if entry is None or (entry.is_file and more):
        return Place(at, problem="leads to nothing")
    if entry.is_submodule:
        where = join(at, name)
        return Place(
            at, problem=f"leads into the submodule {where}, another repository"
        )
    if entry.is_link:
        return Place(at, problem="leads in a circle")
    return Place(at, entry)
