"""Follow a value up the trace: from a parameter to what the caller passed.

A fault that hangs on a parameter or the receiver is a question to the caller; the
next frame answers it with the argument at the call, which may hang on a parameter
again.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from triage.core.hang import Hang, walk
from triage.core.site import FaultSite
from triage.core.table import NONE, Decl, Fault
from triage.core.view import View

LEVELS = 3
"""How many callers are asked at most."""
HELPER_LINES = 15
"""An assertion or close helper is not longer."""


@dataclass(frozen=True, slots=True)
class CallSite:
    """A function of the trace and the line of its call of the frame below."""

    view: View
    decl: Decl
    line: int


@dataclass(frozen=True, slots=True)
class Passed:
    """What a caller passed for the parameters in question."""

    site: CallSite
    arguments: tuple[FaultSite, ...]
    """As if each argument had faulted at the call."""


def trail(hang: Hang, callee: Decl, callers: Iterable[CallSite]) -> Iterator[Passed]:
    """Go up *callers* (nearest first) as long as the value came from a parameter."""
    for level, site in enumerate(callers):
        positions = hang.direct
        if not positions or level >= LEVELS:
            return
        nodes = [
            row[4]
            for row in site.view.table.of("arguments", site.decl.id)
            if row[1] == site.line
            and row[3] in positions
            and row[4] != NONE
            and _called(site.view, row[2], row[5]) == callee.name
        ]
        if not nodes:
            return
        faults = tuple(FaultSite(Fault.PANIC, node, NONE, "") for node in nodes)
        yield Passed(site, faults)
        hang, callee = walk(site.view, nodes), site.decl


def _called(view: View, target: int, member: int) -> str:
    """Return the bare name of the function that a call names."""
    if member:
        return view.table.text(member)
    if target >= 0:
        return view.decl(target).name
    _, name, steps = view.external(target)
    return next((step for step, _ in reversed(steps) if step), name)


def is_helper(decl: Decl, faults: Iterable[FaultSite], hang: Hang) -> bool:
    """Tell whether a crash says nothing by itself: `must(err)`, `SafeClose(ch)`.

    A short function that panics, closes or sends for its caller, with nothing but
    its parameters to blame.
    """
    kinds = {fault.kind for fault in faults}
    return (
        decl.is_function
        and decl.end_line - decl.line < HELPER_LINES
        and bool(kinds)
        and kinds <= {Fault.PANIC, Fault.CLOSE, Fault.SEND}
        and bool(hang.parameters)
        and not hang.fields
        and not hang.variables
    )
