"""Cut text for a declaration: whole, a region, its signature, a pruned struct.

Text is taken by byte offset, exactly as written, and decoded last. Where lines are
left out, a comment line says how many and which; where a line is cut because nothing
else would fit, a comment in it says so.
"""

import re
from collections.abc import Collection, Iterable, Sequence
from itertools import groupby

import msgspec
from msgspec.structs import replace

from triage.core.narrow import narrowed
from triage.core.table import Decl, DeclFlag, Kind
from triage.core.view import View, remembered

_NOTE_SIZE = 48
"""Characters that a note may take, its indent with it."""
_DOC_SHARE = 4
"""A doc comment may take a window's budget divided by this."""
_LEAST_LINE = 90
"""Characters to which no line is cut while there is any choice."""
_HIDDEN = "// ..."
"""Stands for all lines of one side where there is no room for a note."""

_SELECTORS = re.compile(r"[\w.]*")

_Ranges = tuple[tuple[int, int], ...]
_NOTHING: _Ranges = ()


class Piece(msgspec.Struct, frozen=True, gc=False):
    """Text for one declaration and what it shows of it."""

    text: str
    start_line: int
    end_line: int
    elided: bool = False
    omitted: _Ranges = ()
    narrowed: bool = False
    """Whether lines of it are cut."""


class _Lines(msgspec.Struct, frozen=True, gc=False):
    """A declaration's text by lines, as it stands alone."""

    doc: str
    doc_line: int
    lines: tuple[str, ...]
    """With their ends."""
    first: int
    """The line of the first of them."""
    head: int
    """How many of them the signature takes."""

    @property
    def last(self) -> int:
        """The line of the last of them."""
        return self.first + len(self.lines) - 1

    def piece(self, keep: Collection[int]) -> Piece:
        """Join the lines of *keep*; notes stand for others that are longer."""
        parts: list[str] = []
        omitted: list[tuple[int, int]] = []
        numbers = range(self.first, self.last + 1)
        for kept, group in groupby(numbers, key=keep.__contains__):
            run = list(group)
            lines = self.lines[run[0] - self.first : run[-1] - self.first + 1]
            if kept:
                parts += lines
                continue
            note = _note(run[0], run[-1], _indent(lines)) + "\n"
            if sum(map(len, lines)) <= len(note):
                parts += lines
            else:
                parts.append(note)
                omitted.append((run[0], run[-1]))
        return Piece("".join(parts), self.first, self.last, omitted=tuple(omitted))


def text_range(decl: Decl) -> tuple[int, int]:
    """Return the byte range of a declaration's text, its doc comment before it.

    A spec of an iota group means nothing alone: there it is the group's.
    """
    if decl.flags & DeclFlag.IOTA:
        return decl.group_start, decl.group_end
    return decl.doc_start, decl.end


def is_lifted(decl: Decl) -> bool:
    """Tell whether the text has to be printed anew to stand outside its group."""
    return decl.group_start >= 0 and not decl.flags & DeclFlag.IOTA


@remembered
def whole(view: View, decl: Decl) -> Piece:
    """Return the declaration as written; a grouped spec gets its keyword back."""
    doc, body, first = _text(view, decl)
    return Piece(doc + body, first, first + body.count("\n"))


@remembered
def signature(view: View, decl: Decl) -> Piece:
    """Return a function without its body, of others the first and the last line."""
    text = _lines(view, decl)
    if decl.body_start < 0:
        spec = range(decl.line, decl.end_line + 1) if _counts(decl) else ()
        ends = text.lines if decl.is_function else text.lines[:1]
        head = range(text.first, text.first + len(ends))
        piece = text.piece({*head, *spec, text.last})
        return replace(piece, elided=bool(piece.omitted))
    head_text = _decode(view.source(decl)[decl.start : decl.body_start]).rstrip()
    below = decl.line + head_text.count("\n") + 1
    piece = Piece(head_text, decl.line, decl.end_line, elided=True)
    if below > decl.end_line:
        return piece
    hidden = (below, decl.end_line)
    note = f"{head_text}\n{_note(*hidden, '')}"
    return replace(piece, text=note, omitted=(hidden,))


def region(view: View, decl: Decl, keep: Iterable[int]) -> Piece:
    """Return the declaration's signature, the lines of *keep* and its last line."""
    text = _lines(view, decl)
    head = range(text.first, text.first + text.head)
    piece = text.piece({*keep, *head, text.last})
    return replace(piece, text=text.doc + piece.text)


def window(view: View, decl: Decl, line: int, budget: int) -> Piece:
    """Cut *decl* to *budget* characters around *line*: two lines up for one down.

    The signature, the line and the end are shown whatever they take; a doc comment
    only where it leaves most of the room to the code.
    """
    return _window(_lines(view, decl), line, budget)


def narrow_window(
    view: View, decl: Decl, line: int, budget: int, focus: Sequence[str]
) -> Piece:
    """Cut *decl* to *budget* characters around *line*, and lines that are too long.

    *line* is cut around the end of the first text of *focus* that stands on it. Where
    not even signature and end have room, it is shown alone.
    """
    text = _lines(view, decl)
    line = min(max(line, text.first), text.last)
    limit = max(_LEAST_LINE, budget // 4)
    at = _focus(text.lines[line - text.first], focus)
    lines = tuple(
        narrowed(one, limit, at if number == line else 0)
        for number, one in enumerate(text.lines, text.first)
    )
    head = text.head if sum(map(len, lines[: text.head])) <= limit else 1
    piece = _window(replace(text, lines=lines, head=head), line, budget)
    if len(piece.text) > budget:
        piece = _alone(text, line, budget, at)
    return replace(piece, narrowed=True)


def _focus(line: str, texts: Sequence[str]) -> int:
    """Return where on *line* the first of *texts* that it holds ends, else 0.

    The selectors behind it are part of what faulted, and of a long text the beginning
    is all that is known.
    """
    for text in filter(None, texts):
        if (start := line.find(text)) >= 0:
            rest = _SELECTORS.match(line, start + len(text))
            return rest.end() if rest else start
    return 0


def _alone(text: _Lines, line: int, budget: int, focus: int) -> Piece:
    """Show nothing but *line*, cut; what is on either side is told if that fits."""
    sides = ((text.doc_line, line - 1), (line + 1, text.last))
    hidden = tuple(side for side in sides if side[0] <= side[1])
    source = text.lines[line - text.first].rstrip("\r\n")
    notes = [_note(*side, "") if side in hidden else "" for side in sides]
    if sum(map(len, notes)) + len(hidden) + len(source) > budget:
        notes = [_HIDDEN if side in hidden else "" for side in sides]
    room = budget - sum(map(len, notes)) - len(hidden)
    if room < _LEAST_LINE // 4:
        room, notes = budget, ["", ""]
    parts = (notes[0], narrowed(source, room, focus), notes[1])
    shown = "\n".join(part for part in parts if part)
    return Piece(shown, text.first, text.last, omitted=hidden)


def _window(text: _Lines, line: int, budget: int) -> Piece:
    doc, told = text.doc, _NOTHING
    if len(doc) * _DOC_SHARE > budget:
        doc, told = _without_doc(text)
    line = min(max(line, text.first), text.last)
    kept = {*range(text.first, text.first + text.head), line, text.last}
    left = budget - len(doc) - 2 * _NOTE_SIZE
    left -= sum(len(text.lines[number - text.first]) for number in kept)
    low, high, turn = line, line, 1
    while len(kept) < len(text.lines):
        up = high == text.last or (turn % 3 != 0 and low > text.first)
        at = low - 1 if up else high + 1
        left -= 0 if at in kept else len(text.lines[at - text.first])
        if left < 0:
            break
        kept.add(at)
        low, high, turn = min(low, at), max(high, at), turn + 1
    piece = text.piece(kept)
    return replace(piece, text=doc + piece.text, omitted=told + piece.omitted)


def _without_doc(text: _Lines) -> tuple[str, _Ranges]:
    """Return what stands in place of a doc comment, and the lines that it stands for."""
    lines = (text.doc_line, text.first - 1)
    note = _note(*lines, "") + "\n"
    return (note, (lines,)) if len(note) < len(text.doc) else (text.doc, _NOTHING)


@remembered
def _lines(view: View, decl: Decl) -> _Lines:
    """Read a declaration line by line; out of a group it comes with its keyword."""
    doc, body, first = _text(view, decl)
    if _counts(decl):
        return _Lines(doc, first, _split(body), first, 1)
    start = max(decl.body_start, decl.start)
    head = view.source(decl).count(b"\n", decl.start, start) + 1
    return _Lines(doc, decl.doc_line, _split(body), first, head)


def _text(view: View, decl: Decl) -> tuple[str, str, int]:
    """Return doc comment, text and the text's first line."""
    source = view.source(decl)
    if _counts(decl):
        first = source.count(b"\n", 0, decl.group_start) + 1
        return "", _decode(source[decl.group_start : decl.group_end]), first
    doc = _decode(source[decl.doc_start : decl.start])
    body = _decode(source[decl.start : decl.end])
    if is_lifted(decl):
        keyword = {Kind.TYPE: "type", Kind.VAR: "var"}.get(decl.kind, "const")
        doc, body = _dedented(doc), f"{keyword} {_dedented(body)}"
    return doc, body, decl.line


def _counts(decl: Decl) -> bool:
    """Tell whether a spec counts with iota, so that it means nothing alone."""
    return bool(decl.flags & DeclFlag.IOTA)


def _split(text: str) -> tuple[str, ...]:
    """Split at newlines alone, as Go does, and keep them."""
    *lines, last = text.split("\n")
    return (*(f"{line}\n" for line in lines), last)


def _dedented(text: str) -> str:
    """Take one level of tabs off each line but the first; raw strings keep theirs."""
    return text if "`" in text else text.replace("\n\t", "\n")


def around(decl: Decl, lines: Sequence[int], margin: int) -> set[int]:
    """Return the lines of *decl* within *margin* of any of *lines*."""
    return {
        number
        for line in lines
        for number in range(line - margin, line + margin + 1)
        if decl.line <= number <= decl.end_line
    }


def _note(first: int, last: int, indent: str) -> str:
    """Say what was cut: `// ... 41 lines elided (60-100)`."""
    count = last - first + 1
    lines = "1 line" if count == 1 else f"{count} lines"
    where = f"{first}" if count == 1 else f"{first}-{last}"
    return f"{indent}// ... {lines} elided ({where})"


def _indent(lines: Sequence[str]) -> str:
    """Return the indent of the first line with text on it."""
    line = next((line for line in lines if line.strip()), "")
    return line[: len(line) - len(line.lstrip("\t "))]


def _decode(data: bytes) -> str:
    return data.decode("utf-8", "replace")
