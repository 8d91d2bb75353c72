"""The runtime's own dumps: goroutine headers, frames, created by, elided frames."""

import re
from dataclasses import dataclass, field

from triage.core.model import Frame, Goroutine, Problem
from triage.core.panics import shapes
from triage.core.panics.document import Document
from triage.core.panics.head import OPENERS
from triage.core.panics.view import View

_STRANGERS = 3
"""So many foreign lines may stand between a function and its file."""
_APART = 8
"""So many may stand between two frames."""
_BLOCK_FRAME = re.compile(
    r"^(.+)\(([^()\n]*)\)\n\t([^\n]+):(\d+)(?: \+0x[0-9a-f]+)?(?: fp=0x.*)?$",
    re.MULTILINE,
)
_BLOCK_CREATED = re.compile(
    r"^created by (.+?)(?: in goroutine \d+)?\n\t(.+):(\d+)(?: \+0x[0-9a-f]+)?$",
    re.MULTILINE,
)


@dataclass(slots=True)
class Stack:
    """A goroutine as read, with its first and last line in the document."""

    goroutine: Goroutine
    first: int
    last: int
    problems: list[Problem] = field(default_factory=list)


def read_block(document: Document, header: re.Match[str], line: int) -> Stack | None:
    """Read a goroutine that stands as the runtime wrote it, in one sweep.

    None where anything is out of the ordinary: then `read_stack` looks closer.
    """
    text = document.text
    begin = header.end() + 1
    end = text.find("\n\n", header.end())
    if end < 0:
        end = len(text) - text.endswith("\n")
    block = text[begin:end]
    rows = block.count("\n") + 1
    created = None
    at = block.rfind("created by ")
    if at > 0 and block[at - 1] == "\n":
        found = _BLOCK_CREATED.fullmatch(block, at)
        if found is None:
            return None
        created = Frame(found[1], found[2], int(found[3]))
        block, rows = block[: at - 1], rows - 2
    frames = _BLOCK_FRAME.findall(block)
    if 2 * len(frames) != rows:
        return None
    state, wait = shapes.state_and_wait(header["state"])
    goroutine = Goroutine(
        int(header["id"]),
        state,
        tuple([Frame(f, path, int(n), words) for f, words, path, n in frames]),
        wait,
        created,
    )
    return Stack(goroutine, line, line + rows + (2 if created else 0))


class StackReader:
    """Reads the frames of one goroutine line by line, past what does not belong."""

    def __init__(self, view: View) -> None:
        self.view = view
        self.frames: list[Frame] = []
        self.created_by: Frame | None = None
        self.elided = False
        self.problems: list[Problem] = []
        self.last = 0

    def read(self, index: int) -> None:
        """Read frames from line *index* on; *last* is then the last line that counts."""
        self.last = index - 1
        strangers = 0
        while index < self.view.size and strangers <= _APART:
            body = self.view.body(index)
            if body is None:
                index, strangers = index + 1, strangers + 1
                continue
            if self._ends(body, index):
                return
            after = self._take(body, index)
            strangers = 0 if after else strangers + 1
            if after:
                self.last = after - 1
                if self.created_by:
                    return
            index = after or index + 1

    def _ends(self, body: str, index: int) -> bool:
        if not body:
            return True
        return bool(
            shapes.HEADER.match(body)
            or shapes.RUNTIME_STACK.match(body)
            or shapes.ORIGIN.match(body)
            or OPENERS.match(body)
        )

    def _take(self, body: str, index: int) -> int:
        """Take the frame at *index*; return the line after it, 0 if there is none."""
        if shapes.ELIDED.match(body):
            self.elided = True
            return index + 1
        maker = shapes.created(body)
        split = None if maker else shapes.call(body)
        if not maker and not split:
            return 0
        for below in range(index + 1, min(index + 2 + _STRANGERS, self.view.size)):
            line = self.view.body(below)
            at = shapes.place(line) if line else None
            if at:
                if maker:
                    self.created_by = shapes.frame(maker, at, None)
                elif split:
                    self.frames.append(shapes.frame(split[0], at, split[1]))
                return below + 1
        return 0


def read_stack(view: View, header: re.Match[str] | None, line: int) -> Stack:
    """Read one goroutine line by line; without *header* it is a `runtime stack:`."""
    reader = StackReader(view)
    reader.read(line + 1)
    state, wait = shapes.state_and_wait(header["state"]) if header else ("", None)
    goroutine = Goroutine(
        int(header["id"]) if header else None,
        state,
        tuple(reader.frames),
        wait,
        reader.created_by,
        reader.elided,
    )
    return Stack(goroutine, line, reader.last, reader.problems)
