"""One thread's way to GitHub: a PyGithub client over a connection of our own.

PyGithub makes the URL, the headers and the credentials. The connection is ours,
because PyGithub's own follows a 301 without its query (a `ref` gets lost on the way),
sleeps on a 202 and has no bound in time or size.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import requests
import urllib3.exceptions
from github import Auth, Github
from github.Requester import HTTPSRequestsConnectionClass, RequestsResponse

from triage.errors import ConfigError, SourceError, SourceTimeout
from triage.sources.download import Unmoved

JSON = "application/vnd.github+json"
GRAPHQL = "graphql"
CORE = "core"
USER_AGENT = "triage"

_API_VERSION = "2022-11-28"
_LARGEST = 96 << 20
"""Bytes of one answer: a package of 32 MiB, written as JSON, is below it."""
_CHUNK = 1 << 18
_PORTS = {"https": 443, "http": 80}


class BrokenWire(SourceError):
    """The connection failed; another try may succeed."""


@dataclass(frozen=True, slots=True)
class Request:
    """One question to the API; with a *body* it is a POST."""

    path: str = ""
    """Below the API's root, with its slash; unused for GraphQL."""
    parameters: Mapping[str, str] = field(default_factory=dict)
    body: Mapping[str, object] | None = None
    accept: str = JSON
    resource: str = CORE
    """Whose rate limit it counts on: `core` or `graphql`."""
    method: str = ""
    """What it is where it is neither a GET nor a POST."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back, whatever the status."""

    status: int
    headers: Mapping[str, str]
    """Names in lower case."""
    body: bytes


class Client:
    """Sends requests, one at a time: PyGithub keeps the request on the connection.

    *root* is the API's address. Raises `ConfigError` where it is none.
    """

    def __init__(self, root: str, auth: Auth.Auth | None) -> None:
        self._connection = _Connection(root)
        # Its throttles would sleep 0.25 s before a GET and 1 s before a POST.
        self._github = Github(
            auth=auth,
            base_url=root,
            user_agent=USER_AGENT,
            retry=None,
            seconds_between_requests=0,
            seconds_between_writes=0,
            lazy=True,
            api_version=_API_VERSION,
        )

    def send(self, request: Request, deadline: float) -> Answer:
        """Get an answer before *deadline* (of the monotonic clock).

        Raises `BrokenWire`, `SourceTimeout`, or `SourceError` where no other try
        will help.
        """
        requester = self._github.requester
        graphql = request.resource == GRAPHQL
        self._connection.expect(deadline)
        try:
            requester.requestJson(
                request.method or ("GET" if request.body is None else "POST"),
                requester.graphql_url if graphql else request.path,
                dict(request.parameters),
                {"Accept": request.accept},
                request.body,
                self._connection,
            )
        except requests.exceptions.SSLError as error:
            raise SourceError(
                f"the certificate of {self._connection.host} is not trusted;"
                " name its authority in REQUESTS_CA_BUNDLE"
            ) from error
        except (requests.Timeout, urllib3.exceptions.TimeoutError) as error:
            raise timed_out() from error
        except (requests.RequestException, urllib3.exceptions.HTTPError) as error:
            raise BrokenWire(
                f"no answer from GitHub at {self._connection.host};"
                " check the network and TRIAGE_GITHUB_URL"
            ) from error
        return self._connection.answer

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()
        self._github.close()


def _unmoved(session: requests.Session) -> Unmoved:
    """Make a session that is like *session* but for redirects."""
    plain = Unmoved()
    plain.auth = session.auth
    plain.adapters = session.adapters
    return plain


def timed_out() -> SourceTimeout:
    """Make the error for an answer that did not come in time."""
    return SourceTimeout("GitHub did not answer in time; try again later")


class _Connection(HTTPSRequestsConnectionClass):
    """Keeps the answer as bytes and shows PyGithub an empty one instead."""

    def __init__(self, root: str) -> None:
        address = urlsplit(root)
        if address.scheme not in _PORTS or not address.hostname:
            raise ConfigError(
                "TRIAGE_GITHUB_URL must be the API's address, such as"
                " https://HOST/api/v3"
            )
        host = f"[{address.hostname}]" if ":" in address.hostname else address.hostname
        super().__init__(host, address.port or _PORTS[address.scheme])
        self.protocol = address.scheme
        self.session = _unmoved(self.session)
        self._deadline = 0.0
        self.answer = Answer(0, {}, b"")
        """The last one that came."""

    def expect(self, deadline: float) -> None:
        """Begin a request that ends by *deadline*."""
        self._deadline = deadline

    def getresponse(self) -> RequestsResponse:
        """Send what PyGithub has prepared, and read the answer within its bounds."""
        with self.session.request(
            self.verb,
            f"{self.protocol}://{self.host}:{self.port}{self.url}",
            headers=self.headers,
            data=self.input,
            timeout=self._left(),
            allow_redirects=False,
            stream=True,
        ) as response:
            headers = {name.lower(): text for name, text in response.headers.items()}
            body = self._read(response)
            self.answer = Answer(response.status_code, headers, body)
        blank = requests.Response()
        blank.status_code = 200
        return RequestsResponse(blank)

    def _read(self, response: requests.Response) -> bytes:
        """Read piece by piece: a socket's own timeout starts anew with each byte."""
        body = bytearray()
        while piece := response.raw.read1(_CHUNK, decode_content=True):
            body += piece
            if len(body) > _LARGEST:
                raise SourceError(
                    f"an answer of GitHub's is over {_LARGEST >> 20} MiB;"
                    " name a smaller package"
                )
            self._left()
        return bytes(body)

    def _left(self) -> float:
        """Tell the seconds until the deadline; raises once it is over."""
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise timed_out()
        return left
