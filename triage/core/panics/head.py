"""What stands above a dump: why the program died, and by which signal.

Read upwards from the dump, so that of several lines that look like a panic the one
that belongs to it is taken.
"""

import re
from dataclasses import dataclass

from triage.core.panics.view import View

_FAR = 200
"""A message may run over so many lines, blank ones among them only where indented."""

OPENERS = re.compile(
    r"(?P<panic>panic: )"
    r"|(?P<fatal>fatal error: )"
    r"|(?P<signal>SIG[A-Z0-9]+: |Exception 0x[0-9a-f]+ )"
    r"|(?P<serving>https?2?: panic serving \S+: )"
)
_RECOVERED = re.compile(r" \[recovered(?:, repanicked)?\]$")
_SIGNAL = re.compile(
    r"\[signal (?P<name>\w+)(?:: [^\]]*?)?(?: code=\w+)?(?: addr=(?P<address>0x[0-9a-f]+))?"
    r"[^\]]*\]"
)
_REGISTERS = re.compile(r"PC=0x[0-9a-f]+ m=")
_ADDRESS = re.compile(r"\baddr=(0x[0-9a-f]+)")


@dataclass(slots=True)
class Head:
    """The words above a dump; line indexes are those of the document."""

    first: int
    opener: str
    """`panic`, `fatal`, `signal`, `serving`, ... or empty for a lone signal line."""
    message: str
    signal: str | None = None
    address: int | None = None
    cgo: bool = False
    """It says that the signal arrived in C code."""


def read_head(view: View, start: int, floor: int) -> Head | None:
    """Read the head of the dump that begins at line *start*; None if it has none.

    Lines before *floor* belong to an earlier crash.
    """
    lines: list[str] = []
    low = max(floor, start - _FAR)
    for index in range(start - 1, low - 1, -1):
        body = view.body(index)
        if body is None:
            continue
        found = OPENERS.match(body)
        if found:
            return _finish(view, index, floor, found, lines[::-1])
        if not body and lines and lines[-1] and _loose(view, index, low):
            break
        lines.append(body)
    return _lone(lines, start)


def _loose(view: View, index: int, low: int) -> bool:
    """Tell whether the text above a blank line cannot be a message's first part."""
    for above in range(index - 1, max(low, index - 40) - 1, -1):
        body = view.body(above)
        if body is not None and OPENERS.match(body):
            return False
    return True


def _finish(
    view: View, index: int, floor: int, found: re.Match[str], below: list[str]
) -> Head:
    opener = found.lastgroup or ""
    message = [found.string[found.end() if opener != "signal" else 0 :]]
    notes = []
    for at, line in enumerate(below):
        if _SIGNAL.match(line) or _REGISTERS.match(line):
            notes = below[at:]
            break
        message.append(line)
    text = "\n".join(message).rstrip()
    text = _RECOVERED.sub("", text)
    head = Head(_top(view, index, floor), opener, text)
    _note_signal(head, [found.string, *notes])
    return head


def _top(view: View, index: int, floor: int) -> int:
    """Go up a chain of panics to its first line: each is indented below the one before."""
    top, depth = index, view.depth(index)
    for above in range(index - 1, max(floor, index - 40) - 1, -1):
        body = view.body(above)
        if body is None or (not body and depth == 0):
            break
        if body.startswith("panic: ") and view.depth(above) <= depth:
            top, depth = above, view.depth(above)
        elif body.startswith("unexpected fault address "):
            return above
    return top


def _note_signal(head: Head, lines: list[str]) -> None:
    for line in lines:
        found = _SIGNAL.match(line)
        if found:
            head.signal = found["name"]
            head.address = int(found["address"], 16) if found["address"] else None
        elif _REGISTERS.match(line):
            at = _ADDRESS.search(line)
            head.address = int(at[1], 16) if at else None
        elif line.startswith("SIG"):
            head.signal = line.partition(":")[0]
        elif line.startswith("signal arrived during "):
            head.cgo = True


def _lone(above: list[str], start: int) -> Head | None:
    """Make a head of a signal line whose panic line is cut off."""
    for distance, line in enumerate(above[:4], 1):
        if _SIGNAL.match(line):
            head = Head(start - distance, "", "")
            _note_signal(head, [line])
            return head
    return None
