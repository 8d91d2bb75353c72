"""Undo `//line`: from the position that a trace reports to the line in the file."""

from collections.abc import Iterator
from posixpath import normpath

from triage.core.view import View


def physical(view: View, reported: str, line: int) -> tuple[int, int] | None:
    """Return file number and line for a reported position; None where none maps there.

    *reported* matches by its longest common tail of path parts, at least the name.
    """
    wanted = _parts(reported)
    best: tuple[int, int, int] | None = None
    for file, first, last, name, start in _segments(view):
        at = first + line - start
        tail = _common_tail(wanted, _parts(name))
        if tail and first <= at < last and (best is None or tail > best[0]):
            best = (tail, file, at)
    return best[1:] if best else None


def _segments(view: View) -> Iterator[tuple[int, int, int, str, int]]:
    """Go over (file, first line, line behind the last, reported file, its line)."""
    rows = list(view.table.records("lines"))
    for number, (file, first, name, start) in enumerate(rows):
        follows = number + 1 < len(rows) and rows[number + 1][0] == file
        last = rows[number + 1][1] if follows else 1 << 30
        yield file, first, last, view.table.text(name), start


def _parts(path: str) -> list[str]:
    return normpath(path.replace("\\", "/")).split("/")


def _common_tail(left: list[str], right: list[str]) -> int:
    count = 0
    for a, b in zip(reversed(left), reversed(right), strict=False):
        if a != b:
            break
        count += 1
    return count
