"""Goroutines of the runtime's own dumps, each below its header."""

import re
from dataclasses import dataclass

from triage.core.model import Frame, Goroutine, Problem
from triage.core.panics import shapes
from triage.core.panics.frames import StackReader, goes_on
from triage.core.panics.head import Head
from triage.core.panics.view import View

_BLOCK = 1 << 16
"""A goroutine has at most so many characters to be read in one sweep."""
_BLOCK_FRAME = re.compile(
    r"^(.+)\(([^()\n]*)\)\n\t([^\n]+):(\d{1,7})(?: \+0x[0-9a-f]+)?(?: fp=0x.*)?$",
    re.MULTILINE,
)
_BLOCK_CREATED = re.compile(
    r"created by (\S+)(?: in goroutine \d+)?\n\t(.+):(\d{1,7})(?: \+0x[0-9a-f]+)?"
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
    below = end + 2
    if not text.startswith("goroutine ", below) and goes_on(
        text[below : text.find("\n", below)]
    ):
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
        created = Frame(found[1], found[2], shapes.number(found[3]))
        block, rows = block[: at - 1], rows - 2
    frames = _BLOCK_FRAME.findall(block)
    if 2 * len(frames) != rows:
        return None
    state, wait = shapes.state_and_wait(header["state"])
    goroutine = Goroutine(
        shapes.number(header["id"]),
        state,
        tuple(
            [Frame(f, path, shapes.number(n), words) for f, words, path, n in frames]
        ),
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


def read_stack(view: View, header: re.Match[str] | None, line: int) -> Stack:
    """Read one goroutine line by line; without *header* it is a `runtime stack:`."""
    reader = StackReader(view)
    last = reader.read(line + 1)
    reader.take(line)
    state, wait = shapes.state_and_wait(header["state"]) if header else ("", None)
    goroutine = Goroutine(
        shapes.number(header["id"]) if header else None,
        state,
        tuple(reader.frames),
        wait,
        reader.created_by,
        reader.elided,
    )
    return Stack(goroutine, line, last, view, tuple(reader.problems))
