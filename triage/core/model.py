"""The values that travel through Triage: frozen, slotted, without behaviour.

From text to answer: `Frame`, `Goroutine`, `Panic` (what a text says), `Package`
and `SourceFile` (what a source serves), `Symbol`, `Crash`, `Stats` and `Result`
(what is answered; their JSON form is a published contract).
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Frame:
    """One call of a stack, as printed."""

    function: str
    """With its import path, without arguments: `example.com/x.(*T).M.func1`."""
    file: str | None = None
    line: int | None = None
    arguments: str | None = None
    """The words between the parentheses as printed; None where there were none."""


@dataclass(frozen=True, slots=True)
class Goroutine:
    """One goroutine of a dump; *frames* run from the innermost call outwards."""

    id: int | None
    state: str
    """`running`, `chan receive`, ...; empty where the text does not say."""
    frames: tuple[Frame, ...]
    wait: str | None = None
    """As printed: `5 minutes`."""
    created_by: Frame | None = None
    elided: bool = False
    """Frames in the middle were left out by the runtime."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Something odd in a text that did not stop its reading."""

    line: int
    """Counted from 1 in the text as it came."""
    text: str


@dataclass(frozen=True, slots=True)
class Panic:
    """One crash found in a text."""

    kind: str
    """From the table of kinds in `triage.core.panics.kinds`."""
    message: str
    """Without the leading `panic: ` or `fatal error: `; may have several lines."""
    crashed: Goroutine | None
    goroutines: int
    """How many goroutines the dump shows, the crashed one among them."""
    lines: tuple[int, int]
    """First and last line of the crash in the text, counted from 1."""
    others: tuple[Goroutine, ...] = ()
    signal: str | None = None
    address: int | None = None
    """The fault address of a signal; a small one is a field's offset from nil."""
    revision: str | None = None
    """`vcs.revision` where build info stands in the text."""
    versions: tuple[tuple[str, str], ...] = ()
    """Module path and version (`v1.2.3`, a pseudo-version) as frames name them."""
    problems: tuple[Problem, ...] = ()
    form: str = "runtime"
    """The grammar that read it.

    `runtime` and `race`; `calls`, `errors`, `chi` and `paths` without a header; `gin`;
    `json` for arrays of frames.
    """
    goos: str | None = None
    goarch: str | None = None
    go_version: str | None = None
    """As printed (`go1.22.2`); None where the text does not say."""


@dataclass(frozen=True, slots=True)
class Report:
    """What a text holds: its crashes in order, and what was odd in it."""

    crashes: tuple[Panic, ...]
    """Logged errors and plain dumps among them: `Panic.kind` tells."""
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One file of a package directory."""

    name: str
    oid: str
    """Git's object id of the content, also where no git is involved."""
    data: bytes


@dataclass(frozen=True, slots=True)
class Package:
    """The `.go` files of one directory at one commit, sorted by name."""

    directory: str
    """Relative to the repository, `/` between parts, empty for the root."""
    files: tuple[SourceFile, ...]
    problems: tuple[str, ...] = ()
    """What could not be read, one sentence each: a link that leads out, ..."""
