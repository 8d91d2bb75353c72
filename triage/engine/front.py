"""The engine: takes telemetry, opens its repository once, answers with context."""

import asyncio
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from triage.core.declared import Declared
from triage.core.keys import exact_key
from triage.core.limits import refuse_large
from triage.core.model import Panic, Result, Telemetry
from triage.core.panics import decipher
from triage.core.places import explainable
from triage.core.printed import shown
from triage.core.visible import printable
from triage.engine.investigation import Investigation, weight
from triage.engine.lookup import look_up
from triage.engine.means import Means, Opener, Repository
from triage.engine.openings import Openings
from triage.engine.patching import read_files, syntax_error
from triage.errors import BadInput, NoPanic

_LONG: Final = 32_768
"""Characters of a text from which on its reading takes some milliseconds."""
_HALF = re.compile(r"[\ud800-\udfff]")


class Engine:
    """Answers telemetry with context; close it when done."""

    def __init__(
        self, means: Means, open_repository: Opener, *, max_tokens: int = 3000
    ) -> None:
        """*max_tokens* is the budget of telemetry that names none."""
        self._means = means
        self._max_tokens = max_tokens
        self._openings = Openings(open_repository)

    async def context(self, telemetry: Telemetry) -> Result:
        """Explain a crash. Everything raised is a `TriageError`."""
        _refuse_half_characters(telemetry)
        exact = exact_key(telemetry)
        if exact is not None and (known := self._means.answers.get(exact)):
            return known
        panics = await _read(telemetry)
        at_commit = telemetry.commit_sha is not None
        async with self._openings.lent(telemetry.repo, at_commit=at_commit) as place:
            completed = self._completed(telemetry, place)
            investigation = Investigation(self._means, place, completed, panics)
            result = await investigation.answer()
        if exact is not None and investigation.lasting:
            known = result.served("memory")
            self._means.answers.put(exact, known, weight(known))
        return result

    async def declarations(
        self, telemetry: Telemetry, name: str
    ) -> tuple[Declared, ...]:
        """Find *name* in the package of the telemetry's file; its line does not matter.

        None where the package has no such name. Everything raised is a `TriageError`.
        """
        _refuse_half_characters(telemetry)
        at_commit = telemetry.commit_sha is not None
        async with self._openings.lent(telemetry.repo, at_commit=at_commit) as place:
            told = self._completed(telemetry, place)
            return await look_up(self._means, place, told, name)

    async def files(
        self, telemetry: Telemetry, paths: Sequence[str]
    ) -> dict[str, bytes]:
        """Read Go files at the telemetry's commit; those not there are left out."""
        at_commit = telemetry.commit_sha is not None
        async with self._openings.lent(telemetry.repo, at_commit=at_commit) as place:
            return await read_files(place, telemetry, paths)

    async def syntax_error(self, path: str, data: bytes) -> str | None:
        """Return the first thing that keeps a Go file from being parsed, if any does."""
        return await syntax_error(self._means, path, data)

    def _completed(self, telemetry: Telemetry, repository: Repository) -> Telemetry:
        """Fill in what the caller left to the engine."""
        return replace(
            telemetry,
            max_tokens=telemetry.max_tokens or self._max_tokens,
            root_dir=repository.root_dir
            if telemetry.root_dir is None
            else telemetry.root_dir,
        )

    async def close(self) -> None:
        """Close the sources and the parser."""
        await self._openings.close()
        await self._means.parser.close()


def _refuse_half_characters(telemetry: Telemetry) -> None:
    """Refuse what stands for bytes that are not UTF-8: nothing outside takes it."""
    names = (telemetry.repo, telemetry.commit_sha, telemetry.root_dir, telemetry.file)
    targets = (telemetry.goos, telemetry.goarch, *telemetry.tags)
    for text in filter(None, (*names, *targets)):
        if _HALF.search(text):
            raise BadInput(f"{shown(printable(text))} is not UTF-8; give it as UTF-8")


async def _read(telemetry: Telemetry) -> tuple[Panic, ...]:
    """Read the crashes with a stack; none where file and line are given instead.

    A long text is read in a thread: other calls go on meanwhile.
    """
    if telemetry.trace is None:
        if telemetry.file is None or telemetry.line is None:
            raise BadInput("telemetry needs a trace, or a file and a line")
        return ()
    refuse_large(len(telemetry.trace), "the trace")
    if len(telemetry.trace) > _LONG:
        found = await asyncio.to_thread(_crashes, telemetry.trace)
    else:
        found = _crashes(telemetry.trace)
    if not found:
        raise NoPanic("the text holds no Go panic with a stack; give the whole output")
    return found


def _crashes(trace: str | bytes) -> tuple[Panic, ...]:
    return explainable(decipher(trace).crashes)
