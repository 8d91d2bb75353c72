"""Errors as callers see them: `application/problem+json`, from one table of statuses."""

import math
from collections.abc import Mapping
from http import HTTPStatus
from typing import Final

import orjson
from aiohttp import web

from triage.core.visible import replaced
from triage.errors import ConfigError, RateLimited, TriageError, Unauthorized

PROBLEM: Final = "application/problem+json"
STATUS: Final[Mapping[str, HTTPStatus]] = {
    "bad-request": HTTPStatus.BAD_REQUEST,
    "unauthorized": HTTPStatus.UNAUTHORIZED,
    "bad-signature": HTTPStatus.UNAUTHORIZED,
    "repo-not-allowed": HTTPStatus.FORBIDDEN,
    "file-not-found": HTTPStatus.NOT_FOUND,
    "commit-not-found": HTTPStatus.NOT_FOUND,
    "repo-not-found": HTTPStatus.NOT_FOUND,
    "not-found": HTTPStatus.NOT_FOUND,
    "slow-body": HTTPStatus.REQUEST_TIMEOUT,
    "too-large": HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    "no-panic": HTTPStatus.UNPROCESSABLE_ENTITY,
    "line-outside": HTTPStatus.UNPROCESSABLE_ENTITY,
    "rate-limited": HTTPStatus.TOO_MANY_REQUESTS,
    "internal": HTTPStatus.INTERNAL_SERVER_ERROR,
    "source-failed": HTTPStatus.BAD_GATEWAY,
    "helper-failed": HTTPStatus.BAD_GATEWAY,
    "busy": HTTPStatus.SERVICE_UNAVAILABLE,
    "timeout": HTTPStatus.GATEWAY_TIMEOUT,
}
_SHOWN: Final = 1_000
_AGAIN: Final = 5
"""Seconds after which it is worth a try again, where nobody says."""
_LIMITED: Final = 60
_RETRIED: Final = frozenset({"rate-limited", "busy"})


def problem(error: TriageError, *, now: float, request_id: str) -> web.Response:
    """Make the answer for an error; *now* is in seconds since the epoch."""
    status = status_of(error)
    headers = {}
    if error.code in _RETRIED:
        headers["Retry-After"] = str(retry_after(error, now))
    if status == HTTPStatus.UNAUTHORIZED:
        headers["WWW-Authenticate"] = 'Bearer realm="triage"'
    return answer(
        status, error.code, str(error), request_id=request_id, headers=headers
    )


def answer(
    status: HTTPStatus,
    code: str,
    detail: str,
    *,
    request_id: str,
    headers: Mapping[str, str] | None = None,
) -> web.Response:
    """Make a problem of its parts."""
    body = {
        "type": "about:blank",
        "title": status.phrase,
        "status": int(status),
        "code": code,
        "detail": replaced(detail, " ")[:_SHOWN],
        "request_id": request_id,
    }
    return web.Response(
        status=status,
        body=orjson.dumps(body),
        content_type=PROBLEM,
        headers=headers,
    )


def status_of(error: TriageError) -> HTTPStatus:
    """Return the status for an error.

    What a source refuses *us* is no fault of the caller's credentials, nor are our own
    settings and files.
    """
    if isinstance(error, Unauthorized):
        return HTTPStatus.BAD_GATEWAY
    if isinstance(error, ConfigError):
        return HTTPStatus.INTERNAL_SERVER_ERROR
    return STATUS.get(error.code, HTTPStatus.INTERNAL_SERVER_ERROR)


def retry_after(error: TriageError, now: float) -> int:
    """Tell the whole seconds to wait, at least one."""
    if isinstance(error, RateLimited):
        if error.reset_at is None:
            return _LIMITED
        return max(1, math.ceil(error.reset_at - now))
    return _AGAIN
