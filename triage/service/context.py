"""`POST /v1/context`: a crash in, its context out, at once."""

import asyncio
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Final

from aiohttp import web

from triage.core.events.wanted import Wanted, decode, is_ambiguous, telemetry
from triage.core.model import Result, Telemetry
from triage.errors import Overloaded, SourceTimeout
from triage.service.accept import form
from triage.service.keys import BODIES, LIMITS, LOAD, METRICS, RENDERED, WORKS

_TEXT: Final = {"type": "string", "minLength": 1}
WANTS: Final = {
    "required": ["repo"],
    "properties": {"repo": {**_TEXT, "maxLength": 1_000}},
    "anyOf": [
        {"required": ["trace"], "properties": {"trace": _TEXT}},
        {"required": ["text"], "properties": {"text": _TEXT}},
        {"required": ["message"], "properties": {"message": _TEXT}},
        {
            "required": ["file", "line"],
            "properties": {"file": _TEXT, "line": {"type": "integer"}},
        },
    ],
}
"""What the object needs, as JSON Schema: its type alone does not tell."""


async def explain(request: web.Request) -> web.Response:
    """Answer with the context, in the form that the caller likes best."""
    app = request.app
    start = time.perf_counter()
    accept = request.headers.get("Accept", "")
    async with app[BODIES].read(request, app[LIMITS].context_body) as body:
        text = await body.expanded()
        written = app[RENDERED].known(text, accept)
        if written is None:
            result = await _result(app, await _telemetry(decode(text)))
            written = app[RENDERED].write(
                result, form(accept), body=text, accept=accept
            )
    app[METRICS].explained(written.result)
    milliseconds = (time.perf_counter() - start) * 1000
    return web.Response(
        body=written.data,
        headers={
            "Content-Type": f"{written.media}; charset=utf-8",
            "Vary": "Accept",
            "Server-Timing": f"context;dur={milliseconds:.2f}",
            "X-Triage-Served-From": written.result.served_from,
        },
    )


async def _telemetry(wanted: Wanted) -> Telemetry:
    """Make telemetry; where texts have to be searched for that, in a thread."""
    if is_ambiguous(wanted):
        return await asyncio.to_thread(telemetry, wanted)
    return telemetry(wanted)


async def _result(app: web.Application, told: Telemetry) -> Result:
    """Ask the engine, of a repository by the name that the list has for it."""
    name, path = app[WORKS].allowed.find(told.repo)
    with _one_more(app, remote=path is None):
        return await _context(app, replace(told, repo=name))


async def _context(app: web.Application, told: Telemetry) -> Result:
    seconds = app[LIMITS].context_seconds
    try:
        async with asyncio.timeout(seconds):
            return await app[WORKS].engine.context(told)
    except TimeoutError as error:
        raise SourceTimeout(
            f"the context was not made in {seconds:g} seconds; try again"
        ) from error


@contextmanager
def _one_more(app: web.Application, *, remote: bool) -> Iterator[None]:
    """Count a context that is being made; raises `Overloaded` above the bounds."""
    load, limits = app[LOAD], app[LIMITS]
    if load.contexts >= limits.contexts or (
        remote and load.remote >= limits.remote_contexts
    ):
        raise Overloaded("too many contexts are being made; try again in a moment")
    load.contexts += 1
    load.remote += remote
    try:
        yield
    finally:
        load.contexts -= 1
        load.remote -= remote
