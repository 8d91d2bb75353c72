"""The declarations chosen for an answer, each with why it is there and how near."""

from collections.abc import Iterable, Iterator
from enum import IntEnum

import msgspec
from msgspec.structs import replace

from triage.core.table import Decl, Kind
from triage.core.view import View


class Near(IntEnum):
    """How near a declaration is to the fault; what is smaller is shown first."""

    CRASH = 0
    FRAME = 1  # the two frames below the crash
    RECEIVER = 10
    CHAIN_TYPE = 11
    ORIGIN = 12  # its result is what faulted
    OMITTER = 13  # builds the owner of a field in the chain and leaves the field out
    WRITER = 14
    CONSTRUCTOR = 15
    LINE = 16  # named on the crash line
    IMPLEMENTER = 17
    UPSTREAM = 18  # writes or makes what a caller passed on
    OUTER_FRAME = 19
    CALLEE = 20
    USED = 21
    PACKAGE = 22
    CALLER = 23
    CALLEE_VALUE = 24
    FIELD_TYPE = 30
    FIELD_CONSTRUCTOR = 31
    DEEP_TYPE = 40
    DEEP_CONSTRUCTOR = 41
    RELATED = 50  # no rule links it, measurement does


class Part(IntEnum):
    """Order within the section of functions."""

    CONSTRUCTOR = 0
    WRITER = 1
    HELPER = 2


class Pick(msgspec.Struct, frozen=True):
    """A chosen declaration."""

    view: View
    decl: Decl
    section: str
    near: Near
    reason: str
    depth: int = 0
    part: Part = Part.HELPER
    lines: tuple[int, ...] = ()
    """Lines in it that bear on the fault, best first: what a cut keeps."""
    marks: tuple[int, ...] = ()
    """Lines of the crash or of the call."""
    turn: int = 1 << 16
    """Its place in the trace; behind every frame where it is not of the trace."""

    @property
    def key(self) -> tuple[str, int]:
        """What tells declarations apart."""
        return self.view.directory, self.decl.id


SECTION_OF_KIND = {
    Kind.FUNC: "functions",
    Kind.METHOD: "functions",
    Kind.TYPE: "types",
    Kind.VAR: "values",
    Kind.CONST: "values",
}


class Picks:
    """Collects picks; of several for one declaration the nearest gives the reason."""

    __slots__ = ("_found",)

    def __init__(self) -> None:
        self._found: dict[tuple[str, int], Pick] = {}

    def add(self, pick: Pick) -> None:
        """Add *pick*, or join its lines with those of the one already there."""
        old = self._found.get(pick.key)
        if old is None:
            self._found[pick.key] = pick
            return
        first, second = (pick, old) if pick.near < old.near else (old, pick)
        self._found[pick.key] = replace(
            first,
            depth=min(first.depth, second.depth),
            part=min(first.part, second.part),
            lines=_joined(first.lines, second.lines),
            marks=_joined(first.marks, second.marks),
            turn=min(first.turn, second.turn),
        )

    def take(self, picks: Iterable[Pick]) -> None:
        """Add *picks*, as `add` does one after the other."""
        if self._found:
            for pick in picks:
                self.add(pick)
        else:
            self._found = {pick.key: pick for pick in picks}

    def __iter__(self) -> Iterator[Pick]:
        return iter(self._found.values())


def _joined(first: Iterable[int], second: Iterable[int]) -> tuple[int, ...]:
    return tuple(dict.fromkeys((*first, *second)))
