"""Cut text for a declaration: whole, a region, its signature, a pruned struct.

Text is taken by byte offset, exactly as written, and decoded last. Where lines are
left out, a comment line says how many and which.
"""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from triage.core.table import Decl, DeclFlag, Kind
from triage.core.view import View


@dataclass(frozen=True, slots=True)
class Piece:
    """Text for one declaration and what it shows of it."""

    text: str
    start_line: int
    end_line: int
    elided: bool = False
    omitted: tuple[tuple[int, int], ...] = ()


def text_range(decl: Decl) -> tuple[int, int]:
    """Return the byte range of a declaration's text, its doc comment before it.

    A spec of an iota group means nothing alone: there it is the group's.
    """
    if decl.flags & DeclFlag.IOTA and decl.group_start >= 0:
        return decl.group_start, decl.group_end
    return decl.doc_start, decl.end


def is_lifted(decl: Decl) -> bool:
    """Tell whether the text has to be printed anew to stand outside its group."""
    return decl.group_start >= 0 and not decl.flags & DeclFlag.IOTA


def whole(view: View, decl: Decl) -> Piece:
    """Return the declaration as written; a grouped spec gets its keyword back."""
    start, end = text_range(decl)
    text = _decode(view.source(decl)[start:end])
    if is_lifted(decl):
        text = _with_keyword(view, decl, text)
    first, last = decl.line, decl.end_line
    if decl.flags & DeclFlag.IOTA and decl.group_start >= 0:
        source = view.source(decl)
        first = source.count(b"\n", 0, start) + 1
        last = first + source.count(b"\n", start, end)
    return Piece(text, first, last)


def _with_keyword(view: View, decl: Decl, text: str) -> str:
    """`offset = 1` -> `const offset = 1`, below its doc comment."""
    source = view.source(decl)
    doc = _decode(source[decl.doc_start : decl.start])
    body = _decode(source[decl.start : decl.end])
    keyword = {Kind.TYPE: "type", Kind.VAR: "var"}.get(decl.kind, "const")
    indent = text[: len(text) - len(text.lstrip("\t "))]
    return f"{_dedented(doc)}{keyword} {_dedented(body)}" if not indent else text


def _dedented(text: str) -> str:
    """Take one level of tabs off each line but the first."""
    return text.replace("\n\t", "\n")


def signature(view: View, decl: Decl) -> Piece:
    """Return the declaration without its body, or its first line."""
    source = view.source(decl)
    end = decl.body_start if decl.body_start >= 0 else decl.end
    text = _decode(source[decl.start : end]).rstrip()
    if decl.body_start < 0:
        text = text.split("\n", 1)[0].rstrip()
    cut = decl.end_line > decl.line
    hidden = ((decl.line + text.count("\n") + 1, decl.end_line),) if cut else ()
    note = f"\n{_note(*hidden[0], '')}" if hidden else ""
    return Piece(text + note, decl.line, decl.end_line, elided=True, omitted=hidden)


def region(view: View, decl: Decl, keep: Iterable[int]) -> Piece:
    """Return the declaration's signature, the lines of *keep* and its last line."""
    source = view.source(decl)
    lines = source[decl.start : decl.end].splitlines(keepends=True)
    head = 0
    if decl.body_start >= 0:
        head = source.count(b"\n", decl.start, decl.body_start)
    wanted = {n - decl.line for n in keep} | set(range(head + 1)) | {len(lines) - 1}
    doc = _decode(source[decl.doc_start : decl.start])
    parts, omitted, gap = [doc], list[tuple[int, int]](), 0
    for number, line in enumerate(lines):
        if number in wanted:
            if gap:
                omitted.append((decl.line + number - gap, decl.line + number - 1))
                parts.append(_note(*omitted[-1], _indent(line)) + "\n")
            gap = 0
            parts.append(_decode(line))
        else:
            gap += 1
    return Piece("".join(parts), decl.line, decl.end_line, omitted=tuple(omitted))


def window(view: View, decl: Decl, line: int, budget: int) -> Piece:
    """Cut *decl* to about *budget* characters around *line*: two lines up for one down."""
    sizes = [
        len(text) for text in view.source(decl)[decl.start : decl.end].split(b"\n")
    ]
    low = high = min(max(line, decl.line), decl.end_line)
    spent = sizes[low - decl.line] + 160  # the signature and two notes
    turn, ups = 0, 2
    while (low, high) != (decl.line, decl.end_line):
        up = high == decl.end_line or (turn % (ups + 1) < ups and low > decl.line)
        at = low - 1 if up else high + 1
        spent += sizes[at - decl.line] + 1
        if spent > budget:
            break
        low, high, turn = min(low, at), max(high, at), turn + 1
    return region(view, decl, range(low, high + 1))


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


def _indent(line: bytes) -> str:
    body = line.lstrip(b"\t ")
    return line[: len(line) - len(body)].decode() if body.strip() != b"}" else "\t"


def _decode(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def line_of(source: bytes, offset: int) -> int:
    """Return the line of a byte offset, from 1."""
    return source.count(b"\n", 0, offset) + 1


def line_starts(source: bytes) -> list[int]:
    """Return the offset at which each line begins."""
    starts = [0]
    at = source.find(b"\n")
    while at >= 0:
        starts.append(at + 1)
        at = source.find(b"\n", at + 1)
    return starts


def line_at(starts: Sequence[int], offset: int) -> int:
    """Return the line of *offset*, from 1, by `line_starts`."""
    return bisect_right(starts, offset)
