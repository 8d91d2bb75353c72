"""The log of one job of GitHub Actions, fetched without handing the token on.

GitHub answers with the address of another host, good for a minute; that host is asked
without credentials: https://docs.github.com/en/rest/actions/workflow-jobs
"""

import asyncio
import time
from typing import Final
from urllib.parse import urljoin, urlsplit

import requests
import urllib3.exceptions

from triage.core.events import Fetch
from triage.errors import BadInput, FileMissing, SourceError, SourceTimeout, TooLarge
from triage.sources.github.api import GitHubApi, Moved
from triage.sources.github.refusal import Absent
from triage.sources.github.wire import USER_AGENT, BrokenWire, Request

_LARGEST: Final = 64 << 20
_CHUNK: Final = 1 << 18
_HOPS: Final = 3
_OK: Final = 200
_REDIRECTS: Final = range(300, 400)


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
            raise BadInput(
                "only logs of GitHub's jobs are fetched; let Sentry send event alerts,"
                " which hold the event"
            )
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
        for _ in range(_HOPS):
            if urlsplit(place).scheme not in {"https", "http"}:
                raise SourceError("GitHub names no web address for the job's log")
            found = self._get(place, deadline)
            if isinstance(found, bytes):
                return found
            place = urljoin(place, found)
        raise SourceError("the address of the job's log leads in a circle")

    def _get(self, place: str, deadline: float) -> bytes | str:
        """Return the text, or where it is said to be."""
        try:
            with requests.get(
                place,
                headers={"User-Agent": USER_AGENT},
                auth=_nobody,
                timeout=max(0.1, min(15.0, deadline - time.monotonic())),
                allow_redirects=False,
                stream=True,
            ) as response:
                if response.status_code in _REDIRECTS:
                    return response.headers.get("location", "")
                if response.status_code != _OK:
                    raise BrokenWire(
                        f"the host of the job's log answers {response.status_code}"
                    )
                return self._read(response, deadline)
        except (requests.Timeout, urllib3.exceptions.TimeoutError) as error:
            raise _late() from error
        except (requests.RequestException, urllib3.exceptions.HTTPError) as error:
            raise BrokenWire("no answer from the host of the job's log") from error

    def _read(self, response: requests.Response, deadline: float) -> bytes:
        body = bytearray()
        while piece := response.raw.read1(_CHUNK, decode_content=True):
            body += piece
            if len(body) > self._largest:
                raise TooLarge(f"the job's log is over {self._largest >> 20} MiB")
            if time.monotonic() > deadline:
                raise _late()
        return bytes(body)


def _nobody(request: requests.PreparedRequest) -> requests.PreparedRequest:
    """Add no credentials, not even those of a netrc file."""
    return request


def _late() -> SourceTimeout:
    return SourceTimeout("the job's log did not come in time; try again later")
