"""Finished contexts in the tiers."""

import asyncio

import msgspec

from triage.cache.stack import Stack
from triage.core.model import Result

_DECODER = msgspec.json.Decoder(Result)


class TieredLedger:
    """A `triage.ports.Ledger`: results as their published JSON."""

    def __init__(self, tiers: Stack) -> None:
        self._tiers = tiers
        self._waiting: dict[bytes, Result] = {}

    async def find(self, key: bytes) -> Result | None:
        """Return what was kept; what does not read as a result is none."""
        held = await self._tiers.get("contexts", [key])
        if key not in held:
            return None
        try:
            result = _DECODER.decode(held[key].data)
        except msgspec.DecodeError:
            return None
        return result.served(held[key].tier)

    def keep(self, key: bytes, result: Result) -> None:
        """Take *result* to keep; it is written when whoever waits for it has it."""
        if not self._waiting:
            asyncio.get_running_loop().call_soon(self.flush)
        self._waiting[key] = result

    def flush(self) -> None:
        """Hand what is waiting to the tiers."""
        taken, self._waiting = self._waiting, {}
        if taken:
            packed = {key: result.to_json() for key, result in taken.items()}
            self._tiers.put("contexts", packed)
