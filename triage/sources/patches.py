"""Try a patch on files, in a directory of its own."""

import asyncio
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from triage.core.visible import printable
from triage.errors import SourceError
from triage.sources.gitprocess import run_git

_LONGEST = 300


@dataclass(frozen=True, slots=True)
class Patched:
    """What came of a patch: the files as they are then, or why it does not apply."""

    files: Mapping[str, bytes]
    problem: str | None = None


async def apply_patch(
    files: Mapping[str, bytes], diff: str, changed: Sequence[str]
) -> Patched:
    """Let git try *diff* on *files*, then apply it; *changed* are read afterwards.

    Raises `SourceError` where git or the disk does not do its part.
    """
    try:
        with tempfile.TemporaryDirectory(prefix="triage-patch-") as name:
            top = Path(name)
            await asyncio.to_thread(_written, top, files, diff)
            for check in (("--check",), ()):
                said = await run_git(top, "apply", *check, "--recount", ".triage.patch")
                if said.code:
                    return Patched({}, _first(said.error))
            return Patched(await asyncio.to_thread(_read, top, changed))
    except OSError as error:
        raise SourceError(f"the patch cannot be tried: {error.strerror}") from error


def _written(top: Path, files: Mapping[str, bytes], diff: str) -> None:
    for name, data in files.items():
        path = top / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    text = diff if diff.endswith("\n") else f"{diff}\n"
    (top / ".triage.patch").write_bytes(text.encode("utf-8", "replace"))


def _read(top: Path, names: Sequence[str]) -> dict[str, bytes]:
    return {name: (top / name).read_bytes() for name in names if (top / name).is_file()}


def _first(said: str) -> str:
    line = next(iter(said.strip().splitlines()), "git does not say why")
    return printable(line.removeprefix("error: "))[:_LONGEST]
