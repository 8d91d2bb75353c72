"""The tier that many machines share: a Redis server, which may be away.

An answer waits for it once, briefly; while it is away nobody waits, and a ping beside
the answers finds out when it is back. Writing is a task's.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from typing import Final, TypeVar, cast

from redis.asyncio import Redis
from redis.asyncio.client import Pipeline
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from triage.cache.codec import pack, unpack
from triage.errors import ConfigError
from triage.ports import Clock, Kind

T = TypeVar("T")

_log = logging.getLogger(__name__)

PATIENCE: Final = 0.25
"""Seconds that an answer waits for the server."""
RETRY: Final = 5.0
"""Seconds between two tries to reach a server that was away."""
_CLOSING: Final = 2.0
_LIFE: Final = 30 * 24 * 3600
"""Seconds after which a value is dropped."""
_WAITING: Final = 64 << 20
"""Bytes that may wait to be written; more are dropped."""
_LARGEST: Final = 32 << 20

Write = Callable[[Pipeline], None]
"""Adds commands to a batch, whose execution is awaited later."""


class RedisTier:
    """A `triage.ports.Tier` on the server at *url*; needs a running event loop.

    *patience* is in seconds, for each answer. Raises `ConfigError` where *url* is none.
    """

    name = "redis"

    def __init__(self, url: str, *, clock: Clock, patience: float = PATIENCE) -> None:
        try:
            self._redis = Redis.from_url(
                url,
                socket_timeout=patience,
                socket_connect_timeout=patience,
                retry=Retry(NoBackoff(), 0),
            )
        except ValueError as error:
            raise ConfigError(
                f"TRIAGE_REDIS_URL: {error}; give redis://HOST:PORT/DATABASE"
            ) from error
        self._clock = clock
        self._patience = patience
        self._away = False
        self._told = False
        self._waiting = deque[tuple[Callable[[], Write], int]]()
        self._bytes = 0
        self._tasks = set[asyncio.Task[None]]()
        self._writer: asyncio.Task[None] | None = None

    async def get(self, kind: Kind, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """Return those of *keys* that are held whole."""
        names = [_name(kind, key) for key in keys]
        values = await self._ask(lambda: self._redis.mget(names)) if names else None
        found = dict[bytes, bytes]()
        for key, packed in zip(keys, values or [None] * len(keys), strict=True):
            if isinstance(packed, bytes) and (data := unpack(packed)) is not None:
                found[key] = data
        return found

    def put(self, kind: Kind, items: Mapping[bytes, bytes]) -> None:
        """Take *items* to be written."""

        def packed() -> Write:
            values = {
                _name(kind, key): pack(data, compress=True)
                for key, data in items.items()
                if len(data) <= _LARGEST
            }
            return lambda batch: _set_all(batch, values)

        self._add(packed, sum(map(len, items.values())))

    async def paths(self, commit: bytes, forms: Sequence[str]) -> list[str]:
        """Return the paths of a commit that go by any of *forms*."""

        def ask() -> Awaitable[list[set[bytes]]]:
            batch = self._redis.pipeline(transaction=False)
            for form in forms:
                _ = batch.smembers(_path_name(commit, form))
            return cast("Awaitable[list[set[bytes]]]", batch.execute())

        found = await self._ask(ask) or []
        paths = {path.decode("utf-8", "replace") for held in found for path in held}
        return sorted(paths)

    def put_paths(self, commit: bytes, forms: Mapping[str, str]) -> None:
        """Take paths to be written, each under a form that it goes by."""

        def write(batch: Pipeline) -> None:
            for form, path in forms.items():
                name = _path_name(commit, form)
                _ = batch.sadd(name, path.encode())
                _ = batch.expire(name, _LIFE)

        self._add(lambda: write, sum(map(len, forms)))

    async def close(self) -> None:
        """Write what is waiting, within bounds, and close the connections."""
        if self._writer is not None:
            await asyncio.wait([self._writer], timeout=_CLOSING)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        with suppress(RedisError, OSError, TimeoutError):
            await self._redis.aclose()

    # -- a server that may be away

    async def _ask(self, question: Callable[[], Awaitable[T]]) -> T | None:
        """Ask the server; None while it is away, and when it turns out to be."""
        if self._away:
            return None
        try:
            async with asyncio.timeout(2 * self._patience):
                return await question()
        except (RedisError, OSError, TimeoutError) as error:
            self._leave(error)
            return None

    def _leave(self, error: Exception) -> None:
        """Go without the server until a ping comes back."""
        if not self._away:
            self._away = True
            self._clock.call_later(RETRY, self._look_again)
        if not self._told:
            self._told = True
            _log.warning(
                "Redis is away (%s); answers are right, but slower to come",
                str(error) or type(error).__name__,
            )

    def _look_again(self) -> None:
        _ = self._start(self._ping())

    async def _ping(self) -> None:
        try:
            async with asyncio.timeout(2 * self._patience):
                await self._redis.ping()
        except (RedisError, OSError, TimeoutError):
            self._clock.call_later(RETRY, self._look_again)
        else:
            self._away = self._told = False
            _log.info("Redis is back")

    # -- writing

    def _add(self, packed: Callable[[], Write], size: int) -> None:
        """Take a write; dropped where too much waits or the server is away."""
        if self._away or self._bytes + size > _WAITING:
            return
        self._waiting.append((packed, size))
        self._bytes += size
        if self._writer is None or self._writer.done():
            self._writer = self._start(self._write())

    async def _write(self) -> None:
        while self._waiting:
            packed, size = self._waiting.popleft()
            self._bytes -= size
            # Compressing takes longer than the loop should be held up.
            write = await asyncio.to_thread(packed)
            batch = self._redis.pipeline(transaction=False)
            write(batch)
            await self._ask(batch.execute)

    def _start(self, work: Awaitable[None]) -> asyncio.Task[None]:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task


def _set_all(batch: Pipeline, values: Mapping[bytes, bytes]) -> None:
    for name, packed in values.items():
        _ = batch.set(name, packed, ex=_LIFE)


def _name(kind: Kind, key: bytes) -> bytes:
    return b"triage:%s:%s" % (kind.encode(), key)


def _path_name(commit: bytes, form: str) -> bytes:
    return b"triage:path:%s:%s" % (commit, form.encode())
