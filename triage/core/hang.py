"""What the value that faulted hangs on: a walk against the flow of values.

From the operands of the crash line through selectors, indexes, dereferences, range
sources and assignments. At a call the walk takes the called function and stops; at a
parameter it stops too: what a caller passed is a question to the caller.
"""

from collections.abc import Iterable, Sequence
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
    """By position, the receiver as `RECEIVER`."""
    types: tuple[int, ...] = ()
    """Named types of the values on the way, those of other packages as targets."""
    direct: frozenset[int] = frozenset()
    """Parameters that came in as the very value, no field of them; -1: receiver."""
    direct_variables: frozenset[int] = frozenset()
    """Variables that are the very value, likewise."""


RECEIVER = -1
"""The receiver's position among the arguments."""


def hang(view: View, sites: Iterable[FaultSite]) -> Hang:
    """Walk from the operands (and indexes) of *sites* to where they come from."""
    start = [node for site in sites for node in (site.node, site.index) if node != NONE]
    return walk(view, start)


def walk(view: View, start: Iterable[int]) -> Hang:
    """Walk from value nodes to where they come from, nearest first."""
    found = _Found()
    queue = [(node, True) for node in dict.fromkeys(start)]
    seen = set(queue)
    while queue:
        number, direct = queue.pop(0)
        record = view.table.record("nodes", number)
        found.note(view, record, direct=direct)
        if record[0] == Node.CALL and record[1] != NONE:
            continue  # the call of a value hangs on that value
        direct = direct and record[0] != Node.FIELD
        for _, origin in view.table.of("origins", number):
            if (origin, direct) not in seen:
                seen.add((origin, direct))
                queue.append((origin, direct))
    return found.hang()


class _Found:
    """What a walk has met; dicts keep the order."""

    __slots__ = ("_by_kind", "_calls", "_direct", "_direct_variables", "_types")

    def __init__(self) -> None:
        self._by_kind: dict[int, dict[int, None]] = {kind: {} for kind in Node}
        self._calls: dict[Call, None] = {}
        self._types: dict[int, None] = {}
        self._direct: set[int] = set()
        self._direct_variables: set[int] = set()

    def note(self, view: View, record: Sequence[int], *, direct: bool) -> None:
        """Note one node."""
        kind, ref, name, _, type_target, _ = record
        if type_target != NONE:
            self._types[type_target] = None
        if kind == Node.CALL and ref != NONE:
            self._calls[Call(ref, view.table.text(name))] = None
        elif kind == Node.RECEIVER:
            ref = RECEIVER
        if direct and kind in {Node.PARAMETER, Node.RECEIVER}:
            self._direct.add(ref)
        if direct and kind == Node.VARIABLE:
            self._direct_variables.add(ref)
        if ref != NONE:  # a field of a type that is local to a function has none
            self._by_kind[kind][ref] = None

    def hang(self) -> Hang:
        """Return all of it."""
        parameters = (
            *self._by_kind[Node.PARAMETER],
            *self._by_kind[Node.RECEIVER],
        )
        return Hang(
            fields=tuple(self._by_kind[Node.FIELD]),
            variables=tuple(self._by_kind[Node.VARIABLE]),
            calls=tuple(self._calls),
            externals=tuple(self._by_kind[Node.EXTERNAL]),
            parameters=parameters,
            types=tuple(self._types),
            direct=frozenset(self._direct),
            direct_variables=frozenset(self._direct_variables),
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
