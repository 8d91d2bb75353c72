"""What an agent may read: the repositories of `TRIAGE_REPOS`, or the one that was named."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from triage.app import open_engine, open_works
from triage.config import Settings
from triage.core.allowed import Allowed
from triage.engine import Engine
from triage.errors import RepoNotAllowed


@dataclass(frozen=True, slots=True)
class Reach:
    """An engine, and the names that it may be given."""

    engine: Engine
    repo: str | None
    """The one repository; None where there is a list."""
    allowed: Allowed | None = None

    def name(self, asked: str | None) -> str:
        """Return what the engine is given for *asked*; raises `RepoNotAllowed`."""
        if self.allowed is None:
            if asked in {None, "", ".", self.repo}:
                return self.repo or "."
            raise RepoNotAllowed(
                "this server reads one repository; leave `repository` out, or set"
                " TRIAGE_REPOS to serve several"
            )
        names = [one.pattern for one in self.allowed.permissions]
        if not asked:
            if len(names) == 1 and "*" not in names[0]:
                return names[0]
            raise RepoNotAllowed(f"name the repository: one of {', '.join(names)}")
        return self.allowed.find(asked)[0]


@asynccontextmanager
async def open_reach(settings: Settings, repo: str | None) -> AsyncIterator[Reach]:
    """Open what agents may reach: *repo* alone if it is named, else the list."""
    if repo is None and settings.repos:
        async with open_works(settings) as works:
            yield Reach(works.engine, None, works.allowed)
        return
    async with open_engine(settings) as engine:
        yield Reach(engine, repo or ".")
