"""Issues on GitHub: one an incident, found again by a hidden mark, kept up to date."""

import time
from typing import Any, Final
from urllib.parse import quote

import msgspec

from triage.core.notices import LABEL, Issue, Notice, is_issue_of, issue
from triage.errors import NotFound
from triage.sources.github.api import GitHubApi
from triage.sources.github.wire import Request

_SECONDS: Final = 60.0
_PAGE: Final = 100
_MOST_PAGES: Final = 10
"""Of issues with our label, the newest first: an older one is as good as gone."""


class _Found(msgspec.Struct):
    number: int
    body: str | None = None
    pull_request: Any = None


_lists = msgspec.json.Decoder(list[_Found])
_issues = msgspec.json.Decoder(_Found)


class Issues:
    """A `triage.ports.Sink` that keeps an issue for each incident."""

    name = "issues"

    def __init__(self, api: GitHubApi) -> None:
        self._api = api

    async def tell(self, notice: Notice) -> str | None:
        """Make or update the issue; returns its number. Raises a `SourceError`."""
        wanted = issue(notice)
        number = notice.reference or await self._find(notice)
        if number is not None:
            try:
                return await self._update(notice.repo, number, wanted)
            except NotFound:
                # It was deleted or moved: what is known of it is wrong.
                number = await self._find(notice)
                if number is not None:
                    return await self._update(notice.repo, number, wanted)
        return await self._make(notice.repo, wanted)

    async def close(self) -> None:
        """Leave the connection to whoever opened it."""

    async def _find(self, notice: Notice) -> str | None:
        """Look for an issue with the incident's mark, made by an earlier try too."""
        for page in range(1, _MOST_PAGES + 1):
            told = {
                "labels": LABEL,
                "state": "all",
                "per_page": str(_PAGE),
                "page": str(page),
            }
            request = Request(_path(notice.repo), parameters=told)
            found = await self._call(request, lambda a: _lists.decode(a.body))
            for one in found:
                if one.pull_request is None and is_issue_of(
                    one.body, notice.fingerprint
                ):
                    return str(one.number)
            if len(found) < _PAGE:
                return None
        return None

    async def _update(self, repo: str, number: str, wanted: Issue) -> str:
        request = Request(
            f"{_path(repo)}/{quote(number)}",
            body={"title": wanted.title, "body": wanted.body},
            method="PATCH",
        )
        return await self._numbered(request)

    async def _make(self, repo: str, wanted: Issue) -> str:
        body = {"title": wanted.title, "body": wanted.body, "labels": [LABEL]}
        # Once: what failed on the way may have been made, which a look will show.
        return await self._numbered(Request(_path(repo), body=body), tries=1)

    async def _numbered(self, request: Request, *, tries: int | None = None) -> str:
        found = await self._call(request, lambda a: _issues.decode(a.body), tries=tries)
        return str(found.number)

    async def _call(
        self, request: Request, decode: Any, *, tries: int | None = None
    ) -> Any:
        deadline = time.monotonic() + _SECONDS
        return await self._api.call(request, decode, deadline=deadline, tries=tries)


def _path(repo: str) -> str:
    return f"/repos/{quote(repo)}/issues"
