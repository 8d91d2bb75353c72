"""Load the service with all sorts for minutes; see that its memory stays as it is.

`python -m tests.soaked_service [MINUTES]` (ten) prints a sample of the resident memory
of the service and of its children every few seconds, and what was answered.
"""

import asyncio
import sys
import tempfile
import time
from collections import Counter
from itertools import count
from pathlib import Path

import aiohttp

from tests.e2e.conftest import ADD, FILES, TOTAL, TRACE
from tests.gitrepo import GitRepo
from tests.serving import Caller, calling, signed, start

_REPO = "acme/shop"
_CALLERS = 4
_EVERY = 15.0
_PAUSE = 0.02
"""Seconds between a caller's requests: a load, not a race."""


async def soak(directory: Path, minutes: float) -> None:
    """Serve a repository, load it, and tell what memory it takes."""
    repo = GitRepo(directory / "shop")
    repo.path.mkdir()
    repo.git("init", "--quiet")
    shas = [repo.commit({**FILES, "n.txt": str(n)}) for n in range(20)]
    served = await start(
        directory / "data",
        TRIAGE_REPOS=f"{_REPO}={repo.path}",
        TRIAGE_LOG_LEVEL="error",
    )
    until = time.monotonic() + minutes * 60
    told = Counter[str]()
    numbers = count()
    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(_CALLERS):
                group.create_task(_load(served.port, shas, numbers, told, until))
            group.create_task(_watch(served.process.pid, directory, told, until))
    finally:
        code = await served.end()
    sys.stdout.write(f"ended with {code}; {dict(sorted(told.items()))}\n")


async def _watch(pid: int, directory: Path, told: Counter[str], until: float) -> None:
    began = time.monotonic()
    while (now := time.monotonic()) < until:
        own, children = _resident(pid), sum(map(_resident, _children(pid)))
        inbox = (directory / "data" / "inbox.db").stat().st_size >> 20
        sys.stdout.write(
            f"{now - began:5.0f} s  service {own:4} MiB  children {children:4} MiB"
            f"  inbox.db {inbox:3} MiB  {told.total():7} answers\n"
        )
        sys.stdout.flush()
        await asyncio.sleep(min(_EVERY, max(0.1, until - now)))


def _resident(pid: int) -> int:
    """Return the resident memory of a process in MiB; none where it is gone."""
    try:
        text = Path(f"/proc/{pid}/status").read_text("ascii")
    except OSError:
        return 0
    found = [line for line in text.splitlines() if line.startswith("VmRSS:")]
    return int(found[0].split()[1]) >> 10 if found else 0


def _children(pid: int) -> list[int]:
    tasks = Path(f"/proc/{pid}/task")
    found = [path.read_text("ascii") for path in tasks.glob("*/children")]
    return [int(child) for text in found for child in text.split()]


async def _load(
    port: int, shas: list[str], numbers: "count[int]", told: Counter[str], until: float
) -> None:
    """Ask one thing after the other, some of them wrong."""
    async with calling(port) as caller:
        while time.monotonic() < until:
            number = next(numbers)
            what = _KINDS[number % len(_KINDS)]
            try:
                status = await what(caller, shas[number % len(shas)], number)
            except (aiohttp.ClientError, ConnectionError):
                status = 0
            told[f"{what.__name__.strip('_')} {status}"] += 1
            await asyncio.sleep(_PAUSE)


def _trace(number: int) -> str:
    line, name = ((ADD, "Add"), (TOTAL, "Total"))[number % 2]
    trace = TRACE.replace(f"cart.go:{ADD}", f"cart.go:{line}")
    return f"no {number}\n{trace.replace(').Add(', f').{name}(')}"


async def _hit(caller: Caller, sha: str, number: int) -> int:
    told = {"repo": _REPO, "commit_sha": sha, "file": "cart/cart.go", "line": ADD}
    return (await caller.post("/v1/context", told | {"depth": number % 3})).status


async def _new(caller: Caller, sha: str, number: int) -> int:
    told = {"repo": _REPO, "commit_sha": sha, "trace": _trace(number)}
    return (await caller.post("/v1/context", told)).status


async def _panic(caller: Caller, sha: str, number: int) -> int:
    told = {"repo": _REPO, "commit_sha": sha, "trace": _trace(number)}
    return (await caller.panic(told, X_Triage_Delivery=f"d{number}")).status


async def _wrong(caller: Caller, sha: str, number: int) -> int:
    told = {"repo": _REPO, "commit_sha": sha[::-1], "trace": _trace(number)}
    return (await caller.post("/v1/context", told)).status


async def _forged(caller: Caller, sha: str, number: int) -> int:
    body = f"{sha} {number}".encode()
    headers = signed(body, "wrong")
    return (await caller.post("/webhooks/panic", body, headers=headers)).status


async def _long(caller: Caller, sha: str, number: int) -> int:
    told = {"repo": _REPO, "commit_sha": sha, "trace": _trace(number) + "ok\n" * 50_000}
    return (await caller.post("/v1/context", told)).status


async def _listed(caller: Caller, sha: str, number: int) -> int:
    del sha, number
    return (await caller.get("/v1/incidents")).status


async def _numbers(caller: Caller, sha: str, number: int) -> int:
    del sha, number
    return (await caller.get("/metrics")).status


_KINDS = (
    *(_hit, _panic, _hit, _new, _hit, _panic, _wrong, _forged),
    *(_hit, _panic, _hit, _new, _listed, _panic, _numbers, _long),
)


def main() -> None:
    """Soak for as many minutes as are given."""
    minutes = float(sys.argv[1]) if sys.argv[1:] else 10.0
    with tempfile.TemporaryDirectory() as name:
        asyncio.run(soak(Path(name), minutes))


if __name__ == "__main__":
    main()
