"""Lines that a form or a terminal broke at its margin, put together again."""

import re

from triage.core.panics import shapes
from triage.core.panics.view import View

_FOLDS = 4
"""A line is put together from at most so many more."""
_MARGIN = 60
"""Narrower columns do not break lines of a stack."""
_PATH = re.compile(r"(?:[A-Za-z]:)?[/\\][^()\"`,]*$")
_NAME = re.compile(r"[\w./*()·%@~$\[\]-]+$")
_TAIL = re.compile(r"\d*\s*\+0x[0-9a-f]+(?:\s|$)|(?:fp|sp|pc)=0x")
_ARGUMENTS = re.compile(r"\([\w\s,.{}?…]*$")


def whole(view: View, index: int) -> tuple[str | None, int]:
    """Return the whole line that begins at *index*, and the index of the one after.

    The line is None where *index* is not ours.

    `a.F(0x1,` + `0x2)` -> `a.F(0x1, 0x2)`: only where the parts make a line of a
    stack that they are not by themselves.
    """
    body = view.body(index)
    if body is None:
        return None, index + 1
    at = shapes.place(body)
    if at:
        return _with_tail(view, body, index, cut=not at[2])
    if shapes.call(body) or not _open(view, body, index):
        return body, index + 1
    joined = body
    for after in range(index + 1, min(index + 1 + _FOLDS, view.size)):
        part = view.words(after)
        if not part or (joined and shapes.call(part) and not _tail_of_name(part)):
            break
        for glue in ("", " "):
            line = joined + glue + part
            if shapes.call(line):
                return line, after + 1
            if _PATH.match(joined or part) and shapes.place(line):
                return _with_tail(view, line.strip(), after, cut=True)
        joined = f"{joined} {part}" if joined.endswith(",") else joined + part
    return body, index + 1


def _with_tail(view: View, line: str, index: int, *, cut: bool) -> tuple[str, int]:
    """Add what was broken off behind the line number: `+0x1d`, `fp=0xc0`."""
    if index + 1 < view.size:
        part = view.words(index + 1)
        if _TAIL.match(part):
            glue = "" if cut and part[0].isdigit() else " "
            return (line + glue + part if cut else line), index + 2
    return line, index + 1


def _open(view: View, body: str, index: int) -> bool:
    """Tell whether *body* can be the first part of a broken line."""
    if not body:  # a prefix alone: what it stood before was wrapped to the next line
        after = index + 1
        return view.strip is not None and after < view.size and not view.body(after)
    if _PATH.match(body) or _ARGUMENTS.search(body):
        return True
    return bool(_NAME.match(body)) and _at_margin(view, index)


def _at_margin(view: View, index: int) -> bool:
    """Tell whether no line near *index* is longer: it was cut at the column's width."""
    near = view.document.lines[max(0, index - 10) : index + 10]
    width = len(view.document.lines[index])
    return width >= _MARGIN and width == max(map(len, near))


def _tail_of_name(part: str) -> bool:
    """Tell whether *part* looks like a call only because its beginning is missing."""
    return "." not in part.partition("(")[0].lstrip(".")
