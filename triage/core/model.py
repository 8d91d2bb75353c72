"""The values that travel through Triage: frozen, slotted, without behaviour.

From text to answer: `Frame`, `Goroutine`, `Panic` (what a text says), `Package`
and `SourceFile` (what a source serves), `Symbol`, `Crash`, `Stats` and `Result`
(what is answered; their JSON form is a published contract).
"""

from dataclasses import dataclass

import msgspec
import orjson


class Frame(msgspec.Struct, frozen=True, gc=False):
    """One call of a stack, as printed.

    A struct, for a dump holds thousands of them.
    """

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
    earlier: tuple[str, ...] = ()
    """What the panics said during or after which this one was raised, the first first.

    As printed: with ` [recovered]` where they had been, ` [recovered, repanicked]` where
    the same value was raised again.
    """


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
    passing: bool = False
    """The problems may be gone the next time: not to be kept."""
    served_from: str = ""
    """Who had the files: a source's name, or a tier's."""
    unread: tuple[str, ...] = ()
    """Names of files that are there and could not be read; *problems* says why."""


@dataclass(frozen=True, slots=True)
class Unread:
    """A go.mod or go.work file that is there and could not be read."""

    reason: str
    """The end of a sentence that begins with its path."""
    passing: bool = False
    """It may be read the next time: not to be kept."""


@dataclass(frozen=True, slots=True)
class BuildContext:
    """The target that decides which files of a directory belong together."""

    goos: str = "linux"
    goarch: str = "amd64"
    tags: tuple[str, ...] = ()
    tests: bool = False
    """Whether `_test.go` files take part."""


@dataclass(frozen=True, slots=True)
class Snippet:
    """A declaration group's text and what the printer should make of it."""

    mode: str
    """`spec` (lift out of its group), `signature` (body elided), `struct` (pruned)."""
    text: bytes
    """The whole top-level declaration, group and all, as written."""
    offset: int = 0
    """Where in *text* the wanted spec or function begins."""
    keep: tuple[str, ...] = ()
    """For `struct`: the fields to keep."""


@dataclass(frozen=True, slots=True)
class Telemetry:
    """A crash to explain: a trace, or a file and a line, in a repository."""

    repo: str
    """OWNER/NAME, or the path of a repository."""
    commit_sha: str | None = None
    file: str | None = None
    line: int | None = None
    trace: str | bytes | None = None
    root_dir: str | None = None
    """The module's or service's directory in the repository; None: not told."""
    max_tokens: int | None = None
    """The budget; None: as set for the engine."""
    depth: int = 2
    """How far types are followed through fields."""
    frames: int = 5
    """How many distinct own functions of the trace are shown."""
    related: bool = True
    """Whether the section of possibly related declarations is made."""
    history: bool = False
    """Whether git is asked who changed what is shown; a local clone can tell."""
    goos: str | None = None
    goarch: str | None = None
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Symbol:
    """One declaration of the answer."""

    kind: str
    """`func`, `method`, `type`, `var` or `const`."""
    name: str
    receiver: str | None
    file: str
    """Relative to the repository."""
    start_line: int
    end_line: int
    section: str
    """`crash`, `types`, `functions`, `values`, `callers`, `packages`, `related`."""
    depth: int
    reason: str
    marks: tuple[int, ...]
    """Lines of the crash or of the call."""
    elided: bool
    """Only the signature is shown."""
    omitted: tuple[tuple[int, int], ...]
    """Ranges of lines that were cut out."""
    text: str


@dataclass(frozen=True, slots=True)
class ShownFrame:
    """A frame of the answer; *path* is its place in the repository, if it has one."""

    function: str
    file: str | None
    line: int | None
    path: str | None


@dataclass(frozen=True, slots=True)
class ShownPanic:
    """The panic of the answer; without a trace all its parts are empty."""

    kind: str | None
    message: str | None
    frames: tuple[ShownFrame, ...]


@dataclass(frozen=True, slots=True)
class Crash:
    """Where it crashed."""

    repo: str
    commit: str | None
    path: str
    module_path: str
    """Relative to the directory of its module."""
    line: int
    function: str
    """As Go writes it: `(*T).M`, `F`; a variable's name for an initialiser."""
    start_line: int
    end_line: int
    expressions: tuple[str, ...]
    """Source text of what can have faulted on the line, likeliest first."""


@dataclass(frozen=True, slots=True)
class CrashPackage:
    """The package that holds the crash."""

    name: str
    dir: str
    import_path: str


@dataclass(frozen=True, slots=True)
class Stats:
    """What the answer costs against its source; a token is 3.5 characters."""

    files: int
    package_bytes: int
    context_bytes: int
    package_tokens: int
    context_tokens: int
    token_reduction: float


@dataclass(frozen=True, slots=True)
class Change:
    """A commit that changed what an answer shows."""

    commit: str
    date: str
    """Of the commit, as `2026-10-12`."""
    author: str
    subject: str
    did: tuple[str, ...] = ()
    """What it changed, each a clause: `last changed the crash line`."""


@dataclass(frozen=True, slots=True)
class Result:
    """The answer; its JSON form is `triage.context/1`."""

    panic: ShownPanic
    crash: Crash
    package: CrashPackage
    symbols: tuple[Symbol, ...]
    fingerprint: str
    context: str
    stats: Stats
    served_from: str
    warnings: tuple[str, ...]
    schema: str = "triage.context/1"
    history: tuple[Change, ...] = ()
    """Where it was asked for: who last changed what matters, and what changed of late."""

    @property
    def text(self) -> str:
        """The rendered context."""
        return self.context

    def served(self, by: str, *, panic: ShownPanic | None = None) -> "Result":
        """Return the same answer as another gives it, to a caller with its own *panic*.

        Field by field: a look-up in memory takes no longer than `dataclasses.replace`.
        """
        return Result(
            panic or self.panic,
            self.crash,
            self.package,
            self.symbols,
            self.fingerprint,
            self.context,
            self.stats,
            by,
            self.warnings,
            self.schema,
            self.history,
        )

    def to_json(self) -> bytes:
        """Return the published JSON form, keys in their fixed order.

        `history` is there only where there is one.
        """
        names = (*_RESULT_KEYS, "history") if self.history else _RESULT_KEYS
        return orjson.dumps({name: getattr(self, name) for name in names})


_RESULT_KEYS = (
    "schema",
    "panic",
    "crash",
    "package",
    "symbols",
    "fingerprint",
    "context",
    "stats",
    "served_from",
    "warnings",
)
