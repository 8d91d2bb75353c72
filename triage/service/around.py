"""What is around every handler: who may ask, errors as problems, numbers, the log."""

import logging
import time
from collections.abc import Awaitable, Callable
from http import HTTPStatus
from typing import Final

import structlog
from aiohttp import web

from triage._version import __version__
from triage.errors import TriageError, Unknown
from triage.service.keys import GATE, INBOX, METRICS, NAMES, REQUEST_ID
from triage.service.problems import answer, problem, status_of

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]

_UNROUTED: Final = "(none)"
_access: structlog.stdlib.BoundLogger = structlog.stdlib.get_logger("triage.access")
_log = logging.getLogger(__name__)
_is_logged = logging.getLogger("triage.access").isEnabledFor


def guarded(handler: Handler) -> Handler:
    """Let only those who may ask come to *handler*."""

    async def check(request: web.Request) -> web.StreamResponse:
        request.app[GATE].check(request)
        return await handler(request)

    return check


@web.middleware
async def around(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Answer whatever happens, count it, and log it without what it said."""
    start = time.perf_counter()
    request[REQUEST_ID] = name = request.app[NAMES].next()
    try:
        response = await handler(request)
    except TriageError as error:
        response = _problem(request, error, name)
    except web.HTTPException as error:
        response = _unrouted(request, error, name)
    except ConnectionError:
        raise  # nobody is there to answer
    except Exception:  # noqa: BLE001 - the edge: a bug of ours is an answer too
        _log.exception("request %s failed", name)
        response = _ours(name)
    _mark(response, name)
    seconds = time.perf_counter() - start
    route = _route(request)
    request.app[METRICS].answered(route, response.status, seconds)
    if _is_logged(logging.INFO):
        _write(request, route, response.status, seconds, name)
    return response


def unasked(
    app: web.Application, status: HTTPStatus, code: str, detail: str
) -> web.Response:
    """Answer and count what came to no route: what was sent is no request."""
    name = app[NAMES].next()
    if status == HTTPStatus.INTERNAL_SERVER_ERROR:
        response = _ours(name)
    else:
        response = answer(status, code, detail, request_id=name)
    _mark(response, name)
    app[METRICS].answered(_UNROUTED, response.status, 0.0)
    if _is_logged(logging.INFO):
        _access.info("refused", status=response.status, request_id=name)
    return response


def _mark(response: web.StreamResponse, name: str) -> None:
    """Add the headers that all answers have."""
    headers = response.headers
    headers["Server"] = "triage"  # not what it is made of
    headers["X-Triage-Version"] = __version__
    headers["X-Request-ID"] = name
    headers["X-Content-Type-Options"] = "nosniff"


def _problem(request: web.Request, error: TriageError, name: str) -> web.Response:
    """Make the answer for one of our errors; those that are ours go to the log."""
    if status_of(error) == HTTPStatus.INTERNAL_SERVER_ERROR:
        _log.error("request %s failed: %s", name, error, exc_info=error)
        return _ours(name)
    return problem(error, now=request.app[INBOX].now(), request_id=name)


def _ours(name: str) -> web.Response:
    """Say that it is not the caller's fault, and no more: the log has it."""
    return answer(
        HTTPStatus.INTERNAL_SERVER_ERROR,
        "internal",
        "the service has a bug or is not in order; its log says more",
        request_id=name,
    )


def _unrouted(
    request: web.Request, error: web.HTTPException, name: str
) -> web.StreamResponse:
    """Make a problem of what aiohttp itself says: no such route, no such method."""
    if error.status == HTTPStatus.METHOD_NOT_ALLOWED:
        return answer(
            HTTPStatus.METHOD_NOT_ALLOWED,
            "bad-request",
            f"this route takes {error.headers['Allow']}",
            request_id=name,
            headers={"Allow": error.headers["Allow"]},
        )
    if error.status == HTTPStatus.NOT_FOUND:
        return _problem(request, Unknown("there is no such route"), name)
    return error  # a redirect


def _route(request: web.Request) -> str:
    """Name the route; what is none is not named by its callers."""
    resource = request.match_info.route.resource
    return resource.canonical if resource is not None else _UNROUTED


def _write(
    request: web.Request, route: str, status: int, seconds: float, name: str
) -> None:
    """Log a request: neither its body, nor its query, nor its headers."""
    _access.info(
        "request",
        method=request.method,
        route=route,
        status=status,
        milliseconds=round(seconds * 1000, 2),
        bytes=request.content_length,
        remote=request.remote,
        request_id=name,
    )
