"""What the engine asks of the outside, as Protocols; adapters stand elsewhere."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from triage.core.model import Package


@dataclass(frozen=True, slots=True)
class BuildContext:
    """The target that decides which files of a directory belong together."""

    goos: str = "linux"
    goarch: str = "amd64"
    tags: tuple[str, ...] = ()


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


class Source(Protocol):
    """A repository, read at one commit or as it lies on disk.

    Paths are relative to the repository, with `/`; `commit` is a full object id, or
    None for a working tree. Everything raised is a `SourceError`.
    """

    name: str
    """`git`, `worktree` or `github`: what `served_from` says."""

    async def resolve(self, revision: str | None) -> str | None:
        """Turn a revision into a full commit id; None stays None on a working tree."""
        ...

    async def paths(self, commit: str | None) -> tuple[str, ...]:
        """List every `.go`, `go.mod` and `go.work` file, sorted."""
        ...

    async def read(self, commit: str | None, path: str) -> bytes | None:
        """Read one file; None where there is none."""
        ...

    async def package(self, commit: str | None, directory: str) -> Package:
        """Read the `.go` files of one directory; raises `FileMissing` without it."""
        ...

    async def close(self) -> None:
        """Give back what the source holds; a second call does nothing."""
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
        *context*, the nearest target that includes it is taken instead.
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
