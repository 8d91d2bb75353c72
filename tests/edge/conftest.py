"""What the tests of the adapters share: sources, a clock to move, a fake helper."""

import asyncio
import sys
from collections.abc import Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from triage.sources.git import GitSource

FAKE = Path(__file__).parents[1] / "fake_helper.py"


class FakeTimer:
    """A timer of a `FakeClock`."""

    def __init__(self, delay: float, due: float, callback: Callable[[], object]):
        self.delay = delay
        self.due = due
        self.callback = callback
        self.done = False

    def cancel(self) -> None:
        """Keep it from firing."""
        self.done = True


class FakeClock:
    """Time that stands still until a test moves it."""

    def __init__(self) -> None:
        self.now = 1_000.0
        self.timers: list[FakeTimer] = []
        self._changed = asyncio.Event()

    def time(self) -> float:
        """Return the seconds since some start."""
        return self.now

    def call_later(self, delay: float, callback: Callable[[], object], /) -> FakeTimer:
        """Call *callback* once the time has been moved far enough."""
        timer = FakeTimer(delay, self.now + delay, callback)
        self.timers.append(timer)
        self._changed.set()
        return timer

    @property
    def running(self) -> list[float]:
        """The delays of all timers that may still fire."""
        return [timer.delay for timer in self.timers if not timer.done]

    async def until_set(self, delay: float, count: int = 1) -> None:
        """Wait until *count* timers of this *delay* run."""
        while self.running.count(delay) < count:
            self._changed.clear()
            await self._changed.wait()

    async def expire(self, delay: float) -> None:
        """Wait until a timer of this *delay* is set, and move the time to its end."""
        await self.until_set(delay)
        self.move(min(t.due for t in self.timers if t.delay == delay and not t.done))

    def move(self, to: float) -> None:
        """Move the time to *to* and fire what is due."""
        self.now = to
        for timer in self.timers:
            if timer.due <= to and not timer.done:
                timer.done = True
                timer.callback()


@pytest.fixture
def clock():
    """Time that stands still until the test moves it."""
    return FakeClock()


@pytest.fixture
def fake_helper(tmp_path):
    """Give the command of a fake helper by how it starts; see tests/fake_helper.py."""

    def command(start: str = "good") -> list[str]:
        return [sys.executable, "-I", str(FAKE), str(tmp_path / "generations"), start]

    return command


@pytest.fixture
def generations(tmp_path):
    """Tell how many fake helpers have been started."""
    path = tmp_path / "generations"
    return lambda: path.stat().st_size if path.exists() else 0


@pytest.fixture
def opened():
    """Open a source on a repository's commits; it is closed after its block."""

    @asynccontextmanager
    async def open_source(path, **options):
        source = GitSource(Path(path), **options)
        try:
            yield source
        finally:
            await source.close()

    return open_source
