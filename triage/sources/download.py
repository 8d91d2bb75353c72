"""One GET of the web within bounds of size and time: what is sent is what was given.

Redirects are told, not followed, and no credentials come from a netrc file.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import urljoin

import requests
import urllib3.exceptions

from triage.errors import SourceError, SourceTimeout, TooLarge

OK: Final = 200
REDIRECTS: Final = range(300, 400)
_CHUNK: Final = 1 << 18
_LONGEST_WAIT: Final = 15.0
"""Seconds without a byte."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a host said; of an error the status and the headers alone."""

    status: int
    headers: Mapping[str, str]
    """Found by their names in any case."""
    body: bytes = b""

    def moved_to(self, place: str) -> str | None:
        """Tell where the text of *place* is said to be; None where it is no redirect.

        Raises a `SourceError` for what is no address.
        """
        if self.status not in REDIRECTS:
            return None
        try:
            return urljoin(place, self.headers.get("location", ""))
        except ValueError as error:
            raise SourceError("a redirect leads to no address") from error


@dataclass(frozen=True, slots=True)
class Wanted:
    """A text, as errors call it, and what it may take."""

    what: str
    largest: int
    """In bytes, unpacked."""
    deadline: float
    """By the monotonic clock."""

    def late(self) -> SourceTimeout:
        """Make the error for a text that did not come."""
        return SourceTimeout(f"{self.what} did not come in time; try again later")


class Unmoved(requests.Session):
    """A session to which no answer is a redirect.

    Told not to follow them, requests reads them all the same: their whole bodies, and
    their addresses, which may be none.
    """

    def get_redirect_target(self, resp: requests.Response) -> None:
        """Say that it leads nowhere."""


def download(place: str, wanted: Wanted, headers: Mapping[str, str]) -> Answer:
    """Ask for *place* once; blocks. Raises a `SourceError` or `TooLarge`."""
    left = wanted.deadline - time.monotonic()
    try:
        with (
            Unmoved() as session,
            session.get(
                place,
                headers={"User-Agent": "triage", **headers},
                auth=_nobody,
                timeout=max(0.1, min(_LONGEST_WAIT, left)),
                allow_redirects=False,
                stream=True,
            ) as response,
        ):
            if response.status_code != OK:
                return Answer(response.status_code, response.headers)
            return Answer(OK, response.headers, _read(response, wanted))
    except (requests.Timeout, urllib3.exceptions.TimeoutError) as error:
        raise wanted.late() from error
    except (requests.RequestException, urllib3.exceptions.HTTPError) as error:
        raise SourceError(f"no answer from the host of {wanted.what}") from error
    except ValueError as error:  # what only a closer look shows to be no address
        raise SourceError(f"the address of {wanted.what} is none") from error


def _read(response: requests.Response, wanted: Wanted) -> bytes:
    body = bytearray()
    while piece := response.raw.read1(_CHUNK, decode_content=True):
        body += piece
        if len(body) > wanted.largest:
            raise TooLarge(f"{wanted.what} is over {wanted.largest >> 20} MiB")
        if time.monotonic() > wanted.deadline:
            raise wanted.late()
    return bytes(body)


def _nobody(request: requests.PreparedRequest) -> requests.PreparedRequest:
    """Add no credentials, not even those of a netrc file."""
    return request
