"""The forms in which a pick can be shown, the fullest first."""

import re
from collections.abc import Iterator, Sequence

import msgspec

from triage.core import cut
from triage.core.model import Snippet, Symbol
from triage.core.picks import Pick
from triage.core.table import Decl, DeclFlag, Kind
from triage.core.view import View, remembered

LONG = 2500
"""Characters over which a function is shown as regions."""
MARGIN = 9
"""Lines shown on either side of a line that bears on the fault."""
_WORD = re.compile(rb"[A-Za-z_\x80-\xff][0-9A-Za-z_\x80-\xff]*")
_BEST_LINES = 2
"""How many such lines a region is made around."""


class Shown(msgspec.Struct, frozen=True):
    """A pick with its text; a *snippet* stands for text that has to be printed anew."""

    pick: Pick
    piece: cut.Piece
    snippet: Snippet | None = None

    @property
    def section(self) -> str:
        """Where in the answer it stands."""
        return self.pick.section

    @property
    def file(self) -> str:
        """Its file, relative to the repository."""
        return self.pick.view.paths[self.pick.decl.file]

    @property
    def start_line(self) -> int:
        """The first line."""
        return self.piece.start_line

    @property
    def end_line(self) -> int:
        """The last line."""
        return self.piece.end_line

    @property
    def marks(self) -> tuple[int, ...]:
        """Lines of the crash or of the call."""
        return self.pick.marks

    @property
    def text(self) -> str:
        """The text as cut."""
        return self.piece.text

    def symbol(self, printed: str | None = None) -> Symbol:
        """Return it as a part of the answer; *printed* stands for its own text."""
        pick, piece = self.pick, self.piece
        return Symbol(
            kind=pick.decl.kind.name.lower(),
            name=pick.decl.name,
            receiver=pick.decl.receiver or None,
            file=pick.view.path(pick.decl),
            start_line=piece.start_line,
            end_line=piece.end_line,
            section=pick.section,
            depth=pick.depth,
            reason=pick.reason,
            marks=pick.marks,
            elided=piece.elided,
            omitted=piece.omitted,
            text=printed or piece.text,
        )


def crash_form(pick: Pick, line: int, share: int, focus: Sequence[str] = ()) -> Shown:
    """Show the crash function in *share* characters: whole, or a window in it.

    Lines are cut where nothing else would do, the crash line around what can have
    faulted, *focus*.
    """
    piece = cut.whole(pick.view, pick.decl)
    if len(piece.text) > share:
        piece = cut.window(pick.view, pick.decl, line, share)
    if len(piece.text) > share:
        piece = cut.narrow_window(pick.view, pick.decl, line, share, focus)
    return _shown(pick, piece)


def full_form(pick: Pick) -> Shown:
    """Show it whole, a long function as the regions that matter."""
    piece = cut.whole(pick.view, pick.decl)
    if len(piece.text) > LONG and pick.decl.is_function and pick.lines:
        piece = _region(pick, 2 * MARGIN)
    return _shown(pick, piece)


def full_forms(pick: Pick) -> tuple[Shown]:
    """Give the full form."""
    return (full_form(pick),)


def has_room(pick: Pick, room: float) -> bool:
    """Tell whether *room* characters may be enough for the full form.

    Of Go source no byte in two is more than a part of a character.
    """
    start, end = cut.text_range(pick.decl)
    if end - start <= 2 * room:
        return True
    return end - start > LONG and pick.decl.is_function and bool(pick.lines)


def frame_forms(pick: Pick) -> Iterator[Shown]:
    """Give the forms of a frame of the trace."""
    yield full_form(pick)
    yield _shown(pick, _region(pick, MARGIN))
    yield _shown(pick, cut.signature(pick.view, pick.decl))


def cut_forms(pick: Pick, fields: frozenset[int]) -> Iterator[Shown]:
    """Give the forms of what is not shown in full; *fields* stay in a struct."""
    decl = pick.decl
    if decl.flags & DeclFlag.STRUCT and decl.kind == Kind.TYPE:
        yield from _pruned(pick, fields)
    elif pick.lines or decl.end_line - decl.line <= 2 * MARGIN:
        yield _shown(pick, _region(pick, MARGIN))
    yield _shown(pick, cut.signature(pick.view, decl))


def related_forms(pick: Pick, words: tuple[bytes, ...] = ()) -> tuple[Shown]:
    """Give the forms of what is only related: a bare signature would say nothing.

    Where no line of it is known to matter, those do that hold the first of *words*.
    """
    decl, lines = pick.decl, pick.lines
    if not lines and decl.end_line - decl.line > MARGIN:
        lines = _mentions(pick.view, decl, words)
    return (_shown(pick, _region(pick, MARGIN, lines)),)


def _mentions(view: View, decl: Decl, words: tuple[bytes, ...]) -> tuple[int, ...]:
    """Find the lines of a function's body where the first of *words* stand."""
    first = _first_lines(view, decl)
    lines = dict.fromkeys(first[word] for word in words if word in first)
    return tuple(lines)[:_BEST_LINES]


@remembered
def _first_lines(view: View, decl: Decl) -> dict[bytes, int]:
    """Tell on which line of a function's body each word stands first."""
    if decl.body_start < 0:
        return {}
    source = view.source(decl)
    start = decl.line + source.count(b"\n", decl.start, decl.body_start)
    lines = source[decl.body_start : decl.end].split(b"\n")
    found: dict[bytes, int] = {}
    for number, line in enumerate(lines, start):
        for word in _WORD.findall(line):
            found.setdefault(word, number)
    return found


def _region(pick: Pick, margin: int, lines: tuple[int, ...] = ()) -> cut.Piece:
    lines = (lines or pick.lines)[:_BEST_LINES] or (pick.decl.line,)
    return _around(pick.view, pick.decl, lines, margin)


@remembered
def _around(view: View, decl: Decl, lines: tuple[int, ...], margin: int) -> cut.Piece:
    return cut.region(view, decl, cut.around(decl, lines, margin))


def _shown(pick: Pick, piece: cut.Piece) -> Shown:
    """Ask the printer for a spec that is lifted out of its group."""
    if not cut.is_lifted(pick.decl) or piece.omitted or piece.narrowed:
        return Shown(pick, piece)
    return Shown(pick, piece, _spec(pick.view, pick.decl))


@remembered
def _spec(view: View, decl: Decl) -> Snippet:
    text = view.source(decl)[decl.group_start : decl.group_end]
    return Snippet("spec", text, decl.start - decl.group_start)


class _Member(msgspec.Struct, frozen=True, gc=False):
    """A field of a struct, names of one line apart; members of members left out."""

    name: str
    start: int
    end: int
    lines: range
    stays: bool


def _pruned(pick: Pick, fields: frozenset[int]) -> Iterator[Shown]:
    """Show a struct's fields that matter, where some do and some do not.

    The text is the printer's; what stands for it is about as long.
    """
    numbers = pick.view.table.numbers_of("fields", pick.decl.id)
    wanted = tuple(number for number in numbers if number in fields)
    for piece, snippet in _prunings(pick.view, pick.decl, wanted):
        yield Shown(pick, piece, snippet)


@remembered
def _prunings(
    view: View, decl: Decl, fields: tuple[int, ...]
) -> tuple[tuple[cut.Piece, Snippet], ...]:
    """Prune a struct to *fields*; nothing where all or none of them stay."""
    source = view.source(decl)
    members = _members(view, decl, fields)
    staying = [member for member in members if member.stays]
    left = len(members) - len(staying)
    if not staying or not left:
        return ()
    keyword = "type " if cut.is_lifted(decl) else ""
    head = source.rindex(b"{", decl.start, members[0].start) + 1
    spans = dict.fromkeys((member.start, member.end) for member in staying)
    body = [f"\t{_text(source, *span)}" for span in spans]
    body.append(f"\t// ... {left} {'field' if left == 1 else 'fields'} left out")
    text = "\n".join((f"{keyword}{_text(source, decl.start, head)}", *body, "}"))
    piece = cut.Piece(text, decl.line, decl.end_line, omitted=_without(members))
    whole = keyword.encode() + source[decl.start : decl.end]
    names = tuple(member.name for member in staying)
    return ((piece, Snippet("struct", whole, keep=names)),)


def _members(view: View, decl: Decl, fields: tuple[int, ...]) -> list[_Member]:
    source = view.source(decl)
    numbers = view.table.numbers_of("fields", decl.id)
    wanted = {view.field_name(n).split(".")[0] for n in fields}
    found = []
    for number in numbers:
        name = view.field_name(number)
        _, _, _, start, end, _ = view.table.record("fields", number)
        if "." not in name:
            first = decl.line + source.count(b"\n", decl.start, start)
            lines = range(first, first + source.count(b"\n", start, end) + 1)
            found.append(_Member(name, start, end, lines, name in wanted))
    return found


def _without(members: list[_Member]) -> tuple[tuple[int, int], ...]:
    """Return the ranges of lines on which no member is kept."""
    shown = {line for member in members if member.stays for line in member.lines}
    hidden = {line for member in members for line in member.lines} - shown
    starts = sorted(line for line in hidden if line - 1 not in hidden)
    ends = sorted(line for line in hidden if line + 1 not in hidden)
    return tuple(zip(starts, ends, strict=True))


def _text(source: bytes, start: int, end: int) -> str:
    return source[start:end].decode("utf-8", "replace")
