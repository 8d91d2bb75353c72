"""The log of one job of GitHub Actions, fetched without handing the token on.

GitHub answers with the address of another host, good for a minute; that host is asked
without credentials: https://docs.github.com/en/rest/actions/workflow-jobs
"""

import asyncio
import time
from typing import Final

from triage.core.events import Fetch
from triage.errors import BadInput, FileMissing, SourceError
from triage.sources.download import OK, Wanted, download
from triage.sources.github.api import GitHubApi, Moved
from triage.sources.github.refusal import Absent
from triage.sources.github.wire import Request

_LARGEST: Final = 64 << 20
_HOPS: Final = 3


class JobLogs:
    """A `triage.ports.Logs` over one connection to GitHub.

    *largest* is in bytes, *seconds* bounds one log from first to last.
    """

    def __init__(
        self, api: GitHubApi, *, largest: int = _LARGEST, seconds: float = 60.0
    ) -> None:
        self._api = api
        self._largest = largest
        self._seconds = seconds

    async def fetch(self, fetch: Fetch) -> bytes:
        """Return a job's log; raises a `SourceError`, `TooLarge`, `BadInput`."""
        if fetch.host_kind != "github-job-log" or fetch.job is None:
            raise BadInput("this is no log of a job of GitHub's")
        deadline = time.monotonic() + self._seconds
        request = Request(f"/repos/{fetch.repo}/actions/jobs/{fetch.job}/logs")
        try:
            return await self._api.call(
                request, lambda answer: answer.body, deadline=deadline
            )
        except Moved as moved:
            place = moved.location
        except Absent as error:
            raise FileMissing(
                f"GitHub has no log of job {fetch.job} of {fetch.repo} any more, or the"
                " credentials lack actions=read"
            ) from error
        return await asyncio.to_thread(self._download, place, deadline)

    def _download(self, place: str, deadline: float) -> bytes:
        """Follow the address, without credentials; blocks."""
        wanted = Wanted("the job's log", self._largest, deadline)
        for _ in range(_HOPS):
            if not place.startswith(("https://", "http://")):
                raise SourceError("GitHub names no web address for the job's log")
            answer = download(place, wanted, {})
            if answer.status == OK:
                return answer.body
            onward = answer.moved_to(place)
            if onward is None:
                raise SourceError(f"the host of the job's log answers {answer.status}")
            place = onward
        raise SourceError("the address of the job's log leads in a circle")
