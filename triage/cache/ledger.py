"""Finished contexts in the tiers."""

from dataclasses import replace

import msgspec

from triage.cache.stack import Stack
from triage.core.model import Result

_DECODER = msgspec.json.Decoder(Result)


class TieredLedger:
    """A `triage.ports.Ledger`: results as their published JSON."""

    def __init__(self, tiers: Stack) -> None:
        self._tiers = tiers

    async def find(self, key: bytes) -> Result | None:
        """Return what was kept; what does not read as a result is none."""
        held = await self._tiers.get("contexts", [key])
        if key not in held:
            return None
        try:
            result = _DECODER.decode(held[key].data)
        except msgspec.DecodeError:
            return None
        return replace(result, served_from=held[key].tier)

    def keep(self, key: bytes, result: Result) -> None:
        """Take *result* to keep."""
        self._tiers.put("contexts", {key: result.to_json()})
