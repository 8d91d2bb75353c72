"""Panics and fatal errors whose dump is missing: cut off, or never written."""

import re

from triage.core.panics.crash import Found, make
from triage.core.panics.document import Document
from triage.core.panics.head import OPENERS, find_opener, finish
from triage.core.panics.view import View

_ANCHOR = re.compile(
    r"^[ \t]*(?:panic: |fatal error: |F\d{4} \d\d:\d\d:\d\d\.\d+\s+\d+ \S+\.go:\d+\] )",
    re.MULTILINE,
)
_WORDS = re.compile(
    r"panic: runtime error(?: at 0x[0-9a-f]+)?: |.*\[recovered(?:, repanicked)?\]$|F\d{4} "
    r"|fatal error: (?:all goroutines are|no goroutines|stack overflow|newosproc|fault$"
    r"|concurrent map |runtime: |unexpected signal |out of memory|sync: )"
)
"""What no other program prints than Go's."""
_BESIDE = re.compile(r"\s+panic: |\[signal |goroutine \d+ \[|exit status 2$|runtime: ")
"""What stands beside a head whose words could be anybody's."""
_REACH = 3
_MESSAGE = 40
"""A message has at most so many lines."""


def read_heads(document: Document) -> list[Found]:
    """Read the heads that no dump followed, in order."""
    view = View(document)
    found: list[Found] = []
    floor = 0
    for anchor in document.find_open(_ANCHOR):
        line = document.index(anchor.start())
        if line < floor or document.taken[line] or not _believed(document, line):
            continue
        end = _end(view, line)
        last = _last_of_chain(view, line, end)
        opener = find_opener(view.body(last) or "", near=False)
        if opener:
            head = finish(view, last, floor, end, opener)
            span = (head.first, end - 1)
            found.append(make(document, [], head=head, span=span))
        floor = end
    return found


def _believed(document: Document, line: int) -> bool:
    lines = document.lines
    if _WORDS.match(lines[line].strip()):
        return True
    near = range(max(0, line - _REACH), min(len(lines), line + 1 + _REACH))
    return any(
        _BESIDE.match(lines[index])
        for index in near
        if index != line and not document.taken[index]
    )


def _end(view: View, line: int) -> int:
    """Return the line behind a head: indented lines and signals go on with it."""
    end = line + 1
    while end < min(view.size, line + _MESSAGE) and _goes_on(view, end):
        end += 1
    return end


def _goes_on(view: View, line: int) -> bool:
    body = view.body(line) or ""
    return bool(body) and (view.depth(line) > 0 or body.startswith("[signal "))


def _last_of_chain(view: View, line: int, end: int) -> int:
    """Go down from a recovered panic to the one that was raised last."""
    last = line
    for below in range(line + 1, end):
        if OPENERS.match(view.body(below) or "") and view.depth(below) > view.depth(
            last
        ):
            last = below
    return last
