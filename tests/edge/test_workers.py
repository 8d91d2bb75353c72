"""Workers: what is transient waits, what is final ends, and nothing is lost."""

import asyncio
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import msgspec
import pytest

from triage.core.allowed import read_allowed
from triage.core.events import Fetch, Head
from triage.core.model import (
    Crash,
    CrashPackage,
    Result,
    ShownPanic,
    Stats,
    Telemetry,
)
from triage.errors import (
    CommitMissing,
    HelperDied,
    HelperQuarantined,
    HelperUnavailable,
    RateLimited,
    SourceError,
    SourceTimeout,
    StoreBusy,
    StoreError,
    StoreUnusable,
    TooLarge,
    Unauthorized,
)
from triage.service.limits import Pace
from triage.service.workers import Workers, housekeeping
from triage.store import INBOX, Arrival, Inbox

PACE = Pace(jobs=2, most_attempts=3, oldest=1_000.0, stopping=0.0)
SHA = "c1" * 20
TRACE = """\
panic: boom

goroutine 1 [running]:
example.com/shop.Sell(...)
\t/app/sell.go:{line} +0x1d
"""


def result(telemetry, **parts):
    """Make what an engine answers."""
    whole = {
        "panic": ShownPanic("explicit", "boom", ()),
        "crash": Crash(telemetry.repo, "c1", "sell.go", "sell.go", 7, "Sell", 1, 9, ()),
        "package": CrashPackage("shop", "", "example.com/shop"),
        "symbols": (),
        "fingerprint": "f1",
        "context": "text",
        "stats": Stats(1, 1, 1, 1, 1, 0.0),
        "served_from": "git",
        "warnings": (),
    }
    return Result(**{**whole, **parts})


@dataclass
class FakeWorks:
    """An engine and logs that answer as a test says."""

    outcomes: list[Exception] = field(default_factory=list)
    """Errors to raise first, in turn."""
    asked: list[Telemetry] = field(default_factory=list)
    fetched: list[Fetch] = field(default_factory=list)
    log: bytes = b""
    gate: asyncio.Event | None = None
    allowed = read_allowed("Acme/Shop, acme/*")

    @property
    def engine(self):
        """The engine: this."""
        return self

    @property
    def logs(self):
        """The logs: this."""
        return self

    async def context(self, telemetry):
        """Explain, or fail as told."""
        self.asked.append(telemetry)
        if self.gate is not None:
            await self.gate.wait()
        if self.outcomes:
            raise self.outcomes.pop(0)
        return result(telemetry)

    async def fetch(self, fetch):
        """Give the log, or fail as told."""
        self.fetched.append(fetch)
        if self.outcomes:
            raise self.outcomes.pop(0)
        return self.log


@dataclass
class Bench:
    """One inbox with workers on it."""

    inbox: Any
    workers: Any
    works: Any
    clock: Any
    wall: list[float]
    told: list[str]
    """What became of the events, in order."""

    async def panic(self, lines=(7,), repo="acme/shop"):
        """Take in a panic with a crash at each of *lines*."""
        text = "\n".join(TRACE.format(line=line) for line in lines)
        head = Head("panic", "text/plain", query=(("repo", repo),))
        return await self.arrive(head, text.encode())

    async def job(self, number=5):
        """Take in a failed job of GitHub's."""
        body = {
            "action": "completed",
            "workflow_job": {"id": number, "head_sha": SHA, "conclusion": "failure"},
            "repository": {"full_name": "acme/shop"},
        }
        head = Head("github", "application/json", "workflow_job")
        return await self.arrive(head, msgspec.json.encode(body))

    async def arrive(self, head, body):
        """Take in a delivery."""
        arrival = Arrival(head.sender, None, msgspec.json.encode(head), body)
        (receipt,) = await self.inbox.receive([arrival])
        self.workers.wake()
        return receipt.id

    async def until(self, name, *states):
        """Wait until an event is in one of *states*."""
        while True:
            event = await self.inbox.event(name)
            if event.state in states:
                return event
            await asyncio.sleep(0)

    async def heard(self, *states):
        """Wait until it was told what became of the events, and this was it."""
        while len(self.told) < len(states):  # noqa: ASYNC110 - the inbox has threads
            await asyncio.sleep(0)
        assert self.told == list(states)

    async def asked(self, times=1):
        """Wait until the engine was asked so often, the time moved on meanwhile."""
        while len(self.works.asked) < times:  # noqa: ASYNC110 - the inbox has threads
            await asyncio.sleep(0)


@pytest.fixture
def bench(tmp_path, clock):
    """Run workers on an inbox; times are moved by the test."""

    @asynccontextmanager
    async def run(*outcomes, pace=PACE, **works_options):
        wall = [1_000_000.0]
        inbox = Inbox(tmp_path / INBOX, now=lambda: wall[0], busy_ms=1)
        inbox.open()
        told = list[str]()
        works: Any = FakeWorks(list(outcomes), **works_options)
        workers = Workers(
            inbox, works, projects=(), pace=pace, clock=clock, tell=told.append
        )
        workers.start()
        try:
            yield Bench(inbox, workers, works, clock, wall, told)
        finally:
            await workers.stop()
            await inbox.close()

    return run


async def test_a_crash_is_explained_and_counted(bench):
    """The engine is asked with the list's own name for the repository."""
    async with bench() as at:
        event = await at.until(await at.panic(repo="ACME/shop"), "done")
        incident = await at.inbox.incident("f1")
        await at.heard("done")
    assert (event.incident, event.attempts) == ("f1", 1)
    assert (incident.count, incident.repo, incident.kind) == (
        1,
        "Acme/Shop",
        "explicit",
    )
    assert at.works.asked[0].repo == "Acme/Shop"


@pytest.mark.parametrize(
    ("error", "code", "least"),
    [
        (RateLimited("wait", reset_at=1_000_500.0), "rate-limited", 500.0),
        (RateLimited("wait"), "rate-limited", 4.5),
        (SourceError("no network"), "source-failed", 4.5),
        (SourceTimeout("slow"), "timeout", 4.5),
        (HelperDied("gone"), "helper-failed", 4.5),
        (HelperUnavailable("later"), "busy", 4.5),
    ],
)
async def test_what_is_transient_is_tried_again(bench, error, code, least):
    """Not before its time, with its code shown, and then it is done."""
    async with bench(error) as at:
        name = await at.panic()
        event = await at.until(name, "waiting")
        assert event.code == code
        assert least <= event.retry_at - at.wall[0] <= least + 2
        at.wall[0] = event.retry_at
        at.workers.wake()
        event = await at.until(name, "done")
        await at.heard("waiting", "done")
    assert (event.attempts, event.code) == (2, None)


async def test_the_pauses_grow_and_the_attempts_end(bench):
    """After the last one it has failed with what kept it."""
    async with bench(*(SourceError("no network") for _ in range(3))) as at:
        name = await at.panic()
        pauses = []
        for _ in range(2):
            event = await at.until(name, "waiting")
            pauses.append(event.retry_at - at.wall[0])
            at.wall[0] = event.retry_at
            at.workers.wake()
            await at.asked(len(pauses) + 1)
        event = await at.until(name, "failed")
    assert 2 * 0.8 < pauses[1] / pauses[0] < 2 * 1.25
    assert (event.code, event.attempts) == ("source-failed", 3)


async def test_an_event_does_not_wait_for_ever(bench):
    """A limit that ends after all patience is final."""
    async with bench(RateLimited("wait", reset_at=9e9)) as at:
        event = await at.until(await at.panic(), "failed", "waiting")
    assert (event.state, event.code) == ("failed", "rate-limited")


@pytest.mark.parametrize(
    "error",
    [
        CommitMissing("none"),
        Unauthorized("no"),
        TooLarge("big"),
        HelperQuarantined("this one again"),
    ],
)
async def test_what_is_final_ends_at_once(bench, error):
    """It carries its code and its words."""
    async with bench(error) as at:
        event = await at.until(await at.panic(), "failed", "waiting")
    assert (event.state, event.code, event.message) == (
        "failed",
        error.code,
        str(error),
    )


async def test_a_bug_of_ours_ends_its_event_alone(bench, caplog):
    """It is told as ours and logged; the next event is worked on."""
    async with bench(KeyError("oops")) as at:
        event = await at.until(await at.panic(), "failed", "waiting")
        await at.until(await at.panic(), "done")
    assert (event.state, event.code) == ("failed", "internal")
    assert "oops" not in event.message
    assert "KeyError" in caplog.text


async def test_a_repository_that_is_not_listed(bench):
    """Nothing is asked about it."""
    async with bench() as at:
        event = await at.until(await at.panic(repo="other/shop"), "failed")
    assert (event.code, at.works.asked) == ("repo-not-allowed", [])


async def test_each_crash_of_a_text_is_an_event(bench):
    """Those after the first have it as their parent, and are explained too."""
    async with bench() as at:
        name = await at.panic(lines=(1, 2, 3))
        await at.until(name, "done")
        page = await at.inbox.events(None, None, 10)
        for event in page.items:
            await at.until(event.id, "done")
        incident = await at.inbox.incident("f1")
    assert [event.parent for event in page.items] == [name, name, None]
    assert incident.count == 3


async def test_more_crashes_than_can_be_of_use(bench, caplog):
    """The first hundred are taken, and the log says how many are left out."""
    async with bench(pace=Pace(jobs=1, stopping=0.0)) as at:
        gate = at.works.gate = asyncio.Event()
        await at.panic(lines=range(1, 106))
        await at.asked()
        assert sum((await at.inbox.depth()).values()) == 100
        gate.set()
    assert "5 are left out" in caplog.text


async def test_what_takes_long_holds_nothing_up(bench):
    """Events that wait for a slow host leave their places to others, within bounds."""
    pace = Pace(jobs=1, patience=1.0, most_jobs=3, poll=1_000.0, stopping=0.0)
    async with bench(pace=pace) as at:
        at.works.gate = asyncio.Event()
        names = [await at.panic(lines=(line,)) for line in range(1, 6)]
        for times in (1, 2, 3):
            await at.asked(times)
            assert len(at.works.asked) == times
            await at.clock.expire(pace.patience)
        assert (await at.inbox.depth())["received"] == 2
        at.works.gate.set()
        for name in names:
            await at.until(name, "done")


async def test_a_log_is_fetched_and_searched(bench):
    """Its crashes are events like others; what was fetched is not fetched again."""
    log = "\n".join(TRACE.format(line=line) for line in (1, 2)).encode()
    async with bench(log=log) as at:
        name = await at.job()
        await at.until(name, "done")
        page = await at.inbox.events(None, None, 10)
        for event in page.items:
            await at.until(event.id, "done")
    assert [event.parent for event in page.items] == [name, None]
    assert at.works.fetched == [
        Fetch("github-job-log", "acme/shop", job=5, commit_sha=SHA)
    ]
    assert {told.commit_sha for told in at.works.asked} == {SHA}


async def test_a_log_that_cannot_be_had_now(bench):
    """It is fetched later."""
    async with bench(
        SourceError("no network"), log=TRACE.format(line=1).encode()
    ) as at:
        name = await at.job()
        event = await at.until(name, "waiting")
        at.wall[0] = event.retry_at
        at.workers.wake()
        await at.until(name, "done")
    assert len(at.works.fetched) == 2


async def test_a_log_without_a_crash(bench):
    """A job may fail without one."""
    async with bench(log=b"all is well\n") as at:
        event = await at.until(await at.job(), "failed")
    assert event.code == "no-panic"


async def test_a_body_that_tells_of_nothing(bench):
    """An event that is of no use is done, in no incident."""
    async with bench() as at:
        head = Head("github", "application/json", "ping")
        event = await at.until(await at.arrive(head, b"{}"), "done")
    assert (event.incident, event.code) == (None, None)


async def test_what_takes_too_long(bench):
    """It waits like what a source did not answer in time."""
    async with bench(pace=Pace(job_seconds=0.01, stopping=0.0)) as at:
        at.works.gate = asyncio.Event()
        event = await at.until(await at.panic(), "waiting")
    assert event.code == "timeout"


async def test_no_more_at_once_than_there_may_be(bench):
    """Others stay in the inbox until one is done."""
    async with bench() as at:
        gate = at.works.gate = asyncio.Event()
        names = [await at.panic(lines=(n,)) for n in range(1, 6)]
        await at.asked(PACE.jobs)
        assert (await at.inbox.depth())["working"] == PACE.jobs
        gate.set()
        for name in names:
            await at.until(name, "done")
    assert len(at.works.asked) == 5


async def test_others_events_are_looked_for(bench):
    """What another process took in is found by the next look."""
    async with bench() as at:
        await at.clock.until_set(PACE.poll)
        at.workers.wake = lambda: None
        name = await at.panic()
        await at.clock.expire(PACE.poll)
        await at.until(name, "done")


async def test_the_end_gives_back_what_is_not_done(bench):
    """What runs out of time is as if it had never been taken."""
    async with bench() as at:
        at.works.gate = asyncio.Event()
        name = await at.panic()
        await at.asked()
        await at.workers.stop()
        event = await at.inbox.event(name)
    assert (event.state, event.attempts) == ("received", 0)


async def test_the_end_lets_finish_what_can(bench):
    """What is done in time is done."""
    async with bench(pace=Pace(jobs=1, stopping=20.0)) as at:
        gate = at.works.gate = asyncio.Event()
        name = await at.panic()
        await at.asked()
        stopped = asyncio.ensure_future(at.workers.stop())
        await asyncio.sleep(0)
        gate.set()
        await stopped
        assert (await at.inbox.event(name)).state == "done"


async def test_a_disk_that_takes_nothing(bench, monkeypatch, caplog):
    """What came of an event is written once there is room; it is not done again."""
    async with bench() as at:
        finish = at.inbox.finish
        refusals = [StoreBusy("full"), StoreBusy("full")]

        async def refusing(*arguments):
            if refusals:
                raise refusals.pop()
            return await finish(*arguments)

        monkeypatch.setattr(at.inbox, "finish", refusing)
        name = await at.panic()
        while refusals:
            if PACE.poll in at.clock.running:
                await at.clock.expire(PACE.poll)
            await asyncio.sleep(0)
        while (await at.inbox.event(name)).state != "done":
            if PACE.poll in at.clock.running:
                await at.clock.expire(PACE.poll)
            await asyncio.sleep(0)
    assert len(at.works.asked) == 1
    assert "cannot be written: full" in caplog.text


async def test_a_disk_that_lets_nothing_be_taken(bench, monkeypatch, caplog):
    """Taking is tried again; at the end what cannot be given back is told."""
    async with bench() as at:
        claim, put_back = at.inbox.claim, at.inbox.put_back
        at.works.gate = asyncio.Event()
        refusals = [StoreBusy("full")]

        async def refusing(limit):
            if refusals:
                raise refusals.pop()
            return await claim(limit)

        async def refused(_):
            raise StoreBusy("full")

        monkeypatch.setattr(at.inbox, "claim", refusing)
        monkeypatch.setattr(at.inbox, "put_back", refused)
        await at.panic()
        while not at.works.asked:
            if PACE.poll in at.clock.running:
                await at.clock.expire(PACE.poll)
            await asyncio.sleep(0)
        await at.workers.stop()
        monkeypatch.setattr(at.inbox, "put_back", put_back)
    assert "no event can be taken: full" in caplog.text
    assert "put back at the next start: full" in caplog.text


async def test_an_inbox_that_is_not_in_order(bench, monkeypatch, caplog):
    """It is told; an event that cannot be ended is left to the next start."""
    async with bench() as at:
        finish = at.inbox.finish

        async def broken(*_):
            raise StoreUnusable("damaged")

        monkeypatch.setattr(at.inbox, "finish", broken)
        await at.panic()
        while "is left" not in caplog.text:  # noqa: ASYNC110 - the inbox has threads
            await asyncio.sleep(0)
        assert (await at.inbox.depth())["working"] == 1
        monkeypatch.setattr(at.inbox, "finish", finish)
        await at.until(await at.panic(), "done")


async def test_old_bodies_are_dropped_now_and_then(clock, caplog):
    """By the days that they are kept; trouble is told and not the end of it."""
    dropped = []

    class Old:
        async def prune(self, seconds):
            dropped.append(seconds)
            if len(dropped) == 1:
                raise StoreError("odd")
            return 0

    old: Any = Old()
    task = asyncio.create_task(housekeeping(old, days=2, every=600.0, clock=clock))
    await clock.expire(600.0)
    await clock.until_set(600.0)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert dropped == [172_800, 172_800]
    assert "cannot be dropped: odd" in caplog.text
