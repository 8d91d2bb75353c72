"""One repository by its name, which may have changed: a redirect teaches the new one."""

import asyncio
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

import msgspec

from triage.errors import (
    BadInput,
    CommitMissing,
    RateLimited,
    RepoMissing,
    SourceError,
    Unauthorized,
)
from triage.sources.github.api import GitHubApi, Moved
from triage.sources.github.graphql import Ask, Found, GraphQLFailed, query, read_answer
from triage.sources.github.refusal import Absent, Forbidden
from triage.sources.github.wire import JSON, Answer, Request

T = TypeVar("T")

_NAME = re.compile(r"(?!\.\.?/)[\w.-]{1,100}/(?!\.\.?$)[\w.-]{1,100}", re.ASCII)
_REPOSITORY_ID = re.compile(r"/repositories/(\d+)(?:[/?]|$)")


class _Named(msgspec.Struct):
    full_name: str


class Repository:
    """OWNER/NAME as it was asked for, and as it is called now.

    Raises `BadInput` where *name* is no such name.
    """

    def __init__(self, name: str, api: GitHubApi) -> None:
        if not _NAME.fullmatch(name):
            raise BadInput("a repository on GitHub is named OWNER/NAME")
        self.asked = name
        self.name = name
        self.api = api
        self.renaming = asyncio.Lock()

    @property
    def renamed_to(self) -> str | None:
        """The new name, None where the asked one is right."""
        return None if self.name.lower() == self.asked.lower() else self.name

    def learn_name(self, name: str) -> None:
        """Use *name* from now on; what is no name is ignored."""
        if _NAME.fullmatch(name):
            self.name = name


@dataclass(frozen=True, slots=True)
class Trip:
    """The requests of one call, which all end by *deadline* (monotonic clock)."""

    repository: Repository
    deadline: float

    @property
    def speaks_graphql(self) -> bool:
        """Tell whether `ask` is worth a try."""
        return self.repository.api.speaks_graphql

    @property
    def anonymous(self) -> bool:
        """Tell whether there are no credentials."""
        return self.repository.api.anonymous

    @property
    def name(self) -> str:
        """The repository's name."""
        return self.repository.name

    async def get(
        self,
        path: str,
        decode: Callable[[Answer], T],
        *,
        parameters: Mapping[str, str] | None = None,
        accept: str = JSON,
    ) -> T:
        """Read *path* below the repository, under its new name where it has one."""

        async def send(name: str) -> T:
            request = Request(f"/repos/{name}{path}", parameters or {}, accept=accept)
            return await self._call(request, decode)

        name = self.repository.name
        try:
            return await send(name)
        except Moved as moved:
            await self._learn_new_name(moved, name)
            return await send(self.repository.name)

    async def ask(self, ask: Ask) -> Found:
        """Ask through GraphQL.

        Raises `GraphQLFailed` where REST may do better, else what no way helps.
        """
        api, name = self.repository.api, self.repository.name
        try:
            found = await api.call(
                query(ask, name),
                lambda answer: read_answer(answer, ask, name),
                deadline=self.deadline,
                tries=1,  # a query that is too much for GitHub is so again
            )
        except (RateLimited, RepoMissing, CommitMissing):
            raise
        except (Forbidden, Absent) as error:
            api.leave_graphql()
            raise GraphQLFailed(str(error)) from error
        except Unauthorized:
            raise
        except SourceError as error:
            raise GraphQLFailed(str(error)) from error
        self.repository.learn_name(found.name)
        return found

    async def _call(self, request: Request, decode: Callable[[Answer], T]) -> T:
        return await self.repository.api.call(request, decode, deadline=self.deadline)

    async def _learn_new_name(self, moved: Moved, asked: str) -> None:
        """Ask what the repository is called now: redirects name its number alone.

        Raises *moved* where that leads nowhere new.
        """
        async with self.repository.renaming:
            if self.repository.name != asked:
                return  # another request has met the same redirect
            number = _REPOSITORY_ID.search(moved.location)
            if number is None:
                raise moved
            named = await self._call(
                Request(f"/repositories/{number[1]}"),
                lambda answer: msgspec.json.decode(answer.body, type=_Named),
            )
            self.repository.learn_name(named.full_name)
            if self.repository.name == asked:
                raise moved
