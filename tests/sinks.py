"""Places that are told: a webhook's receiver, and GitHub's issues."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web


@dataclass
class Receiver:
    """A webhook's other end: what it was sent, and how it answers."""

    answers: list[int | str] = field(default_factory=list)
    """Of the next requests, one each: a status, or `cut`; 200 when there are no more."""
    headers: dict[str, str] = field(default_factory=dict)
    got: list[tuple[dict[str, str], bytes]] = field(default_factory=list)
    url: str = ""
    hangs: bool = False

    async def take(self, request: web.Request) -> web.Response:
        """Take a message."""
        self.got.append((dict(request.headers), await request.read()))
        if self.hangs:
            await asyncio.Event().wait()
        answer = self.answers.pop(0) if self.answers else 200
        if answer == "cut":
            assert request.transport is not None
            request.transport.abort()
            answer = 200
        return web.Response(status=int(answer), headers=self.headers)


@dataclass
class Issues:
    """GitHub's issues of any repository."""

    issues: list[dict[str, Any]] = field(default_factory=list)
    answers: list[int] = field(default_factory=list)
    """Statuses of the next requests that write; they do their work all the same."""
    asked: list[str] = field(default_factory=list)
    url: str = ""

    async def listed(self, request: web.Request) -> web.Response:
        """List by label, a page at a time."""
        self.asked.append(f"GET {request.query_string}")
        size, page = int(request.query["per_page"]), int(request.query["page"])
        found = [one for one in self.issues if request.query["labels"] in one["labels"]]
        return web.json_response(found[(page - 1) * size : page * size])

    async def made(self, request: web.Request) -> web.Response:
        """Make one."""
        told = await request.json()
        self.asked.append("POST")
        issue = {"number": len(self.issues) + 1, **told}
        self.issues.append(issue)
        return self._answer(issue, 201)

    async def changed(self, request: web.Request) -> web.Response:
        """Change one."""
        self.asked.append(f"PATCH {request.match_info['number']}")
        for issue in self.issues:
            if issue["number"] == int(request.match_info["number"]):
                issue.update(await request.json())
                return self._answer(issue, 200)
        return web.json_response({"message": "Not Found"}, status=404)

    def _answer(self, issue: dict[str, Any], status: int) -> web.Response:
        if self.answers:
            status = self.answers.pop(0)
        return web.Response(
            text=json.dumps(issue), status=status, content_type="application/json"
        )


@asynccontextmanager
async def receiver() -> AsyncIterator[Receiver]:
    """Run a receiver on a free port."""
    told = Receiver()
    async with _served([web.post("/hook", told.take)]) as base:
        told.url = f"{base}/hook"
        yield told


@asynccontextmanager
async def github_issues() -> AsyncIterator[Issues]:
    """Run the part of GitHub's API that issues need."""
    told = Issues()
    path = "/repos/{owner}/{name}/issues"
    routes = [
        web.get(path, told.listed),
        web.post(path, told.made),
        web.patch(path + "/{number}", told.changed),
    ]
    async with _served(routes) as base:
        told.url = base
        yield told


@asynccontextmanager
async def _served(routes: list[web.RouteDef]) -> AsyncIterator[str]:
    app = web.Application()
    app.add_routes(routes)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()
