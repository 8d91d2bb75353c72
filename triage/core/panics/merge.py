"""Crashes of one text that are one, put together.

A text tells one crash twice where a middleware logs it and raises it again, and in
pieces where its head was cut off or where each wrapped error prints a stack.
"""

from collections.abc import Iterable
from dataclasses import replace

from triage.core.model import Panic
from triage.core.panics.crash import Found
from triage.core.panics.kinds import LOGGED

_NEAR = 6
"""So many lines may lie between two tellings of one crash."""


def merge(found: Iterable[Found]) -> tuple[Panic, ...]:
    """Order crashes by their lines and join those that are one."""
    joined: list[Found] = []
    said: list[list[str]] = []
    for one in sorted(found, key=lambda found: found.panic.lines):
        before = joined[-1] if joined else None
        both = _join(before, one) if before and _close(before, one) else None
        if both:
            joined[-1] = both
        else:
            joined.append(one)
            said.append([one.panic.message])
        if both and both.panic.form == "errors":
            said[-1].append(one.panic.message)
    return tuple(map(_saying, joined, said))


def primary(crashes: Iterable[Panic]) -> Panic | None:
    """Return the crash that a text is about: the first real one, else the first.

    What was merely logged comes last: errors that were printed with their stack.
    """
    ranked = sorted(crashes, key=lambda panic: _rank(panic.kind))
    return ranked[0] if ranked else None


def _rank(kind: str) -> int:
    return 2 if kind == "logged-error" else int(kind in LOGGED)


def _close(before: Found, one: Found) -> bool:
    return one.panic.lines[0] - before.panic.lines[1] <= _NEAR


def _join(before: Found, one: Found) -> Found | None:
    """Return the two as one; None where they are two."""
    first, second = before.panic, one.panic
    if first.form == "errors" and second.form == "errors":
        return _chain(before, second)
    if first.form == "calls" and not before.opener and _headless(one):
        return _with_rest(before, second)
    if one.recovered and before.opener in {"observed", "recovered"}:
        return _told_twice(before, one)
    return None


def _headless(one: Found) -> bool:
    crashed = one.panic.crashed
    running = crashed is not None and crashed.state.startswith("running")
    return one.panic.form == "runtime" and not one.opener and not running


def _chain(before: Found, second: Panic) -> Found:
    """Join an error and the error that wraps it: the inner stack is what matters."""
    span = (before.panic.lines[0], second.lines[1])
    return replace(before, panic=replace(before.panic, lines=span))


def _saying(one: Found, said: list[str]) -> Panic:
    """Give a chain of errors what each of them said."""
    if len(said) == 1:
        return one.panic
    return replace(one.panic, message="\n".join(filter(None, said)))


def _with_rest(before: Found, second: Panic) -> Found:
    """Join a goroutine whose header was cut off and the goroutines below it."""
    first = before.panic
    rest = ((second.crashed,) if second.crashed else ()) + second.others
    panic = replace(
        first,
        others=rest,
        goroutines=second.goroutines,
        lines=(first.lines[0], second.lines[1]),
        form="runtime",
    )
    return replace(before, panic=panic)


def _told_twice(before: Found, one: Found) -> Found:
    """Join what a middleware logged and the panic that it raised again."""
    first, second = before.panic, one.panic
    crashed = second.crashed or first.crashed
    other = first.crashed if second.crashed else None
    panic = replace(
        second,
        crashed=crashed,
        goroutines=first.goroutines + second.goroutines,
        others=((other,) if other else ()) + second.others,
        lines=(first.lines[0], second.lines[1]),
        form=second.form if second.crashed else first.form,
    )
    return replace(one, panic=panic)
