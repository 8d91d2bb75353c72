"""The engine: takes telemetry, opens its repository once, answers with context."""

import asyncio
from dataclasses import replace

from triage.core.keys import exact_key
from triage.core.model import Panic, Result, Telemetry
from triage.core.panics import decipher
from triage.core.places import explainable
from triage.engine.investigation import Investigation, weight
from triage.engine.means import Means, Opener, Repository
from triage.errors import BadInput, NoPanic, TriageError


class Engine:
    """Answers telemetry with context; close it when done."""

    def __init__(
        self, means: Means, open_repository: Opener, *, max_tokens: int = 3000
    ) -> None:
        """*max_tokens* is the budget of telemetry that names none."""
        self._means = means
        self._max_tokens = max_tokens
        self._open = open_repository
        self._opened: dict[tuple[str, bool], asyncio.Future[Repository]] = {}

    async def context(self, telemetry: Telemetry) -> Result:
        """Explain a crash. Everything raised is a `TriageError`."""
        exact = exact_key(telemetry)
        if exact is not None and (known := self._means.answers.get(exact)):
            return known
        panics = _read(telemetry)
        at_commit = telemetry.commit_sha is not None
        repository = await self._repository(telemetry.repo, at_commit=at_commit)
        completed = self._completed(telemetry, repository)
        investigation = Investigation(self._means, repository, completed, panics)
        result = await investigation.answer()
        if exact is not None and investigation.lasting:
            known = replace(result, served_from="memory")
            self._means.answers.put(exact, known, weight(known))
        return result

    def _completed(self, telemetry: Telemetry, repository: Repository) -> Telemetry:
        """Fill in what the caller left to the engine."""
        return replace(
            telemetry,
            max_tokens=telemetry.max_tokens or self._max_tokens,
            root_dir=repository.root_dir
            if telemetry.root_dir is None
            else telemetry.root_dir,
        )

    async def _repository(self, name: str, *, at_commit: bool) -> Repository:
        """Open a repository once, whoever of the waiting is cancelled meanwhile."""
        key = (name, at_commit)
        if key not in self._opened:
            self._opened[key] = asyncio.ensure_future(
                self._open(name, at_commit=at_commit)
            )
        opening = self._opened[key]
        try:
            return await asyncio.shield(opening)
        except TriageError:
            self._opened.pop(key, None)  # the next one may find it mended
            raise

    async def close(self) -> None:
        """Close the sources and the parser."""
        opened = await asyncio.gather(*self._opened.values(), return_exceptions=True)
        self._opened.clear()
        for repository in opened:
            if isinstance(repository, Repository):
                await repository.source.close()
        await self._means.parser.close()


def _read(telemetry: Telemetry) -> tuple[Panic, ...]:
    """Read the crashes with a stack; none where file and line are given instead."""
    if telemetry.trace is None:
        if telemetry.file is None or telemetry.line is None:
            raise BadInput("telemetry needs a trace, or a file and a line")
        return ()
    found = explainable(decipher(telemetry.trace).crashes)
    if not found:
        raise NoPanic("the text holds no Go panic with a stack; give the whole output")
    return found
