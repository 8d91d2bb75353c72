"""The recovery format of gin and of go-errors.

A path with its program counter, then the function and the line of source:
`/app/a.go:36 (0x142844a)` and below it, indented, `(*T).F: x := y.Z`.
"""

import re

from triage.core.model import Frame, Goroutine
from triage.core.panics import shapes
from triage.core.panics.crash import Found, make
from triage.core.panics.document import Document
from triage.core.panics.head import Head, find_opener, log_message, read_head
from triage.core.panics.prefix import Prefixes
from triage.core.panics.view import View

_TAIL = re.compile(r":\d{1,7} \(0x[0-9a-f]+\)")
_DRIVE = re.compile(r"(?<![^\s|>│\"'`])[A-Za-z]:[/\\]")
_ROOT = re.compile(r"(?<![^\s|>│\"'`])/(?=[\w.@~+-])")
_PLACE = re.compile(
    r"(?P<file>(?:[A-Za-z]:)?[^:()]+):(?P<line>\d{1,7}) \(0x[0-9a-f]+\)$"
)
_SOURCE = re.compile(r"(?P<function>[\w.*()\[\]/·-]+): ?(?P<source>.*)$")
_MESSAGE = 8
"""A message above the stack has at most so many lines."""


def read_gin(document: Document) -> list[Found]:
    """Read every stack of this format, in order."""
    if " (0x" not in document.text:
        return []
    prefixes = Prefixes(document)
    found: list[Found] = []
    floor, before = 0, -1
    for tail in document.find_open(_TAIL):
        span = _anchor(document, tail)
        if span is None or span[0] < floor or document.taken[span[0]]:
            continue
        if span[0] == before:
            continue  # one line holds one path; others in it are somebody's words
        before = span[0]
        view = prefixes.view(span, _PLACE.match, _fits)
        if _PLACE.match(view.body(span[0]) or ""):
            stack, last = _read(view, span[0], floor)
            found.append(stack)
            floor = last + 1
    return found


def _anchor(document: Document, tail: re.Match[str]) -> tuple[int, int, int] | None:
    """Find the path before a line number: the line, and the columns of both together.

    No colon and no bracket stands in it, but for a drive's.
    """
    line, column, end = document.span(tail)
    text = document.lines[line]
    begin = max(text.rfind(mark, 0, column) for mark in ":()") + 1
    drive = _DRIVE.match(text, begin - 2, column) if begin > 1 else None
    root = drive or _ROOT.search(text, begin, column)
    return (line, root.start(), end) if root else None


def _fits(view: View, line: int) -> bool:
    below = [view.body(i) or "" for i in range(line + 1, min(line + 3, view.size))]
    return any(_PLACE.match(body) for body in below)


def _read(view: View, line: int, floor: int) -> tuple[Found, int]:
    frames: list[Frame] = []
    index = last = line
    while index < view.size and index <= last + 2:
        at = _PLACE.match(view.body(index) or "")
        if at:
            source = _source(view, index + 1)
            frames.append(Frame(source or "", at["file"], shapes.number(at["line"])))
            last = index + bool(source)
            view.document.taken[index : last + 1] = b"\x01" * (last + 1 - index)
            index = last
        index += 1
    head = _head(view, line, floor)
    span = (head.first if head else line, last)
    goroutine = Goroutine(None, "", tuple(frames))
    return make(view.document, [goroutine], head=head, span=span, form="gin"), last


def _source(view: View, index: int) -> str | None:
    """Return the function of the line below a path, None where the next path follows."""
    body = view.body(index) if index < view.size else None
    found = _SOURCE.match(body) if body else None
    return found["function"] if found and not _PLACE.match(body or "") else None


def _head(view: View, line: int, floor: int) -> Head | None:
    """Take the lines right above the stack as the panic's message."""
    head = read_head(view, line, floor)
    if head and head.opener not in {"", "logged"}:
        return head
    lines: list[str] = []
    first = line
    for index in range(line - 1, max(floor, line - _MESSAGE) - 1, -1):
        body = view.body(index)
        if not body:
            break
        first = index
        opened = find_opener(body, near=True)
        logged = body[opened.end() :] if opened else log_message(body)
        lines.append(body if logged is None else logged)
        if logged is not None:
            break
    message = "\n".join(reversed(lines)).strip()
    return Head(first, "panic", message) if message else None
