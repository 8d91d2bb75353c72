"""Values in memory, bounded by the bytes that they are said to take."""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Generic, TypeVar

from cachetools import LRUCache

V = TypeVar("V")

_ENTRY = 200
"""Bytes of an entry itself, about."""


@dataclass(frozen=True, slots=True)
class _Entry(Generic[V]):
    value: V
    size: int


class MemoryShelf(Generic[V]):
    """A `triage.ports.Shelf` of at most *limit* bytes; the least used goes first.

    For the event loop's thread alone.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._entries: LRUCache[Hashable, _Entry[V]] = LRUCache(
            limit, getsizeof=lambda entry: entry.size
        )

    def get(self, key: Hashable) -> V | None:
        """Return the value kept under *key*."""
        entry = self._entries.get(key)
        return entry.value if entry is not None else None

    def put(self, key: Hashable, value: V, size: int) -> None:
        """Keep *value*, unless it alone is over the limit."""
        entry = _Entry(value, size + _ENTRY)
        if entry.size <= self._limit:
            self._entries[key] = entry
        else:
            self._entries.pop(key, None)

    def drop(self, key: Hashable) -> None:
        """Forget *key*."""
        self._entries.pop(key, None)
