"""Reads packages of one commit with the fewest requests, within one deadline.

Two ways lead to every object: one GraphQL query for many of them, else one REST call
each. `Reader` keeps what it learns in the commit's `Snapshot`.
"""

import logging
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain

from triage.core.model import Package, SourceFile, Unread
from triage.core.printed import shown
from triage.errors import SourceError, TooLarge
from triage.sources.github import rest
from triage.sources.github.contents import BlobLost, BlobStore, Contents
from triage.sources.github.graphql import Ask, GraphQLFailed
from triage.sources.github.links import Place, Walker
from triage.sources.github.objects import Entry, Listing, join, split, upwards
from triage.sources.github.refusal import Absent
from triage.sources.github.repository import Trip
from triage.sources.github.snapshot import Snapshot
from triage.sources.limits import (
    LFS_POINTER,
    MAX_FILE,
    TOO_LARGE,
    Budget,
    Problems,
    is_lfs_pointer,
    is_plain,
    reading_order,
)
from triage.together import together

_log = logging.getLogger(__name__)
_MODULES = ("go.mod", "go.work")


class Reader:
    """One call's look at one commit.

    *known* names directories whose blobs are likely in *blobs*: for these the names
    come first, and then the blobs that are not held.
    """

    def __init__(
        self,
        trip: Trip,
        commit: str,
        snapshot: Snapshot,
        *,
        blobs: BlobStore | None,
        known: Collection[str],
    ) -> None:
        self._trip = trip
        self._commit = commit
        self._snapshot = snapshot
        self._contents = Contents(trip, commit, blobs)
        self._known = known if blobs else ()
        self._walker = Walker(self._listing, self._target)

    async def packages(
        self, directories: Sequence[str], *, first: str | None = None
    ) -> dict[str, Package]:
        """Read the directories that are there; `probe` without the modules."""
        await self._learn(directories)
        places = await self._places(directories)
        return await self._read_packages(places, first)

    async def probe(
        self, directories: Sequence[str]
    ) -> tuple[dict[str, Package], dict[str, bytes | Unread]]:
        """Read directories and the `go.mod` and `go.work` files on their way up."""
        above = dict.fromkeys(chain.from_iterable(map(upwards, directories)))
        files = [join(directory, name) for directory in above for name in _MODULES]
        await self._learn(directories, files)
        places = await self._places(directories)
        packages = await self._read_packages(places, None)
        return packages, await self._read_modules(files)

    async def file(self, path: str) -> bytes | None:
        """Read one file, through links; None where there is none."""
        directory = split(path)[0]
        if self._trip.speaks_graphql:
            await self._learn_names([directory], [path])
        if not self._snapshot.knows(directory):
            data = await rest.read_file(self._trip, self._commit, path)
            if data is not None:
                return data
            # It may lie behind links that the Contents API does not follow.
            await self._confirm()
        entry = (await self._walk(path)).entry
        if entry is None:
            return None
        if entry.size > MAX_FILE:
            raise TooLarge(f"{shown(path)} {TOO_LARGE}")
        try:
            return await self._contents.one(entry)
        except BlobLost as error:
            raise SourceError(f"{shown(path)} {error}") from error

    async def files(self, paths: Sequence[str]) -> dict[str, bytes | Unread]:
        """Read small files that are there, in one query where that goes."""
        await self._learn((), paths)
        return await self._read_modules(paths)

    async def tree(self) -> Mapping[str, Listing | None]:
        """Make the snapshot whole and give all its directories."""
        if not self._snapshot.whole:
            try:
                listings = await rest.list_tree(self._trip, self._commit)
            except Absent:
                await self._confirm()
                raise
            self._snapshot.add_tree(listings)
        return self._snapshot.listings

    async def explain(self, directory: str) -> str:
        """Say why a directory gave no package: the end of a sentence."""
        place = await self._walk(directory)
        if place.entry is None and place.problem is None:
            return "holds no Go file"
        return place.problem or "is a file"

    # -- directories

    async def _learn(
        self, directories: Iterable[str], files: Iterable[str] = ()
    ) -> None:
        """Make directories and files known to the snapshot, in one query if it goes."""
        unknown = [d for d in directories if not self._snapshot.knows(d)]
        files = [path for path in files if not self._snapshot.knows_file(path)]
        if not unknown and not files:
            return
        ask = Ask(
            self._commit,
            texts=[d for d in unknown if d not in self._known],
            names=[d for d in unknown if d in self._known],
            # A directory's own files come with it.
            files=[path for path in files if split(path)[0] not in unknown],
        )
        if not await self._query(ask):
            parents = (split(path)[0] for path in files)
            await self._list(dict.fromkeys([*unknown, *parents]))

    async def _learn_names(
        self, directories: Sequence[str], files: Sequence[str] = ()
    ) -> None:
        """Make directories known, without their texts; *files* with theirs."""
        unknown = [d for d in directories if not self._snapshot.knows(d)]
        if unknown and not await self._query(
            Ask(self._commit, names=unknown, files=files)
        ):
            await self._list(unknown)

    async def _query(self, ask: Ask) -> bool:
        """Ask through GraphQL; tell whether there was an answer."""
        if not self._trip.speaks_graphql:
            return False
        try:
            found = await self._trip.ask(ask)
        except GraphQLFailed as error:
            _log.info("GraphQL failed, REST takes over: %s", error)
            return False
        self._snapshot.add_found(found)
        self._contents.add(found.texts)
        return True

    async def _list(self, directories: Iterable[str]) -> None:
        """List directories through REST, the whole tree where one is cut."""
        unknown = [d for d in directories if not self._snapshot.knows(d)]
        listings = await together(
            rest.list_directory(self._trip, self._commit, d) for d in unknown
        )
        if any(listing is not None for listing in listings):
            self._snapshot.confirmed = True
        if any(len(listing or ()) >= rest.LISTED for listing in listings):
            await self.tree()
        else:
            await self._confirm()
            self._snapshot.listings.update(zip(unknown, listings, strict=True))

    async def _confirm(self) -> None:
        """Raise what is missing where it is not just a path: a 404 does not tell."""
        if not self._snapshot.confirmed:
            await rest.resolve(self._trip, self._commit)
            self._snapshot.confirmed = True

    async def _listing(self, directory: str) -> Listing | None:
        await self._learn_names([directory])
        return self._snapshot.listing(directory)

    async def _places(self, directories: Sequence[str]) -> dict[str, str]:
        """Map the directories that are there to where they really are.

        Where none is, a link may be on the way; it is looked for with one request.
        """
        listing = self._snapshot.listing
        found = {d: d for d in directories if listing(d) is not None}
        if found:
            return found
        above = chain.from_iterable(upwards(split(d)[0]) for d in directories)
        await self._learn_names(list(dict.fromkeys(above)))
        for directory in directories:
            place = await self._walk(directory)
            if place.entry is None and place.problem is None:
                found[directory] = place.directory
        await self._learn(found.values())
        return found

    async def _walk(self, path: str) -> Place:
        """Find where *path* ends; no further than needed where no link is on it."""
        directory, name = split(path)
        if self._snapshot.listing(directory) is not None:
            return await self._walker.walk(directory, name)
        await self._learn_names(upwards(directory))
        return await self._walker.walk("", path)

    async def _target(self, link: Entry) -> str | None:
        data = await self._contents.one(link)
        try:
            return data.decode()
        except UnicodeDecodeError:
            return None

    # -- packages

    async def _read_packages(
        self, places: Mapping[str, str], first: str | None
    ) -> dict[str, Package]:
        chosen, problems = dict[str, dict[str, Entry]](), dict[str, Problems]()
        for asked, directory in places.items():
            files, problems[asked] = await self._go_files(directory)
            budget = Budget()
            chosen[asked] = {
                name: files[name]
                for name in reading_order(files, first)
                if budget.takes(name, files[name].size)
            }
            problems[asked].leave_out(budget)
        wanted = [e for files in chosen.values() for e in files.values()]
        blobs = await self._contents.get(wanted)
        self._contents.check(wanted)
        return {
            asked: self._package(asked, chosen[asked], blobs, problems[asked])
            for asked in places
            if chosen[asked] or problems[asked].said
        }

    async def _go_files(self, directory: str) -> tuple[dict[str, Entry], Problems]:
        """Choose a directory's `.go` files, links followed, and say what is odd."""
        files, problems = dict[str, Entry](), Problems()
        for name, entry in (self._snapshot.listing(directory) or {}).items():
            if not name.endswith(".go") or not is_plain(name):
                continue
            if entry.is_file:
                files[name] = entry
            elif entry.is_submodule:
                problems.add(name, "is a submodule, another repository")
            elif entry.is_link:
                found = await self._behind(directory, name)
                if isinstance(found, Unread):
                    problems.add(name, found.reason, passing=found.passing)
                elif found is not None:
                    files[name] = found
        return files, problems

    async def _behind(self, directory: str, name: str) -> Entry | Unread | None:
        """Follow a link to its file; None where it leads to a directory."""
        try:
            place = await self._walker.walk(directory, name)
        except BlobLost as error:
            return Unread(f"is a link that {error}", passing=True)
        if place.entry is None and place.problem:
            return Unread(f"is a link that {place.problem}")
        return place.entry

    def _package(
        self,
        directory: str,
        files: Mapping[str, Entry],
        blobs: Mapping[str, bytes],
        problems: Problems,
    ) -> Package:
        kept = []
        for name, entry in sorted(files.items()):
            data = blobs.get(entry.oid)
            if data is None:
                why = self._contents.loss(entry.oid)
                problems.add(name, f"cannot be read: {why}", passing=True)
            elif is_lfs_pointer(data):
                problems.add(name, LFS_POINTER)
            else:
                kept.append(SourceFile(name, entry.oid, data))
        if renamed := self._trip.repository.renamed_to:
            asked = self._trip.repository.asked
            said = f"the repository {asked} is now {renamed}; use that name"
            problems.said.append(said)
        return Package(
            directory,
            tuple(kept),
            tuple(problems.said),
            passing=problems.passing,
            unread=tuple(problems.unread),
        )

    async def _read_modules(self, paths: Sequence[str]) -> dict[str, bytes | Unread]:
        modules = await self._read_plain(paths)
        # A query shows a link as a file with a path in it: only listings tell.
        doubtful = [
            path
            for path, data in modules.items()
            if isinstance(data, bytes)
            and b"\n" not in data
            and not self._snapshot.knows(split(path)[0])
        ]
        if not doubtful:
            return modules
        await self._learn_names([split(path)[0] for path in doubtful])
        sure = {path: modules[path] for path in modules if path not in doubtful}
        return sure | await self._read_plain(doubtful)

    async def _read_plain(self, paths: Iterable[str]) -> dict[str, bytes | Unread]:
        """Read small files that are there, through links where they are known."""
        entries, found = dict[str, Entry](), dict[str, bytes | Unread]()
        for path in paths:
            entry = self._snapshot.file(path)
            behind: Entry | Unread | None = entry
            if entry is not None and entry.is_link:
                behind = await self._behind(*split(path))
            if isinstance(behind, Unread):
                found[path] = behind
            elif behind is not None and behind.is_file and behind.size > MAX_FILE:
                found[path] = Unread(TOO_LARGE)
            elif behind is not None and behind.is_file:
                entries[path] = behind
        blobs = await self._contents.get(entries.values())
        return found | {
            path: self._module(entry, blobs) for path, entry in entries.items()
        }

    def _module(self, entry: Entry, blobs: Mapping[str, bytes]) -> bytes | Unread:
        data = blobs.get(entry.oid)
        if data is None:
            why = self._contents.loss(entry.oid)
            return Unread(f"cannot be read: {why}", passing=True)
        return Unread(LFS_POINTER) if is_lfs_pointer(data) else data
