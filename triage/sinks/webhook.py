"""An outgoing webhook: signed, and the same key for the same message."""

import time
from collections.abc import Callable
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import Final

import aiohttp

from triage.core.notices import Notice, webhook_body, webhook_headers
from triage.errors import BadInput, RateLimited, SourceError, SourceTimeout

_SECONDS: Final = 20.0
_AGAIN: Final = frozenset({408, 409, 425, 429})
"""Statuses below 500 after which another try may succeed."""


class Webhook:
    """A `triage.ports.Sink` that posts to *url*; `close` it at the end."""

    name = "webhook"

    def __init__(
        self, url: str, secret: str, *, now: Callable[[], float] = time.time
    ) -> None:
        self._url = url
        self._secret = secret
        self._now = now
        self._client: aiohttp.ClientSession | None = None

    async def tell(self, notice: Notice) -> str | None:
        """Post a notice; raises a `SourceError` where that may succeed later."""
        body = webhook_body(notice)
        headers = webhook_headers(notice, body, self._secret, int(self._now()))
        try:
            async with self._session().post(
                self._url, data=body, headers=headers, allow_redirects=False
            ) as answer:
                self._judge(answer)
        except TimeoutError as error:
            raise SourceTimeout("the webhook did not answer in time") from error
        except aiohttp.ClientError as error:
            raise SourceError("the webhook cannot be reached, or hung up") from error
        return None

    async def close(self) -> None:
        """Close the connections."""
        if self._client is not None:
            await self._client.close()

    def _session(self) -> aiohttp.ClientSession:
        if self._client is None:
            timeout = aiohttp.ClientTimeout(total=_SECONDS)
            self._client = aiohttp.ClientSession(timeout=timeout)
        return self._client

    def _judge(self, answer: aiohttp.ClientResponse) -> None:
        """Raise for what is no success; `BadInput` where no other try will help."""
        if answer.status < HTTPStatus.MULTIPLE_CHOICES:
            return
        said = f"the webhook answered {answer.status}"
        if answer.status == HTTPStatus.TOO_MANY_REQUESTS:
            raise RateLimited(said, reset_at=self._reset(answer))
        if answer.status >= HTTPStatus.INTERNAL_SERVER_ERROR or answer.status in _AGAIN:
            raise SourceError(said)
        raise BadInput(f"{said}; check TRIAGE_SINK_URL and TRIAGE_SINK_SECRET")

    def _reset(self, answer: aiohttp.ClientResponse) -> float | None:
        told = answer.headers.get("Retry-After", "")
        if told.isdecimal():
            return self._now() + min(int(told), 86_400)
        try:
            return parsedate_to_datetime(told).timestamp()
        except (ValueError, TypeError):
            return None
