"""Who speaks for a program that stood still."""

from dataclasses import replace

import pytest

from triage.core.model import Panic
from triage.core.panics import origin, stand_ins


def speaker(panic: Panic) -> str:
    """Return the function where the crashed goroutine of *panic* was."""
    at = origin(panic)
    assert panic.crashed is not None
    assert at is not None
    return panic.crashed.frames[at].function


def test_a_signal_stops_whichever_goroutine_runs(read, sample):
    """The one that it met is kept as it is printed; the others speak, in order."""
    panic = read(sample("quit"))
    assert (panic.kind, panic.crashed.id, origin(panic)) == ("sigquit", 0, None)
    silent = "goroutine 0 [idle] runs none of the program's own code: "
    assert [problem.text for problem in panic.problems] == [
        f"{silent}goroutine 1 [chan receive] is the first that does"
    ]
    first, second = stand_ins(panic)
    assert speaker(first) == "main.serve"
    assert first.problems[0].text == f"{silent}goroutine 1 [chan receive] stands in"
    assert speaker(second) == "main.init.func5.gowrap1"


def test_a_timeout_is_told_by_the_goroutine_that_tests(read, sample):
    """The timer's has nothing to say, and the test's comes before others."""
    panic = read(sample("timeout"))
    assert panic.kind == "test-timeout"
    first, turned = (
        next(iter(stand_ins(replace(panic, others=others))))
        for others in (panic.others, panic.others[::-1])
    )
    assert speaker(first) == "example.test/shop/orders.TestSlow"
    assert first.crashed == turned.crashed


@pytest.mark.parametrize("name", ["nil", "many", "deadlock", "overflow", "system"])
def test_who_crashed_speaks(read, sample, name):
    """No other goroutine is to blame for a fault of one, nor where it has code."""
    panic = read(sample(name))
    assert (list(stand_ins(panic)), panic.problems) == ([], ())


def test_a_fault_in_foreign_code_is_nobody_elses(read, sample):
    """Only what stops a whole program is told by others."""
    panic = replace(read(sample("quit")), kind="nil-deref")
    assert list(stand_ins(panic)) == []


def test_nobody_speaks(read):
    """It is said, and nothing is made up."""
    stack = "goroutine {} [idle]:\nruntime.futex(0x1)\n\t/go/src/runtime/a.go:1 +0x1\n"
    text = (
        f"SIGQUIT: quit\nPC=0x1 m=0 sigcode=0\n\n{stack.format(0)}\n{stack.format(1)}"
    )
    panic = read(text)
    assert [problem.text for problem in panic.problems] == [
        "goroutine 0 [idle] runs none of the program's own code: nor does another"
    ]
    assert list(stand_ins(panic)) == []
