"""What is still to be told: noted with the crash, told at least once."""

import asyncio
from contextlib import asynccontextmanager

import pytest

from tests.core.answers import RESULT
from tests.edge.test_store import Wall, arrival, sighting
from triage.config import Settings
from triage.core.allowed import read_allowed
from triage.core.notices import Notice
from triage.errors import BadInput, ConfigError, RateLimited, SourceError
from triage.service.courier import Courier, sinks
from triage.service.limits import Pace
from triage.store import INBOX, Inbox
from triage.store.outbox import LEASE


@pytest.fixture
def wall():
    """Time since the epoch, moved by hand."""
    return Wall()


@pytest.fixture
def opened(tmp_path, wall):
    """Open an inbox that notes what is to be told to a sink."""

    @asynccontextmanager
    async def open_inbox(*names: str):
        inbox = Inbox(tmp_path / INBOX, now=wall, sinks=names or ("webhook",))
        inbox.open()
        try:
            yield inbox
        finally:
            await inbox.close()

    return open_inbox


async def crash(inbox: Inbox, name: str = "a", *, commit: str = "c1") -> None:
    """Let one crash be counted."""
    await inbox.receive([arrival()])
    (job,) = await inbox.claim(1)
    context = RESULT.to_json()
    assert await inbox.finish(job, sighting(name, commit=commit, context=context))


async def test_what_is_news(opened):
    """A new incident, a new commit, the tenth crash; not each crash."""
    async with opened() as inbox:
        versions = []
        for number in range(1, 11):
            await crash(inbox, commit="c2" if number >= 5 else "c1")
            for parcel in await inbox.take(9):
                versions.append((number, parcel.version))
                await inbox.told(parcel, None)
        assert versions == [(1, 1), (5, 2), (10, 3)]


async def test_a_storm_is_one_message(opened):
    """What is told is the state, not each step to it."""
    async with opened() as inbox:
        for commit in "abcdef":
            await crash(inbox, commit=commit)
        (parcel,) = await inbox.take(9)
        assert parcel.version == 6
        await inbox.told(parcel, "7")
        assert await inbox.take(9) == []
        await crash(inbox, commit="g")
        (parcel,) = await inbox.take(9)
        assert (parcel.version, parcel.reference) == (7, "7")


async def test_news_while_it_is_told(opened):
    """It is told after that."""
    async with opened() as inbox:
        await crash(inbox)
        (first,) = await inbox.take(9)
        await crash(inbox, commit="c2")
        assert await inbox.take(9) == []
        await inbox.told(first, None)
        (second,) = await inbox.take(9)
        assert (first.version, second.version) == (1, 2)


async def test_a_process_that_ended_while_it_told(opened, wall):
    """The same version is taken again: at once after a start, else after the lease."""
    async with opened() as inbox:
        await crash(inbox)
        (parcel,) = await inbox.take(9)
    async with opened() as inbox:
        assert await inbox.take(9) == []
        wall.now += LEASE
        (again,) = await inbox.take(9)
        assert again.version == parcel.version
        await inbox.recover(12)
        (again,) = await inbox.take(9)
        assert again.version == parcel.version


async def test_nobody_to_tell(tmp_path, wall):
    """Without sinks nothing is noted."""
    inbox = Inbox(tmp_path / INBOX, now=wall)
    inbox.open()
    await crash(inbox)
    assert await inbox.take(9) == []
    await inbox.close()


class Place:
    """A sink that does as it was told, and remembers."""

    def __init__(self, name: str, *answers: object) -> None:
        self.name = name
        self.answers = list(answers)
        self.told: list[Notice] = []
        self.closed = False

    async def tell(self, notice: Notice) -> str | None:
        """Take a notice, or fail."""
        self.told.append(notice)
        answer = self.answers.pop(0) if self.answers else "ref"
        if isinstance(answer, BaseException):
            raise answer
        return str(answer)

    async def close(self) -> None:
        """Note that it was closed."""
        self.closed = True


@asynccontextmanager
async def carried(
    inbox: Inbox, *places: Place, issues: str = "acme/*", attempts: int = 3
):
    """Let a courier work."""
    pace = Pace(poll=0.005, first_pause=10.0, most_attempts=attempts)
    courier = Courier(
        inbox,
        places,
        issues=read_allowed(issues),
        pace=pace,
        clock=asyncio.get_running_loop(),
    )
    courier.start()
    yield
    await courier.stop()
    assert all(place.closed for place in places)


async def until(said) -> None:
    """Wait until something holds."""
    while not said():  # noqa: ASYNC110 - a courier works meanwhile
        await asyncio.sleep(0.005)


async def test_a_courier_tells(opened):
    """Each sink by itself, of the incident and its context."""
    async with opened("webhook", "issues") as inbox:
        await crash(inbox)
        hook, tracker = Place("webhook"), Place("issues")
        async with carried(inbox, hook, tracker):
            await until(lambda: hook.told and tracker.told)
            await asyncio.sleep(0.05)
        (notice,) = hook.told
        assert (notice.key, notice.count, notice.commits) == ("a-1", 1, ("c1",))
        assert notice.context is not None
        assert len(tracker.told) == 1
        assert await inbox.take(9) == []


async def test_a_failure_is_tried_again(opened, wall):
    """Under the same key, after a pause; the next message knows the reference."""
    async with opened() as inbox:
        await crash(inbox)
        limit = RateLimited("wait", reset_at=wall.now + 500)
        hook = Place("webhook", SourceError("down"), limit)
        async with carried(inbox, hook):
            await until(lambda: len(hook.told) == 1)
            await asyncio.sleep(0.05)
            assert len(hook.told) == 1
            wall.now += 12
            await until(lambda: len(hook.told) == 2)
            await asyncio.sleep(0.05)
            wall.now += 400
            await asyncio.sleep(0.05)
            assert len(hook.told) == 2
            wall.now += 200
            await until(lambda: len(hook.told) == 3)
            await asyncio.sleep(0.05)
        assert {notice.key for notice in hook.told} == {"a-1"}
        await crash(inbox, commit="c2")
        (parcel,) = await inbox.take(9)
        assert parcel.reference == "ref"


@pytest.mark.parametrize("error", [BadInput("no"), ZeroDivisionError("bug")])
async def test_what_no_other_try_will_help(opened, error):
    """It is given up, and what is new later is tried."""
    async with opened() as inbox:
        await crash(inbox)
        hook = Place("webhook", error)
        async with carried(inbox, hook):
            await until(lambda: len(hook.told) == 1)
            await asyncio.sleep(0.05)
            await crash(inbox, commit="c2")
            await until(lambda: len(hook.told) == 2)
            await asyncio.sleep(0.05)
        assert [notice.key for notice in hook.told] == ["a-1", "a-2"]


async def test_tries_come_to_an_end(opened, wall):
    """After the last one it is given up."""
    async with opened() as inbox:
        await crash(inbox)
        hook = Place("webhook", *[SourceError("down")] * 9)
        async with carried(inbox, hook, attempts=2):
            await until(lambda: len(hook.told) == 1)
            await asyncio.sleep(0.05)
            wall.now += 1_000
            await until(lambda: len(hook.told) == 2)
            await asyncio.sleep(0.05)
            wall.now += 10_000
            await asyncio.sleep(0.05)
        assert len(hook.told) == 2


async def test_issues_are_made_where_they_may_be(opened):
    """In the repositories that were named, and in no other."""
    async with opened("issues") as inbox:
        await crash(inbox)
        tracker = Place("issues")
        async with carried(inbox, tracker, issues="acme/other"):
            await asyncio.sleep(0.05)
        assert tracker.told == []
        assert await inbox.take(9) == []


@pytest.mark.parametrize(
    ("settings", "names"),
    [
        ({}, ()),
        ({"sink_url": "http://x", "sink_secret": "k"}, ("webhook",)),
        ({"issues": "acme/*"}, ("issues",)),
        ({"sink_url": "x", "sink_secret": "k", "issues": "a/b"}, ("webhook", "issues")),
    ],
)
def test_which_sinks_there_are(tmp_path, settings, names):
    """None by default."""
    assert sinks(Settings(data_dir=tmp_path, **settings)) == names


@pytest.mark.parametrize(
    "settings", [{"sink_url": "x"}, {"sink_secret": "k"}, {"issues": "x"}]
)
def test_half_a_setting(tmp_path, settings):
    """It is said what is missing, at the start."""
    with pytest.raises(ConfigError, match="TRIAGE_"):
        sinks(Settings(data_dir=tmp_path, **settings))
