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
_PIECES = re.compile(r"[A-Za-z]+|[.,]\d+|\d+|\s+|.", re.DOTALL)
_MIXED = re.compile(r"(?=[a-f]*[0-9])(?=[0-9]*[a-f])[0-9a-f]+")
_HEX, _LETTERS, _DIGITS, _BLANKS = "[0-9a-f]", "[A-Za-z]", r"\d", r"\s"
_LETTER = re.compile(_LETTERS)
_FRACTION = r"(?:[.,]\d++)?+"


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
    """Write *prefix* as a pattern in which the *moving* parts match their like.

    No part gives back what it has matched, and none begins with what the one before it
    takes: a line is gone through once, whatever stands in it.
    """
    out: list[str] = []
    at = 0
    bare = prefix.rstrip()
    for found in moving.finditer(bare):
        _add_fixed(out, bare[at : found.start()])
        _add_moving(out, found[0])
        at = found.end()
    _add_fixed(out, bare[at:])
    return "".join(out) + (r"(?:\s|$)" if len(bare) < len(prefix) else "")


def _add_fixed(out: list[str], text: str) -> None:
    """Add *text* as it stands, but for how many blanks there are."""
    for part in re.split(r"([ \t]+)", text):
        if part.isspace():
            _add_run(out, _BLANKS)
        else:
            out += [re.escape(rest) for rest in [_behind(out, part)] if rest]


def _add_moving(out: list[str], text: str) -> None:
    r"""Add a moving part: `18:29:17` -> `\d++`, `:`, `\d++`, `:`, `\d++`."""
    if _MIXED.fullmatch(text):
        _add_run(out, _HEX)
        return
    for found in _PIECES.finditer(text):
        piece = found[0]
        if piece.isdecimal():
            _add_run(out, _DIGITS)
        elif _LETTER.match(piece):
            _add_run(out, _LETTERS)
        elif piece.isspace():
            _add_run(out, _BLANKS)
        else:
            out.append(re.escape(piece) if len(piece) == 1 else _FRACTION)


def _add_run(out: list[str], kind: str) -> None:
    """Add any number of characters of a *kind*, unless they were added already."""
    if not out or out[-1] != f"{kind}++":
        out.append(f"{kind}++")


def _behind(out: list[str], text: str) -> str:
    """Take from the front of *text* what the run before it has matched."""
    if out and out[-1].endswith("++"):
        return re.sub(f"^{out[-1]}", "", text)
    return text


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
