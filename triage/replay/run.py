"""One replay from its inputs to its last line."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from triage.core.printed import shown
from triage.core.replay import Answer, Given, Line
from triage.core.visible import printable, whole
from triage.errors import BadInput
from triage.replay.inputs import expand
from triage.replay.output import Output, open_output
from triage.replay.reading import read
from triage.replay.spool import Batch, Spool
from triage.texts import opened


class Crew(Protocol):
    """Who does the work."""

    def lines(self, batches: Iterator[Batch]) -> Iterator[Answer]:
        """Do all of *batches*; yield the answer to each item when it comes."""
        ...


class Watcher(Protocol):
    """Who is told how it goes."""

    def begin(self, total: int) -> None:
        """Take note of how many items there are in all."""
        ...

    def advance(self, line: Line, at: float | None, *, before: bool) -> None:
        """Take note of an item's line, and when it crashed.

        *before*: the line is an earlier run's.
        """
        ...

    def warn(self, text: str) -> None:
        """Say what is odd."""
        ...


@dataclass(frozen=True, slots=True)
class Wish:
    """What is to be replayed, and how far."""

    inputs: tuple[str, ...]
    out: Path
    given: Given
    resume: bool = False
    limit: int | None = None
    fail_fast: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of it."""

    whole: bool
    """Every item has its line."""
    failed: Line | None = None
    """The one that ended a run that was to fail fast."""


def replay(
    wish: Wish, crew: Callable[[], AbstractContextManager[Crew]], watcher: Watcher
) -> Outcome:
    """Read all inputs, then explain what they tell of.

    Nothing is explained before every item is known to have an id of its own. Raises
    `BadInput`, and `OutputFailed` where a line cannot be written: what is written stays.
    """
    with (
        open_output(wish.out, resume=wish.resume) as output,
        Spool() as spool,
        crew() as workers,
    ):
        _take_all(wish, spool, watcher)
        watcher.begin(spool.left())
        _tick_off(output, spool, watcher)
        for answer in workers.lines(spool.batches()):
            output.write(answer.raw)
            line = answer.line
            watcher.advance(line, spool.moment(line.id), before=False)
            if wish.fail_fast and line.status == "error":
                return Outcome(whole=False, failed=line)
    return Outcome(whole=True)


def _take_all(wish: Wish, spool: Spool, watcher: Watcher) -> None:
    left = wish.limit
    for name in expand(wish.inputs, without=wish.out):
        if left == 0:
            return
        with opened(name) as stream:
            taken = spool.take(read(stream, whole(name), wish.given), most=left)
        left = None if left is None else left - taken
        if not taken:
            watcher.warn(f"{shown(printable(name))} holds no crash")
    if not spool.left():
        raise BadInput("there is nothing to replay: the inputs hold no crash")


def _tick_off(output: Output, spool: Spool, watcher: Watcher) -> None:
    """Leave out what has its line already."""
    foreign = 0
    for line in output.lines():
        if spool.tick_off(line.id):
            watcher.advance(line, spool.moment(line.id), before=True)
        else:
            foreign += 1
    if foreign:
        watcher.warn(f"{foreign} lines of the output are of no item of these inputs")
