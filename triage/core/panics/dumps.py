"""Goroutines gathered into dumps, and each dump made into a crash."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from triage.core.model import Goroutine, Panic, Problem
from triage.core.panics import kinds, shapes
from triage.core.panics.document import Document
from triage.core.panics.head import Head, find_opener, read_head
from triage.core.panics.prefix import Prefixes
from triage.core.panics.runtime import Stack, StackReader, read_block, read_stack
from triage.core.panics.view import View

_GAP = 50
"""So many lines apart, two dumps without a head between them are still one."""
_ANCHOR = re.compile(f"{shapes.HEADER.pattern}|runtime stack:(?=\\s|$)", re.MULTILINE)


@dataclass(slots=True)
class Dump:
    """What the runtime printed for one crash."""

    view: View
    head: Head | None
    stacks: list[Stack] = field(default_factory=list)
    bare: Stack | None = None
    """The frames of `runtime stack:`."""
    problems: list[Problem] = field(default_factory=list)

    @property
    def first(self) -> int:
        """The first line of the whole."""
        if self.head:
            return self.head.first
        return min(s.first for s in [*self.stacks, self.bare] if s)

    @property
    def last(self) -> int:
        """The last line of the last goroutine."""
        return max(s.last for s in [*self.stacks[-1:], self.bare] if s)


def read_dumps(document: Document) -> list[Dump]:
    """Read every dump of *document*, in the order of their headers."""
    dumps: list[Dump] = []
    latest: dict[int, Dump] = {}
    for stack, is_header in _stacks(document):
        before = latest.get(id(stack.view))
        floor = before.last + 1 if before else 0
        head = None
        if before is None or stack.first > floor + 1:
            head = read_head(stack.view, stack.first, floor)
        if before is None or head or _begins(stack, is_header, before):
            before = Dump(stack.view, head)
            latest[id(stack.view)] = before
            dumps.append(before)
        if is_header:
            before.stacks.append(stack)
        else:
            before.bare = stack
    return dumps


def _stacks(document: Document) -> Iterator[tuple[Stack, bool]]:
    """Read the stacks of all senders; with each, whether it is a goroutine's."""
    prefixes = Prefixes(document)
    for found in _ANCHOR.finditer(document.text):
        line = document.index(found.start())
        header = found if found["id"] else None
        view = prefixes.view(found, _fits)
        plain = header and document.starts[line] == found.start() and not view.strip
        stack = read_block(view, found, line) if plain else None
        yield stack or read_stack(view, header, line), header is not None


def _fits(view: View, line: int) -> bool:
    """Tell whether a frame below the header, or a head above it, shows in *view*."""
    reader = StackReader(view, most=1)
    reader.read(line + 1)
    if reader.frames or reader.created_by:
        return True
    above = [view.body(i) for i in range(max(0, line - 3), line)]
    return any(body and find_opener(body, near=True) for body in above)


def _begins(stack: Stack, is_header: bool, dump: Dump) -> bool:
    """Tell whether a stack without a head begins a dump of its own."""
    gap = stack.first - dump.last
    if gap <= 3 or not is_header:
        return False
    return gap > _GAP or stack.goroutine.state.startswith("running")


def to_panic(document: Document, dump: Dump) -> Panic:
    """Make a crash of a dump."""
    goroutines = tuple(stack.goroutine for stack in dump.stacks)
    crashed: Goroutine | None = goroutines[0] if goroutines else None
    if crashed is None and dump.bare:
        crashed = dump.bare.goroutine
    head = dump.head
    return Panic(
        kind=_kind(head, crashed),
        message=head.message if head else "",
        crashed=crashed,
        goroutines=len(goroutines),
        lines=(document.number(dump.first), document.number(dump.last)),
        others=goroutines[1:],
        signal=head.signal if head else None,
        address=head.address if head else None,
        problems=tuple(dump.problems),
    )


def _kind(head: Head | None, crashed: Goroutine | None) -> str:
    frames = crashed.frames if crashed else ()
    if head is None:
        return kinds.dump_kind(crashed.state if crashed else "")
    if head.opener == "klog":
        return "klog-fatal"
    if head.opener in {"fatal", "signal"}:
        return kinds.fatal_kind(head.message, frames=frames, cgo=head.cgo)
    return kinds.panic_kind(head.message)
