"""Connections: what aiohttp itself refuses is answered as everything else is.

What is no HTTP reaches neither routes nor middlewares; aiohttp would answer in plain
text, and put the caller's bytes into the log.
"""

import asyncio
from collections.abc import Awaitable, Callable
from http import HTTPStatus
from typing import Any, Final

from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError, LineTooLong

from triage.service.around import unasked
from triage.service.handles import share
from triage.service.limits import Limits

Handle = Callable[[web.BaseRequest], Awaitable[web.StreamResponse]]
Refusal = tuple[HTTPStatus, str, str]
"""Status, code and words."""

_SHUTDOWN: Final = 8.0
"""Seconds that requests under way have once the service is told to stop."""
_LINGER: Final = 2.0
_NO_HTTP: Final[Refusal] = (
    HTTPStatus.BAD_REQUEST,
    "bad-request",
    "the request is no HTTP/1.1 as RFC 9112 has it",
)
_EXPECTED: Final[Refusal] = (
    HTTPStatus.EXPECTATION_FAILED,
    "bad-request",
    "nothing but 100-continue can be expected",
)


class Runner(web.AppRunner):
    """Runs the application over connections of our own."""

    def __init__(self, app: web.Application, limits: Limits) -> None:
        super().__init__(app, shutdown_timeout=_SHUTDOWN)
        self._limits = limits
        self._share = share(limits.connections)

    @property
    def backlog(self) -> int:
        """Tell how many connections may wait to be accepted."""
        return self._share.backlog

    async def _make_server(self) -> web.Server:
        made = await super()._make_server()
        return _Server(self.app, made, self._limits, self._share.connections)


class _Server(web.Server):
    """Makes connections; *made* is the server that aiohttp would have taken.

    There are *most* connections, then the one that has been idle longest is closed: who
    holds many keeps nobody out.
    """

    def __init__(
        self, app: web.Application, made: web.Server, limits: Limits, most: int
    ) -> None:
        super().__init__(
            self._expecting(made.request_handler),
            request_factory=made.request_factory,
            **_protocol(limits),
        )
        self._app = app
        self._limits = limits
        self._most = most
        self._open = dict[web.RequestHandler, None]()  # in the order of their arrival

    def connection_made(
        self, handler: web.RequestHandler, transport: asyncio.Transport
    ) -> None:
        """Take a connection, at the expense of another where there are too many."""
        super().connection_made(handler, transport)
        self._open[handler] = None
        if len(self._open) > self._most:
            idle = next((one for one in self._open if _is_idle(one)), handler)
            del self._open[idle]
            idle.force_close()

    def connection_lost(
        self, handler: web.RequestHandler, exc: BaseException | None = None
    ) -> None:
        """Forget a connection."""
        super().connection_lost(handler, exc)
        self._open.pop(handler, None)

    def __call__(self) -> web.RequestHandler:
        """Make the connection of one caller."""
        return _Connection(self, loop=self._loop, **self._kwargs)

    def _expecting(self, handle: Handle) -> Handle:
        """Answer who expects what there is not, before any middleware could."""

        async def answer(request: web.BaseRequest) -> web.StreamResponse:
            try:
                return await handle(request)
            except web.HTTPExpectationFailed:
                return unasked(self._app, *_EXPECTED)

        return answer

    def refused(self, error: BaseException | None) -> web.Response:
        """Make the answer for what was no request, or for a bug of ours."""
        if isinstance(error, HttpProcessingError):
            return unasked(self._app, *_refusal(error, self._limits))
        return unasked(self._app, HTTPStatus.INTERNAL_SERVER_ERROR, "internal", "")


class _Connection(web.RequestHandler):
    """One caller's connection."""

    __slots__ = ("_server",)

    @property
    def is_idle(self) -> bool:
        """Tell whether no request is there, whole, or being answered."""
        return not self._request_in_progress and not self._messages

    def __init__(self, server: _Server, **options: Any) -> None:
        super().__init__(server, **options)
        self._server = server

    def handle_error(
        self,
        request: web.BaseRequest,
        status: int = 500,
        exc: BaseException | None = None,
        message: str | None = None,
    ) -> web.StreamResponse:
        """Answer what is no request; the connection ends with that."""
        del status, message
        if isinstance(exc, ConnectionError):
            raise exc  # the caller has gone: nothing to answer, nor to log
        if not isinstance(exc, HttpProcessingError):
            self.log_exception("a request failed", exc_info=exc)
        if request.writer.output_size > 0:
            raise ConnectionError("half an answer is out already")
        response = self._server.refused(exc)
        response.force_close()
        return response


def _is_idle(connection: web.RequestHandler) -> bool:
    return isinstance(connection, _Connection) and connection.is_idle


def _refusal(error: HttpProcessingError, limits: Limits) -> Refusal:
    """Tell what was wrong, in our own words: aiohttp's repeat the caller's."""
    if isinstance(error, LineTooLong) and limits.request_line in error.args:
        most = limits.request_line
        return (
            HTTPStatus.REQUEST_URI_TOO_LONG,
            "too-large",
            f"the request's first line is over {most} bytes",
        )
    if isinstance(error, LineTooLong) or "Too many" in error.message:
        return (
            HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE,
            "too-large",
            f"there may be {limits.headers} headers of {limits.header_line} bytes",
        )
    return _NO_HTTP


def _protocol(limits: Limits) -> dict[str, Any]:
    """Return how connections are spoken to."""
    return {
        "access_log": None,  # ours says less of what is others'
        "auto_decompress": False,  # signatures are over what was sent
        "keepalive_timeout": limits.idle_seconds,
        "lingering_time": _LINGER,
        "max_field_size": limits.header_line,
        "max_headers": limits.headers,
        "max_line_size": limits.request_line,
    }
