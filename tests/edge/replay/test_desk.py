"""Where items are explained, whatever becomes of each."""

import asyncio
import time

import orjson
import pytest

from tests.core.answers import RESULT
from triage.core.model import Telemetry
from triage.core.replay import Failure, Item
from triage.errors import CommitMissing, RateLimited
from triage.replay import desk
from triage.replay.desk import Desk

ITEM = Item("a", Telemetry("acme/shop", file="a.go", line=1))


class Quick:
    """A clock whose timers go off at once, and which remembers them."""

    def __init__(self) -> None:
        self.waits: list[float] = []

    def time(self) -> float:
        """Stand still."""
        return 0.0

    def call_later(self, delay, callback, /):
        """Call back at once."""
        self.waits.append(delay)
        return asyncio.get_running_loop().call_soon(callback)


class Engine:
    """Answers with what it was given, one after the other."""

    def __init__(self, *answers) -> None:
        self.answers = list(answers)

    async def context(self, telemetry: Telemetry):
        """Answer, or fail, as was given."""
        assert telemetry == ITEM.telemetry
        answer = self.answers.pop(0)
        if isinstance(answer, BaseException):
            raise answer
        return answer


async def line(*answers, item: Item = ITEM, clock: Quick | None = None):
    """Let an item be explained."""
    desk = Desk(Engine(*answers), clock or Quick())  # type: ignore[arg-type] # a fake
    return orjson.loads((await desk.answer(item)).raw)


async def test_a_context():
    """It is in the line, with the time it took."""
    told = await line(RESULT)
    assert (told["id"], told["status"]) == ("a", "ok")
    assert told["context"] == orjson.loads(RESULT.to_json())
    assert told["ms"] > 0


async def test_an_error():
    """Its code is in the line."""
    told = await line(CommitMissing("no such commit"))
    assert told["error"] == {"code": "commit-not-found", "message": "no such commit"}


async def test_an_item_that_has_failed_before():
    """Nobody is asked."""
    told = await line(item=Item("a", failure=Failure("bad-request", "no JSON")))
    assert told["error"] == {"code": "bad-request", "message": "no JSON"}


async def test_a_bug_of_ours_ends_nothing(caplog):
    """The line says so, and the log says more."""
    told = await line(ZeroDivisionError("x"))
    assert told["error"]["code"] == "internal"
    assert "ZeroDivisionError" in caplog.text


async def test_a_rate_limit_is_waited_for():
    """Until it is over, as often as it takes."""
    clock = Quick()
    soon = RateLimited("wait", reset_at=time.time() + 100)
    unsaid = RateLimited("wait")
    told = await line(soon, unsaid, RESULT, clock=clock)
    assert told["status"] == "ok"
    assert clock.waits == [pytest.approx(101, abs=5), 60]


async def test_a_rate_limit_that_does_not_end():
    """Waiting has an end too."""
    clock = Quick()
    told = await line(*[RateLimited("wait")] * 100, clock=clock)
    assert told["error"]["code"] == "rate-limited"
    assert sum(clock.waits) <= 3_900


async def test_an_item_that_takes_too_long(monkeypatch):
    """It ends as a time-out."""
    monkeypatch.setattr(desk, "_SECONDS", 0.01)

    class Stuck(Engine):
        async def context(self, _):
            await asyncio.Event().wait()

    answer = await Desk(Stuck(), Quick()).answer(ITEM)  # type: ignore[arg-type] # a fake
    told = orjson.loads(answer.raw)
    assert told["error"]["code"] == "timeout"
