"""What was found in a log: a crash, its context, or why there is none."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from triage.core.model import Panic, Result
from triage.core.panics import KINDS, decipher, origin, primary
from triage.core.render import headline
from triage.core.visible import printable

_ENDED_BY_OTHERS = ("test-timeout", "sigquit", "deadlock", "data-race")
"""Kinds whose crash line is the least likely to be the fault, the worst last."""


@dataclass(frozen=True, slots=True)
class Place:
    """A line of a file; relative to the repository where *own*."""

    path: str
    line: int
    function: str
    own: bool


@dataclass(frozen=True, slots=True)
class Failure:
    """Why there is no context."""

    code: str
    message: str


@dataclass(frozen=True, slots=True)
class Finding:
    """One crash of a log."""

    text: str
    kind: str
    message: str
    package: str = ""
    """What `go test` was running."""
    test: str = ""
    """What a report names as the test."""
    result: Result | None = None
    failure: Failure | None = None
    count: int = 1
    """How often it came."""
    place: Place | None = None

    @property
    def title(self) -> str:
        """Say in a few words what crashed where."""
        where = f" in {self.place.function}" if self.place else ""
        return printable(f"{self.kind}{where}")

    @property
    def headline(self) -> str:
        """Say in one line what the runtime said."""
        return headline(self.message) or KINDS.get(self.kind, self.kind)


def placed(text: str, *, package: str = "", test: str = "") -> Finding | None:
    """Read the crash in a part of a log; None where nothing crashed."""
    panic = primary(decipher(text).crashes)
    if panic is None:
        return None
    return Finding(
        text, panic.kind, panic.message, package, test, place=_printed_place(panic)
    )


def explained(finding: Finding, result: Result) -> Finding:
    """Add the context."""
    crash = result.crash
    place = Place(crash.path, crash.line, crash.function, own=True)
    return replace(finding, result=result, place=place)


def merged(findings: Iterable[Finding]) -> list[Finding]:
    """Make one of those that are the same crash; each stands where it came first."""
    found = dict[object, Finding]()
    for finding in findings:
        key = _identity(finding)
        known = found.get(key)
        if known is None:
            found[key] = finding
        else:
            found[key] = replace(known, count=known.count + finding.count)
    return list(found.values())


def ranked(findings: Sequence[Finding]) -> list[Finding]:
    """Put the most valuable first: those that are explained, and whose line is at fault.

    Among equals what came more often, then what came first.
    """
    return sorted(findings, key=_worth)


def _worth(finding: Finding) -> tuple[bool, int, int]:
    kinds = _ENDED_BY_OTHERS
    late = len(kinds) - kinds.index(finding.kind) if finding.kind in kinds else 0
    return finding.result is None, late, -finding.count


def _identity(finding: Finding) -> object:
    place = finding.place and (finding.place.path, finding.place.line)
    if finding.result is not None:
        return finding.result.fingerprint, place
    return finding.kind, finding.message, place


def _printed_place(panic: Panic) -> Place | None:
    """Tell where it crashed as the text has it."""
    at = origin(panic)
    frames = panic.crashed.frames if panic.crashed else ()
    if at is None:
        return None
    frame = frames[at]
    return Place(frame.file or "", frame.line or 0, frame.function, own=False)
