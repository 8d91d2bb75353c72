"""Cut single lines that are too long to show: the only way in which source is altered.

A comment in the line says how much is not there, so that nobody takes what is left
for the source itself.
"""

_NOTE = "/* ... {} characters cut */"
_SHORT_NOTE = "/* ... */"
"""Stands where there is no room for the number."""
_NOTE_ROOM = len(_NOTE.format(10**9)) + 1
_INDENT = 16
"""Characters of a cut line's indent that stay."""


def shortened(text: str, limit: int) -> str:
    """Return *text*, a name or a message, in at most *limit* characters."""
    if len(text) <= limit:
        return text
    return text[: max(0, limit - 3)] + "..."[: max(0, limit)]


def narrowed(line: str, limit: int, focus: int = 0) -> str:
    """Cut *line* to *limit* characters around *focus*, most of them before it.

    Its line end stays and is not counted. Without room for anything else the shortest
    note is left, whatever it takes.
    """
    body = line.rstrip("\r\n")
    end = line[len(body) :]
    if len(body) <= limit:
        return line
    if limit < 3 * _NOTE_ROOM:
        return f"{_tightly(body, limit, focus)}{end}"
    indent = body[: len(body) - len(body.lstrip("\t "))][:_INDENT]
    room = limit - len(indent) - 2 * _NOTE_ROOM
    start, stop = _span(len(body), room, focus)
    before = f"{indent}{_NOTE.format(start)} " if start else ""
    after = f" {_NOTE.format(len(body) - stop)}" if stop < len(body) else ""
    return f"{before}{body[start:stop]}{after}{end}"


def _tightly(body: str, limit: int, focus: int) -> str:
    """Cut a line to what is hardly more than its notes."""
    bare = body.lstrip("\t ")
    focus -= len(body) - len(bare)
    room = limit - 2 * len(_SHORT_NOTE)
    if len(bare) <= limit - len(_SHORT_NOTE):
        return f"{bare}{_SHORT_NOTE}"  # its indent is what was too much
    if room <= 0:
        return _SHORT_NOTE
    start, stop = _span(len(bare), room, focus)
    before = _SHORT_NOTE if start else ""
    after = _SHORT_NOTE if stop < len(bare) else ""
    return f"{before}{bare[start:stop]}{after}"


def _span(length: int, room: int, focus: int) -> tuple[int, int]:
    """Choose *room* of *length* characters, three quarters of them before *focus*."""
    start = max(0, min(focus - room * 3 // 4, length - room))
    return start, start + room
