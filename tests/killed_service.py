"""Kill the service under load, again and again; see that nothing acknowledged is lost.

`python -m tests.killed_service [ROUNDS] [SEED]` does twenty rounds; the tests do a few.
Each round loads `triage serve`, kills it at a random moment and starts it again on the
same directory. In the end every acknowledged event is done, and counted exactly once.
"""

import asyncio
import random
import signal
import sys
import tempfile
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

import aiohttp

from tests.e2e.conftest import ADD, FILES, TOTAL, TRACE
from tests.gitrepo import GitRepo
from tests.serving import Caller, Served, calling, start

_REPO = "acme/shop"
_CALLERS = 8
_ROUNDS = 20


@dataclass
class Tally:
    """What the rounds have come to."""

    acknowledged: set[str] = field(default_factory=set)
    events: int = 0
    counted: int = 0
    """In all incidents together."""
    states: dict[str, str] = field(default_factory=dict)
    """Of the acknowledged events, by id."""


async def rounds(directory: Path, times: int, chance: random.Random) -> Tally:
    """Load, kill and restart *times* times; then let all be done, and count."""
    repo = GitRepo(directory / "shop")
    repo.path.mkdir()
    repo.git("init", "--quiet")
    sha = repo.commit(FILES)
    tally, numbers = Tally(), count()
    for _ in range(times):
        served = await _started(directory)
        loads = [
            asyncio.create_task(_load(served.port, sha, numbers, tally))
            for _ in range(_CALLERS)
        ]
        await asyncio.sleep(chance.uniform(0.05, 0.6))
        await served.end(signal.SIGKILL)
        await asyncio.gather(*loads)
    served = await _started(directory)
    try:
        async with calling(served.port) as caller:
            await _count(caller, tally)
    finally:
        await served.end()
    return tally


async def _started(directory: Path) -> Served:
    return await start(directory / "data", TRIAGE_REPOS=f"{_REPO}={directory / 'shop'}")


async def _load(port: int, sha: str, numbers: "count[int]", tally: Tally) -> None:
    """Deliver panics of two functions until nobody answers any more."""
    async with calling(port) as caller:
        while True:
            number = next(numbers)
            line, name = ((ADD, "Add"), (TOTAL, "Total"))[number % 2]
            trace = TRACE.replace(f"cart.go:{ADD}", f"cart.go:{line}")
            told = {
                "repo": _REPO,
                "commit_sha": sha,
                "trace": f"no {number}\n{trace.replace(').Add(', f').{name}(')}",
            }
            try:
                reply = await caller.panic(told, X_Triage_Delivery=f"d{number}")
            except (aiohttp.ClientError, ConnectionError):
                return
            assert reply.status == 202, reply
            tally.acknowledged.update(reply.json["events"])


async def _count(caller: Caller, tally: Tally) -> None:
    """Wait until nothing is to be done any more, then count everything."""
    cursor: str | None = ""
    states = dict[str, str]()
    while await _is_busy(caller):  # noqa: ASYNC110 - another process is
        await asyncio.sleep(0.05)
    while cursor is not None:
        page = (await caller.get(f"/v1/events?limit=200{cursor}")).json
        states |= {event["id"]: event["status"] for event in page["events"]}
        cursor = page["next"] and f"&cursor={page['next']}"
    incidents = (await caller.get("/v1/incidents")).json["incidents"]
    tally.events = len(states)
    tally.counted = sum(incident["count"] for incident in incidents)
    tally.states = {name: states.get(name, "lost") for name in tally.acknowledged}


async def _is_busy(caller: Caller) -> bool:
    for status in ("received", "working"):
        page = await caller.get(f"/v1/events?status={status}&limit=1")
        if page.json["events"]:
            return True
    return False


def check(tally: Tally) -> None:
    """Raise where something was lost, or counted other than once."""
    assert tally.acknowledged, "nothing was acknowledged"
    assert set(tally.states.values()) == {"done"}
    assert tally.counted == tally.events >= len(tally.acknowledged)


def main() -> None:
    """Do the rounds and say what came of them."""
    times = int(sys.argv[1]) if sys.argv[1:] else _ROUNDS
    seed = sys.argv[2] if sys.argv[2:] else random.SystemRandom().randrange(1 << 32)
    sys.stdout.write(f"seed {seed}\n")
    with tempfile.TemporaryDirectory() as name:
        tally = asyncio.run(rounds(Path(name), times, random.Random(seed)))  # noqa: S311 - no secret hangs on it
    check(tally)
    sys.stdout.write(
        f"{times} rounds: {len(tally.acknowledged)} acknowledged, {tally.events} events,"
        " all done, each counted once\n"
    )


if __name__ == "__main__":
    main()
