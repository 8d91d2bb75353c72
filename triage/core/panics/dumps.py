"""Goroutines gathered into dumps, and each dump made into a crash."""

from dataclasses import dataclass, field

from triage.core.model import Goroutine, Panic, Problem
from triage.core.panics import kinds, shapes
from triage.core.panics.document import Document
from triage.core.panics.head import Head, read_head
from triage.core.panics.runtime import Stack, read_block, read_stack
from triage.core.panics.view import View

_GAP = 50
"""So many lines apart, two dumps without a head between them are still one."""


@dataclass(slots=True)
class Dump:
    """What the runtime printed for one crash."""

    head: Head | None
    stacks: list[Stack] = field(default_factory=list)
    bare: Stack | None = None
    """The frames of `runtime stack:`."""

    @property
    def last(self) -> int:
        """The last line of the last goroutine."""
        return (
            self.stacks[-1].last if self.stacks else self.bare.last if self.bare else 0
        )


def read_dumps(document: Document) -> list[Panic]:
    """Read every dump of *document*, in order."""
    view = View(document)
    dumps: list[Dump] = []
    for stack, is_bare in _stacks(document, view):
        floor = dumps[-1].last + 1 if dumps else 0
        head = (
            read_head(view, stack.first, floor)
            if stack.first > floor + 1 or not dumps
            else None
        )
        if not dumps or head or _begins(stack, is_bare, dumps[-1]):
            dumps.append(Dump(head))
        if is_bare:
            dumps[-1].bare = stack
        else:
            dumps[-1].stacks.append(stack)
    return [_panic(document, dump) for dump in dumps]


def _stacks(document: Document, view: View) -> list[tuple[Stack, bool]]:
    stacks: list[tuple[Stack, bool]] = []
    bare = [found.start() for found in shapes.RUNTIME_STACK.finditer(document.text)]
    for found in shapes.HEADER.finditer(document.text):
        line = document.index(found.start())
        while bare and bare[0] < found.start():
            stacks.append((read_stack(view, None, document.index(bare.pop(0))), True))
        plain = document.starts[line] == found.start()
        stack = read_block(document, found, line) if plain else None
        stacks.append((stack or read_stack(view, found, line), False))
    stacks += [(read_stack(view, None, document.index(at)), True) for at in bare]
    return stacks


def _begins(stack: Stack, is_bare: bool, dump: Dump) -> bool:
    """Tell whether a stack without a head begins a dump of its own."""
    gap = stack.first - dump.last
    if gap <= 3 or is_bare:
        return False
    return gap > _GAP or stack.goroutine.state.startswith("running")


def _panic(document: Document, dump: Dump) -> Panic:
    goroutines = tuple(stack.goroutine for stack in dump.stacks)
    crashed: Goroutine | None = goroutines[0] if goroutines else None
    if crashed is None and dump.bare:
        crashed = dump.bare.goroutine
    frames = crashed.frames if crashed else ()
    head = dump.head
    state = crashed.state if crashed else ""
    if head is None:
        kind = kinds.dump_kind(state)
    elif head.opener in {"fatal", "signal"}:
        kind = kinds.fatal_kind(head.message, frames=frames, cgo=head.cgo)
    else:
        kind = kinds.panic_kind(head.message)
    first = head.first if head else (dump.bare or dump.stacks[0]).first
    problems = [p for stack in dump.stacks for p in stack.problems]
    return Panic(
        kind=kind,
        message=head.message if head else "",
        crashed=crashed,
        goroutines=len(goroutines),
        lines=(document.number(first), document.number(dump.last)),
        others=goroutines[1:],
        signal=head.signal if head else None,
        address=head.address if head else None,
        problems=tuple(problems),
    )


def problem(document: Document, line: int, text: str) -> Problem:
    """Make a problem about line *line* of the document."""
    return Problem(document.number(line), text)
