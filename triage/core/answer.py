"""Put the answer together: symbols in their order of display, text, figures."""

from collections.abc import Iterable
from dataclasses import dataclass

from triage.core import notes, render
from triage.core.budget import Fitted, tokens
from triage.core.fingerprint import fingerprint
from triage.core.forms import Shown
from triage.core.heading import heading_of
from triage.core.model import (
    Change,
    Crash,
    CrashPackage,
    Result,
    ShownPanic,
    Stats,
)
from triage.core.reached import reaching
from triage.core.site import CrashSite, expressions, title
from triage.core.table import DeclFlag


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
    history: tuple[Change, ...] = ()


def snippets(fitted: Fitted) -> list[Shown]:
    """Return what has to be printed anew, in order."""
    return [shown for shown in fitted.shown if shown.snippet is not None]


def assemble(
    site: CrashSite, fitted: Fitted, printed: Iterable[str], origin: Origin
) -> Result:
    """Build the result; *printed* are the texts for `snippets`, in order."""
    least = notes.size(notes.counted_out(len(fitted.left_out), fitted.budget))
    texts, room = _printed(fitted, printed, fitted.room - least)
    symbols = tuple(
        shown.symbol(texts.get(shown.pick.key))
        for shown in sorted(fitted.shown, key=_place)
    )
    heading = heading_of(site, origin.panic.message, fitted.budget)
    said = notes.history(origin.history, fitted.budget)
    said += notes.warned(origin.warnings, fitted.budget)
    last = notes.left_out(fitted.left_out, room + least, fitted.budget)
    tests = reaching(site.view, site.decl)
    said += notes.reached(tests, room + least - notes.size(last)) + last
    context = render.text(heading, symbols, said)
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
        warnings=notes.bounded(origin.warnings),
        history=origin.history,
    )


def _printed(
    fitted: Fitted, printed: Iterable[str], room: int
) -> tuple[dict[tuple[str, int], str], int]:
    """Choose the printed texts for which there is *room*; return what is left of it.

    What was paid for is the text as cut; a printer aligns, so that one long name makes
    many long lines. Several symbols may share one text, which counts once.
    """
    chosen: dict[tuple[str, int], str] = {}
    counted: dict[tuple[str, str, str], str] = {}
    for shown, text in zip(snippets(fitted), printed, strict=True):
        pick, cut = shown.pick, shown.piece.text
        place = pick.section, pick.view.path(pick.decl), cut
        if place not in counted:
            growth = len(text or cut) - len(cut)
            counted[place] = text if growth <= max(0, room) else ""
            room -= growth if counted[place] else 0
        chosen[pick.key] = counted[place]
    return chosen, room


def _place(shown: Shown) -> tuple[int, int, int, str, int, int]:
    """Order of display: by section, then as each section wants it."""
    pick = shown.pick
    section = render.SECTIONS.index(pick.section)
    part = pick.part if pick.section == "functions" else 0
    turn = pick.turn if pick.section == "callers" else 0
    path = pick.view.path(pick.decl)
    return section, part, turn, path, pick.decl.line, pick.decl.id


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
        package_tokens=tokens(characters),
        context_tokens=tokens(len(context)),
        token_reduction=round(1 - len(context) / characters, 4),
    )
