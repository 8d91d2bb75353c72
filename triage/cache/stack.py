"""Tiers one behind the other: what a farther one has, the nearer ones are given."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from triage.ports import Kind, Tier


@dataclass(frozen=True, slots=True)
class Held:
    """A value, and how far away it was."""

    data: bytes
    tier: str
    depth: int
    """The nearest tier is 0."""


class Stack:
    """The tiers of an engine, nearest first; there may be none."""

    def __init__(self, *tiers: Tier) -> None:
        self._tiers = tiers

    async def get(self, kind: Kind, keys: Sequence[bytes]) -> dict[bytes, Held]:
        """Return those of *keys* that some tier holds."""
        found = dict[bytes, Held]()
        for depth, tier in enumerate(self._tiers):
            missing = [key for key in keys if key not in found]
            if not missing:
                break
            held = await tier.get(kind, missing)
            for nearer in self._tiers[:depth]:
                nearer.put(kind, held)
            for key, data in held.items():
                found[key] = Held(data, tier.name, depth)
        return found

    def put(self, kind: Kind, items: Mapping[bytes, bytes]) -> None:
        """Hand *items* to every tier."""
        for tier in self._tiers if items else ():
            tier.put(kind, items)

    async def paths(self, commit: bytes, forms: Sequence[str]) -> list[str]:
        """Find paths by their forms; the first tier that knows some answers."""
        for tier in self._tiers if forms else ():
            if found := await tier.paths(commit, forms):
                return found
        return []

    def put_paths(self, commit: bytes, forms: Mapping[str, str]) -> None:
        """Hand paths to every tier."""
        for tier in self._tiers if forms else ():
            tier.put_paths(commit, forms)

    async def close(self) -> None:
        """Let every tier write what is still to be written."""
        for tier in self._tiers:
            await tier.close()
