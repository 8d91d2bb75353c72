"""Calls to one GitHub with one set of credentials: threads, limits, second tries."""

import asyncio
import logging
import random
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar
from urllib.parse import urlsplit

import msgspec
from github import Auth

from triage.errors import RateLimited, SourceError
from triage.sources.github.auth import App, InstallationAuth, Token
from triage.sources.github.gate import RateGate, limited
from triage.sources.github.refusal import (
    NoGitHub,
    ServerTrouble,
    refusal,
    remaining_of,
    reset_at,
    resource_of,
    used_up_until,
)
from triage.sources.github.wire import Answer, BrokenWire, Client, Request, timed_out

T = TypeVar("T")

DEFAULT_URL = "https://api.github.com"

_log = logging.getLogger(__name__)
_REDIRECTS = range(300, 400)
_GRAPHQL_REST = 600.0
"""Seconds for which a GraphQL endpoint that refuses is left alone."""


class Moved(SourceError):
    """GitHub answers from another address; followed by `Repository`."""

    def __init__(self, location: str) -> None:
        super().__init__("GitHub redirects in a circle; check the repository's name")
        self.location = location


class GitHubApi:
    """What the sources of many repositories share; close it when they are done.

    *url* is the API's root, *gate* is shared by all that use the same credentials.
    *request_timeout* and *pause*, the wait before a second try, are in seconds. The
    event loop never waits: requests run in *connections* threads, and none sleeps.
    """

    def __init__(
        self,
        credentials: Token | App | None = None,
        *,
        url: str = DEFAULT_URL,
        gate: RateGate | None = None,
        request_timeout: float = 15.0,
        tries: int = 3,
        pause: float = 0.3,
        connections: int = 8,
    ) -> None:
        self.anonymous = credentials is None
        self._root = url.rstrip("/")
        self._gate = gate or RateGate()
        self._request_timeout = request_timeout
        self._tries = tries
        self._pause = pause
        self._auth = self._authentication(credentials)
        self._threads = ThreadPoolExecutor(connections, thread_name_prefix="github")
        self._local = threading.local()
        self._lock = threading.Lock()
        self._clients: list[Client] = []  # guarded by _lock
        self._graphql_again = 0.0
        self._closed = False
        self.remaining: int | None = None
        """Requests that the REST limit still allows, as GitHub last told."""
        # A wrong address is told here, not in the middle of the first call.
        Client(self._root, None).close()

    @property
    def speaks_graphql(self) -> bool:
        """Tell whether GraphQL is worth a try; it always wants credentials."""
        return not self.anonymous and time.monotonic() >= self._graphql_again

    def leave_graphql(self) -> None:
        """Go without GraphQL for some minutes: its endpoint refuses."""
        self._graphql_again = time.monotonic() + _GRAPHQL_REST

    async def call(
        self,
        request: Request,
        decode: Callable[[Answer], T],
        *,
        deadline: float,
        tries: int | None = None,
    ) -> T:
        """Send *request*, and send it again where the trouble is GitHub's.

        *decode* runs in the thread; what it cannot read is an error. *deadline* is of
        the monotonic clock. Raises `Moved` and everything that `refusal` makes.
        """
        left = tries or self._tries
        pause = self._pause
        while True:
            left -= 1
            try:
                return await self._in_thread(request, decode, deadline)
            except (ServerTrouble, BrokenWire) as trouble:
                _log.info("GitHub request failed: %s", trouble)
                if not left:
                    raise
            # Jitter, so that what failed together does not come back together.
            jitter = random.uniform(0.5, 1.5)  # noqa: S311 - no secret hangs on it
            await asyncio.sleep(pause * jitter)
            pause *= 2

    async def close(self) -> None:
        """Close all connections; a second call does nothing."""
        self._closed = True
        self._threads.shutdown(wait=False, cancel_futures=True)
        with self._lock:
            clients, self._clients = self._clients, []
        for client in clients:
            client.close()

    async def _in_thread(
        self, request: Request, decode: Callable[[Answer], T], deadline: float
    ) -> T:
        if self._closed:
            raise SourceError("the connection to GitHub is closed")
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(
            self._threads, self._exchange, request, decode, deadline
        )

    def _exchange(
        self, request: Request, decode: Callable[[Answer], T], deadline: float
    ) -> T:
        """Send one request from a worker thread and read its answer."""
        # Asked here, not before queueing: what another thread met in between counts.
        self._gate.check(request.resource)
        answer = self._send(self._client(), request, deadline)
        try:
            return decode(answer)
        except RateLimited as limit:
            # GraphQL says so in the body, under status 200.
            until = limit.reset_at or reset_at(answer, self._gate.clock())
            self._gate.close(request.resource, until)
            raise limited(until) from limit
        except (msgspec.DecodeError, ValueError) as error:
            raise NoGitHub(
                f"{urlsplit(self._root).hostname} does not answer as GitHub's API"
                " does; check TRIAGE_GITHUB_URL (https://HOST/api/v3)"
            ) from error

    def _send(self, client: Client, request: Request, deadline: float) -> Answer:
        """Send, keep the gate, and raise what is no success."""
        now = time.monotonic()
        if now >= deadline:
            raise timed_out()
        answer = client.send(request, min(deadline, now + self._request_timeout))
        self.remaining = remaining_of(answer, self.remaining)
        until = used_up_until(answer)
        if until is not None:
            self._gate.close(resource_of(answer, request.resource), until)
        if answer.status in _REDIRECTS:
            raise Moved(answer.headers.get("location", ""))
        if answer.status >= _REDIRECTS.stop:
            error = refusal(answer, self._gate.clock())
            if isinstance(error, RateLimited) and error.reset_at is not None:
                resource = resource_of(answer, request.resource)
                self._gate.close(resource, error.reset_at)
            raise error
        return answer

    def _client(self) -> Client:
        """Give the thread its own client: PyGithub's is not safe across threads."""
        client = getattr(self._local, "client", None)
        if not isinstance(client, Client):
            client = self._local.client = Client(self._root, self._auth)
            with self._lock:
                self._clients.append(client)
        return client

    def _authentication(self, credentials: Token | App | None) -> Auth.Auth | None:
        match credentials:
            case None:
                return None
            case Token():
                return Auth.Token(credentials.value)
            case App():
                return InstallationAuth(credentials, self._mint, self._gate.clock)

    def _mint(self, auth: Auth.Auth, request: Request) -> Answer:
        """Ask for an installation's token, with the App's own credentials."""
        client = Client(self._root, auth)
        try:
            deadline = time.monotonic() + self._request_timeout
            return self._send(client, request, deadline)
        finally:
            client.close()
