"""What is said of a whole program that stood still, where its first goroutine says nothing.

A signal stops whichever goroutine runs, a test's timeout a timer's: none of them has to
run the program's own code. Others of the dump do; which of them is at fault is not known.
"""

from collections.abc import Iterator
from dataclasses import replace

from triage.core.model import Goroutine, Panic, Problem
from triage.core.panics.origin import is_own

_STALLED = frozenset({"sigquit", "test-timeout", "deadlock", "goroutine-dump"})
"""Kinds in which the first goroutine is no more to blame than another."""
_MOST = 16
"""So many stand-ins are tried."""


def stand_ins(panic: Panic) -> Iterator[Panic]:
    """Yield *panic* as another goroutine tells it, with a problem that says so.

    Those that run a test first, else in the order of the dump; nothing where the
    crashed goroutine speaks for itself.
    """
    for goroutine in _others(panic)[:_MOST]:
        text = f"{_silent(panic)}: {_name(goroutine)} stands in"
        problems = (Problem(panic.lines[0], text), *panic.problems)
        yield replace(panic, crashed=goroutine, others=(), problems=problems)


def silence(panic: Panic) -> Problem | None:
    """Say that the crashed goroutine has no code of the program's own, and who has."""
    if not _speechless(panic):
        return None
    others = _others(panic)
    rest = (
        f"{_name(others[0])} is the first that does" if others else "nor does another"
    )
    return Problem(panic.lines[0], f"{_silent(panic)}: {rest}")


def _speechless(panic: Panic) -> bool:
    crashed = panic.crashed
    return crashed is not None and panic.kind in _STALLED and not _speaks(crashed)


def _others(panic: Panic) -> list[Goroutine]:
    if not _speechless(panic):
        return []
    speaking = [goroutine for goroutine in panic.others if _speaks(goroutine)]
    return sorted(speaking, key=lambda goroutine: not _tests(goroutine))


def _speaks(goroutine: Goroutine) -> bool:
    return any(map(is_own, goroutine.frames))


def _tests(goroutine: Goroutine) -> bool:
    return any(frame.function == "testing.tRunner" for frame in goroutine.frames)


def _silent(panic: Panic) -> str:
    name = _name(panic.crashed) if panic.crashed else ""
    return f"{name} runs none of the program's own code"


def _name(goroutine: Goroutine) -> str:
    state = f" [{goroutine.state}]" if goroutine.state else ""
    return "a stack" if goroutine.id is None else f"goroutine {goroutine.id}{state}"
