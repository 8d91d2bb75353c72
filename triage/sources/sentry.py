"""Events of Sentry that a webhook only points at, read over its API.

The token goes to the host that the settings name, and to no other:
https://docs.sentry.io/api/events/retrieve-an-event-for-a-project/
"""

import asyncio
import time
from http import HTTPStatus
from typing import Final
from urllib.parse import SplitResult, urlsplit

from triage.core.events import Fetch
from triage.core.loopback import is_loopback
from triage.core.visible import replaced
from triage.errors import (
    BadInput,
    ConfigError,
    FileMissing,
    RateLimited,
    SourceError,
    Unauthorized,
)
from triage.sources.download import OK, Answer, Wanted, download

HOST_KIND: Final = "sentry-event"
_LARGEST: Final = 32 << 20
_HOPS: Final = 4
_PORTS: Final = {"https": 443, "http": 80}
_LONGEST: Final = 200
_REFUSED: Final = frozenset({HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN})
_GONE: Final = frozenset({HTTPStatus.NOT_FOUND, HTTPStatus.GONE})

Origin = tuple[str, str, int | None]
"""Scheme, host and port."""


class SentryEvents:
    """A `triage.ports.Logs` that asks the Sentry at *url*.

    *largest* is in bytes, *seconds* bounds one event from first to last. Raises
    `ConfigError` for a *url* over which no token may go.
    """

    def __init__(
        self,
        token: str | None,
        *,
        url: str,
        largest: int = _LARGEST,
        seconds: float = 30.0,
    ) -> None:
        parts = _parts(url)
        if parts is None or not _is_safe(parts, on_loopback=True):
            raise ConfigError(
                f"TRIAGE_SENTRY_URL: {url!r} is no https address; give Sentry's root,"
                " such as https://sentry.io"
            )
        self._token = token
        self._origin = _origin(parts)
        self._on_loopback = is_loopback(parts.hostname)
        self._largest = largest
        self._seconds = seconds

    async def fetch(self, fetch: Fetch) -> bytes:
        """Return an event as JSON; raises a `SourceError`, `TooLarge`, `BadInput`."""
        if fetch.host_kind != HOST_KIND or fetch.url is None:
            raise BadInput("this is no address of Sentry's")
        parts = _parts(fetch.url)
        if self._token is None:
            raise Unauthorized(
                "the event itself is at Sentry: set TRIAGE_SENTRY_TOKEN to a token that"
                " may read events, and run: triage inbox retry"
            )
        if parts is None or _origin(parts) != self._origin:
            raise Unauthorized(
                f"the event is at {_shown(parts)}, and the token is for"
                f" {self._origin[1]}: TRIAGE_SENTRY_URL has to name the event's host"
            )
        wanted = Wanted(
            "Sentry's event", self._largest, time.monotonic() + self._seconds
        )
        return await asyncio.to_thread(self._follow, fetch.url, wanted)

    def _follow(self, place: str, wanted: Wanted) -> bytes:
        """Go where Sentry says that the event is; blocks."""
        for _ in range(_HOPS):
            parts = _parts(place)
            if parts is None or not _is_safe(parts, on_loopback=self._on_loopback):
                raise SourceError("Sentry names no https address for the event")
            headers = {"Accept": "application/json"}
            if _origin(parts) == self._origin:
                headers["Authorization"] = f"Bearer {self._token}"
            answer = download(place, wanted, headers)
            onward = answer.moved_to(place)
            if onward is None:
                return _body(answer)
            place = onward
        raise SourceError("the address of Sentry's event leads in a circle")


def _body(answer: Answer) -> bytes:
    """Return what came; raises what an error's status means."""
    status = answer.status
    if status == OK:
        return answer.body
    if status in _REFUSED:
        raise Unauthorized(
            "Sentry refuses TRIAGE_SENTRY_TOKEN: give one that may read the project's"
            " events"
        )
    if status in _GONE:
        raise FileMissing(
            "Sentry has no such event any more, or the token may not see its project"
        )
    if status == HTTPStatus.TOO_MANY_REQUESTS:
        raise RateLimited("Sentry refuses for a while", reset_at=_reset_at(answer))
    raise SourceError(f"Sentry answers {status} for the event; try again later")


def _reset_at(answer: Answer) -> float | None:
    """Tell when it may be asked again, in seconds since the epoch; None if unsaid.

    https://docs.sentry.io/api/ratelimits/
    """
    after = answer.headers.get("retry-after", "")
    if _is_number(after):
        return time.time() + int(after)
    reset = answer.headers.get("x-sentry-rate-limit-reset", "")
    return float(reset) if _is_number(reset) else None


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= 12  # noqa: PLR2004 - seconds of the next thousands of years


def _parts(address: str) -> SplitResult | None:
    """Split an address; None for what is none."""
    try:
        parts = urlsplit(address)
        known = bool(parts.hostname) and parts.port != 0
    except ValueError:
        return None
    return parts if known else None


def _origin(parts: SplitResult) -> Origin:
    return parts.scheme, parts.hostname or "", parts.port or _PORTS.get(parts.scheme)


def _is_safe(parts: SplitResult, *, on_loopback: bool) -> bool:
    """Tell whether nobody on the way reads along, and no credentials are in it."""
    if parts.username is not None or parts.password is not None:
        return False
    plain = parts.scheme == "http" and on_loopback and is_loopback(parts.hostname)
    return parts.scheme == "https" or plain


def _shown(parts: SplitResult | None) -> str:
    host = parts.hostname if parts else None
    return replaced(host or "no host", " ")[:_LONGEST]
