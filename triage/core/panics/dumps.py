"""Goroutines gathered into dumps, and each dump made into a crash."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from triage.core.panics import shapes
from triage.core.panics.crash import Found, make
from triage.core.panics.document import Document
from triage.core.panics.frames import StackReader
from triage.core.panics.head import Head, find_opener, head_before, read_head
from triage.core.panics.prefix import Prefixes
from triage.core.panics.runtime import Stack, read_block, read_stack
from triage.core.panics.view import View

_GAP = 50
"""So many lines apart, two dumps without a head between them are still one."""
_ANCHOR = re.compile(
    f"{shapes.HEADER.pattern}|runtime stack:(?=[\\s\\\\\"',|]|$)", re.MULTILINE
)


@dataclass(slots=True)
class Dump:
    """What the runtime printed for one crash."""

    head: Head | None
    first: int
    last: int
    stacks: list[Stack] = field(default_factory=list)
    bare: Stack | None = None
    """The frames of `runtime stack:`."""

    def add(self, stack: Stack) -> None:
        """Add a stack that stands below those read so far."""
        if stack.goroutine.id is None:
            self.bare = stack
        else:
            self.stacks.append(stack)
        self.last = stack.last


def read_dumps(document: Document) -> list[Found]:
    """Read every dump of *document*, in the order of their headers."""
    dumps: list[Dump] = []
    latest: dict[View, Dump] = {}
    for stack in _stacks(document):
        dump = latest.get(stack.view)
        floor = dump.last + 1 if dump else 0
        head = None
        if dump is None or stack.first > floor + 1:
            head = stack.lead or read_head(stack.view, stack.first, floor)
        if dump is None or head or _begins(stack, dump):
            first = head.first if head else stack.first
            dump = latest[stack.view] = Dump(head, first, stack.last)
            dumps.append(dump)
        dump.add(stack)
    return [_found(document, dump) for dump in dumps if _holds(dump)]


def _stacks(document: Document) -> Iterator[Stack]:
    prefixes = Prefixes(document)
    anchor = _ANCHOR if "runtime stack:" in document.text else shapes.HEADER
    before = -1
    for found in anchor.finditer(document.text):
        line, column, end = document.span(found)
        if line == before:
            continue  # one line holds one header; others in it are somebody's words
        before = line
        header = found if found.group("id") else None
        view = prefixes.view((line, column, end), _ANCHOR.match, _fits)
        plain = header and column == 0 and not view.strip
        stack = read_block(view, found, line) if plain else None
        stack = stack or read_stack(view, header, line)
        if column and not view.strip:
            stack.lead = head_before(document.lines[line][:column], line)
        yield stack


def _fits(view: View, line: int) -> bool:
    """Tell whether a frame below the header, or a head above it, shows in *view*."""
    reader = StackReader(view, most=1)
    reader.read(line + 1)
    if reader.frames or reader.created_by:
        return True
    above = [view.body(i) for i in range(max(0, line - 3), line)]
    return any(body and find_opener(body, near=True) for body in above)


def _begins(stack: Stack, dump: Dump) -> bool:
    """Tell whether a stack without a head begins a dump of its own."""
    only_bare = dump.bare is not None and not dump.stacks
    if stack.goroutine.id is None or only_bare or stack.first - dump.last <= 1:
        return False
    between = range(dump.last + 1, min(stack.first, dump.last + 1 + _GAP))
    if not any(stack.view.body(line) for line in between):
        return False
    running = stack.goroutine.state.startswith("running")
    return running or stack.first - dump.last > _GAP


def _holds(dump: Dump) -> bool:
    """Tell whether a dump is more than a header that somebody quoted."""
    stacks = [*dump.stacks, *([dump.bare] if dump.bare else [])]
    told = dump.head is not None and dump.head.opener != "logged"
    return told or any(s.goroutine.frames or s.goroutine.created_by for s in stacks)


def _found(document: Document, dump: Dump) -> Found:
    goroutines = [stack.goroutine for stack in dump.stacks]
    count = len(goroutines)
    if not goroutines and dump.bare:
        goroutines = [dump.bare.goroutine]
    problems = [p for s in [dump.bare, *dump.stacks] if s for p in s.problems]
    return make(
        document,
        goroutines,
        head=dump.head,
        span=(dump.first, dump.last),
        count=count,
        problems=problems,
    )
