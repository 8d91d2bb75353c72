"""Walk the trees of a commit, through links that stay inside."""

from collections import deque
from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import dataclass, field

from cachetools import LRUCache

from triage.errors import SourceError
from triage.sources.catfile import NOT_HERE, CatFile
from triage.sources.limits import Extent
from triage.sources.trees import Entry, Kind, Tree, parse_tree

_KEPT_ENTRIES = 400_000
_KEPT_ROOTS = 1_000
_LINKS = 16
_FEWEST = 16
"""Trees that are read together, at least."""
_ROOM = 20_000
"""Entries of trees that are read together below which there may be more of them."""


class LeadsOut(Exception):
    """A link leads out of the repository, round in a circle, or cannot be read."""

    def __init__(self, message: str, *, passing: bool = False) -> None:
        super().__init__(message)
        self.passing = passing


@dataclass(slots=True)
class Walk:
    """A way down from a commit's root: the trees and the names that led into them."""

    trees: list[str]
    names: list[str] = field(default_factory=list)
    links: int = 0


class TreeReader:
    """The trees of one repository; those read are kept, for commits share most."""

    def __init__(self, objects: CatFile) -> None:
        self._objects = objects
        self._roots: LRUCache[str, str] = LRUCache(_KEPT_ROOTS)
        self._kept: LRUCache[str, Tree] = LRUCache(
            _KEPT_ENTRIES, getsizeof=lambda tree: len(tree.entries) + 1
        )

    async def root(self, commit: str) -> str | None:
        """Find a commit's tree, None where there is no such commit."""
        if commit not in self._roots:
            (found,) = await self._objects.info([f"{commit}^{{tree}}"])
            if found is None:
                return None
            self._roots[commit] = found.oid
        return self._roots[commit]

    async def tree(self, oid: str) -> Tree:
        """Read one tree."""
        return (await self._trees([oid]))[oid]

    async def find(self, walk: Walk, path: str) -> Entry | None:
        """Follow *path* from where *walk* stands; it moves along.

        Gives None where there is nothing, the submodule's entry where *path* leads
        into one. Raises `LeadsOut`.
        """
        parts = deque(path.split("/") if path else [])
        entry = Entry(Kind.TREE, walk.trees[-1])
        while parts:
            part = parts.popleft()
            if part == "..":
                if not walk.names:
                    raise LeadsOut("is a link that leads out of the repository")
                walk.names.pop()
                walk.trees.pop()
                entry = Entry(Kind.TREE, walk.trees[-1])
                continue
            found = (await self.tree(walk.trees[-1])).entries.get(part)
            if found is None or (found.kind is Kind.FILE and parts):
                return None
            if found.kind is Kind.LINK:
                parts.extendleft(reversed(await self._target(walk, found)))
                continue
            if found.kind is not Kind.TREE:
                return found
            walk.names.append(part)
            walk.trees.append(found.oid)
            entry = found
        return entry

    async def listing(self, root: str) -> tuple[str, ...]:
        """List the paths that `Source.paths` names, sorted; level by level."""
        level, paths, extent = [("", root)], list[str](), Extent()
        while level:
            below = list[tuple[str, str]]()
            async for prefix, tree in self._each(level, extent):
                paths += [extent.lists(prefix + name) for name in tree.listed]
                below += [
                    (path, one)
                    for name, one in tree.below
                    if extent.enters(path := f"{prefix}{name}/")
                ]
            level = below
        return tuple(sorted(paths))

    async def _each(
        self, level: Sequence[tuple[str, str]], extent: Extent
    ) -> AsyncIterator[tuple[str, Tree]]:
        """Read the trees of a level, so many together as memory has room for."""
        at, together = 0, _FEWEST
        while at < len(level):
            part = level[at : at + together]
            trees = await self._trees(oid for _, oid in part)
            for prefix, oid in part:
                yield prefix, trees[oid]
            at += together
            size = sum(len(tree.entries) for tree in trees.values())
            extent.reads(size)
            together = 2 * together if size < _ROOM else max(together // 2, _FEWEST)

    async def _target(self, walk: Walk, link: Entry) -> list[str]:
        """Read where a link points to, in parts."""
        walk.links += 1
        (blob,) = await self._objects.contents([link.oid])
        if blob is None:
            raise LeadsOut(f"is a link that {NOT_HERE}", passing=True)
        target = b"/" if blob.data is None else blob.data
        if walk.links > _LINKS:
            raise LeadsOut("is a link in a circle")
        if target.startswith(b"/"):
            raise LeadsOut("is a link that leads out of the repository")
        parts = target.decode("utf-8", "replace").split("/")
        return [part for part in parts if part not in {"", "."}]

    async def _trees(self, oids: Iterable[str]) -> dict[str, Tree]:
        """Read trees, those not kept in one round trip."""
        wanted = dict.fromkeys(oids)
        found = {
            oid: tree for oid in wanted if (tree := self._kept.get(oid)) is not None
        }
        missing = [oid for oid in wanted if oid not in found]
        for oid, got in zip(
            missing, await self._objects.contents(missing), strict=True
        ):
            if got is None or got.data is None:
                raise SourceError(f"the tree {oid} {NOT_HERE}")
            found[oid] = parse_tree(got.data, oid)
            if len(found[oid].entries) < _KEPT_ENTRIES:
                self._kept[oid] = found[oid]
        return found
