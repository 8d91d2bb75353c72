"""Put the answer together: symbols in their order of display, text, figures."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from posixpath import basename

from triage.core import render
from triage.core.budget import CHARACTERS_PER_TOKEN, Fitted
from triage.core.cut import Piece
from triage.core.fingerprint import fingerprint
from triage.core.forms import Shown
from triage.core.model import (
    Crash,
    CrashPackage,
    Result,
    ShownPanic,
    Stats,
    Symbol,
)
from triage.core.picks import Pick
from triage.core.site import CrashSite, expressions, title
from triage.core.table import DeclFlag

_NAMED_LEFT_OUT = 8
"""How many of what was left out are named; the rest is counted."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Where an answer comes from, as far as the symbols do not tell."""

    repo: str
    commit: str | None
    module_path: str
    panic: ShownPanic
    functions: tuple[str, ...]
    """The own frames' functions, closures under their declaration."""
    served_from: str
    warnings: tuple[str, ...]


def snippets(fitted: Fitted) -> list[Shown]:
    """Return what has to be printed anew, in order."""
    return [shown for shown in fitted.shown if shown.snippet is not None]


def assemble(
    site: CrashSite, fitted: Fitted, printed: Iterable[str], origin: Origin
) -> Result:
    """Build the result; *printed* are the texts for `snippets`, in order."""
    texts = dict(zip((s.pick.key for s in snippets(fitted)), printed, strict=True))
    symbols = tuple(
        _symbol(shown.pick, shown.piece, texts.get(shown.pick.key))
        for shown in sorted(fitted.shown, key=_place)
    )
    heading = _heading(site, origin)
    notes = [f"{render.NOTE}{warning}" for warning in origin.warnings]
    notes += _left_out(fitted.left_out, fitted.room)
    context = render.text(heading, symbols, notes)
    return Result(
        panic=origin.panic,
        crash=_crash(site, origin),
        package=CrashPackage(
            heading.package, site.view.directory, site.view.import_path
        ),
        symbols=symbols,
        fingerprint=fingerprint(
            origin.repo, origin.panic.kind, origin.functions or (_function(site),)
        ),
        context=context,
        stats=_stats(site, context),
        served_from=origin.served_from,
        warnings=origin.warnings,
    )


def _place(shown: Shown) -> tuple[int, int, int, str, int, int]:
    """Order of display: by section, then as each section wants it."""
    pick = shown.pick
    section = render.SECTIONS.index(pick.section)
    part = pick.part if pick.section == "functions" else 0
    turn = pick.turn if pick.section == "callers" else 0
    path = pick.view.path(pick.decl)
    return section, part, turn, path, pick.decl.line, pick.decl.id


def _symbol(pick: Pick, piece: Piece, printed: str | None) -> Symbol:
    decl = pick.decl
    return Symbol(
        kind=decl.kind.name.lower(),
        name=decl.name,
        receiver=decl.receiver or None,
        file=pick.view.path(decl),
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


def _heading(site: CrashSite, origin: Origin) -> render.Heading:
    return render.Heading(
        path=site.view.path(site.decl),
        directory=site.view.directory,
        package=site.view.package_name(site.decl),
        line=site.line,
        message=origin.panic.message,
    )


def _crash(site: CrashSite, origin: Origin) -> Crash:
    return Crash(
        repo=origin.repo,
        commit=origin.commit,
        path=site.view.path(site.decl),
        module_path=origin.module_path,
        line=site.line,
        function=title(site.decl),
        start_line=site.decl.line,
        end_line=site.decl.end_line,
        expressions=expressions(site.faults),
    )


def _function(site: CrashSite) -> str:
    return f"{site.view.import_path or site.view.directory}.{title(site.decl)}"


def _stats(site: CrashSite, context: str) -> Stats:
    tests = bool(site.decl.flags & DeclFlag.TEST)
    files, size = site.view.size(tests=tests)
    characters = site.view.characters(tests=tests)
    return Stats(
        files=files,
        package_bytes=size,
        context_bytes=len(context.encode()),
        package_tokens=math.ceil(characters / CHARACTERS_PER_TOKEN),
        context_tokens=math.ceil(len(context) / CHARACTERS_PER_TOKEN),
        token_reduction=round(1 - len(context) / characters, 4),
    )


def _left_out(picks: Sequence[Pick], room: int) -> list[str]:
    """Say what the budget left no room for, by name as far as *room* goes."""
    if not picks:
        return []
    named, spent = list[str](), len(f"// {render.LEFT_OUT} and 1000 more\n")
    for pick in picks[:_NAMED_LEFT_OUT]:
        name = f"{title(pick.decl)} ({basename(pick.view.path(pick.decl))})"
        spent += len(name) + len(", ")
        if spent > room:
            break
        named.append(name)
    more = len(picks) - len(named)
    if not named:
        return [f"{render.LEFT_OUT}{more} declaration{'s' if more > 1 else ''}"]
    tail = f" and {more} more" if more else ""
    return [f"{render.LEFT_OUT}{', '.join(named)}{tail}"]
