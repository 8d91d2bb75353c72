"""What stands before each line of a dump, found from the column of its header.

A log collector writes the same words before every line, but for times and counters.
Three readings are tried: the same text with other times, the very same text, the same
text with other numbers. A narrow reading keeps apart what two containers or processes
wrote at the same time.
"""

import re
from collections.abc import Callable

from triage.core.panics.document import Document
from triage.core.panics.view import Strip, View

_MOST = 64
"""So many patterns are made for one document; then only the same text counts."""
_LONGEST = 300
"""No sender writes so much before each line; more is another text on the same line."""
_OPEN = 8
"""So many senders may write into one text at the same time."""
_TIMES = re.compile(
    r"\d{4}[-/.]\d{2}[-/.]\d{2}|\d{1,2}:\d{2}(?::\d{2})?(?:[.,]\d+)?|\d+[.,]\d+|\d{10,19}"
    r"|[A-Z][a-z]{2} +\d{1,2}(?= )|(?<=\b[IWEF])\d{4}\b|[+-]\d{2}:?\d{2}\b"
    r"|\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)\b"
)
_NUMBERS = re.compile(
    r"\b(?=[a-f]*\d)[0-9a-f]{6,}\b|\d+"
    r"|\b(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|PANIC|CRITICAL)\b",
    re.IGNORECASE,
)
_PIECES = re.compile(r"[A-Za-z]+|[.,][0-9]+|[0-9]+|\s+|.")
_MIXED = re.compile(r"(?=[a-f]*[0-9])(?=[0-9]*[a-f])[0-9a-f]+")


def literal(prefix: str) -> Strip:
    """Strip exactly *prefix*; blanks at its end may be missing or tabs."""
    bare = prefix.rstrip()
    loose = len(bare) < len(prefix)

    def strip(line: str) -> str | None:
        if line.startswith(prefix):
            return line[len(prefix) :]
        if not line.startswith(bare):
            return None
        rest = line[len(bare) :]
        return rest if not rest or (loose and rest[0].isspace()) else None

    return strip


def _template(prefix: str, moving: re.Pattern[str]) -> str:
    """Write *prefix* as a pattern in which the *moving* parts match their like."""
    out, at = [], 0
    bare = prefix.rstrip()
    for found in moving.finditer(bare):
        out += [_fixed(bare[at : found.start()]), _moving(found[0])]
        at = found.end()
    out.append(_fixed(bare[at:]))
    return "".join(out) + (r"(?:\s|$)" if len(bare) < len(prefix) else "")


def _fixed(text: str) -> str:
    return re.sub(r"(?:\\[ \t])+", lambda _: r"\s+", re.escape(text))


def _moving(text: str) -> str:
    r"""Write a moving part as a pattern: `18:29:17` -> `\d+:\d+:\d+`."""
    if _MIXED.fullmatch(text):
        return "[0-9a-f]+"
    return _PIECES.sub(lambda found: _piece(found[0]), text)


def _piece(text: str) -> str:
    if text.isalpha():
        return "[A-Za-z]+"
    if text.isdigit():
        return r"\d+"
    if text.isspace():
        return r"\s+"
    return re.escape(text) if len(text) == 1 else r"(?:[.,]\d+)?"


class Prefixes:
    """Finds, for each anchor of a grammar, the view in which it begins a line."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.plain = View(document)
        self._views: list[View] = []
        self._strips: dict[str | None, Strip] = {}

    def view(
        self,
        span: tuple[int, int, int],
        begins: Callable[[str], object],
        fits: Callable[[View, int], bool],
    ) -> View:
        """Return the view in which an anchor begins its line.

        *span* is the anchor's line, first and last column. *begins* tells whether a
        line is such an anchor, *fits* whether what goes with one on that line shows in
        a view; the plain view is returned where no other fits.
        """
        line, column, end = span
        text = self.document.lines[line]
        prefix, suffix = text[:column], text[end:].strip()
        if column > _LONGEST or (not prefix.strip() and not suffix):
            return self.plain
        for view in self._views:
            if begins(view.body(line) or ""):
                return view
        for strip in self._readings(prefix):
            view = View(self.document, strip, suffix)
            if fits(view, line):
                self._views.insert(0, view)
                del self._views[_OPEN:]
                return view
        return self.plain

    def _readings(self, prefix: str) -> list[Strip | None]:
        if not prefix.strip():
            return [None]
        readings: list[Strip | None] = []
        for moving in (_TIMES, _NUMBERS):
            pattern = _template(prefix, moving) if moving.search(prefix) else None
            if pattern and pattern not in self._strips and len(self._strips) < _MOST:
                self._strips[pattern] = _matching(re.compile(pattern))
            if pattern in self._strips:
                readings.append(self._strips[pattern])
        readings.insert(1 if _TIMES.search(prefix) and readings else 0, literal(prefix))
        return readings


def _matching(pattern: re.Pattern[str]) -> Strip:
    def strip(line: str) -> str | None:
        found = pattern.match(line)
        return line[found.end() :] if found else None

    return strip
