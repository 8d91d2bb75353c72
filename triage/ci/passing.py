"""Pass on what is read, so that a job's log is what it would be without Triage.

On GitHub Actions nothing in it is obeyed: a test that prints a workflow command issues
none. https://docs.github.com/actions/reference/workflow-commands-for-github-actions
"""

import secrets
from types import TracebackType
from typing import BinaryIO, Self

from triage.core.ci.github import stopped


class Passing:
    """Passes on two streams; use it as a context."""

    def __init__(self, out: BinaryIO, err: BinaryIO, *, guarded: bool) -> None:
        """*guarded*: a runner reads both; then all goes to *out*, in its order."""
        self._out = out
        self._err = out if guarded else err
        self._before, self._after = (
            stopped(secrets.token_hex(16)) if guarded else ("", "")
        )

    def __enter__(self) -> Self:
        self._out.write(self._before.encode())
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._out.write(self._after.encode())

    def out(self, text: bytes) -> None:
        """Pass on what standard output says, or a log."""
        self._out.write(text)

    def err(self, text: bytes) -> None:
        """Pass on what standard error says."""
        self._err.write(text)
