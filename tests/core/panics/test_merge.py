"""Crashes of one text that are one, and the one that matters."""

import pytest

from triage.core.panics import decipher, primary

STACK = "goroutine 7 [running]:\nmain.main()\n\t/srv/shop/main.go:7 +0x1d\n"
OBSERVED = "E0213 18:29:17.790744 1 runtime.go:79] Observed a panic: no till\n"
AGAIN = f"panic: no till [recovered]\n\tpanic: no till\n\n{STACK}"


def test_a_panic_that_was_logged_and_raised_again(read):
    """The runtime's dump counts, the logged one stands among the others."""
    panic = read(OBSERVED + STACK + AGAIN)
    assert (panic.message, panic.goroutines, panic.lines) == ("no till", 2, (1, 10))
    assert [goroutine.id for goroutine in panic.others] == [7]
    assert len(decipher(OBSERVED + STACK + AGAIN).crashes) == 1


def test_a_logged_panic_without_a_dump_of_its_own(read):
    """What raised it again has the frames."""
    panic = read(OBSERVED + AGAIN)
    assert (panic.goroutines, panic.others) == (1, ())


def test_one_that_was_not_raised_again_is_another():
    """A panic long after, or without having been recovered, is one of its own."""
    assert len(decipher(OBSERVED + STACK + "panic: other\n\n" + STACK).crashes) == 2
    apart = OBSERVED + STACK + "later\n" * 20 + AGAIN
    assert len(decipher(apart).crashes) == 2


def test_a_stack_and_a_running_goroutine_below_it_are_two():
    """A headless stack belongs to goroutines that wait, not to one that runs."""
    text = "x:\nmain.f(0x1)\n\t/srv/shop/main.go:7 +0x1d\n" + STACK
    assert len(decipher(text).crashes) == 2


def test_the_first_real_crash_matters(sample):
    """Errors that were printed and stacks that were logged come after it."""
    error = "no till\nmain.load\n\t/srv/a.go:24\nmain.main\n\t/srv/a.go:36\n"
    text = error + "\n" * 9 + sample("stack") + "later\n" * 60 + sample("map")
    crashes = decipher(text).crashes
    kinds = ["logged-error", "logged-stack", "nil-map"]
    assert kinds == [panic.kind for panic in crashes]
    order = []
    left = list(crashes)
    while first := primary(left):
        order.append(first.kind)
        left.remove(first)
    assert order == ["nil-map", "logged-stack", "logged-error"]


def test_nothing_has_no_first():
    """Of no crashes, none is the first."""
    assert primary(()) is None


@pytest.mark.parametrize("count", [1, 3])
def test_as_many_as_there_are(sample, count):
    """Each crash is told once."""
    text = (sample("nil") + "restarting\n" * 60) * count
    assert count == len(decipher(text).crashes)


def test_a_chain_of_errors(read):
    """However many wrap one another, all of their words are told once."""
    stack = "main.load\n\t/srv/shop/main.go:{}\nmain.main\n\t/srv/shop/main.go:9\n"
    text = "".join(f"error {n}\n{stack.format(n)}" for n in range(1, 5))
    panic = read(text)
    assert panic.message == "error 1\nerror 2\nerror 3\nerror 4"
    assert panic.crashed.frames[0].line == 1
    assert panic.lines == (1, 20)
