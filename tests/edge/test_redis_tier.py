"""The tier that machines share: on a real server, and without one."""

import asyncio
import logging
import tempfile
from pathlib import Path

import pytest

from tests.redis_server import RedisServer, needs_server
from triage.cache.codec import pack
from triage.cache.sqlite import SqliteTier
from triage.cache.stack import Stack
from triage.errors import ConfigError

pytest.importorskip("redis", reason="no redis package: pip install 'triage-go[redis]'")

from triage.cache.redis import RETRY, RedisTier

MODULE = RedisTier.__module__
USER = "svc/h/user.go"


@pytest.fixture
async def server():
    """Run a server; its directory's name is short, as a socket's has to be."""
    with tempfile.TemporaryDirectory(prefix="r") as directory:
        server = RedisServer(Path(directory))
        await server.start()
        yield server
        await server.stop()


@pytest.fixture
async def connect(clock):
    """Make tiers on a server; all are closed at the end."""
    tiers = []

    def make(url: str, *, patience: float = 5) -> RedisTier:
        tiers.append(RedisTier(url, clock=clock, patience=patience))
        return tiers[-1]

    yield make
    for tier in tiers:
        await tier.close()


async def written(tier: RedisTier) -> None:
    """Wait until what was put is written."""
    if tier._writer is not None:
        await tier._writer


@needs_server
async def test_what_one_machine_keeps_another_finds(server, connect):
    """Every kind, and files by their paths; what is not there is not found."""
    one, other = connect(server.url), connect(server.url)
    one.put("tables", {b"a": b"{}" * 500, b"b": b""})
    one.put("contexts", {b"a": b"context"})
    one.put_paths(b"c1", {"h/user.go": USER, USER: USER})
    await written(one)
    assert await other.get("tables", [b"a", b"b", b"c"]) == {
        b"a": b"{}" * 500,
        b"b": b"",
    }
    assert await other.get("contexts", [b"a"]) == {b"a": b"context"}
    assert await other.paths(b"c1", ["h/user.go", "none.go"]) == [USER]
    assert await other.paths(b"c2", ["h/user.go"]) == []
    assert await other.get("blobs", []) == {}


@needs_server
async def test_values_end_some_day(server, connect):
    """Nothing stays in the server for ever."""
    tier = connect(server.url)
    tier.put("blobs", {b"a": b"A"})
    tier.put_paths(b"c1", {"h/user.go": USER})
    await written(tier)
    names = await tier._redis.keys("*")
    lives = [await tier._redis.ttl(name) for name in names]
    assert [29 * 86400 < life <= 30 * 86400 for life in lives] == [True, True]


@needs_server
async def test_a_value_of_somebody_else_is_a_miss(server, connect):
    """What was not written by this tier is no value."""
    tier = connect(server.url)
    await tier._redis.set(b"triage:blobs:a", b"junk")
    await tier._redis.set(b"triage:blobs:b", pack(b"good"))
    assert await tier.get("blobs", [b"a", b"b"]) == {b"b": b"good"}


@needs_server
async def test_it_fills_the_tier_before_it(server, connect, tmp_path):
    """A new machine asks Redis once, and then its own disk."""
    first = connect(server.url)
    first.put("contexts", {b"k": b"context"})
    await written(first)
    near = SqliteTier(tmp_path / "cache.db")
    found = await Stack(near, connect(server.url)).get("contexts", [b"k"])
    await near.close()
    assert found[b"k"].tier == "redis"
    again = SqliteTier(tmp_path / "cache.db")
    assert await again.get("contexts", [b"k"]) == {b"k": b"context"}
    await again.close()


@needs_server
async def test_a_server_that_went_is_asked_again_when_it_is_back(
    server, connect, clock, caplog
):
    """It costs one failure; then nobody asks until a ping has found it."""
    tier = connect(server.url)
    tier.put("contexts", {b"k": b"context"})
    await written(tier)
    await server.stop()
    assert await tier.get("contexts", [b"k"]) == {}
    assert clock.running == [RETRY]
    tier.put("contexts", {b"k": b"lost"})
    assert await tier.get("contexts", [b"k"]) == {}
    await clock.expire(RETRY)
    await clock.until_set(RETRY, 1)  # the ping failed, and another is set
    await server.start()
    await clock.expire(RETRY)
    await asyncio.gather(*tier._tasks)
    tier.put("contexts", {b"k": b"anew"})
    await written(tier)
    assert await tier.get("contexts", [b"k"]) == {b"k": b"anew"}
    # The event loop's own words, when a machine is busy, are not the tier's.
    told = [level for name, level, _ in caplog.record_tuples if name == MODULE]
    assert told == [logging.WARNING]


async def test_a_server_that_never_answers_is_waited_for_once(connect, clock):
    """The first answer waits a moment, the others not at all."""
    accepted = []

    async def say_nothing(reader, writer):
        accepted.append(writer)
        await reader.read()

    with tempfile.TemporaryDirectory(prefix="r") as directory:
        path = Path(directory) / "s"
        stalled = await asyncio.start_unix_server(say_nothing, path)
        tier = connect(f"unix://{path}", patience=0.1)
        assert await tier.get("contexts", [b"k"]) == {}
        connections = len(accepted)
        for _ in range(3):
            assert await tier.get("contexts", [b"k"]) == {}
            assert await tier.paths(b"c", ["x.go"]) == []
            tier.put("contexts", {b"k": b"v"})
        assert (connections, len(accepted), clock.running) == (1, 1, [RETRY])
        for writer in accepted:
            writer.close()
        stalled.close()
        await stalled.wait_closed()


async def test_a_server_that_is_not_there_is_told_once(connect, caplog):
    """No connection is an answer too: nothing is held."""
    tier = connect("redis://127.0.0.1:1/0")
    tier.put("contexts", {b"k": b"v"})
    await written(tier)
    assert await tier.get("contexts", [b"k"]) == {}
    [told] = [text for name, _, text in caplog.record_tuples if name == MODULE]
    assert told.startswith("Redis is away")


async def test_too_much_at_once_is_dropped(connect):
    """What waits to be written is bounded."""
    tier = connect("redis://127.0.0.1:1/0")
    for turn in range(9):
        tier.put("blobs", {b"%d" % turn: bytes(10 << 20)})
    assert len(tier._waiting) == 6
    tier._waiting.clear()


@pytest.mark.parametrize("url", ["http://host", "redis://host:port", "nonsense"])
async def test_an_address_that_is_none_is_refused(clock, url):
    """The setting is named, with what it takes."""
    with pytest.raises(ConfigError, match=r"TRIAGE_REDIS_URL: .*redis://HOST"):
        RedisTier(url, clock=clock)
