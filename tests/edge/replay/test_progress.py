"""How a replay goes, shown on a terminal and elsewhere."""

import io

from tests.core.answers import RESULT
from triage.core.replay import Line, explained, failed
from triage.replay.progress import Bar, Lines, Progress

GOOD = explained("a", RESULT, 1.0).line
BAD = failed("b", "no-panic", "x", 1.0).line


class Clock:
    """A clock that a test turns."""

    def __init__(self) -> None:
        self.seconds = 100.0

    def __call__(self) -> float:
        """Tell the time."""
        return self.seconds


def run(clock: Clock, progress: Progress, *lines: Line, before: bool = False) -> None:
    """Take lines in, one a second."""
    for line in lines:
        clock.seconds += 1
        progress.advance(line, before=before)


def test_plain_lines_come_every_few_seconds():
    """Each says how far it is, how fast, from where, and how long it will take."""
    clock, stream = Clock(), io.StringIO()
    progress = Progress(Lines(stream, clock), clock)
    progress.begin(100)
    run(clock, progress, GOOD, GOOD, BAD, GOOD, GOOD, GOOD)
    progress.end()
    assert stream.getvalue() == (
        "triage: 5 of 100 (5 %): 1/s, github 4, errors 1, 1 min left\n"
    )


def test_an_earlier_run_says_no_rate():
    """What was there before was not done in this time."""
    clock, stream = Clock(), io.StringIO()
    progress = Progress(Lines(stream, clock), clock)
    progress.begin(10_000)
    for _ in range(5_000):
        progress.advance(GOOD, before=True)
    run(clock, progress, GOOD)
    assert progress.told() == "1/s, github 5001, 1 h 23 min left"


def test_nothing_is_left_in_the_end():
    """The last line names no time."""
    clock = Clock()
    progress = Progress(Lines(io.StringIO(), clock), clock)
    progress.begin(1)
    run(clock, progress, BAD)
    assert progress.told() == "1/s, errors 1"


def test_seconds_left():
    """Short times are told in seconds."""
    clock = Clock()
    progress = Progress(Lines(io.StringIO(), clock), clock)
    progress.begin(31)
    run(clock, progress, GOOD)
    assert progress.told().endswith(", 30 s left")


class Terminal(io.StringIO):
    """A terminal that keeps what is drawn."""

    def isatty(self) -> bool:
        """Be one."""
        return True


def test_a_bar_is_drawn_and_wiped_away(monkeypatch):
    """It shows the figures, which no text can turn into markup."""
    monkeypatch.setenv("TERM", "xterm")
    clock, stream = Clock(), Terminal()
    progress = Progress(Bar(stream, clock), clock)
    progress.begin(2)
    run(clock, progress, GOOD, BAD)
    progress.end()
    drawn = stream.getvalue()
    assert "2/2" in drawn
    assert "errors 1" in drawn
