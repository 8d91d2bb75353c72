"""History: what is asked of the commits behind a context, and how the answers read."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from triage.core.budget import Fitted
from triage.core.model import Change
from triage.core.picks import Near
from triage.core.site import CrashSite, title

WEEKS = 6
"""Weeks before the crashed commit in which a change is recent enough to be suspect."""
_WRITERS = frozenset({Near.WRITER, Near.OMITTER, Near.ORIGIN, Near.UPSTREAM})
_MOST_LINES = 5
_MOST_SPANS = 8


@dataclass(frozen=True, slots=True)
class Look:
    """Lines of a file at the crashed commit, and what an answer about them says."""

    path: str
    start: int
    end: int
    says: str
    last: bool
    """Whoever changed them last is asked for, else all changes of the last weeks."""


def looks(site: CrashSite, fitted: Fitted) -> tuple[Look, ...]:
    """Choose what to ask: the crash line, the writers' lines, what is shown."""
    lines = [*_lines(site, fitted)][:_MOST_LINES]
    return (*lines, *[*_spans(fitted)][:_MOST_SPANS])


def _lines(site: CrashSite, fitted: Fitted) -> Iterator[Look]:
    path = site.view.path(site.decl)
    yield Look(path, site.line, site.line, "last changed the crash line", last=True)
    for shown in fitted.shown:
        pick = shown.pick
        if pick.near in _WRITERS and pick.lines:
            line, says = (
                pick.lines[0],
                f"last changed {title(pick.decl)}:{pick.lines[0]}",
            )
            yield Look(shown.file, line, line, says, last=True)


def _spans(fitted: Fitted) -> Iterator[Look]:
    for shown in fitted.shown:
        decl = shown.pick.decl
        if shown.pick.near != Near.RELATED:
            says = f"changed {title(decl)}"
            yield Look(shown.file, decl.line, decl.end_line, says, last=False)


def joined(answers: Iterable[tuple[Look, Sequence[Change]]]) -> tuple[Change, ...]:
    """Join the changes of each commit: the last ones first, then the newest."""
    found: dict[str, Change] = {}
    leading: dict[str, None] = {}
    for look, changes in answers:
        for change in changes:
            old = found.get(change.commit, change)
            found[change.commit] = replace(old, did=(*old.did, look.says))
            if look.last:
                leading[change.commit] = None
    others = [change for commit, change in found.items() if commit not in leading]
    others.sort(key=lambda change: change.date, reverse=True)
    return (*(found[commit] for commit in leading), *others)
