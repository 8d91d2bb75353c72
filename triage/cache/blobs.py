"""Contents of files by git's object id, whatever commit or repository they are of."""

from collections.abc import Collection, Mapping

from triage.cache.memory import MemoryShelf
from triage.cache.stack import Stack

_RECENT = 32 << 20
"""Bytes kept in memory, so that what is still being written is found too."""
_WRITTEN = 1 << 20
"""Bytes of object ids that need not be written again."""
_ID = 64


class Blobs:
    """The blobs that the tiers hold."""

    def __init__(self, tiers: Stack) -> None:
        self._tiers = tiers
        self._recent: MemoryShelf[bytes] = MemoryShelf(_RECENT)
        self._written: MemoryShelf[bool] = MemoryShelf(_WRITTEN)

    async def held(self, oids: Collection[str]) -> dict[str, bytes]:
        """Return those of *oids* that are held."""
        found, _ = await self.find(oids)
        return found

    async def find(self, oids: Collection[str]) -> tuple[dict[str, bytes], str]:
        """Return those of *oids* that are held, and the farthest tier that had one."""
        found = {oid: d for oid in oids if (d := self._recent.get(oid)) is not None}
        keys = {bytes.fromhex(oid): oid for oid in oids if oid not in found}
        held = await self._tiers.get("blobs", list(keys))
        for key, value in held.items():
            found[keys[key]] = value.data
            self._written.put(keys[key], value=True, size=_ID)
        for oid in keys.values():
            if oid not in found:
                self._written.drop(oid)  # pruned meanwhile
        far = max(held.values(), key=lambda value: value.depth, default=None)
        return found, far.tier if far else "memory"

    async def keep(self, blobs: Mapping[str, bytes]) -> None:
        """Take blobs to keep, those that are kept already left out."""
        fresh = {oid: d for oid, d in blobs.items() if not self._written.get(oid)}
        for oid, data in fresh.items():
            self._recent.put(oid, data, len(data))
            self._written.put(oid, value=True, size=_ID)
        self._tiers.put("blobs", {bytes.fromhex(o): d for o, d in fresh.items()})
