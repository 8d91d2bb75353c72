"""A parser that parses the same sources once."""

from collections.abc import Sequence

from triage.cache.flight import Flights
from triage.cache.memory import MemoryShelf
from triage.cache.stack import Stack
from triage.core.keys import snippet_key, table_key
from triage.core.model import BuildContext, Package, Snippet
from triage.core.table import is_checked
from triage.ports import Parser

_PRINTS = 8 << 20
"""Bytes of printed pieces that are kept in memory."""


class CachingParser:
    """A `triage.ports.Parser` before another one."""

    def __init__(self, parser: Parser, tiers: Stack) -> None:
        self._parser = parser
        self._tiers = tiers
        self._flights: Flights[bytes, bytes] = Flights()
        self._prints: MemoryShelf[str] = MemoryShelf(_PRINTS)

    async def symbols(
        self,
        package: Package,
        context: BuildContext,
        focus: str | None,
        *,
        import_path: str = "",
    ) -> bytes:
        """Return the symbol table, parsed anew only where no tier has it."""
        key = table_key(package, context, focus, import_path)

        async def find() -> bytes:
            held = await self._tiers.get("tables", [key])
            if key in held:
                return held[key].data
            table = await self._parser.symbols(
                package, context, focus, import_path=import_path
            )
            if is_checked(table):  # else the next try may do better
                self._tiers.put("tables", {key: table})
            return table

        return await self._flights.once(key, find)

    async def print(self, snippets: Sequence[Snippet]) -> list[str]:
        """Print pieces, those known from memory."""
        keys = [snippet_key(snippet) for snippet in snippets]
        known = {key: self._prints.get(key) for key in keys}
        missing = {
            key: snippet
            for key, snippet in zip(keys, snippets, strict=True)
            if known[key] is None
        }
        if missing:
            printed = await self._parser.print(list(missing.values()))
            for key, text in zip(missing, printed, strict=True):
                known[key] = text
                self._prints.put(key, text, len(text))
        return [known[key] or "" for key in keys]

    async def close(self) -> None:
        """Close the parser behind this one."""
        await self._parser.close()
