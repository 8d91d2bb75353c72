"""What breaks while the service works: each fault comes, stays a while, and goes."""

import asyncio
import os
import random
import signal
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from tests.github_server import Fault, GitHubServer
from tests.redis_server import RedisServer

_STAYS = 3.0
"""Seconds."""
_LIMITED = "You have exceeded a secondary rate limit. Please wait a few minutes."


@dataclass(frozen=True, slots=True)
class Scene:
    """All that may break."""

    github: GitHubServer
    redis: RedisServer | None
    data: Path
    on_tmpfs: bool
    pid: Callable[[], int]
    """Of the service as it runs now."""
    restart: Callable[[], Awaitable[None]]
    """Kills the service and starts it again."""


async def helper_killed(scene: Scene) -> None:
    """Kill the Go helper in the middle of its work."""
    for pid in filter(_is_helper, children(scene.pid())):
        with suppress(OSError):
            os.kill(pid, signal.SIGKILL)
    await asyncio.sleep(_STAYS)


async def github_slow(scene: Scene) -> None:
    """Let GitHub take its time."""
    await _with(scene, Fault(delay=1.5))


async def github_limited(scene: Scene) -> None:
    """Let GitHub refuse more requests for a moment."""
    headers = {"Retry-After": "2"}
    await _with(scene, Fault(status=403, message=_LIMITED, headers=headers))


async def github_broken(scene: Scene) -> None:
    """Let GitHub fail, hang up, or cut its answers off."""
    fault = random.choice(  # noqa: S311 - no secret hangs on it
        [Fault(status=502, message="Bad Gateway"), Fault(reset=True), Fault(cut=True)]
    )
    await _with(scene, fault)


async def disk_full(scene: Scene) -> None:
    """Fill the disk that inbox and cache lie on."""
    if not scene.on_tmpfs:
        return
    filler = scene.data.parent / "filler"
    with filler.open("wb") as file, suppress(OSError):
        while True:
            file.write(bytes(1 << 20))
            file.flush()
    await asyncio.sleep(_STAYS)
    filler.unlink()


async def redis_gone(scene: Scene) -> None:
    """End the Redis server, and start it again, empty."""
    if scene.redis is not None:
        await scene.redis.stop()
        await asyncio.sleep(_STAYS)
        await scene.redis.start()


async def service_killed(scene: Scene) -> None:
    """Kill the service without a word, and start it again."""
    await scene.restart()


FAULTS = (
    helper_killed,
    github_slow,
    github_limited,
    github_broken,
    disk_full,
    redis_gone,
    service_killed,
)


async def _with(scene: Scene, fault: Fault) -> None:
    with _present(scene.github.faults, fault):
        await asyncio.sleep(_STAYS)


@contextmanager
def _present(faults: list[Fault], fault: Fault) -> Iterator[None]:
    faults.append(fault)
    try:
        yield
    finally:
        faults.remove(fault)


def _is_helper(pid: int) -> bool:
    try:
        return "goparse-helper" in Path(f"/proc/{pid}/comm").read_text("ascii")
    except OSError:
        return False


def children(pid: int) -> list[int]:
    """Return the processes that *pid* has started; none where it is gone."""
    try:
        tasks = list(Path(f"/proc/{pid}/task").glob("*/children"))
        texts = [path.read_text("ascii") for path in tasks]
    except OSError:
        return []
    return [int(child) for text in texts for child in text.split()]
