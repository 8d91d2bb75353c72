"""What the engine asks of the outside, as Protocols; adapters stand elsewhere."""

from collections.abc import Callable, Sequence
from typing import Protocol

from triage.core.model import BuildContext, Package, Snippet


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

    async def read(self, commit: str | None, path: str) -> bytes | None:
        """Read one file; None where there is none."""
        ...

    async def package(
        self, commit: str | None, directory: str, *, first: str | None = None
    ) -> Package:
        """Read the `.go` files of one directory; raises `FileMissing` without it.

        *first* names the file that must not fall to the limits of a package. An
        empty package says in its problems why.
        """
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
