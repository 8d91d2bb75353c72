"""The forms in which a pick can be shown, the fullest first."""

from collections.abc import Iterator
from dataclasses import dataclass

from triage.core import cut
from triage.core.model import Snippet
from triage.core.picks import Pick
from triage.core.table import DeclFlag, Kind

LONG = 2500
"""Characters over which a function is shown as regions."""
MARGIN = 6
"""Lines shown on either side of a line that bears on the fault."""
_BEST_LINES = 2
"""How many such lines a region is made around."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A pick with its text; a *snippet* stands for text that has to be printed anew."""

    pick: Pick
    piece: cut.Piece
    snippet: Snippet | None = None


def crash_form(pick: Pick, line: int, share: int) -> Shown:
    """Show the crash function whole, or its signature and a window."""
    piece = cut.whole(pick.view, pick.decl)
    if len(piece.text) > share:
        piece = cut.window(pick.view, pick.decl, line, share)
    return _shown(pick, piece)


def full_form(pick: Pick) -> Shown:
    """Show it whole, a long function as the regions that matter."""
    piece = cut.whole(pick.view, pick.decl)
    if len(piece.text) > LONG and pick.decl.is_function and pick.lines:
        piece = _region(pick, 2 * MARGIN)
    return _shown(pick, piece)


def frame_forms(pick: Pick) -> Iterator[Shown]:
    """Give the forms of a frame of the trace."""
    yield full_form(pick)
    yield _shown(pick, _region(pick, MARGIN))
    yield _shown(pick, cut.signature(pick.view, pick.decl))


def cut_forms(pick: Pick, fields: frozenset[int]) -> Iterator[Shown]:
    """Give the forms of what is not shown in full; *fields* stay in a struct."""
    decl = pick.decl
    if decl.flags & DeclFlag.STRUCT and decl.kind == Kind.TYPE:
        yield _pruned(pick, fields)
    elif pick.lines or decl.end_line - decl.line <= 2 * MARGIN:
        yield _shown(pick, _region(pick, MARGIN))
    yield _shown(pick, cut.signature(pick.view, decl))


def related_forms(pick: Pick) -> Iterator[Shown]:
    """Give the forms of what is only related: a bare signature would say nothing."""
    yield _shown(pick, _region(pick, MARGIN))


def _region(pick: Pick, margin: int) -> cut.Piece:
    lines = pick.lines or (pick.decl.line,)
    keep = cut.around(pick.decl, lines[:_BEST_LINES], margin)
    return cut.region(pick.view, pick.decl, keep)


def _shown(pick: Pick, piece: cut.Piece) -> Shown:
    """Ask the printer for a spec that is lifted out of its group."""
    decl = pick.decl
    if not cut.is_lifted(decl) or piece.omitted:
        return Shown(pick, piece)
    text = pick.view.source(decl)[decl.group_start : decl.group_end]
    return Shown(pick, piece, Snippet("spec", text, decl.start - decl.group_start))


def _pruned(pick: Pick, fields: frozenset[int]) -> Shown:
    """Show a struct's fields that matter; its length is told before it is printed."""
    view, decl = pick.view, pick.decl
    records = [
        (number, view.table.record("fields", number))
        for number in view.table.numbers_of("fields", decl.id)
    ]
    kept = [(n, r) for n, r in records if n in fields]
    start = decl.group_start if decl.group_start >= 0 else decl.start
    end = decl.group_end if decl.group_start >= 0 else decl.end
    text = f"type {decl.name} struct {{\n" + "".join(
        f"\t{view.source(decl)[r[3] : r[4]].decode('utf-8', 'replace')}\n"
        for _, r in kept
    )
    left = len(records) - len(kept)
    piece = cut.Piece(
        f"{text}\t// ... {left} fields left out\n}}",
        decl.line,
        decl.end_line,
        elided=not kept,
        omitted=((decl.line, decl.end_line),) if left else (),
    )
    names = tuple(view.field_name(n).split(".")[0] for n, _ in kept)
    snippet = Snippet("struct", view.source(decl)[start:end], decl.start - start, names)
    return Shown(pick, piece, snippet)
