"""From what a body tells to reports: crashes found in texts, each with its own text."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final

from triage.core.events.clues import Clues, labelled_repository
from triage.core.events.meant import meant
from triage.core.events.values import Reading, Report
from triage.core.model import Panic, Telemetry
from triage.core.panics import LOGGED, decipher
from triage.core.panics.clean import decoded
from triage.core.places import explainable
from triage.core.projects import Project

MOST: Final = 100
"""Reports out of one body; the rest is told."""
_MOST_TEXTS: Final = 200
"""Strings of one record that are searched."""
_MOST_LOST: Final = 1_000
"""Crashes without a repository that are looked for in one body."""

NO_OPTIONS: Final = Telemetry(repo="")
"""Nothing is asked for."""

Text = str | bytes


@dataclass(frozen=True, slots=True)
class Told:
    """One record of a body: texts that may hold a crash, and what is known of it."""

    clues: Clues
    texts: tuple[Text, ...] = ()
    """The same said several times: the first that holds a crash counts."""
    place: tuple[str, int] | None = None
    """File and line, for a record whose texts hold no crash."""
    logged: bool = True
    """Whether a stack that was merely logged is a crash to explain."""
    options: Telemetry = NO_OPTIONS
    """How the sender wants it explained."""


def collect(
    told: Iterable[Told], projects: Sequence[Project], hosts: Sequence[str] = ()
) -> Reading:
    """Make a report of each crash that has a repository; count those left out.

    *hosts* hold repositories as GitHub does.
    """
    reports = list[Report]()
    lost = late = 0
    for one in told:
        if len(reports) >= MOST or lost >= _MOST_LOST:
            late += 1
            continue
        for telemetry in _telemetry(_hosted(one, hosts), projects):
            if telemetry is None:
                lost += 1
            elif len(reports) < MOST:
                reports.append(Report(telemetry, observed_at=one.clues.observed_at))
            else:
                late += 1
    return Reading(tuple(reports), _reason(lost, late), lost + late)


def crashes_in(
    text: Text, *, logged: bool = True, alone: bool = False
) -> tuple[tuple[Panic, Text], ...]:
    """Return each crash of *text* with the part that holds it, the main one first.

    Stacks that were merely logged count where *logged*, and nothing crashed. A crash
    that is the only one comes with the whole text, unless it is wanted *alone*.
    """
    found = explainable(decipher(text).crashes)
    crashed = tuple(panic for panic in found if panic.kind not in LOGGED)
    found = crashed or (found if logged else ())
    if not found or (len(found) == 1 and not alone):
        return tuple((panic, text) for panic in found)
    lines = _lines(text)
    parts = dict[Text, Panic]()
    for panic in found:
        parts.setdefault(_between(lines, panic), panic)
    # Where crashes share lines, or need what stands around them, they stay together.
    if not all(explainable(decipher(part).crashes) for part in parts):
        return ((found[0], text),)
    return tuple((panic, part) for part, panic in parts.items())


def likely(texts: Iterable[str]) -> tuple[str, ...]:
    """Pick, of many strings, those that may hold a stack; some, each once."""
    return tuple(islice(filter(is_likely, dict.fromkeys(texts)), _MOST_TEXTS))


def is_likely(text: str) -> bool:
    """Tell, fast, whether *text* may hold a stack: most do not."""
    return ".go" in text or "goroutine " in text


def _hosted(told: Told, hosts: Sequence[str]) -> Told:
    """Read the repository's address anew, now that further hosts are known."""
    found = labelled_repository(told.clues.labels, hosts) if hosts else None
    return replace(told, clues=replace(told.clues, repo=found)) if found else told


def _telemetry(told: Told, projects: Sequence[Project]) -> Iterator[Telemetry | None]:
    """Yield what is to be explained; None for a crash without a repository."""
    for text in told.texts:
        found = crashes_in(text, logged=told.logged)
        for panic, part in found:
            where = meant(told.clues, panic, projects, told.options)
            yield where and replace(where, trace=part, file=None, line=None)
        if found:
            return
    if told.place is not None:
        file, line = told.place
        where = meant(told.clues, None, projects, told.options)
        yield where and replace(where, file=file, line=line, trace=None)


def _reason(lost: int, late: int) -> str | None:
    said = list[str]()
    if lost:
        said.append(
            f"{lost} of its crashes name no repository, and no [[project]] of"
            " triage.toml matches them"
        )
    if late:
        said.append(f"{late} are left out: one body may tell of {MOST} crashes")
    return "; ".join(said) or None


def _lines(text: Text) -> list[str]:
    """Split as the reader of panics counts: at line feeds, else carriage returns."""
    plain = decoded(text) if isinstance(text, bytes) else text
    mark = "\n" if "\n" in plain else "\r"
    return plain.split(mark)


def _between(lines: Sequence[str], panic: Panic) -> str:
    """Cut out the lines of one crash."""
    first, last = panic.lines
    return "\n".join(lines[first - 1 : last]) + "\n"
