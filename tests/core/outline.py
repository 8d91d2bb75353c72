"""Where the declarations and fields of gofmt-like Go source stand.

A reader for test sources alone: it knows what gofmt leaves behind (a declaration
starts in column 0 and ends with a lone bracket there, a spec of a group stands one
tab deeper) and nothing else. Offsets count bytes, lines count from 1.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from triage.core.table import DeclFlag, FieldFlag, Kind

_KINDS = {"type": Kind.TYPE, "var": Kind.VAR, "const": Kind.CONST}
_FUNC = re.compile(rb"func (?:\((?:\w+ )?(?P<owner>[^)]*)\) )?(?P<name>\w+)")
_SPEC = re.compile(rb"(?P<names>\w+(?:, \w+)*)")
_START = re.compile(rb"(func|type|var|const) ")
_ENTRY = re.compile(r"(?:Test|Benchmark|Fuzz|Example)(?![a-z])")
_NEXT_ON_LINE = re.compile(rb"; (?=(?:func|type|var|const) )")


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of the source: offsets, and the lines of its ends."""

    start: int
    end: int
    line: int
    end_line: int


@dataclass(frozen=True, slots=True)
class FieldOutline:
    """A field of a struct or a member of an interface."""

    name: str
    span: Span
    flags: int


@dataclass(frozen=True, slots=True)
class DeclOutline:
    """One declared name."""

    kind: Kind
    name: str
    span: Span
    doc_start: int
    doc_line: int
    flags: int
    receiver: str = ""
    group: tuple[int, int] = (-1, -1)
    body_start: int = -1
    fields: tuple[FieldOutline, ...] = ()
    alias_of: str = ""


@dataclass(frozen=True, slots=True)
class _Line:
    number: int
    start: int
    text: bytes
    """Without its end."""


def outline(source: bytes, *, test: bool = False) -> list[DeclOutline]:
    """List what *source* declares, by place and name."""
    lines = _lines(source)
    found: list[DeclOutline] = []
    at = 0
    while at < len(lines):
        last = at
        if _START.match(lines[at].text):
            last = _last(lines, at, b"")
            found += _declaration(source, lines, at, last)
        at = last + 1
    given = DeclFlag.TEST if test else 0
    given |= DeclFlag.GENERATED if is_generated(source) else 0
    marked = [replace(d, flags=d.flags | given | _entry(d, test=test)) for d in found]
    return sorted(marked, key=lambda d: (d.span.start, d.name))


def is_generated(source: bytes) -> bool:
    """Tell whether the standard marker stands above the package clause."""
    return bool(re.match(rb"// Code generated .* DO NOT EDIT\.\r?\n", source))


def _entry(decl: DeclOutline, *, test: bool) -> int:
    entry = test and decl.kind == Kind.FUNC and _ENTRY.match(decl.name)
    return DeclFlag.ENTRY if entry else 0


def _lines(source: bytes) -> list[_Line]:
    lines, start = [], 0
    for number, text in enumerate(source.split(b"\n"), 1):
        lines.append(_Line(number, start, text.rstrip(b"\r")))
        start += len(text) + 1
    return lines


def _last(lines: list[_Line], at: int, indent: bytes) -> int:
    """Find the line that ends what begins on line *at*, by its closing bracket."""
    raw = lines[at].text.count(b"`") % 2
    if not raw and not _code(lines[at].text).endswith((b"{", b"(")):
        return at
    closing = re.compile(rb".*`" if raw else rb"%s[})]" % indent)
    for later in range(at + 1, len(lines)):
        text = _code(lines[later].text)
        if closing.match(text) and not text.endswith((b"{", b"(")):
            return later
    raise AssertionError(f"nothing closes line {lines[at].number}")


def _code(text: bytes) -> bytes:
    """Take the comment off the end of a line."""
    return text.split(b" //", 1)[0].rstrip()


def _declaration(
    source: bytes, lines: list[_Line], at: int, last: int
) -> Iterator[DeclOutline]:
    first, text = lines[at], lines[at].text
    if re.match(rb"\w+ \($", text):
        yield from _group(source, lines, at, last)
        return
    starts = [0, *(m.end() for m in _NEXT_ON_LINE.finditer(text))]
    for start, following in zip(starts, [*starts[1:], None], strict=True):
        doc = _doc(lines, at) if start == 0 else None
        end, end_line = lines[last].start + len(_code(lines[last].text)), lines[last]
        if following is not None:
            end, end_line = first.start + following - len("; "), first
        span = Span(first.start + start, end, first.number, end_line.number)
        yield from _one(source, span, doc)


def _doc(lines: list[_Line], at: int) -> _Line | None:
    """Return the first line of the comment right above line *at*."""
    first = at
    while first and lines[first - 1].text.lstrip(b"\t").startswith(b"//"):
        first -= 1
    return lines[first] if first < at else None


def _one(source: bytes, span: Span, doc: _Line | None) -> Iterator[DeclOutline]:
    text = source[span.start : span.end]
    place = (doc.start, doc.number) if doc else (span.start, span.line)
    if text.startswith(b"func "):
        yield _function(text, span, place)
        return
    keyword, _, rest = text.partition(b" ")
    kind = _KINDS[keyword.decode()]
    yield from _spec(source, rest, DeclOutline(kind, "", span, *place, 0))


def _function(text: bytes, span: Span, place: tuple[int, int]) -> DeclOutline:
    match = _FUNC.match(text)
    assert match is not None, text
    owner = (match["owner"] or b"").decode()
    body = re.search(rb"(?<= )\{\r?\n", text) or re.search(rb"(?<= )\{", text)
    flags = DeclFlag.POINTER if owner.startswith("*") else 0
    return DeclOutline(
        Kind.METHOD if match["owner"] else Kind.FUNC,
        match["name"].decode(),
        span,
        *place,
        flags=flags if body else flags | DeclFlag.BODILESS,
        receiver=owner.lstrip("*").split("[")[0],
        body_start=span.start + body.start() if body else -1,
    )


def _group(
    source: bytes, lines: list[_Line], at: int, last: int
) -> Iterator[DeclOutline]:
    kind = _KINDS[lines[at].text.split()[0].decode()]
    group = (lines[at].start, lines[last].start + len(_code(lines[last].text)))
    flags = DeclFlag.GROUPED
    if b"iota" in source[slice(*group)]:
        flags |= DeclFlag.IOTA
    number = at + 1
    while number < last:
        line = lines[number]
        if re.match(rb"\t\w", line.text) is None:
            number += 1
            continue
        end = _last(lines, number, b"\t")
        begin, doc = line.start + 1, _doc(lines, number)
        end_offset = lines[end].start + len(_code(lines[end].text))
        span = Span(begin, end_offset, line.number, lines[end].number)
        place = (doc.start + 1, doc.number) if doc else (begin, line.number)
        base = DeclOutline(kind, "", span, *place, flags, group=group)
        yield from _spec(source, source[begin:end_offset], base)
        number = end + 1


def _spec(source: bytes, text: bytes, base: DeclOutline) -> Iterator[DeclOutline]:
    """Give the names of a spec, whose *text* begins with them."""
    match = _SPEC.match(text)
    assert match is not None, text
    flags, fields, alias = base.flags, tuple[FieldOutline, ...](), None
    if base.kind == Kind.TYPE:
        flags |= _type_flags(text)
        alias = re.match(rb"\w+\s+= (\w+)$", text)
        if flags & (DeclFlag.STRUCT | DeclFlag.INTERFACE):
            fields = tuple(_fields(source, base.span))
    whole = replace(base, alias_of=alias[1].decode() if alias else "", fields=fields)
    for name in match["names"].decode().split(", "):
        yield replace(whole, name=name, flags=flags)


def _type_flags(text: bytes) -> int:
    flags = 0
    made_of = re.match(rb"\w+(?:\[[^\]]*\])?\s+(= )?(\w*)", text)
    if made_of and made_of[1]:
        flags |= DeclFlag.ALIAS
    if made_of and made_of[2] == b"struct":
        flags |= DeclFlag.STRUCT
    if made_of and made_of[2] == b"interface":
        flags |= DeclFlag.INTERFACE
    return flags


def _fields(source: bytes, span: Span) -> list[FieldOutline]:
    """Read the members between the outer brackets of a struct or an interface.

    A member's offsets take in the comments above and behind it; members of a member
    that is a struct itself come behind it, under its name.
    """
    text = source[span.start : span.end]
    opening = re.search(rb"\{\r?\n", text) or re.search(rb"\{", text)
    assert opening is not None, text
    at, line = span.start + opening.start() + 1, span.line
    doc: int | None = None
    found: list[FieldOutline] = []
    opened: list[int] = []
    for piece in re.split(
        rb"(\n)" if b"\n" in text else rb"(;)", source[at : span.end - 1]
    ):
        text, start = piece.strip(), at + len(piece) - len(piece.lstrip())
        place = Span(start if doc is None else doc, start + len(text), line, line)
        if text.startswith(b"//"):
            doc = place.start
        elif _code(text) == b"}":
            outer = opened.pop()
            whole = replace(found[outer].span, end=place.end)
            found[outer] = replace(found[outer], span=whole)
        elif text and text != b";":
            prefix = f"{found[opened[-1]].name}." if opened else ""
            if _code(text).endswith(b"{"):
                opened.append(len(found))
            found += _members(_code(text), place, prefix)
            doc = None
        at += len(piece)
        line += piece == b"\n"
    return found


def _members(text: bytes, span: Span, prefix: str) -> Iterator[FieldOutline]:
    method = re.match(rb"(\w+)\(", text)
    names = re.match(rb"(\w+(?:, \w+)*)\s+\S", text)
    if method:
        yield FieldOutline(prefix + method[1].decode(), span, FieldFlag.METHOD)
    elif names:
        for name in names[1].decode().split(", "):
            yield FieldOutline(prefix + name, span, 0)
    else:
        name = text.lstrip(b"*").rsplit(b".", 1)[-1].split(b"[")[0].decode()
        yield FieldOutline(prefix + name, span, FieldFlag.EMBEDDED)
