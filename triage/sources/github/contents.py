"""The contents of blobs: at hand from a query, held by a cache, or fetched."""

import logging
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Protocol

from triage.errors import SourceError
from triage.sources.github import rest
from triage.sources.github.graphql import TEXT_LIMIT, Ask, GraphQLFailed
from triage.sources.github.objects import Entry
from triage.sources.github.refusal import Absent, NoGitHub, ServerTrouble
from triage.sources.github.repository import Trip
from triage.sources.github.wire import BrokenWire
from triage.together import together

_log = logging.getLogger(__name__)
_BLOBS = 100
"""Blobs that one query asks for."""
_BYTES = 4 << 20
"""Bytes that one query asks for."""

_MOST_LOST = 4
"""Blobs of one call that may fail before it is said to be GitHub's trouble."""
PASSING = (Absent, ServerTrouble, BrokenWire, NoGitHub)
"""What may be the matter with one blob, others being fine."""


class BlobLost(SourceError):
    """One blob that GitHub does not give; the end of a sentence about a file."""


class BlobStore(Protocol):
    """Blobs by git's object id, as a cache holds them."""

    async def held(self, oids: Collection[str]) -> Mapping[str, bytes]:
        """Give those of *oids* that are there."""
        ...

    async def keep(self, blobs: Mapping[str, bytes]) -> None:
        """Take blobs in, also such as are there."""
        ...


class Contents:
    """The blobs of one call at one commit; *store* is where earlier ones are."""

    def __init__(self, trip: Trip, commit: str, store: BlobStore | None) -> None:
        self._trip = trip
        self._commit = commit
        self._store = store
        self._texts: dict[str, bytes] = {}
        self._kept = set[str]()
        self._lost: dict[str, SourceError] = {}

    def add(self, texts: Mapping[str, bytes]) -> None:
        """Take in what a query brought along."""
        self._texts.update(texts)

    async def get(self, entries: Iterable[Entry]) -> dict[str, bytes]:
        """Give the blobs of *entries* by id, with as few requests as it takes.

        Those that GitHub does not give are left out; `loss` says why. Raises that
        where there are many of them.
        """
        wanted = {entry.oid: entry for entry in entries}
        missing = wanted.keys() - self._texts.keys()
        if self._store and missing:
            held = await self._store.held(missing)
            self._texts.update(held)
            self._kept.update(held)
        try:
            await self._fetch(
                [e for oid, e in wanted.items() if oid not in self._texts]
            )
        finally:
            # Also when a limit stops the rest: the next try goes on from here.
            await self._keep(wanted)
        return {oid: self._texts[oid] for oid in wanted if oid in self._texts}

    async def one(self, entry: Entry) -> bytes:
        """Give one blob; raises `BlobLost`."""
        found = await self.get([entry])
        if entry.oid not in found:
            error = self._lost[entry.oid]
            raise BlobLost(f"cannot be read: {error}") from error
        return found[entry.oid]

    def check(self, entries: Sequence[Entry]) -> None:
        """Raise where none of *entries* came and GitHub is at fault, not one blob."""
        errors = [self._lost.get(entry.oid) for entry in entries]
        for error in errors:
            if None not in errors and not isinstance(error, Absent) and error:
                raise error

    def loss(self, oid: str) -> SourceError:
        """Tell why a blob that was asked for is not there."""
        return self._lost[oid]

    async def _keep(self, oids: Iterable[str]) -> None:
        """Hand new blobs to the store."""
        have = self._texts.keys() - self._kept
        fresh = {oid: self._texts[oid] for oid in oids if oid in have}
        if self._store and fresh:
            await self._store.keep(fresh)
            self._kept.update(fresh)

    async def _fetch(self, missing: Sequence[Entry]) -> None:
        """Fetch through GraphQL what it can give, and each other blob through REST."""
        if self._trip.speaks_graphql:
            short = [entry for entry in missing if entry.size <= TEXT_LIMIT]
            await together(self._query(batch) for batch in _batches(short))
        rest_only = [
            e.oid
            for e in missing
            if e.oid not in self._texts and e.oid not in self._lost
        ]
        await together(self._fetch_one(oid) for oid in rest_only)

    async def _query(self, batch: Sequence[Entry]) -> None:
        ask = Ask(self._commit, blobs=[entry.oid for entry in batch])
        try:
            self.add((await self._trip.ask(ask)).texts)
        except GraphQLFailed as error:
            _log.info("GraphQL failed, REST takes over: %s", error)

    async def _fetch_one(self, oid: str) -> None:
        try:
            self._texts[oid] = await rest.read_blob(self._trip, oid)
        except PASSING as error:
            self._lost[oid] = error
            if len(self._lost) > _MOST_LOST:
                raise SourceError(
                    f"over {_MOST_LOST} files cannot be read: {error}"
                ) from error


def _batches(entries: Iterable[Entry]) -> list[list[Entry]]:
    """Cut *entries* into parts that one query can bring."""
    batches, size = list[list[Entry]](), 0
    for entry in entries:
        if not batches or len(batches[-1]) >= _BLOBS or size + entry.size > _BYTES:
            batches.append([])
            size = 0
        batches[-1].append(entry)
        size += entry.size
    return batches
