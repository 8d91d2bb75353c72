"""A source that is asked for the same thing once.

What belongs to a commit never changes and is kept for good; it is the commit's full
id that makes it so. Branches and short ids are asked for each time.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import orjson

from triage.cache import records
from triage.cache.blobs import Blobs
from triage.cache.flight import Flights
from triage.cache.memory import MemoryShelf
from triage.cache.missing import Missing
from triage.cache.records import Record
from triage.cache.stack import Stack
from triage.core.keys import commit_key, is_full_id, tree_key
from triage.core.model import Package, SourceFile, Unread
from triage.core.printed import shown
from triage.errors import CommitMissing, FileMissing
from triage.ports import Clock, Recalled, Source
from triage.together import together


@dataclass(frozen=True, slots=True)
class _Seen:
    """One directory of a commit; without a package there is none."""

    record: Record
    package: Package | None

    @property
    def size(self) -> int:
        files = self.package.files if self.package else ()
        return sum(len(file.data) for file in files) + 1000


@dataclass(frozen=True, slots=True)
class Recent:
    """What was fetched lately, in memory, so that what is being written is found too.

    Shared by the sources of all repositories: it is bounded as a whole.
    """

    looks: MemoryShelf[_Seen]
    parts: MemoryShelf[bytes]
    paths: MemoryShelf[frozenset[str]]

    @classmethod
    def of(cls, size: int) -> "Recent":
        """Make room for *size* bytes in all."""
        return cls(
            MemoryShelf(size // 2), MemoryShelf(size // 8), MemoryShelf(size // 4)
        )


class CachingSource:
    """A `triage.ports.Source`, and a `Chart`, before the source of one repository.

    *key* names the repository wherever it is asked from.
    """

    def __init__(
        self,
        source: Source,
        key: str,
        *,
        tiers: Stack,
        blobs: Blobs,
        recent: Recent,
        clock: Clock,
    ) -> None:
        self.name = source.name
        self._source = source
        self._key = key
        self._tiers = tiers
        self._blobs = blobs
        self._missing = Missing(clock)
        self._recent = recent.looks
        self._parts = recent.parts
        self._paths = recent.paths
        self._revisions: Flights[str, str | None] = Flights()
        self._asks: Flights[bytes, bytes] = Flights()
        self._looks: Flights[tuple[str, str], _Seen] = Flights()
        self._batches: Flights[object, dict[str, _Seen]] = Flights()

    async def resolve(self, revision: str | None) -> str | None:
        """Turn a revision into a full commit id; a full one is asked for once."""

        async def ask() -> str | None:
            with self._missing.noted(f"revision {revision}"):
                return await self._source.resolve(revision)

        if revision is None or not is_full_id(revision):
            return await self._revisions.once(str(revision), ask)

        async def ask_once() -> bytes:
            return (await ask() or "").encode()

        return (await self._kept(revision, "resolved", "", ask_once)).decode() or None

    async def paths(self, commit: str | None) -> tuple[str, ...]:
        """List every `.go`, `go.mod` and `go.work` file, sorted."""
        fixed = _fixed(commit)

        async def ask() -> bytes:
            with self._missing.noted(f"commit {fixed}"):
                return orjson.dumps(await self._source.paths(fixed))

        return tuple(orjson.loads(await self._kept(fixed, "paths", "", ask)))

    async def read_all(
        self, commit: str | None, paths: Sequence[str]
    ) -> dict[str, bytes | Unread]:
        """Read files together; those that are not there are left out."""
        fixed = _fixed(commit)
        names = "\n".join(paths)

        async def ask() -> bytes:
            read = await self._source.read_all(fixed, paths)
            return records.encode(records.record_of_files(read))

        kept = await self._kept(fixed, "files", names, ask, lasts=_lasts)
        record = records.decode(kept)
        return record.above() if record else await self._source.read_all(fixed, paths)

    async def package(
        self, commit: str | None, directory: str, *, first: str | None = None
    ) -> Package:
        """Read the `.go` files of one directory; raises `FileMissing` without it."""
        fixed = _fixed(commit)
        package = (await self._look(fixed, [directory]))[directory].package
        if package is None:
            raise FileMissing(f"there is no Go file in {shown(directory or '.')}")
        if package.problems and first not in {None, *(f.name for f in package.files)}:
            # The limits left it out; only the source can put it before others.
            return await self._source.package(fixed, directory, first=first)
        return package

    async def probe(
        self, commit: str | None, directories: Sequence[str]
    ) -> tuple[dict[str, Package], dict[str, bytes | Unread]]:
        """Look at directories that may not exist, and for modules above them."""
        seen = await self._look(_fixed(commit), directories)
        packages = {d: one.package for d, one in seen.items() if one.package}
        modules = dict[str, bytes | Unread]()
        for one in seen.values():
            modules |= one.record.above()
        return packages, modules

    async def close(self) -> None:
        """Close the source behind this one; the tiers belong to others."""
        await self._source.close()

    # -- the chart

    async def recall_paths(self, commit: str, forms: Sequence[str]) -> Recalled:
        """Tell what is known of directories that hold a file of one of these paths.

        *forms* are relative to the repository or to a module of it.
        """
        name = commit_key(self._key, commit)
        known = {p for form in forms for p in self._paths.get((name, form)) or ()}
        if known.isdisjoint(forms):
            # A path relative to a module may also be one that a tier alone knows.
            known.update(await self._tiers.paths(name, forms))
        directories = {path.rpartition("/")[0] for path in known}
        return await self.recall_directories(commit, sorted(directories))

    async def recall_directories(
        self, commit: str, directories: Sequence[str]
    ) -> Recalled:
        """Tell what is known of *directories*, from memory or from a tier."""
        known = await self._records(commit, directories)
        found = dict[str, list[str]]()
        modules = dict[str, bytes | Unread]()
        for directory, record in known.items():
            if record.files is not None:
                found[directory] = record.names()
            modules |= record.above()
        return Recalled(found, modules, frozenset(known))

    # -- directories

    async def _look(self, commit: str, directories: Sequence[str]) -> dict[str, _Seen]:
        """Find directories; those that another call is after are waited for."""
        fresh = [d for d in directories if (commit, d) not in self._looks]
        batch = object()

        async def one(directory: str) -> _Seen:
            found = await self._batches.once(batch, lambda: self._find(commit, fresh))
            return found[directory]

        flights = [self._looks.once((commit, d), partial(one, d)) for d in directories]
        return dict(zip(directories, await together(flights), strict=True))

    async def _find(self, commit: str, directories: Sequence[str]) -> dict[str, _Seen]:
        """Take directories out of memory, out of the tiers, or from the source."""
        found = dict[str, _Seen]()
        for directory in directories:
            if (
                seen := self._recent.get(self._directory_key(commit, directory))
            ) is not None:
                found[directory] = seen
        rest = [d for d in directories if d not in found]
        found |= await self._held(await self._records(commit, rest))
        rest = [d for d in rest if d not in found]
        if rest:
            found |= await self._fetched(commit, rest)
        return found

    async def _records(
        self, commit: str, directories: Sequence[str]
    ) -> dict[str, Record]:
        found = dict[str, Record]()
        keys = dict[bytes, str]()
        for directory in directories:
            if (
                seen := self._recent.get(self._directory_key(commit, directory))
            ) is not None:
                found[directory] = seen.record
            else:
                keys[self._directory_key(commit, directory)] = directory
        held = await self._tiers.get("trees", list(keys))
        for key, value in held.items():
            if (record := records.decode(value.data)) is not None:
                found[keys[key]] = record
        return found

    async def _held(self, known: Mapping[str, Record]) -> dict[str, _Seen]:
        """Put packages together whose every blob is held."""
        wanted = {oid for record in known.values() for _, oid in record.files or ()}
        blobs, tier = await self._blobs.find(wanted)
        found = dict[str, _Seen]()
        for directory, record in known.items():
            listed = record.files or ()
            if record.files is None:
                found[directory] = _Seen(record, None)
            elif all(oid in blobs for _, oid in listed):
                files = tuple(SourceFile(n, oid, blobs[oid]) for n, oid in listed)
                package = Package(
                    directory,
                    files,
                    record.problems,
                    served_from=tier,
                    unread=record.unread,
                )
                found[directory] = _Seen(record, package)
        return found

    async def _fetched(self, commit: str, directories: list[str]) -> dict[str, _Seen]:
        with self._missing.noted(f"commit {commit}"):
            packages, modules = await self._source.probe(commit, directories)
        found = dict[str, _Seen]()
        for directory in directories:
            package = packages.get(directory)
            record = records.record_of(directory, package, modules)
            found[directory] = _Seen(record, package)
        await self._keep(commit, found)
        return found

    async def _keep(self, commit: str, found: Mapping[str, _Seen]) -> None:
        """Remember what will be the same the next time."""
        lasting = {
            directory: seen
            for directory, seen in found.items()
            if not seen.record.passing
        }
        for directory, seen in lasting.items():
            self._recent.put(
                self._directory_key(commit, directory), _remembered(seen), seen.size
            )
            if seen.package is not None:
                files = seen.package.files
                await self._blobs.keep({file.oid: file.data for file in files})
        self._tiers.put(
            "trees",
            {
                self._directory_key(commit, directory): records.encode(seen.record)
                for directory, seen in lasting.items()
            },
        )
        for directory, seen in lasting.items():
            self._keep_paths(commit, records.path_forms(directory, seen.record))

    def _keep_paths(self, commit: str, forms: Mapping[str, str]) -> None:
        name = commit_key(self._key, commit)
        for form, path in forms.items():
            known = self._paths.get((name, form)) or frozenset()
            self._paths.put((name, form), known | {path}, len(form) + len(path))
        self._tiers.put_paths(name, forms)

    def _directory_key(self, commit: str, directory: str) -> bytes:
        return tree_key(commit_key(self._key, commit), "directory", directory)

    # -- all else

    async def _kept(
        self,
        commit: str,
        what: str,
        path: str,
        ask: Callable[[], Awaitable[bytes]],
        *,
        lasts: Callable[[bytes], bool] = lambda _: True,
    ) -> bytes:
        """Return a part of a commit's tree, asked for once; kept where it *lasts*."""
        key = tree_key(commit_key(self._key, commit), what, path)

        async def find() -> bytes:
            held = await self._tiers.get("trees", [key])
            data = held[key].data if key in held else await ask()
            if key not in held and lasts(data):
                self._tiers.put("trees", {key: data})
            if lasts(data):
                self._parts.put(key, data, len(data))
            return data

        known = self._parts.get(key)
        return known if known is not None else await self._asks.once(key, find)


def _remembered(seen: _Seen) -> _Seen:
    if seen.package is None:
        return seen
    return replace(seen, package=replace(seen.package, served_from="memory"))


def _lasts(data: bytes) -> bool:
    """Tell whether the files of a record will be the same the next time."""
    record = records.decode(data)
    return record is not None and not record.passing


def _fixed(commit: str | None) -> str:
    if commit is None:
        raise CommitMissing("a commit is read by its full id; resolve it first")
    return commit
