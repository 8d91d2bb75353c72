"""What the engine asks of the outside, as Protocols; adapters stand elsewhere."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeVar

from triage.core.events.values import Fetch
from triage.core.history import Look
from triage.core.model import BuildContext, Change, Package, Result, Snippet, Unread
from triage.core.notices import Notice

V = TypeVar("V")


class Source(Protocol):
    """A repository, read at one commit or as it lies on disk.

    Paths are relative to the repository, with `/`; `commit` is a full object id, or
    None for a working tree. Everything raised is a `SourceError`, or `BadInput` for
    a path or a revision that can be none.
    """

    name: str
    """`git`, `worktree` or `github`: what `served_from` says."""

    async def resolve(self, revision: str | None) -> str | None:
        """Turn a revision into a full commit id; None stays None on a working tree."""
        ...

    async def paths(self, commit: str | None) -> tuple[str, ...]:
        """List every `.go`, `go.mod` and `go.work` file, sorted."""
        ...

    async def read_all(
        self, commit: str | None, paths: Sequence[str]
    ) -> dict[str, bytes | Unread]:
        """Read small files together; those that are not there are left out."""
        ...

    async def package(
        self, commit: str | None, directory: str, *, first: str | None = None
    ) -> Package:
        """Read the `.go` files of one directory; raises `FileMissing` without it.

        *first* names the file that must not fall to the limits of a package. An
        empty package says in its problems why.
        """
        ...

    async def probe(
        self, commit: str | None, directories: Sequence[str]
    ) -> tuple[dict[str, Package], dict[str, bytes | Unread]]:
        """Look at *directories*, where any may not exist, in one round trip.

        Returns the packages of those that hold Go files, by directory, and the go.mod
        and go.work files in them and on the way up to the root, by path.
        """
        ...

    async def close(self) -> None:
        """Give back what the source holds; a second call does nothing."""
        ...


@dataclass(frozen=True, slots=True)
class Recalled:
    """What is remembered of a commit's tree."""

    found: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Names of the `.go` files, by directory; those that cannot be read too."""
    modules: Mapping[str, bytes | Unread] = field(default_factory=dict)
    """go.mod and go.work files in them and above them, by path."""
    looked: frozenset[str] = frozenset()
    """Directories that *found* tells all of; those it does not name do not exist."""


class History(Protocol):
    """The commits behind a repository's files."""

    async def changes(
        self, commit: str, looks: tuple[Look, ...]
    ) -> list[tuple[Look, list[Change]]]:
        """Answer each look as of *commit*; raises `SourceError` where none can be."""
        ...


class Chart(Protocol):
    """What was learnt of the trees of one repository, told without asking anyone."""

    async def recall_paths(self, commit: str, forms: Sequence[str]) -> Recalled:
        """Tell what is known of directories that hold a file of one of these paths.

        *forms* are relative to the repository or to a module of it.
        """
        ...

    async def recall_directories(
        self, commit: str, directories: Sequence[str]
    ) -> Recalled:
        """Tell what is known of *directories*."""
        ...


class Ledger(Protocol):
    """Finished contexts that outlive the process."""

    async def find(self, key: bytes) -> Result | None:
        """Return what was kept, `served_from` set to who had it."""
        ...

    def keep(self, key: bytes, result: Result) -> None:
        """Take *result* to keep, at once; written when there is time."""
        ...


Kind = Literal["trees", "blobs", "tables", "contexts"]
"""What a tier keeps: what is known of commits' trees, files' contents by git's object
id, symbol tables, finished contexts."""


class Tier(Protocol):
    """Keeps bytes under keys of several kinds. It never fails: what fails is a miss."""

    name: str
    """`sqlite` or `redis`: what `served_from` says."""

    async def get(self, kind: Kind, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """Return those of *keys* that are held whole."""
        ...

    def put(self, kind: Kind, items: Mapping[bytes, bytes]) -> None:
        """Take *items* to keep, at once; written when there is time, or not at all."""
        ...

    async def paths(self, commit: bytes, forms: Sequence[str]) -> list[str]:
        """Return the paths of a commit that go by any of *forms*."""
        ...

    def put_paths(self, commit: bytes, forms: Mapping[str, str]) -> None:
        """Take paths to keep, each under a form that it goes by."""
        ...

    async def close(self) -> None:
        """Write what is still to be written, within bounds."""
        ...


class Shelf(Protocol[V]):
    """Values in memory, the least used dropped first."""

    def get(self, key: Hashable) -> V | None:
        """Return the value kept under *key*."""
        ...

    def put(self, key: Hashable, value: V, size: int) -> None:
        """Keep *value*, which takes about *size* bytes."""
        ...


class Parser(Protocol):
    """The Go helper, seen from the engine.

    Everything raised is a `HelperError`, but for an input over a limit: `TooLarge`.
    """

    async def symbols(
        self,
        package: Package,
        context: BuildContext,
        focus: str | None,
        *,
        import_path: str = "",
    ) -> bytes:
        """Return the symbol table of *package* as JSON (see `triage.core.table`).

        *focus* names the crash file: where its constraints exclude it under
        *context*, the nearest target that includes it is taken instead. By
        *import_path* an external test package knows the package that it tests.
        """
        ...

    async def print(self, snippets: Sequence[Snippet]) -> list[str]:
        """Print synthesised pieces with go/printer, in the order asked.

        A snippet that cannot be printed gives an empty string.
        """
        ...

    async def close(self) -> None:
        """End the helper; bounded in time."""
        ...


class Logs(Protocol):
    """Texts that a webhook only points at."""

    async def fetch(self, fetch: Fetch) -> bytes:
        """Return the text; raises a `SourceError`, or `TooLarge`."""
        ...


class Sink(Protocol):
    """A place that is told of incidents."""

    name: str

    async def tell(self, notice: Notice) -> str | None:
        """Tell; returns what the place calls it, if anything.

        Raises a `SourceError` where another try may succeed, `BadInput` where none will.
        """
        ...

    async def close(self) -> None:
        """Close what it holds."""
        ...


class Timer(Protocol):
    """What is to happen later."""

    def cancel(self) -> None:
        """Keep it from happening; afterwards this does nothing."""
        ...


class Clock(Protocol):
    """Time that only grows, and timers on it; an asyncio event loop is one."""

    def time(self) -> float:
        """Return the seconds since some start."""
        ...

    def call_later(self, delay: float, callback: Callable[[], object], /) -> Timer:
        """Call *callback* from the event loop in *delay* seconds."""
        ...
