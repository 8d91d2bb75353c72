"""The inbox: what is acknowledged is on disk, and counted once."""

import asyncio
import resource
import sqlite3
import threading
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace

import apsw
import pytest

from triage.errors import BadInput, StoreBusy, StoreError, StoreUnusable
from triage.store import INBOX, Arrival, Filter, Inbox, Sighting
from triage.store.writer import translated

HOUR = 3_600.0


class Wall:
    """A clock on the wall that a test moves."""

    def __init__(self) -> None:
        self.now = 1_800_000_000.0

    def __call__(self) -> float:
        """Return the seconds since the epoch."""
        return self.now


@pytest.fixture
def wall():
    """Time since the epoch, moved by hand."""
    return Wall()


@pytest.fixture
def opened(tmp_path, wall):
    """Open the inbox of a directory; closed after the block."""

    @asynccontextmanager
    async def open_inbox(directory=tmp_path, **options):
        inbox = Inbox(directory / INBOX, now=wall, **options)
        inbox.open()
        try:
            yield inbox
        finally:
            await inbox.close()

    return open_inbox


def arrival(number=0, *, delivery=None, body=b"text"):
    """Make a delivery of our own sender."""
    return Arrival("panic", delivery, b'{"number":%d}' % number, body)


def sighting(name="a", *, at=5.0, commit="c1", message="boom", context=b"{}"):
    """Make a crash of the incident *name*."""
    return Sighting(
        fingerprint=name,
        repo="acme/shop",
        kind="nil-deref",
        function="F",
        message=message,
        commit=commit,
        seen_at=at,
        context=context,
        digest=context,
    )


async def test_a_clock_that_was_ahead(opened, wall):
    """What waits for a moment years away is due once the clock has been put right."""
    async with opened() as inbox:
        await inbox.receive([arrival(1)])
        (job,) = await inbox.claim(1)
        wall.now += 365 * 24 * HOUR
        await inbox.wait(job, wall.now + 5, "timeout", "later")
        assert await inbox.claim(1) == []
        wall.now -= 365 * 24 * HOUR
        assert [job.attempt for job in await inbox.claim(1)] == [2]


async def test_a_delivery_that_is_known_for_a_while(opened, wall):
    """Within its window it is the same; after that it is another event."""
    repeated = replace(arrival(delivery="d"), window=HOUR)
    async with opened() as inbox:
        (first,) = await inbox.receive([repeated])
        wall.now += HOUR
        (again,) = await inbox.receive([repeated])
        wall.now += 1
        (later,) = await inbox.receive([repeated])
        (at_last,) = await inbox.receive([repeated])
        wall.now -= 2 * HOUR  # the clock was put right
        (back,) = await inbox.receive([repeated])
    assert (first.id, first.new, again.new) == (again.id, True, False)
    assert (later.new, later.id == first.id) == (True, False)
    assert (at_last.id, back.id) == (later.id, later.id)


async def test_a_delivery_becomes_one_event(opened):
    """The same delivery again gives the same id; one without an id never does."""
    async with opened() as inbox:
        (first,) = await inbox.receive([arrival(delivery="d")])
        (again,) = await inbox.receive([arrival(delivery="d")])
        one, two = await inbox.receive([arrival(), arrival()])
    assert (first.new, again.new, again.id) == (True, False, first.id)
    assert one.new
    assert two.new
    assert len({first.id, one.id, two.id}) == 3


async def test_what_is_acknowledged_outlives_the_process(opened):
    """Another process finds the event with head and body as they were."""
    async with opened() as inbox:
        (receipt,) = await inbox.receive([arrival(7, body=b"\0raw")])
    async with opened() as inbox:
        (job,) = await inbox.claim(10)
    assert (job.id, job.head, job.body) == (receipt.id, b'{"number":7}', b"\0raw")


async def test_what_waits_together_shares_one_commit(opened):
    """Writes that come while the disk is busy are on disk after one more commit."""
    async with opened() as inbox:
        busy, go = threading.Event(), threading.Event()

        def hold(_):
            busy.set()
            go.wait()

        await inbox.depth()  # the count of what is open is fresh from here on
        await inbox.receive([arrival()])
        before = inbox._writer.commits
        held = asyncio.ensure_future(inbox._writer.do(hold))
        await asyncio.to_thread(busy.wait)
        waiting = asyncio.gather(*(inbox.receive([arrival(n)]) for n in range(50)))
        await asyncio.sleep(0)
        go.set()
        await held
        await waiting
        assert inbox._writer.commits == before + 2
        assert (await inbox.depth())["received"] == 51


async def test_the_file_is_written_through(opened):
    """Each commit waits for the disk: the log is synchronised in full."""
    async with opened() as inbox:
        mode = await inbox._writer.do(lambda db: db.pragma("synchronous"))
        journal = await inbox._writer.do(lambda db: db.pragma("journal_mode"))
    assert (mode, journal) == (2, "wal")


async def test_an_event_is_counted_once(opened):
    """Ending it a second time, or for an attempt that is over, changes nothing."""
    async with opened() as inbox:
        await inbox.receive([arrival()])
        (job,) = await inbox.claim(1)
        await inbox.recover(most_attempts=12)
        (again,) = await inbox.claim(1)
        assert [await inbox.finish(job, sighting())] == [False]
        assert await inbox.finish(again, sighting())
        assert not await inbox.finish(again, sighting())
        assert not await inbox.fail(again, "internal", "late")
        assert not await inbox.wait(again, 0.0, "timeout", "late")
        assert not await inbox.split(again, [b"late"])
        incident = await inbox.incident("a")
        event = await inbox.event(again.id)
    assert (incident.count, incident.events) == (1, (again.id,))
    assert (event.state, event.incident, event.attempts) == ("done", "a", 2)


async def test_an_incident_gathers_its_crashes(opened):
    """First and last moment, the latest message, commits, events, contexts once each."""
    crashes = [
        sighting(at=20.0, commit="c2", message="last", context=b'{"n":2}'),
        sighting(at=10.0, commit="c1", message="first", context=b'{"n":1}'),
        sighting(at=15.0, commit=None, message="between", context=b'{"n":1}'),
    ]
    async with opened() as inbox:
        await inbox.receive([arrival(n) for n in range(3)])
        jobs = await inbox.claim(3)
        for job, crash in zip(jobs, crashes, strict=True):
            await inbox.finish(job, crash)
        incident = await inbox.incident("a")
        event = await inbox.event(jobs[2].id)
        assert await inbox.incident("b") is None
    assert (incident.count, incident.first_seen, incident.last_seen) == (3, 10.0, 20.0)
    assert (incident.message, incident.commits) == ("last", ("c2", "c1"))
    assert incident.events == tuple(job.id for job in reversed(jobs))
    assert incident.contexts == (b'{"n":1}', b'{"n":2}')
    assert event.context == b'{"n":1}'


async def test_events_that_wait_come_back_in_time(opened, wall):
    """Not before their moment, then before new ones, with what kept them shown."""
    async with opened() as inbox:
        await inbox.receive([arrival(1)])
        (job,) = await inbox.claim(5)
        await inbox.wait(job, wall.now + HOUR, "rate-limited", "later")
        event = await inbox.event(job.id)
        assert (event.state, event.code, event.retry_at) == (
            "waiting",
            "rate-limited",
            wall.now + HOUR,
        )
        assert await inbox.claim(5) == []
        await inbox.receive([arrival(2)])
        wall.now += HOUR
        first, second = await inbox.claim(5)
    assert (first.id, first.attempt, second.attempt) == (job.id, 2, 1)


async def test_each_further_crash_becomes_an_event(opened):
    """The first is the event's own; a fetched text's crashes come after the body's."""
    async with opened() as inbox:
        await inbox.receive([arrival()])
        (job,) = await inbox.claim(1)
        assert await inbox.split(job, [b"r0", b"r1", b"r2"])
        children = await inbox.claim(5)
        assert [child.report for child in children] == [b"r1", b"r2"]
        assert {child.body for child in children} == {b""}
        assert await inbox.split(job, [b"r3", b"r4"])
        (fourth,) = await inbox.claim(5)
        assert fourth.report == b"r4"
        parents = [(await inbox.event(c.id)).parent for c in (*children, fourth)]
        assert parents == [job.id] * 3
        await inbox.recover(12)
        again = await inbox.claim(1)
    assert (again[0].id, again[0].report, again[0].body) == (job.id, b"r3", b"")


async def test_what_kills_its_process_is_given_up(opened):
    """An event that was being worked on at so many ends is not tried again."""
    async with opened() as inbox:
        await inbox.receive([arrival()])
        (job,) = await inbox.claim(1)
        assert await inbox.recover(most_attempts=2) == 1
        (job,) = await inbox.claim(1)
        assert await inbox.recover(most_attempts=2) == 0
        event = await inbox.event(job.id)
    assert (event.state, event.code) == ("failed", "internal")


async def test_only_the_dead_processs_events_are_put_back(opened):
    """What another process works on stays its own."""
    async with opened() as inbox:
        await inbox.receive([arrival()])
        await inbox.claim(1)
        assert await inbox.recover(12, owner=1) == 0
        assert (await inbox.depth())["working"] == 1


async def test_giving_back_is_no_attempt(opened):
    """What was taken and not worked on is as it was."""
    async with opened() as inbox:
        await inbox.receive([arrival()])
        await inbox.put_back(await inbox.claim(1))
        (job,) = await inbox.claim(1)
    assert job.attempt == 1


async def test_failed_events_can_be_tried_again(opened, wall):
    """By name or all of them, as if they had just come."""
    async with opened() as inbox:
        await inbox.receive([arrival(n) for n in range(3)])
        jobs = await inbox.claim(3)
        for job in jobs:
            await inbox.fail(job, "no-panic", "nothing there" * 1_000)
        job = jobs[0]
        event = await inbox.event(job.id)
        assert (event.state, event.code) == ("failed", "no-panic")
        assert len(event.message) == 2_000
        wall.now += HOUR
        assert await inbox.retry([job.id, "unknown"]) == 1
        assert await inbox.retry() == 2
        assert await inbox.retry() == 0
        event = await inbox.event(job.id)
        assert (event.state, event.received_at, event.code) == (
            "received",
            wall.now,
            None,
        )


async def test_raw_bodies_go_after_a_while(opened, wall):
    """Of what has ended alone; an event that led to nothing goes with it."""
    async with opened() as inbox:
        await inbox.receive([arrival(1), arrival(2)])
        (job,) = await inbox.claim(1)
        await inbox.fail(job, "no-panic", "nothing")
        assert await inbox.prune(HOUR) == 0
        wall.now += 2 * HOUR
        assert await inbox.prune(HOUR) == 1
        assert await inbox.retry() == 0
        assert await inbox.event(job.id) is None
        (other,) = await inbox.claim(5)
    assert other.body == b"text"


async def test_an_incident_does_not_grow_for_ever(opened, wall, tmp_path):
    """It keeps its count, its newest events and commits, and the newest contexts."""
    async with opened() as inbox:
        await inbox.receive([arrival(n, delivery=f"d{n}") for n in range(250)])
        jobs = await inbox.claim(250)
        for number, job in enumerate(jobs):
            context = b'{"n":%d}' % (number // 5)
            seen = sighting("ab"[number < 10], commit=f"c{number}", context=context)
            await inbox.finish(job, seen)
        wall.now += 2 * HOUR
        (late,) = await inbox.receive([arrival(delivery="late")])
        (job,) = await inbox.claim(1)
        await inbox.finish(job, sighting("a", commit="c", context=b'{"n":0}'))
        assert await inbox.prune(HOUR, at_once=100) == 250
        assert await inbox.prune(HOUR) == 0
        one, two = await inbox.incident("a"), await inbox.incident("b")
        oldest = await inbox.event(jobs[10].id)
        emptied = await inbox.event(jobs[160].id)
        last = await inbox.event(jobs[-1].id)
        (known,) = await inbox.receive([arrival(delivery="late")])
    assert not known.new
    assert (one.count, two.count) == (241, 10)
    assert (len(one.events), one.events[0]) == (100, late.id)
    assert (len(one.commits), len(one.contexts), len(two.contexts)) == (100, 10, 2)
    assert oldest is None
    assert (emptied.state, emptied.context) == ("done", None)
    assert (last.state, last.context) == ("done", b'{"n":49}')
    db = sqlite3.connect(tmp_path / INBOX)
    counts = "(SELECT count(*) FROM {})"
    names = ("events", "contexts", "commits", "bodies")
    held = db.execute(f"SELECT {', '.join(map(counts.format, names))}").fetchone()
    db.close()
    assert held == (110, 11, 110, 1)  # one context is both incidents'


async def test_a_file_of_an_older_version(opened, tmp_path, wall):
    """It is brought up to this one's, with all that it holds."""
    async with opened() as inbox:
        (receipt,) = await inbox.receive([arrival()])
        (job,) = await inbox.claim(1)
        await inbox.finish(job, sighting())
    db = sqlite3.connect(tmp_path / INBOX)
    for index in ("to_prune", "pruned", "by_context"):
        db.execute(f"DROP INDEX events_{index}")
    db.execute("ALTER TABLE events DROP COLUMN pruned")
    db.execute("DROP TABLE outbox")
    db.execute("CREATE INDEX events_by_end ON events (finished_at)")
    db.execute("PRAGMA user_version = 1")
    db.commit()
    db.close()
    async with opened() as inbox:
        wall.now += 2 * HOUR
        assert await inbox.prune(HOUR) == 1
        assert (await inbox.event(receipt.id)).context == b"{}"
    async with opened() as inbox:
        assert (await inbox.incident("a")).count == 1


async def test_lists_come_in_pages(opened):
    """The newest first, by state, each once, until there are no more."""
    async with opened() as inbox:
        receipts = await inbox.receive([arrival(n) for n in range(5)])
        (job,) = await inbox.claim(1)
        await inbox.finish(job, None)
        seen, cursor = [], None
        while True:
            page = await inbox.events("received", cursor, 3)
            seen += [event.id for event in page.items]
            cursor = page.next
            if cursor is None:
                break
        everything = await inbox.events(None, None, 10)
    assert seen == [receipt.id for receipt in reversed(receipts[1:])]
    assert len(everything.items) == 5


async def test_incidents_are_found_by_what_they_are(opened):
    """By repository whatever its case, kind, function and time; in pages."""
    async with opened() as inbox:
        await inbox.receive([arrival(n) for n in range(3)])
        for number, job in enumerate(await inbox.claim(3)):
            await inbox.finish(job, sighting(f"i{number}", at=10.0 * number))

        async def found(**wanted):
            page = await inbox.incidents(Filter(**wanted), None, 10)
            return [one.id for one in page.items]

        assert await found() == ["i2", "i1", "i0"]
        assert await found(repo="ACME/shop", kind="nil-deref", function="F") == [
            "i2",
            "i1",
            "i0",
        ]
        assert await found(repo="acme/other") == []
        assert await found(since=10.0) == ["i2", "i1"]
        assert await found(until=10.0) == ["i1", "i0"]
        first = await inbox.incidents(Filter(), None, 2)
        rest = await inbox.incidents(Filter(), first.next, 2)
    assert [one.id for one in rest.items] == ["i0"]
    assert rest.next is None


@pytest.mark.parametrize("cursor", ["x", "-1", "1 ", "\u0663", "9" * 19])
async def test_cursors_that_nobody_gave(opened, cursor):
    """What is no cursor of ours is refused, not guessed at."""
    async with opened() as inbox:
        with pytest.raises(BadInput, match="cursor"):
            await inbox.events(None, cursor, 5)
        with pytest.raises(BadInput, match="cursor"):
            await inbox.incidents(Filter(), cursor, 5)


async def test_a_full_inbox_refuses(opened, monkeypatch):
    """Over its bound nothing is taken; once something is done there is room again."""
    async with opened(limit=2) as inbox:
        await inbox.receive([arrival(), arrival()])
        with pytest.raises(StoreBusy, match="full"):
            await inbox.receive([arrival()])
        (job, _) = await inbox.claim(2)
        await inbox.finish(job, None)
        monkeypatch.setattr(inbox, "_counted_at", float("-inf"))
        assert len(await inbox.receive([arrival()])) == 1


async def test_too_much_for_the_disk_to_follow(opened):
    """Bodies that would wait in memory beyond its bound are refused at once."""
    async with opened() as inbox:
        with pytest.raises(StoreBusy, match="disk"):
            await inbox.receive([arrival(body=bytes(65 << 20))])


@contextmanager
def no_room(size):
    """Let files of this process grow to *size* bytes, no further."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


async def test_a_full_disk(opened):
    """All of a delivery or nothing is kept, it is told, and later all is well."""
    async with opened() as inbox:
        await inbox.receive([arrival(1)])
        with no_room(300_000), pytest.raises(StoreBusy, match="takes no more"):
            await inbox.receive([arrival(2), arrival(3, body=bytes(1 << 20))])
        with no_room(0), pytest.raises(StoreBusy, match="takes no more"):
            await inbox.check()
        await inbox.check()
        assert (await inbox.depth())["received"] == 1
        await inbox.receive([arrival(4, body=bytes(1 << 20))])
        assert await inbox._writer.do(lambda db: db.pragma("quick_check")) == "ok"
    async with opened() as inbox:
        heads = [job.head for job in await inbox.claim(9)]
    assert heads == [b'{"number":1}', b'{"number":4}']


@pytest.mark.parametrize("replaced", [False, True])
async def test_a_file_that_is_taken_away(opened, tmp_path, replaced):
    """Nothing is acknowledged that only the running process would know."""
    path = tmp_path / INBOX
    async with opened() as inbox:
        await inbox.receive([arrival()])
        path.rename(tmp_path / "elsewhere")
        if replaced:
            path.touch()
        for work in (inbox.receive([arrival()]), inbox.check()):
            with pytest.raises(StoreUnusable, match="moved or deleted"):
                await work
        (tmp_path / "elsewhere").rename(path)
        assert len(await inbox.receive([arrival()])) == 1


async def test_a_file_that_cannot_be_written(opened, unprivileged):
    """It is told with its name, when it is opened or when it is written."""
    async with opened(unprivileged):
        pass
    (unprivileged / INBOX).chmod(0o400)
    with pytest.raises(StoreUnusable, match="cannot be opened or written"):
        async with opened(unprivileged) as inbox:
            await inbox.receive([arrival()])


async def test_a_file_that_another_holds(opened, tmp_path):
    """A lock is told as busy, and once it is given back all goes on."""
    async with opened(busy_ms=10) as inbox:
        other = apsw.Connection(str(tmp_path / INBOX))
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreBusy, match="another program"):
            await inbox.receive([arrival()])
        other.execute("ROLLBACK")
        other.close()
        assert len(await inbox.receive([arrival()])) == 1


async def test_two_processes_share_the_file(opened):
    """What one takes in another can work on, and no event is taken twice."""
    async with opened() as one, opened() as two:
        await one.receive([arrival(n) for n in range(20)])
        jobs = await asyncio.gather(*(box.claim(15) for box in (one, two)))
        assert sorted(len(taken) for taken in jobs) == [5, 15]


async def test_a_write_of_its_own_fault_fails_alone(opened):
    """What waited together with it is written all the same."""
    async with opened() as inbox:

        def refuse(_):
            raise BadInput("no")

        wrong = asyncio.ensure_future(inbox._writer.do(refuse))
        right = asyncio.ensure_future(inbox.receive([arrival()]))
        with pytest.raises(BadInput):
            await wrong
        assert len(await right) == 1


async def test_nothing_is_taken_after_the_end(opened):
    """A closed inbox says that it is busy; one that nobody opened does too."""
    async with opened() as inbox:
        await inbox.receive([arrival()])
    with pytest.raises(StoreBusy):
        await inbox._writer.do(lambda _: None)
    await inbox.close()


async def test_whoever_gave_up_waiting_is_left_alone(opened):
    """A cancelled write may be done; its result is nobody's."""
    async with opened() as inbox:
        gone = asyncio.ensure_future(inbox._writer.do(lambda _: 1))
        await asyncio.sleep(0)
        gone.cancel()
        assert await inbox._writer.do(lambda _: 2) == 2


def _foreign(path):
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE notes (text)")
    db.commit()
    db.close()


def _version(path, number):
    db = sqlite3.connect(path)
    db.execute("PRAGMA application_id = 1414678850")
    db.execute(f"PRAGMA user_version = {number}")
    db.commit()
    db.close()


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda path: path.write_bytes(b"noise" * 1_000), "damaged"),
        (_foreign, "another program"),
        (lambda path: _version(path, 99), "version 99"),
        (lambda path: path.mkdir(), "cannot be opened"),
    ],
)
async def test_files_that_cannot_be_used(opened, tmp_path, make, said):
    """They are an error that says what to do, and stay as they are."""
    path = tmp_path / INBOX
    make(path)
    before = path.read_bytes() if path.is_file() else None
    with pytest.raises(StoreUnusable, match=said) as caught:
        async with opened():
            pass
    assert "--data-dir" in str(caught.value)
    assert (path.read_bytes() if path.is_file() else None) == before


async def test_a_file_damaged_while_it_is_used(opened, tmp_path):
    """Reading it is told as an error of ours, with the file named."""
    async with opened() as inbox:
        await inbox.receive([arrival(n, body=bytes(5_000)) for n in range(200)])
    whole = bytearray((tmp_path / INBOX).read_bytes())
    whole[4096:] = b"\xff" * (len(whole) - 4096)
    (tmp_path / INBOX).write_bytes(whole)
    async with opened() as inbox:
        with pytest.raises(StoreUnusable, match="damaged"):
            await inbox.events(None, None, 50)
        with pytest.raises(StoreUnusable, match="damaged"):
            await inbox.claim(5)


async def test_only_its_owner_may_read_the_file(opened, tmp_path):
    """Bodies and sources of others are in it."""
    async with opened(tmp_path / "new"):
        assert (tmp_path / "new" / INBOX).stat().st_mode & 0o777 == 0o600
        assert (tmp_path / "new").stat().st_mode & 0o777 == 0o700


def test_errors_that_have_no_name_of_their_own(tmp_path):
    """What SQLite says else is an error of the inbox."""
    error = translated(apsw.SQLError("no such table"), tmp_path)
    assert (type(error), error.code) == (StoreError, "internal")
