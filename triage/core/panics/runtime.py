"""The runtime's own dumps: goroutine headers, frames, created by, elided frames."""

import re
from dataclasses import dataclass

from triage.core.model import Frame, Goroutine, Problem
from triage.core.panics import shapes
from triage.core.panics.head import OPENERS, Head
from triage.core.panics.unfold import whole
from triage.core.panics.view import View

_BETWEEN = 3
"""So many foreign lines may stand between a function and its file."""
_APART = 8
"""So many may stand between two frames of a dump that has no prefix."""
_APART_PREFIXED = 64
"""So many where a prefix tells the dump's lines from others."""
_BLOCK = 1 << 16
"""A goroutine has at most so many characters to be read in one sweep."""
_NOISE = re.compile(r"0x[0-9a-f]{8,}:|stack: frame=|runtime: |:0$")
"""What the runtime itself prints in between: hex dumps, notes, gccgo's blank frames."""
_BLOCK_FRAME = re.compile(
    r"^(.+)\(([^()\n]*)\)\n\t([^\n]+):(\d{1,7})(?: \+0x[0-9a-f]+)?(?: fp=0x.*)?$",
    re.MULTILINE,
)
_BLOCK_CREATED = re.compile(
    r"created by (.+?)(?: in goroutine \d+)?\n\t(.+):(\d{1,7})(?: \+0x[0-9a-f]+)?"
)


@dataclass(slots=True)
class Stack:
    """A goroutine as read, with its first and last line in the document."""

    goroutine: Goroutine
    first: int
    last: int
    view: View
    problems: tuple[Problem, ...] = ()
    lead: Head | None = None
    """A head that stands before the header, on its line."""


def read_block(view: View, header: re.Match[str], line: int) -> Stack | None:
    """Read a goroutine that stands as the runtime wrote it, in one sweep.

    None where anything is out of the ordinary: then `read_stack` looks closer.
    """
    text = view.document.text
    begin = header.end() + 1
    end = _end_of_block(text, header.end())
    if end < 0:
        return None
    block = text[begin:end]
    rows = block.count("\n") + 1
    last = line + rows
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
    view.document.taken[line : last + 1] = b"\x01" * (last + 1 - line)
    return Stack(goroutine, line, last, view)


def _end_of_block(text: str, begin: int) -> int:
    """Return where the blank line below a goroutine begins; -1 if it is not near."""
    far = begin + _BLOCK
    near = text.find("\ngoroutine ", begin, far)
    end = text.find("\n\n", begin, far if near < 0 else near + 1)
    if end < 0 and near < 0 and len(text) < far and text.endswith("\n"):
        return len(text) - 1
    return end


class StackReader:
    """Reads the frames of one goroutine line by line, past what does not belong."""

    def __init__(self, view: View, most: int | None = None) -> None:
        self.view = view
        self.frames: list[Frame] = []
        self.created_by: Frame | None = None
        self.elided = False
        self.problems: list[Problem] = []
        self.used: list[int] = []
        self._most = most
        self._bare = False
        self._spaced = False
        self._ancestors = False
        self._offsets = 0

    def begin(self, frame: Frame, lines: range) -> None:
        """Take a first frame that was read elsewhere, on *lines*."""
        self._offsets += frame.arguments is not None
        self._add(frame, maker=False)
        self.used += lines

    def read(self, index: int) -> int:
        """Read frames from line *index* on; return the last line that is part of them."""
        self.last = index - 1
        strangers = 0
        most = _APART if self.view.strip is None else _APART_PREFIXED
        while index < self.view.size and strangers <= most and not self._done(index):
            body, after = whole(self.view, index)
            if body == "":
                if self._ends_at_blank(index):
                    break
                index = after
                continue
            if body is not None and _stops(body):
                break
            taken = self._take(body, index, after) if body else 0
            strangers = 0 if taken or _NOISE.match(body or "") else strangers + 1
            index = taken or index + 1
        return self.last

    def take(self, line: int) -> None:
        """Mark the header at *line* and every line read below it as taken."""
        taken = self.view.document.taken
        taken[line] = 1
        for index in self.used:
            taken[index] = 1

    def _done(self, index: int) -> bool:
        """Tell whether enough was read; ancestors may follow the goroutine's maker."""
        if self.created_by and not self._ancestors:
            return not shapes.ORIGIN.match(self.view.body(index) or "")
        return self._most is not None and len(self.frames) >= self._most

    def _ends_at_blank(self, index: int) -> bool:
        """Tell whether a blank line ends the goroutine; text may be double-spaced."""
        after = index + 1
        if after >= self.view.size:
            return True
        body = self.view.body(after)
        if body == ":0":
            return False
        if not self.frames and not self.created_by:
            self._spaced = True
        return not (self._spaced and body)

    def _take(self, body: str, index: int, after: int) -> int:
        """Take what begins at *index*; return the line after it, 0 if it is nothing."""
        if shapes.ELIDED.match(body):
            self.elided = self.elided or not self._ancestors
            return self._use(index, after)
        if shapes.ORIGIN.match(body):
            self._ancestors = True
            return self._use(index, after)
        maker = shapes.created(body)
        split = (maker, None) if maker else shapes.call(body) or self._bare_call(body)
        found = self._place_below(after) if split else None
        if split and found:
            self._add(shapes.frame(split[0], found[0], split[1]), maker=bool(maker))
            return self._use(index, found[1])
        if split and split[1] is not None:
            self._problem(index, "a function without its file is left out")
        return 0

    def _place_below(self, index: int) -> tuple[tuple[str, int, bool], int] | None:
        """Find the file line that belongs to a function, and the line after it."""
        for below in range(index, min(index + 1 + _BETWEEN, self.view.size)):
            line, after = whole(self.view, below)
            at = shapes.place(line) if line else None
            if at:
                return None if self._cut(at, after) else (at, after)
            ours = line is not None
            if ours and (not line and not self._spaced):
                return None
            if line and (shapes.call(line) or _stops(line)):
                return None
        return None

    def _bare_call(self, body: str) -> tuple[str, None] | None:
        """Take a name without arguments, as gccgo prints it, once no other kind came."""
        if (self.frames and not self._bare) or not shapes.bare(body):
            return None
        return body, None

    def _add(self, frame: Frame, *, maker: bool) -> None:
        if self._ancestors:
            return
        if maker:
            self.created_by = self.created_by or frame
        elif self.created_by is None:
            self._bare = self._bare or frame.arguments is None
            self.frames.append(frame)

    def _cut(self, at: tuple[str, int, bool], behind: int) -> bool:
        """Tell whether a file line at the very end of the text may lack digits."""
        if at[2]:
            self._offsets += 1
            return False
        whole = self.view.document.whole
        return behind >= self.view.size and self._offsets > 0 and not whole

    def _use(self, first: int, after: int) -> int:
        self.used += range(first, after)
        self.last = after - 1
        return after

    def _problem(self, index: int, text: str) -> None:
        self.problems.append(Problem(self.view.document.number(index), text))


def _stops(body: str) -> bool:
    return shapes.begins(body) or OPENERS.match(body) is not None


def read_stack(view: View, header: re.Match[str] | None, line: int) -> Stack:
    """Read one goroutine line by line; without *header* it is a `runtime stack:`."""
    reader = StackReader(view)
    last = reader.read(line + 1)
    reader.take(line)
    state, wait = shapes.state_and_wait(header["state"]) if header else ("", None)
    goroutine = Goroutine(
        int(header["id"]) if header else None,
        state,
        tuple(reader.frames),
        wait,
        reader.created_by,
        reader.elided,
    )
    return Stack(goroutine, line, last, view, tuple(reader.problems))
