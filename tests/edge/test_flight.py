"""Work that many want is done once."""

import asyncio

import pytest

from triage.cache.flight import Flights


class Work:
    """A piece of work that a test lets finish."""

    def __init__(self) -> None:
        self.started = 0
        self.cancelled = 0
        self.gate = asyncio.Event()

    async def __call__(self) -> int:
        """Wait for the gate; return how often it was started."""
        self.started += 1
        try:
            await self.gate.wait()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        return self.started


async def turn() -> None:
    """Let every task that can run do so."""
    for _ in range(5):
        await asyncio.sleep(0)


async def test_all_who_want_it_share_it():
    """Three callers, one piece of work, three answers."""
    flights, work = Flights[str, int](), Work()
    callers = [asyncio.create_task(flights.once("a", work)) for _ in range(3)]
    await turn()
    assert "a" in flights
    work.gate.set()
    assert await asyncio.gather(*callers) == [1, 1, 1]
    assert "a" not in flights


async def test_what_is_done_is_forgotten():
    """A later caller starts anew; another key is other work."""
    flights, work = Flights[str, int](), Work()
    work.gate.set()
    assert await flights.once("a", work) == 1
    assert await flights.once("a", work) == 2
    assert await flights.once("b", work) == 3


async def test_the_first_caller_can_go():
    """Who is cancelled leaves the work to the others."""
    flights, work = Flights[str, int](), Work()
    first, second = [asyncio.create_task(flights.once("a", work)) for _ in range(2)]
    await turn()
    first.cancel()
    await turn()
    work.gate.set()
    assert await second == 1
    assert (first.cancelled(), work.cancelled) == (True, 0)


async def test_work_that_nobody_wants_is_cancelled():
    """When the last caller has gone the work ends, and the next one starts anew."""
    flights, work = Flights[str, int](), Work()
    callers = [asyncio.create_task(flights.once("a", work)) for _ in range(2)]
    await turn()
    for caller in callers:
        caller.cancel()
    await turn()
    assert (work.started, work.cancelled) == (1, 1)
    work.gate.set()
    assert await flights.once("a", work) == 2


async def test_a_failure_is_everyones():
    """All get the error, and the next caller tries again."""
    flights = Flights[str, int]()
    calls = []

    async def fail() -> int:
        calls.append(1)
        await asyncio.sleep(0)
        raise ValueError("no")

    callers = [asyncio.create_task(flights.once("a", fail)) for _ in range(2)]
    await asyncio.wait(callers)
    assert [str(caller.exception()) for caller in callers] == ["no", "no"]
    with pytest.raises(ValueError, match="no"):
        await flights.once("a", fail)
    assert len(calls) == 2


async def test_work_is_under_way_from_the_call_on():
    """Two calls before either is awaited are one piece of work."""
    flights, work = Flights[str, int](), Work()
    work.gate.set()
    both = [flights.once("a", work), flights.once("a", work)]
    assert await asyncio.gather(*both) == [1, 1]


async def test_a_caller_cancelled_before_its_first_step():
    """It leaves like any other: the work ends with the last one that waits."""
    flights, work = Flights[str, int](), Work()
    callers = [asyncio.create_task(flights.once("a", work)) for _ in range(2)]
    callers[0].cancel()
    await turn()
    assert (callers[0].cancelled(), work.started, work.cancelled) == (True, 1, 0)
    callers[1].cancel()
    await turn()
    assert work.cancelled == 1
    assert "a" not in flights


async def test_a_caller_that_never_waits():
    """Who closes what it was given has left; the others get their answer."""
    flights, work = Flights[str, int](), Work()
    never, waits = flights.once("a", work), flights.once("a", work)
    never.close()
    never.close()
    work.gate.set()
    assert await waits == 1
    flights.once("b", work).close()
    await turn()
    assert "b" not in flights


async def test_a_cancelled_gather_leaves_no_work_behind():
    """Calls of one that is cancelled at once are given up together."""
    flights, work = Flights[str, int](), Work()

    async def ask() -> list[int]:
        return await asyncio.gather(*(flights.once(key, work) for key in "ab"))

    caller = asyncio.create_task(ask())
    await asyncio.sleep(0)
    caller.cancel()
    await turn()
    assert work.started == work.cancelled
    assert "a" not in flights
    assert "b" not in flights
