"""Parsing once, printing once, and what is kept of a symbol table."""

import asyncio

import apsw
import pytest

from tests.core.answers import RESULT
from tests.dict_tier import DictTier
from triage.cache import care
from triage.cache.blobs import Blobs
from triage.cache.ledger import TieredLedger
from triage.cache.parser import CachingParser
from triage.cache.sqlite import SqliteTier
from triage.cache.stack import Stack
from triage.core.model import (
    BuildContext,
    Package,
    Snippet,
    SourceFile,
)
from triage.core.table import is_checked
from triage.errors import ConfigError, HelperTimeout

LINUX = BuildContext()
PACKAGE = Package("shop", (SourceFile("a.go", "0a", b"package shop\n"),))
SPEC = Snippet("spec", b"const (\n\tA = iota\n)", 9)


class FakeParser:
    """A parser that answers with the names of the files, and counts."""

    def __init__(self) -> None:
        self.parsed = 0
        self.asked = asyncio.Event()
        self.printed: list[Snippet] = []
        self.gate: asyncio.Event | None = None
        self.error: Exception | None = None
        self.closed = False
        self.unchecked = False

    async def symbols(self, package, context, focus, *, import_path=""):
        """Say what was asked."""
        self.parsed += 1
        self.asked.set()
        if self.gate:
            await self.gate.wait()
        if self.error:
            raise self.error
        if self.unchecked:
            return b'{"unchecked":true,"schema":1}'
        return repr((package.directory, context.goos, focus, import_path)).encode()

    async def print(self, snippets):
        """Print the mode."""
        self.printed += snippets
        return [snippet.mode for snippet in snippets]

    async def close(self):
        """Note it."""
        self.closed = True


@pytest.fixture
def parser():
    """Give the parser that is asked."""
    return FakeParser()


@pytest.fixture
def path(tmp_path):
    """Where the file lies."""
    return tmp_path / "cache.db"


@pytest.fixture
async def restart(parser, path):
    """Begin anew with what is on disk."""
    tiers = list[Stack]()

    async def begin() -> CachingParser:
        for old in tiers:
            await old.close()
        tiers[:] = [Stack(SqliteTier(path))]
        return CachingParser(parser, tiers[0])

    yield begin
    await tiers[0].close()


async def test_a_package_is_parsed_once(parser, restart):
    """Also after a restart, and wherever its directory lies."""
    caching = await restart()
    first = await caching.symbols(PACKAGE, LINUX, None, import_path="x.org/shop")
    caching = await restart()
    moved = Package("moved", PACKAGE.files, served_from="sqlite")
    later = await caching.symbols(moved, LINUX, None, import_path="x.org/shop")
    assert (parser.parsed, later) == (1, first)


async def test_another_target_or_focus_is_parsed_anew(parser, restart):
    """What the helper would answer differently is asked for."""
    caching = await restart()
    for build in (LINUX, BuildContext("darwin")):
        for focus in (None, "a.go"):
            await caching.symbols(PACKAGE, build, focus)
    assert parser.parsed == 4


async def test_who_comes_meanwhile_shares_the_parse(parser, restart):
    """Also where the first of them is cancelled."""
    caching = await restart()
    parser.gate = asyncio.Event()
    tasks = [
        asyncio.create_task(caching.symbols(PACKAGE, LINUX, None)) for _ in range(3)
    ]
    await parser.asked.wait()
    tasks[0].cancel()
    await asyncio.sleep(0)
    parser.gate.set()
    first, second = await asyncio.gather(*tasks[1:])
    assert (parser.parsed, first) == (1, second)


async def test_a_failed_parse_is_not_kept(parser, restart):
    """The next one tries again."""
    caching = await restart()
    parser.error = HelperTimeout("slow")
    with pytest.raises(HelperTimeout):
        await caching.symbols(PACKAGE, LINUX, None)
    parser.error = None
    assert await caching.symbols(PACKAGE, LINUX, None)
    assert parser.parsed == 2


async def test_a_table_without_types_is_not_kept(parser, restart):
    """The next one may get a better one."""
    caching = await restart()
    parser.unchecked = True
    poor = await caching.symbols(PACKAGE, LINUX, None)
    parser.unchecked = False
    good = await caching.symbols(PACKAGE, LINUX, None)

    assert (is_checked(poor), is_checked(good), parser.parsed) == (False, True, 2)


async def test_a_piece_is_printed_once(parser, restart):
    """Only what is new is sent, and the answers stand in their order."""
    caching = await restart()
    other = Snippet("signature", b"func F() {}")
    assert await caching.print([SPEC]) == ["spec"]
    assert await caching.print([other, SPEC]) == ["signature", "spec"]
    assert await caching.print([SPEC]) == ["spec"]
    assert parser.printed == [SPEC, other]


async def test_closing_closes_the_parser(parser, restart):
    """The helper ends with it."""
    await (await restart()).close()
    assert parser.closed


async def test_blobs_are_found_before_they_are_written(path):
    """What was just taken is there at once, and is written once."""
    stack = Stack(SqliteTier(path))
    blobs = Blobs(stack)
    await blobs.keep({"0a": b"A", "0b": b"B"})
    assert await blobs.held(["0a", "0c"]) == {"0a": b"A"}
    await blobs.keep({"0a": b"A"})
    await stack.close()
    again = Blobs(Stack(tier := SqliteTier(path)))
    assert await again.find(["0a", "0b"]) == ({"0a": b"A", "0b": b"B"}, "sqlite")
    await tier.close()


def drop_blobs(db: apsw.Connection, _: int) -> None:
    """Lose what was kept, as pruning does."""
    db.execute("DELETE FROM blobs")


async def test_a_blob_that_was_pruned_is_written_again(path):
    """That it was written once does not count for ever."""
    tier = SqliteTier(path)
    blobs = Blobs(Stack(tier))
    await blobs.keep({"0a": b"A"})
    await asyncio.to_thread(tier._writer.drain)
    tier._writer.add(drop_blobs, 0)
    await asyncio.to_thread(tier._writer.drain)
    blobs._recent.drop("0a")
    assert await blobs.held(["0a"]) == {}
    await blobs.keep({"0a": b"A"})
    await tier.close()
    assert care.stats(path).tables[1].rows == 1


async def test_a_finished_context_is_written_later():
    """Whoever waits for it has it first; it needs no other call to be written."""
    tier = DictTier("sqlite")
    ledger = TieredLedger(Stack(tier))
    ledger.keep(b"k", RESULT)
    ledger.keep(b"l", RESULT)
    assert not tier.held
    await asyncio.sleep(0)
    assert tier.held.keys() == {("contexts", b"k"), ("contexts", b"l")}
    found = await ledger.find(b"k")
    assert found is not None
    assert found.context == RESULT.context


async def test_a_finished_context_comes_back(path):
    """As it was, but for who served it."""
    tier = SqliteTier(path)
    ledger = TieredLedger(Stack(tier))
    ledger.keep(b"k", RESULT)
    ledger.flush()
    await tier.close()
    tier = SqliteTier(path)
    ledger = TieredLedger(Stack(tier))
    found = await ledger.find(b"k")
    assert found is not None
    assert found.to_json() == RESULT.to_json().replace(b'"github"', b'"sqlite"')
    assert await ledger.find(b"other") is None
    await tier.close()


@pytest.mark.parametrize("kept", [b"", b"{}", b"not json", b'{"panic": 1}'])
async def test_what_is_no_result_is_a_miss(path, kept):
    """A row of something else costs an answer nothing."""
    tier = SqliteTier(path)
    tier.put("contexts", {b"k": kept})
    await tier.close()
    tier = SqliteTier(path)
    assert await TieredLedger(Stack(tier)).find(b"k") is None
    await tier.close()


def test_a_cache_that_is_not_there_holds_nothing(path):
    """Looking makes no file."""
    assert care.stats(path) == care.Holdings((), 0)
    assert care.prune(path, 0) == 0
    care.clear(path)
    assert not path.exists()


async def test_the_cache_is_counted_and_emptied(path):
    """After clearing there is nothing, and the file is small."""
    tier = SqliteTier(path)
    tier.put("blobs", {b"%d" % n: bytes([n]) * 50_000 for n in range(60)})
    tier.put("contexts", {b"%d" % n: apsw.randomness(50_000) for n in range(20)})
    await tier.close()
    counted = {table.name: table for table in care.stats(path).tables}
    assert counted["blobs"].rows == 60
    assert counted["contexts"].bytes == 20 * 50_005
    assert care.prune(path, 500_000) > 0
    assert care.stats(path).bytes <= 500_000
    care.clear(path)
    holdings = care.stats(path)
    assert {table.rows for table in holdings.tables} == {0}
    assert holdings.bytes < 100_000


def test_a_damaged_cache_is_cleared_by_setting_it_aside(path):
    """Counting says what to do; clearing does it."""
    path.write_bytes(b"noise" * 1000)
    with pytest.raises(ConfigError, match="remove it, or name another directory"):
        care.stats(path)
    care.clear(path)
    assert not path.exists()


def test_a_cache_that_cannot_be_opened_is_the_callers_to_mend(tmp_path):
    """A directory of that name is no cache."""
    (tmp_path / "cache.db").mkdir()
    with pytest.raises(ConfigError, match="cannot be used"):
        care.clear(tmp_path / "cache.db")
