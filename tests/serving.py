"""The service on a free port within the test's own process, and one of its own."""

import asyncio
import hashlib
import hmac
import io
import json
import os
import signal
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp
from aiohttp import web

from triage.app import open_works
from triage.config import Settings
from triage.service.app import make_app
from triage.service.connection import Runner
from triage.service.door import bind
from triage.service.limits import Limits, Pace

_LONG = 1 << 20
ROOT = Path(__file__).parents[1]
SECRET = "s3cret"  # noqa: S105 - of services that live for a test
TOKEN = "t0ken"  # noqa: S105 - likewise


@dataclass(frozen=True)
class Reply:
    """An answer, read to its end."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """The body, decoded."""
        return json.loads(self.body)

    @property
    def code(self) -> str:
        """A problem's code; the media type has to be a problem's."""
        assert self.headers["Content-Type"] == "application/problem+json"
        problem = self.json
        assert problem["status"] == self.status
        return str(problem["code"])


class Caller:
    """Asks one service."""

    def __init__(self, session: aiohttp.ClientSession, port: int) -> None:
        self._session = session
        self.port = port

    async def ask(self, method: str, path: str, **options: Any) -> Reply:
        """Send a request; *options* are aiohttp's."""
        options.setdefault("allow_redirects", False)
        async with self._session.request(
            method, f"http://127.0.0.1:{self.port}{path}", **options
        ) as response:
            return Reply(response.status, response.headers, await response.read())

    async def get(self, path: str, **options: Any) -> Reply:
        """Ask for something."""
        return await self.ask("GET", path, **options)

    async def post(self, path: str, body: Any, **options: Any) -> Reply:
        """Send bytes, or JSON of anything else."""
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        # A stream: aiohttp warns of a long body that is sent in one piece.
        sent = io.BytesIO(data) if len(data) > _LONG else data
        return await self.ask("POST", path, data=sent, **options)

    async def panic(self, body: Any, **headers: str) -> Reply:
        """Deliver a panic, signed."""
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        names = {name.replace("_", "-"): value for name, value in headers.items()}
        known = {"Content-Type": "application/json", **names, **signed(data)}
        return await self.ask("POST", "/webhooks/panic", data=data, headers=known)

    async def ended(self, name: str) -> Any:
        """Wait until an event is done or failed."""
        while True:
            event = (await self.get(f"/v1/events/{name}")).json
            if event["status"] in {"done", "failed"}:
                return event
            await asyncio.sleep(0.01)


def signed(body: bytes, key: str = SECRET) -> dict[str, str]:
    """Sign a body as our own sender does."""
    digest = hmac.new(key.encode(), body, hashlib.sha256).hexdigest()
    return {"X-Triage-Signature-256": f"sha256={digest}"}


@asynccontextmanager
async def serving(
    settings: Settings,
    *,
    limits: Limits | None = None,
    pace: Pace | None = None,
    works: Any = open_works,
) -> AsyncIterator[Caller]:
    """Run the service here; *works* makes what it works with."""
    limits = limits or Limits()
    app = make_app(works, settings, limits=limits, pace=pace)
    runner = Runner(app, limits)
    with closing(bind("127.0.0.1", 0)) as place:
        await runner.setup()
        try:
            await web.SockSite(runner, place).start()
            async with aiohttp.ClientSession() as session:
                yield Caller(session, place.getsockname()[1])
        finally:
            await runner.cleanup()


class Served:
    """`triage serve` as a process of its own."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.said: list[str] = []
        self.port = 0

    async def ready(self) -> None:
        """Read what it says until it serves."""
        assert self.process.stderr is not None
        async for line in self.process.stderr:
            self.said.append(line.decode().rstrip("\n"))
            if "serving on http://" in self.said[-1]:
                self.port = int(self.said[-1].rpartition(":")[2])
                return
        raise AssertionError("\n".join(self.said))

    async def end(self, number: int = signal.SIGTERM) -> int:
        """Send a signal and wait; gives the exit code."""
        if self.process.returncode is None:
            self.process.send_signal(number)
        _, rest = await self.process.communicate()
        self.said += rest.decode("utf-8", "replace").splitlines()
        assert self.process.returncode is not None
        return self.process.returncode


async def start(data: Path, *options: str, **variables: str) -> Served:
    """Start `triage serve` on a free port, and wait until it serves."""
    command = ["-m", "triage", "serve", "--port", "0", "--data-dir", str(data)]
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, *command, *options),
        cwd=ROOT,
        env={**os.environ, "TRIAGE_WEBHOOK_SECRET": SECRET, **variables},
        stdin=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
    )
    served = Served(process)
    try:
        await served.ready()
    except BaseException:
        await served.end(signal.SIGKILL)
        raise
    return served


@asynccontextmanager
async def calling(port: int) -> AsyncIterator[Caller]:
    """Ask a service at a port."""
    async with aiohttp.ClientSession() as session:
        yield Caller(session, port)
