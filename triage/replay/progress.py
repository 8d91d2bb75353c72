"""How a replay goes: a bar on a terminal, a plain line every few seconds elsewhere."""

from collections import Counter
from collections.abc import Callable
from typing import Final, Protocol, TextIO

from triage.core.replay import Line

EVERY: Final = 5.0
"""Seconds between two plain lines."""
_REDRAWN: Final = 0.1
"""Seconds between two pictures of the bar."""


class Show(Protocol):
    """What shows the figures of a moment."""

    def start(self, total: int) -> None:
        """Begin, with *total* items to do."""
        ...

    def update(self, done: int, told: Callable[[], str]) -> None:
        """Show how many are done, and what there is to tell of them."""
        ...

    def stop(self) -> None:
        """Take away what is not to stay."""
        ...


class Progress:
    """Counts lines and lets them be shown; *now* tells seconds that only grow."""

    def __init__(self, show: Show, now: Callable[[], float]) -> None:
        self._show = show
        self._now = now
        self._start = now()
        self._total = self._before = self._done = self._errors = 0
        self._tiers: Counter[str] = Counter()

    def begin(self, total: int) -> None:
        """Take note of how many items there are in all."""
        self._total = total
        self._start = self._now()
        self._show.start(total)

    def advance(self, line: Line, *, before: bool) -> None:
        """Count an item's line; *before*: from an earlier run, which says no rate."""
        self._done += 1
        self._before += before
        if line.context is not None:
            self._tiers[line.context.served_from] += 1
        else:
            self._errors += 1
        self._show.update(self._done, self.told)

    def told(self) -> str:
        """Say rate, tiers, errors and the time that is left."""
        seconds = max(self._now() - self._start, 1e-9)
        rate = (self._done - self._before) / seconds
        parts = [f"{rate:.0f}/s"] if rate else []
        parts += [f"{tier} {count}" for tier, count in self._tiers.most_common()]
        parts += [f"errors {self._errors}"] if self._errors else []
        if rate and self._done < self._total:
            parts.append(f"{_time((self._total - self._done) / rate)} left")
        return ", ".join(parts)

    def end(self) -> None:
        """Show no more."""
        self._show.stop()


class Lines:
    """Writes a line every few seconds."""

    def __init__(self, stream: TextIO, now: Callable[[], float]) -> None:
        self._stream = stream
        self._now = now
        self._total = 0
        self._next = now() + EVERY

    def start(self, total: int) -> None:
        """Begin; nothing is written yet."""
        self._total = total
        self._next = self._now() + EVERY

    def update(self, done: int, told: Callable[[], str]) -> None:
        """Write a line, where the last one is old enough."""
        if self._now() < self._next:
            return
        self._next = self._now() + EVERY
        share = 100 * done // max(self._total, 1)
        self._stream.write(f"triage: {done} of {self._total} ({share} %): {told()}\n")

    def stop(self) -> None:
        """Leave what is written."""


class Bar:
    """Draws a bar with rich."""

    def __init__(self, stream: TextIO, now: Callable[[], float]) -> None:
        from rich.console import Console  # noqa: PLC0415 - on a terminal alone
        from rich.progress import (  # noqa: PLC0415 - likewise
            BarColumn,
            MofNCompleteColumn,
            TextColumn,
        )
        from rich.progress import Progress as Rich  # noqa: PLC0415 - likewise

        self._rich = Rich(
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[told]}", markup=False),
            console=Console(file=stream),
            transient=True,
        )
        self._task = self._rich.add_task("", total=None, told="")
        self._now = now
        self._next = now()

    def start(self, total: int) -> None:
        """Begin to draw."""
        self._rich.update(self._task, total=total)
        self._rich.start()

    def update(self, done: int, told: Callable[[], str]) -> None:
        """Take the figures over, so often that they can be read."""
        if self._now() >= self._next:
            self._next = self._now() + _REDRAWN
            self._rich.update(self._task, completed=done, told=told())

    def stop(self) -> None:
        """Wipe the bar away."""
        self._rich.stop()


def _time(seconds: float) -> str:
    """Write a duration: `1 h 5 min`, `3 min`, `12 s`."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min" if minutes else f"{rest} s"
