"""Let the service work under mixed load while things break, then audit what came of it.

The load: signed panics, contexts, pages, of a repository behind a server that speaks
GitHub's API. The faults: the helper is killed, GitHub slow, limited or broken, the disk
full, Redis gone, the service killed and started again. In the end each event that was
acknowledged is done, waiting, or failed with a code; memory, handles and threads of the
service are where they were. Clocks that jump are the tests' own: a process has one clock.
"""

import argparse
import asyncio
import json
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from itertools import count
from pathlib import Path
from typing import Any

import aiohttp

from scripts.endure_faults import FAULTS, Scene, children
from tests.e2e.conftest import ADD, FILES, TOTAL, TRACE
from tests.github_server import GitHubServer
from tests.gitrepo import GitRepo
from tests.redis_server import BINARY, RedisServer
from tests.serving import Caller, Served, calling, start

_REPO = "acme/shop"
_COMMITS = 20
_CALLERS = 4
_PAUSE = 0.03
"""Seconds between a caller's requests: a load, not a race."""
_BETWEEN = 4.0
"""Seconds between two faults."""
_EVERY = 2.0
_DRAINED = 120.0
"""Seconds that what was taken in has to be worked off, once nothing breaks any more."""
_GROWTH = 1.3
"""How much more the last third may take than the second one."""
_ROOM = 96 << 20
"""Bytes of the disk that gets full."""
_GONE = (aiohttp.ClientError, ConnectionError, TimeoutError)


@dataclass
class Account:
    """What is known in the end."""

    acknowledged: set[str] = field(default_factory=set)
    statuses: Counter[int] = field(default_factory=Counter)
    """Of all answers."""
    unanswered: int = 0
    faults: Counter[str] = field(default_factory=Counter)
    samples: list[dict[str, float]] = field(default_factory=list)
    """Of memory (MB), handles and threads, with the seconds since the start."""
    ends: Counter[str] = field(default_factory=Counter)
    """Of the acknowledged events: `done`, `waiting`, `failed CODE`, `lost` ..."""


class Endurance:
    """One run."""

    def __init__(self, scratch: Path, chance: random.Random) -> None:
        self.account = Account()
        self._scratch = scratch
        self._data = scratch / "disk" / "data"
        self._chance = chance
        self._numbers = count()
        self._served: Served | None = None
        self._variables: dict[str, str] = {}
        self._began = time.monotonic()

    async def run(self, seconds: float) -> None:
        """Load and break for *seconds*, then wait until all is worked off."""
        on_tmpfs = _mounted(self._scratch / "disk")
        try:
            async with self._github() as (github, shas), self._redis() as redis:
                self._variables = {
                    "TRIAGE_REPOS": "acme/*",
                    "TRIAGE_GITHUB_URL": github.url,
                    "GITHUB_TOKEN": "good-token",
                    "TRIAGE_LOG_LEVEL": "error",
                    **({"TRIAGE_REDIS_URL": redis.url} if redis else {}),
                }
                await self._start()
                scene = Scene(
                    github, redis, self._data, on_tmpfs, self._pid, self._restart
                )
                await self._endured(scene, shas, seconds)
                await self._audited()
                await self._current().end()
        finally:
            if on_tmpfs:
                await asyncio.to_thread(_unmounted, self._scratch / "disk")

    async def _endured(self, scene: Scene, shas: list[str], seconds: float) -> None:
        work = [asyncio.create_task(self._load(shas)) for _ in range(_CALLERS)]
        work.append(asyncio.create_task(self._watch()))
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            await asyncio.sleep(_BETWEEN)
            fault = self._chance.choice(FAULTS)
            self.account.faults[fault.__name__] += 1
            await fault(scene)
        for task in work:
            task.cancel()
        for outcome in await asyncio.gather(*work, return_exceptions=True):
            if isinstance(outcome, Exception):
                raise outcome

    # -- the load

    async def _load(self, shas: list[str]) -> None:
        """Ask again and again, whoever answers."""
        async with aiohttp.ClientSession() as session:
            while True:
                caller = Caller(session, self._current().port)
                try:
                    async with asyncio.timeout(30):
                        await self._ask(caller, self._chance.choice(shas))
                except _GONE:
                    self.account.unanswered += 1
                    await asyncio.sleep(0.2)
                await asyncio.sleep(_PAUSE)

    async def _ask(self, caller: Caller, sha: str) -> None:
        number = next(self._numbers)
        line, name = ((ADD, "Add"), (TOTAL, "Total"))[number % 2]
        trace = TRACE.replace(f"cart.go:{ADD}", f"cart.go:{line}")
        told = {
            "repo": _REPO,
            "commit_sha": sha,
            "trace": f"no {number}\n{trace.replace(').Add(', f').{name}(')}",
        }
        if number % 5 == 0:
            reply = await caller.post("/v1/context", told)
        elif number % 7 == 0:
            reply = await caller.get("/")
        else:
            reply = await caller.panic(told, X_Triage_Delivery=f"d{number}")
            if reply.status in {HTTPStatus.OK, HTTPStatus.ACCEPTED}:
                self.account.acknowledged.update(reply.json["events"])
        self.account.statuses[reply.status] += 1

    # -- the service

    def _current(self) -> Served:
        if self._served is None:
            raise AssertionError("the service was not started")
        return self._served

    def _pid(self) -> int:
        return self._current().process.pid

    async def _start(self) -> None:
        self._served = await start(self._data, **self._variables)

    async def _restart(self) -> None:
        await self._current().end(9)
        await self._start()

    @asynccontextmanager
    async def _github(self) -> AsyncIterator[tuple[GitHubServer, list[str]]]:
        path = self._scratch / "shop"
        path.mkdir()
        repo = GitRepo(path)
        repo.git("init", "--quiet")
        shas = [repo.commit({**FILES, "n.txt": str(n)}) for n in range(_COMMITS)]
        server = GitHubServer()
        server.hosting.add(_REPO, path)
        for budget in server.budgets.values():
            budget.left = budget.limit = 10**9
        await server.start()
        try:
            yield server, shas
        finally:
            await server.stop()

    @asynccontextmanager
    async def _redis(self) -> AsyncIterator[RedisServer | None]:
        if BINARY is None:
            yield None
            return
        directory = self._scratch / "redis"
        directory.mkdir()
        server = RedisServer(directory)
        await server.start()
        try:
            yield server
        finally:
            await server.stop()

    # -- what it takes, and what came of it

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(_EVERY)
            with suppress(OSError, ValueError):
                sample = _sample(self._pid())
                sample["at"] = round(time.monotonic() - self._began, 1)
                self.account.samples.append(sample)

    async def _audited(self) -> None:
        """Ask after every event that was acknowledged."""
        async with calling(self._current().port) as caller:
            until = time.monotonic() + _DRAINED
            while await _open(caller) and time.monotonic() < until:  # noqa: ASYNC110 - of another process
                await asyncio.sleep(0.5)
            for name in sorted(self.account.acknowledged):
                reply = await caller.get(f"/v1/events/{name}")
                told: Any = (
                    {"status": "lost"} if reply.status != HTTPStatus.OK else reply.json
                )
                code = f" {told['error']['code']}" if told.get("error") else ""
                end = told["status"]
                self.account.ends[end + code if end == "failed" else end] += 1


async def _open(caller: Caller) -> int:
    """Count what is neither done nor waiting for a time that is told."""
    found = 0
    for status in ("received", "working"):
        page = (await caller.get(f"/v1/events?status={status}&limit=1")).json
        found += len(page["events"])
    return found


def _sample(pid: int) -> dict[str, float]:
    """Measure a service: its memory and its children's, its handles and threads."""
    own = _status(pid)
    memory = own["VmRSS"] + sum(_status(child)["VmRSS"] for child in children(pid))
    handles = len(list(Path(f"/proc/{pid}/fd").iterdir()))
    return {"memory": memory / 1000, "handles": handles, "threads": own["Threads"]}


def _status(pid: int) -> dict[str, int]:
    lines = Path(f"/proc/{pid}/status").read_text("ascii", "replace").splitlines()
    pairs = (line.partition(":") for line in lines)
    wanted = {"VmRSS", "Threads"}
    return {name: int(value.split()[0]) for name, _, value in pairs if name in wanted}


def _mounted(place: Path) -> bool:
    """Mount a small disk there, where that is allowed."""
    place.mkdir()
    size = f"size={_ROOM}"
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", size, "tmpfs", place],
        check=False,
        capture_output=True,
    )
    return done.returncode == 0


def _unmounted(place: Path) -> None:
    subprocess.run(["umount", place], check=False)


def faults_of(account: Account) -> list[str]:
    """Say what is not as it has to be; nothing where all is well."""
    said = []
    lost = {end: n for end, n in account.ends.items() if not _is_fine(end)}
    if lost or not account.acknowledged:
        said.append(f"of {len(account.acknowledged)} acknowledged: {lost}")
    ours = {
        status: n
        for status, n in account.statuses.items()
        if status == HTTPStatus.INTERNAL_SERVER_ERROR
    }
    if ours:
        said.append(f"answers that say a bug of ours: {ours}")
    third = len(account.samples) // 3
    for what in ("memory", "handles", "threads"):
        values = [sample[what] for sample in account.samples]
        before, after = values[third : 2 * third], values[2 * third :]
        if before and statistics.median(after) > _GROWTH * statistics.median(before):
            said.append(f"{what} grew: {before} then {after}")
    return said


def _is_fine(end: str) -> bool:
    return end in {"done", "waiting"} or (
        end.startswith("failed ") and "internal" not in end
    )


def main() -> int:
    """Run, print the account, and tell by the exit code whether all is well."""
    parser = argparse.ArgumentParser(prog="scripts/endure", description=__doc__)
    parser.add_argument("--minutes", type=float, default=60.0, help="how long (60)")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))  # noqa: S311 - no secret hangs on it
    parser.add_argument("--json", type=Path, help="write the account to this file")
    options = parser.parse_args()
    sys.stdout.write(f"seed {options.seed}\n")
    with tempfile.TemporaryDirectory(prefix="triage-endure-") as name:
        run = Endurance(Path(name), random.Random(options.seed))  # noqa: S311 - likewise
        asyncio.run(run.run(options.minutes * 60))
    account = run.account
    told = {
        "acknowledged": len(account.acknowledged),
        "ends": account.ends,
        "answers": account.statuses,
        "unanswered": account.unanswered,
        "faults": account.faults,
        "samples": account.samples,
    }
    if options.json:
        options.json.write_text(json.dumps(told, indent=1), "utf-8")
    samples = account.samples[-1] if account.samples else {}
    sys.stdout.write(
        f"faults {dict(account.faults)}\nanswers {dict(account.statuses)},"
        f" unanswered {account.unanswered}\nacknowledged {len(account.acknowledged)}:"
        f" {dict(account.ends)}\nat the end {samples}\n"
    )
    wrong = faults_of(account)
    sys.stdout.write("\n".join(["", *wrong]) if wrong else "all is well\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
