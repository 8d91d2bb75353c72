"""What the command tells of a replay: how it goes, what was odd, what came of it."""

import time
from collections.abc import Callable
from types import TracebackType
from typing import Self

from triage.core.replay import Line
from triage.core.replay.summary import summary
from triage.core.replay.tally import Tally
from triage.replay.progress import Progress, Show


class Watch:
    """A `triage.replay.run.Watcher`; as a context it shows its progress."""

    def __init__(
        self,
        show: Show,
        warn: Callable[[str], object],
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self.tally = Tally()
        self._progress = Progress(show, now)
        self._warn = warn
        self._now = now
        self._start = now()
        self._fresh = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._progress.end()

    def begin(self, total: int) -> None:
        """Take note of how many items there are in all."""
        self._progress.begin(total)

    def advance(self, line: Line, at: float | None, *, before: bool) -> None:
        """Count a line; *before*: it is an earlier run's."""
        self._fresh += not before
        self.tally.add(line, at)
        self._progress.advance(line, before=before)

    def warn(self, text: str) -> None:
        """Say what is odd."""
        self._warn(text)

    def summary(self) -> str:
        """Tell in a few lines what came of it."""
        return summary(self.tally, self._now() - self._start, fresh=self._fresh)
