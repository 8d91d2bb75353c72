"""What the calls of one engine share: the parser, and what is remembered."""

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

from triage.core.atlas import Atlas
from triage.core.keys import Key
from triage.core.model import Result
from triage.core.view import View
from triage.ports import Chart, History, Ledger, Parser, Recalled, Shelf, Source

V = TypeVar("V")


class NoShelf(Generic[V]):
    """A shelf that keeps nothing."""

    def get(self, key: Hashable) -> V | None:  # noqa: ARG002 - the port's signature
        """Have nothing."""
        return None

    def put(self, key: Hashable, value: V, size: int) -> None:
        """Keep nothing."""


class NoChart:
    """A chart that remembers nothing."""

    async def recall_paths(self, *_: object) -> Recalled:
        """Know nothing."""
        return Recalled()

    async def recall_directories(self, *_: object) -> Recalled:
        """Know nothing."""
        return Recalled()


class NoLedger:
    """A ledger that keeps nothing."""

    async def find(self, key: bytes) -> Result | None:  # noqa: ARG002 - the port's
        """Have nothing."""
        return None

    def keep(self, key: bytes, result: Result) -> None:
        """Keep nothing."""


@dataclass(frozen=True, slots=True)
class Repository:
    """An opened source and where in it the caller stands."""

    source: Source
    root_dir: str | None = None
    """The module directory to assume where the telemetry names none."""
    name: str | None = None
    """What the repository is known by wherever it is asked from; None keeps nothing."""
    chart: Chart = field(default_factory=NoChart)
    history: History | None = None
    """Tells who changed what, where git is local."""
    remote: str | None = None
    """OWNER/NAME where it is no directory: then a text may name the commit."""
    moves: bool = False
    """Without a commit its default branch is read, which moves."""


class Opener(Protocol):
    """Opens a repository by path or OWNER/NAME; without a commit as it lies on disk."""

    async def __call__(self, name: str, *, at_commit: bool) -> Repository:
        """Raise a `SourceError` where there is none."""
        ...


@dataclass(frozen=True, slots=True)
class Means:
    """The parser and the memory of one engine; by default nothing is remembered."""

    parser: Parser
    answers: Shelf[Result] = field(default_factory=NoShelf)
    """By the exact telemetry, and by what it means."""
    views: Shelf[View] = field(default_factory=NoShelf)
    """By the content of the package."""
    contents: Shelf[Key] = field(default_factory=NoShelf)
    """The key in `views` of a directory at a commit."""
    atlases: Shelf[Atlas] = field(default_factory=NoShelf)
    """Of whole trees, by repository and commit."""
    ledger: Ledger = field(default_factory=NoLedger)
