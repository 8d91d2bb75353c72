"""A server on loopback that answers as GitHub's API does, over real git repositories.

Faults are switched on by the test; every request is written down. By hand:
`python -m tests.github_server OWNER/NAME=DIRECTORY` prints its address and serves.
"""

import asyncio
import json
import sys
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import jwt
from aiohttp import web

from tests.githubapi import shapes
from tests.githubapi.gitrepo import GitRepo
from tests.githubapi.hosting import Hosting, Refused
from tests.githubapi.language import QueryError, parse
from tests.githubapi.rest import RestRoutes
from tests.githubapi.schema import execute, root

PRIMARY = (
    "API rate limit exceeded for 127.0.0.1. (But here's the good news: Authenticated"
    " requests get a higher rate limit.)"
)
SECONDARY = (
    "You have exceeded a secondary rate limit. Please wait a few minutes before you"
    " try again."
)
PERMISSION = "Resource not accessible by integration"


@dataclass
class Fault:
    """What requests get instead of, or on the way to, their answer."""

    where: str = ""
    """A part of the path; empty for any."""
    times: int | None = None
    """How many requests get it; None for all."""
    status: int | None = None
    """With *message* as GitHub's sentence; None answers as usual."""
    message: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    body: object = None
    """JSON, or text as it is, in place of the usual body."""
    delay: float = 0.0
    """Seconds before anything is sent."""
    drip: float = 0.0
    """Seconds between the bytes of the answer."""
    cut: bool = False
    """Close the connection in the middle of the body."""
    reset: bool = False
    """Close the connection without an answer."""


@dataclass(frozen=True)
class Seen:
    """A request as it came."""

    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: bytes

    @property
    def token(self) -> str | None:
        """The credentials, without their scheme."""
        given = self.headers.get("Authorization")
        return given.partition(" ")[2] if given else None


@dataclass
class Budget:
    """A primary rate limit."""

    limit: int
    left: int
    reset: int = field(default_factory=lambda: int(time.time()) + 3_600)


class GitHubServer:
    """The server; *prefix* is `/api/v3` on GitHub Enterprise.

    *app_key* is the public key of the App 17, which is installed as 42.
    """

    def __init__(self, prefix: str = "") -> None:
        self.prefix = prefix
        self.hosting = Hosting()
        self.rest = RestRoutes(self.hosting)
        self.app_key: str | None = None
        self.budgets = {"core": Budget(5_000, 5_000), "graphql": Budget(5_000, 5_000)}
        self.anonymous = Budget(60, 60)
        self.requests: list[Seen] = []
        self.faults: list[Fault] = []
        self.most_at_once = 0
        """How many requests were under way at once, at most."""
        self._under_way = 0
        self._runner: web.AppRunner | None = None

    async def start(self) -> None:
        """Listen on a free port of 127.0.0.1."""
        app = web.Application(middlewares=[self._middleware])
        self.rest.add_to(app.router, self.prefix)
        app.router.add_get(f"{self.prefix}/rate_limit", self._rate_limit)
        minting = "/app/installations/{installation}/access_tokens"
        app.router.add_post(self.prefix + minting, self._mint)
        app.router.add_post(self._graphql_path, self._graphql)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        host, port = self._runner.addresses[0][:2]
        self.rest.url = f"http://{host}:{port}{self.prefix}"

    async def stop(self) -> None:
        """Stop listening."""
        if self._runner:
            await self._runner.cleanup()
        self.hosting.close()

    @property
    def url(self) -> str:
        """The API's root."""
        return self.rest.url

    def counted(self, where: str = "") -> int:
        """Count the requests whose path has *where* in it."""
        return sum(where in seen.path for seen in self.requests)

    # -- every request

    @property
    def _graphql_path(self) -> str:
        return self.prefix.removesuffix("/v3") + "/graphql"

    @web.middleware
    async def _middleware(
        self,
        request: web.Request,
        handler: Callable[[web.Request], Awaitable[web.StreamResponse]],
    ) -> web.StreamResponse:
        start = time.perf_counter()
        body = await request.read()
        path = unquote(request.path)
        self.requests.append(
            Seen(
                request.method,
                path,
                dict(request.query),
                dict(request.headers),
                body,
            )
        )
        self._under_way += 1
        self.most_at_once = max(self.most_at_once, self._under_way)
        try:
            answer = await self._with_faults(request, handler, self._fault(path))
            if not answer.prepared:
                took = (time.perf_counter() - start) * 1000
                answer.headers["Server-Timing"] = f"total;dur={took:.3f}"
            return answer
        finally:
            self._under_way -= 1

    async def _with_faults(
        self,
        request: web.Request,
        handler: Callable[[web.Request], Awaitable[web.StreamResponse]],
        fault: Fault,
    ) -> web.StreamResponse:
        await asyncio.sleep(fault.delay)
        if fault.reset:
            _close(request)
        resource = "graphql" if request.path == self._graphql_path else "core"
        answer = await self._answer(request, handler, fault, resource)
        if fault.drip or fault.cut:
            return await _badly(request, answer, fault)
        return answer

    def _fault(self, path: str) -> Fault:
        for fault in self.faults:
            if fault.where in path and fault.times != 0:
                if fault.times is not None:
                    fault.times -= 1
                return fault
        return Fault()

    async def _answer(
        self,
        request: web.Request,
        handler: Callable[[web.Request], Awaitable[web.StreamResponse]],
        fault: Fault,
        resource: str,
    ) -> web.Response:
        """Answer with the headers that every answer has."""
        budget = self._budget(request, resource)
        counts = not request.path.endswith(("/rate_limit", "/access_tokens"))
        try:
            _count(budget, by=counts)
            _refuse(fault)
            self._authenticate(request)
            answer = await handler(request)
            assert isinstance(answer, web.Response)
        except Refused as refused:
            body = shapes.error(refused.status, str(refused))
            answer = web.json_response(
                body, status=refused.status, headers=refused.headers
            )
        except web.HTTPNotFound:
            answer = web.json_response(shapes.error(404, "Not Found"), status=404)
        if fault.body is not None:
            text = fault.body if isinstance(fault.body, str) else json.dumps(fault.body)
            answer = web.Response(
                text=text, status=fault.status or 200, content_type="application/json"
            )
        answer.headers.update(_limits(budget, resource))
        answer.headers.update(fault.headers)
        return answer

    def _budget(self, request: web.Request, resource: str) -> Budget:
        anonymous = "Authorization" not in request.headers
        return self.anonymous if anonymous else self.budgets[resource]

    def _authenticate(self, request: web.Request) -> None:
        """Refuse bad credentials; GraphQL wants some."""
        given = request.headers.get("Authorization")
        if given is None:
            if request.path == self._graphql_path:
                raise Refused(401, "This endpoint requires you to be authenticated.")
        elif request.path.startswith(f"{self.prefix}/app/"):
            self._check_app(given.partition(" ")[2])
        elif given.partition(" ")[2] not in self.hosting.tokens:
            raise Refused(401, "Bad credentials")

    def _check_app(self, token: str) -> None:
        try:
            claims = jwt.decode(token, self.app_key or "", algorithms=["RS256"])
        except jwt.PyJWTError as problem:
            raise Refused(401, "A JSON web token could not be decoded") from problem
        if claims["iss"] != "17":
            raise Refused(401, "Integration not found")

    # -- GraphQL

    async def _graphql(self, request: web.Request) -> web.Response:
        """Answer a query; its errors come under status 200."""
        asked = json.loads(await request.read())
        try:
            document = parse(asked["query"])
            top = root(lambda owner, name: self._queried(request, f"{owner}/{name}"))
            data = execute(document, asked.get("variables") or {}, top)
        except QueryError as problem:
            failure: dict[str, Any] = {"message": str(problem), **problem.fields}
            reply: dict[str, Any] = {"errors": [failure]}
            if failure.get("type") == "NOT_FOUND":
                reply["data"] = {"repository": None}
            return web.json_response(reply)
        return web.json_response({"data": data})

    def _queried(self, request: web.Request, name: str) -> tuple[str, GitRepo]:
        hosted = self.hosting.find(name, request.headers.get("Authorization"))
        if hosted is None:
            raise QueryError(
                f"Could not resolve to a Repository with the name '{name}'.",
                type="NOT_FOUND",
                path=["repository"],
            )
        return hosted.name, hosted.repo

    async def _rate_limit(self, request: web.Request) -> web.Response:
        core = self._budget(request, "core")
        budgets = {**self.budgets, "core": core, "search": Budget(30, 30)}
        numbers = {n: (b.limit, b.left, b.reset) for n, b in budgets.items()}
        return web.json_response(shapes.rate_limit(numbers))

    async def _mint(self, request: web.Request) -> web.Response:
        if request.match_info["installation"] != "42":
            raise Refused(404, "Not Found")
        token = f"ghs_installation{self.counted('access_tokens')}"
        self.hosting.tokens.add(token)
        self.hosting.readers.add(token)
        ends = datetime.now(UTC) + timedelta(hours=1)
        body = {
            "token": token,
            "expires_at": ends.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "permissions": {"contents": "read", "metadata": "read"},
            "repository_selection": "selected",
        }
        return web.json_response(body, status=201)


def _limits(budget: Budget, resource: str) -> dict[str, str]:
    return {
        "X-RateLimit-Limit": str(budget.limit),
        "X-RateLimit-Remaining": str(budget.left),
        "X-RateLimit-Reset": str(budget.reset),
        "X-RateLimit-Used": str(budget.limit - budget.left),
        "X-RateLimit-Resource": resource,
    }


def _count(budget: Budget, *, by: int) -> None:
    """Take a request off the budget."""
    if by and budget.left <= 0:
        raise Refused(403, PRIMARY)
    budget.left -= by


def _refuse(fault: Fault) -> None:
    if fault.status is not None:
        raise Refused(fault.status, fault.message)


def _close(request: web.Request) -> None:
    """Break the connection off."""
    assert request.transport is not None
    request.transport.abort()
    raise asyncio.CancelledError


async def _badly(
    request: web.Request, answer: web.Response, fault: Fault
) -> web.StreamResponse:
    """Send an answer slowly, or half of it."""
    body = answer.body
    assert isinstance(body, bytes)
    stream = web.StreamResponse(status=answer.status, headers=answer.headers)
    stream.content_length = len(body)
    await stream.prepare(request)
    with suppress(ConnectionError):
        if fault.cut:
            await stream.write(body[: len(body) // 2])
            _close(request)
        for at in range(len(body)):
            await stream.write(body[at : at + 1])
            await asyncio.sleep(fault.drip)
    return stream


async def _serve(hosted: list[str]) -> None:
    server = GitHubServer()
    for one in hosted:
        name, _, directory = one.partition("=")
        server.hosting.add(name, Path(directory))
    await server.start()
    sys.stdout.write(f"{server.url}\n")
    sys.stdout.flush()
    try:
        await asyncio.Event().wait()
    finally:
        await server.stop()


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):
        asyncio.run(_serve(sys.argv[1:]))
