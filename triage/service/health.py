"""How the service is: alive, ready, its numbers, and what it offers."""

import asyncio
import time
from typing import Final

from aiohttp import web

from triage._version import __version__
from triage.errors import NotAuthenticated, TriageError
from triage.service.answers import CheckAnswer, Health, Readiness, json_answer
from triage.service.keys import GATE, INBOX, METRICS, WORKS

_SECONDS: Final = 10.0
_FRESH: Final = 5.0
"""Seconds for which what was found is told again."""
_PROMETHEUS: Final = "text/plain; version=0.0.4; charset=utf-8"


async def healthz(_: web.Request) -> web.Response:
    """Say that the service is there."""
    return json_answer(Health("ok", __version__))


class Lookout:
    """Looks whether the means are in order, not more often than they change."""

    def __init__(self) -> None:
        self._lock = asyncio.Lock()
        self._checks: list[CheckAnswer] = []
        self._good_until = float("-inf")

    async def checks(self, app: web.Application) -> list[CheckAnswer]:
        """Return what was found a moment ago, or look anew."""
        async with self._lock:
            if time.monotonic() >= self._good_until:
                self._checks = [await _inbox(app), *await _means(app)]
                self._good_until = time.monotonic() + _FRESH
        return self._checks


async def readyz(request: web.Request) -> web.Response:
    """Look whether the helper answers, the inbox opens and GitHub takes the token.

    Why something is not in order is told to those alone who may ask for more.
    """
    checks = await request.app[LOOKOUT].checks(request.app)
    ready = all(check.fine for check in checks)
    try:
        request.app[GATE].check(request)
    except NotAuthenticated:
        checks = [CheckAnswer(check.name, check.fine, "") for check in checks]
    return json_answer(Readiness(ready, checks), status=200 if ready else 503)


async def _means(app: web.Application) -> list[CheckAnswer]:
    try:
        async with asyncio.timeout(_SECONDS):
            found = await app[WORKS].check()
    except TimeoutError:
        return [CheckAnswer("means", fine=False, text="no answer in time")]
    return [CheckAnswer(check.name, check.fine, check.text) for check in found]


async def _inbox(app: web.Application) -> CheckAnswer:
    try:
        depth = await app[INBOX].depth()
        await app[INBOX].check()
    except TriageError as error:
        return CheckAnswer("inbox", fine=False, text=str(error))
    return CheckAnswer("inbox", fine=True, text=f"{sum(depth.values())} events to do")


async def metrics(request: web.Request) -> web.Response:
    """Give the numbers in Prometheus' form."""
    app = request.app
    app[METRICS].update(await app[INBOX].depth(), app[WORKS].figures())
    return web.Response(body=app[METRICS].text(), headers={"Content-Type": _PROMETHEUS})


LOOKOUT = web.AppKey("LOOKOUT", Lookout)
