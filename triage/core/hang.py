"""What the value that faulted hangs on: a walk against the flow of values.

From the operands of the crash line through selectors, indexes, dereferences, range
sources and assignments. At a call the walk takes the called function and stops; at a
parameter it stops too: what a caller passed is a question to the caller.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from triage.core.site import FaultSite
from triage.core.table import NONE, Access, Decl, Node
from triage.core.view import View


@dataclass(frozen=True, slots=True)
class Call:
    """A function whose result is in the chain."""

    target: int
    member: str
    """The method's name where *target* is an interface."""


@dataclass(frozen=True, slots=True)
class Hang:
    """The ends and joints of the chain, nearest first; numbers are the table's."""

    fields: tuple[int, ...] = ()
    variables: tuple[int, ...] = ()
    calls: tuple[Call, ...] = ()
    externals: tuple[int, ...] = ()
    parameters: tuple[int, ...] = ()
    types: tuple[int, ...] = ()
    """Named types of the values on the way, those of other packages as targets."""
    receiver: bool = False


def hang(view: View, sites: Iterable[FaultSite]) -> Hang:
    """Walk from the operands (and indexes) of *sites* to where they come from."""
    start = [node for site in sites for node in (site.node, site.index) if node != NONE]
    return walk(view, start)


def walk(view: View, start: Iterable[int]) -> Hang:
    """Walk from value nodes to where they come from."""
    fields: dict[int, None] = {}
    variables: dict[int, None] = {}
    calls: dict[Call, None] = {}
    externals: dict[int, None] = {}
    parameters: dict[int, None] = {}
    types: dict[int, None] = {}
    receiver = False
    queue = list(dict.fromkeys(start))
    seen = set(queue)
    while queue:
        number = queue.pop(0)
        kind, ref, name, _, type_target, _ = view.table.record("nodes", number)
        if type_target != NONE:
            types[type_target] = None
        if kind == Node.FIELD:
            if ref != NONE:  # a field of a type that is local to a function
                fields[ref] = None
        elif kind == Node.VARIABLE:
            variables[ref] = None
        elif kind == Node.CALL:
            calls[Call(ref, view.table.text(name))] = None
        elif kind == Node.EXTERNAL:
            externals[ref] = None
        elif kind == Node.PARAMETER:
            parameters[ref] = None
        elif kind == Node.RECEIVER:
            receiver = True
        if kind == Node.CALL:
            continue
        for _, origin in view.table.of("origins", number):
            if origin not in seen:
                seen.add(origin)
                queue.append(origin)
    return Hang(
        tuple(fields),
        tuple(variables),
        tuple(calls),
        tuple(externals),
        tuple(parameters),
        tuple(types),
        receiver,
    )


def accessed_on_line(view: View, decl: Decl, line: int) -> tuple[int, ...]:
    """List the fields that a line touches, for faults that are no expression's."""
    return tuple(
        dict.fromkeys(
            row[1] for row in view.table.of("accesses", decl.id) if row[2] == line
        )
    )


WRITES = (
    Access.ASSIGN
    | Access.UPDATE
    | Access.APPEND
    | Access.DELETE
    | Access.CLOSE
    | Access.SEND
    | Access.ADDRESS
    | Access.CLEAR
)
