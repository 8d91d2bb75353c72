"""Ask git who changed lines: the last change of one, and those of the last weeks."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from triage.core.history import WEEKS, Look
from triage.core.model import Change
from triage.errors import SourceError
from triage.sources.gitprocess import run_git
from triage.together import together

_AT_ONCE = 4
_FORM = "%H%x00%cs%x00%an%x00%s%x00"
_FIELDS = 4
_LATEST = 253_402_300_799
"""The last second of the year 9999: a hostile commit may claim a later one."""
_UNSIGNED = "log.showSignature=false"
_MOST = 10
"""How many changes of one place are read."""


class GitHistory:
    """The history of one local repository."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    async def changes(
        self, commit: str, looks: tuple[Look, ...]
    ) -> list[tuple[Look, list[Change]]]:
        """Answer each look as of *commit*; what git cannot tell has no changes.

        Raises `SourceError` where git does not answer at all.
        """
        turns = asyncio.Semaphore(_AT_ONCE)
        since = await self._since(commit)

        async def one(look: Look) -> tuple[Look, list[Change]]:
            bounds = ("-n1",) if look.last else (f"-n{_MOST}", f"--since={since}")
            async with turns:
                return look, await self._changes(commit, look, bounds)

        return await together(one(look) for look in looks)

    async def _since(self, commit: str) -> str:
        """Tell when the last weeks began, seen from *commit*."""
        seconds = (await self._said("show", "-s", "--format=%ct", commit)).strip()
        if not seconds.isdigit():
            raise SourceError(f"git tells no date of {commit}")
        began = datetime.fromtimestamp(min(int(seconds), _LATEST), UTC) - timedelta(
            weeks=WEEKS
        )
        return began.isoformat(timespec="seconds")

    async def _changes(
        self, commit: str, look: Look, bounds: Sequence[str]
    ) -> list[Change]:
        lines = f"-L{look.start},{look.end}:{look.path}"
        plain = ("-s", "--no-ext-diff", "--no-textconv", f"--format={_FORM}")
        return _read(await self._said("log", *plain, *bounds, lines, commit, "--"))

    async def _said(self, *arguments: str) -> bytes:
        """Return what git says, nothing where it refuses."""
        said = await run_git(self._directory, "-c", _UNSIGNED, *arguments)
        return said.out if said.code == 0 else b""


def _read(said: bytes) -> list[Change]:
    """Read changes in the form that was asked for."""
    texts = [text.decode("utf-8", "replace") for text in said.split(b"\0")]
    rows = zip(*[iter(texts)] * _FIELDS, strict=False)
    return [Change(commit.strip(), *rest) for commit, *rest in rows]
