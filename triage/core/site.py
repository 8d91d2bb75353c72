"""Find the declaration that holds a line, and what on that line can have faulted."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from triage.core.table import (
    NONE,
    Decl,
    DeclFlag,
    Fault,
    FaultFlag,
    FileFlag,
    Kind,
    Node,
    Verdict,
)
from triage.core.view import View
from triage.errors import LineOutside

FAMILIES: dict[str, frozenset[Fault]] = {
    "nil-deref": frozenset({Fault.NIL_DEREF, Fault.NIL_FUNC, Fault.NIL_INTERFACE}),
    "nil-map": frozenset({Fault.NIL_MAP_WRITE}),
    "index-range": frozenset({Fault.INDEX}),
    "slice-bounds": frozenset({Fault.SLICE}),
    "slice-conversion": frozenset({Fault.CONVERSION}),
    "makeslice": frozenset({Fault.MAKE}),
    "divide": frozenset({Fault.DIVIDE}),
    "interface-conversion": frozenset({Fault.ASSERTION}),
    "closed-channel": frozenset({Fault.SEND, Fault.CLOSE}),
    "fatal-concurrent-map": frozenset({Fault.MAP_ACCESS, Fault.NIL_MAP_WRITE}),
    "custom-panic": frozenset({Fault.PANIC}),
    "nil-panic": frozenset({Fault.PANIC}),
}
"""Which expressions a kind of panic can come from; other kinds: `_UNKNOWN`."""

_UNKNOWN = frozenset(Fault) - {Fault.MAP_ACCESS}


@dataclass(frozen=True, slots=True)
class FaultSite:
    """An expression that can fault."""

    kind: Fault
    node: int
    index: int
    text: str
    """Source text of the operand."""


@dataclass(frozen=True, slots=True)
class CrashSite:
    """The crash as the rules see it."""

    view: View
    decl: Decl
    line: int
    kind: str | None
    faults: tuple[FaultSite, ...]
    depth: int


def enclosing(
    view: View, file: int, line: int, *, function: str | None = None
) -> Decl | None:
    """Return the declaration on *line*; None between declarations.

    Where a line holds several, the one named *function* is meant, else a function
    rather than a value, else the smallest.
    """
    return min(
        view.on_line(file, line),
        key=lambda d: (d.name != function, not d.is_function, d.end_line - d.line),
        default=None,
    )


def crash_declaration(view: View, file: int, line: int) -> Decl:
    """Return the declaration on *line*, or raise `LineOutside` naming its neighbours."""
    found = enclosing(view, file, line)
    if found is not None:
        return found
    raise LineOutside(_why_none(view, file, line))


def _why_none(view: View, file: int, line: int) -> str:
    """Say why no declaration of a file holds *line*."""
    path, record = view.path_of(file), view.file_records[file]
    lines = view.data(file).count(b"\n") + (not view.data(file).endswith(b"\n"))
    if not 1 <= line <= lines:
        return (
            f"{path} has {lines} lines, so line {line} is outside; "
            "check that the commit is the crashed one"
        )
    if record[2] == Verdict.EXCLUDED:
        return (
            f"no declaration of {path} is known: the file is excluded by its "
            f"constraint ({view.table.text(record[4])})"
        )
    if record[2] == Verdict.UNREADABLE or record[3] & FileFlag.BROKEN:
        return (
            f"no declaration of {path} holds line {line}: the file does not parse "
            f"({first_error(view, file)}); check that the commit is the crashed one"
        )
    return (
        f"line {line} of {path} lies in no declaration{_neighbours(view, file, line)}"
    )


def first_error(view: View, file: int) -> str:
    """Return the first syntax error of a file as `line N: text`."""
    for number, line, _, message in view.table.records("errors"):
        if number == file:
            return f"line {line}: {view.table.text(message)}"
    return "no error told"


def _neighbours(view: View, file: int, line: int) -> str:
    """Name the declarations before and after a line: `; nearest: F (lines 3-9)`."""
    decls = [view.decl(n) for n in view.declared_in(file)]
    before = max(
        (d for d in decls if d.end_line < line), key=lambda d: d.end_line, default=None
    )
    after = min((d for d in decls if d.line > line), key=lambda d: d.line, default=None)
    near = [f"{title(d)} (lines {d.line}-{d.end_line})" for d in (before, after) if d]
    return f"; nearest: {', '.join(near)}" if near else ""


def title(decl: Decl) -> str:
    """Return the declaration's name as Go writes it: `(*T).M`, `T.M`, `F`."""
    if decl.kind != Kind.METHOD:
        return decl.name
    pointer = bool(decl.flags & DeclFlag.POINTER)
    owner = f"(*{decl.receiver})" if pointer else decl.receiver
    return f"{owner}.{decl.name}"


def fault_sites(
    view: View, decl: Decl, line: int, kind: str | None
) -> tuple[FaultSite, ...]:
    """List what can have faulted on *line* for a panic of *kind*.

    Where the line itself holds no such expression, its statement is searched (the
    runtime may report another line of it), then every expression on the line counts.
    """
    rows = list(view.table.of("faults", decl.id))
    family = FAMILIES.get(kind or "", _UNKNOWN)
    on_line = [row for row in rows if row[1] == line]
    around = _innermost(row for row in rows if row[7] <= line <= row[8])
    for candidates in (on_line, around):
        fitting = [row for row in candidates if row[2] in family]
        if kind is None and all(_is_bare(view, row) for row in fitting):
            fitting = candidates  # a map that others change is the likelier culprit
        if fitting:
            return _sites(view, fitting)
    return _sites(view, on_line or around)


def _is_bare(view: View, row: Sequence[int]) -> bool:
    """Tell whether the operand is a receiver or parameter as it came in."""
    kind = view.table.record("nodes", row[3])[0] if row[3] != NONE else Node.OTHER
    return kind in {Node.RECEIVER, Node.PARAMETER}


def _innermost(rows: Iterable[Sequence[int]]) -> list[Sequence[int]]:
    """Keep the rows whose statement is smallest."""
    found = list(rows)
    if not found:
        return []
    least = min(row[8] - row[7] for row in found)
    return [row for row in found if row[8] - row[7] == least]


def _sites(view: View, rows: Sequence[Sequence[int]]) -> tuple[FaultSite, ...]:
    """Build the sites, those that are only possible behind the others."""
    return tuple(
        FaultSite(Fault(row[2]), row[3], row[4], view.table.text(row[5]))
        for row in sorted(rows, key=lambda row: row[6] & FaultFlag.POSSIBLE)
    )


def expressions(sites: Sequence[FaultSite]) -> tuple[str, ...]:
    """Return the operands' texts, longest chain first, prefixes of others left out."""
    texts = list(dict.fromkeys(site.text for site in sites if site.text))
    whole = [
        text
        for text in texts
        if not any(
            other.startswith((f"{text}.", f"{text}[", f"{text}(")) for other in texts
        )
    ]
    return tuple(sorted(whole, key=lambda text: -text.count(".")))
