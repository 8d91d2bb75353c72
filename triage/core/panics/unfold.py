"""Lines that a form or a terminal broke at its margin, put together again."""

import re

from triage.core.panics import shapes
from triage.core.panics.view import View

_FOLDS = 4
"""A line is put together from at most so many more."""
_MARGIN = 60
"""Narrower columns do not break lines of a stack."""
_WIDEST = 132
"""Wider columns are nobody's form or terminal."""
_EDGES = frozenset({80, 100, 120, 132})
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
        for glue in (" ", "") if joined.endswith(",") else ("", " "):
            line = joined + glue + part
            if shapes.call(line) or shapes.created(line):
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
    if _PATH.match(body) or _ARGUMENTS.search(body) or body == "created by":
        return True
    return bool(_NAME.match(body)) and _at_margin(view, index)


def _at_margin(view: View, index: int) -> bool:
    """Tell whether no line near *index* is longer: it was cut at the column's width."""
    width = len(view.document.lines[index])
    return width >= _MARGIN and width == _width(view, index)


def _width(view: View, index: int) -> int:
    return max(map(len, view.document.lines[max(0, index - 10) : index + 10]))


def margin_glue(view: View, index: int, after: str) -> str | None:
    """Return what stood between line *index* and *after* before a margin parted them.

    None where they are two lines: the next word would have found room.
    """
    line, width = view.document.lines[index], _width(view, index)
    if view.strip is not None or not _MARGIN <= width <= _WIDEST:
        return None  # behind a prefix, what was broken off lacks it
    if not after or after[0].isspace():
        return None
    if len(line) == width and not line[-1].isspace() and at_edge(view, index):
        return ""
    return " " if len(line) + 1 + len(after.split(maxsplit=1)[0]) > width else None


def at_edge(view: View, index: int) -> bool:
    """Tell whether several lines end where line *index* does: a terminal's edge."""
    near = view.document.lines[max(0, index - 10) : index + 10]
    width = len(view.document.lines[index])
    return width in _EDGES or sum(len(line) == width for line in near) > 1


def _tail_of_name(part: str) -> bool:
    """Tell whether *part* looks like a call only because its beginning is missing."""
    return "." not in part.partition("(")[0].lstrip(".")
