"""Bodies of requests, read within bounds of size and time; nothing of them is kept."""

import asyncio
import zlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError

from triage.errors import BadInput, Overloaded, TooLarge
from triage.service.limits import Limits

_PIECE: Final = 1 << 20
_WINDOWS: Final = {"gzip": 31, "x-gzip": 31, "deflate": 15}


class SlowBody(BadInput):
    """The body did not come in time."""

    code = "slow-body"


class Bodies:
    """Reads bodies, all of them together within one bound."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._held = 0

    @asynccontextmanager
    async def read(self, request: web.Request, limit: int) -> AsyncIterator["Body"]:
        """Read a body of at most *limit* bytes; its room is free again after the block.

        Raises `TooLarge`, `SlowBody`, `Overloaded`, `BadInput`.
        """
        body = Body(self, request)
        try:
            await body.load(limit)
            yield body
        finally:
            self._held -= body.held

    def reserve(self, size: int) -> None:
        """Count bytes that are held; raises `Overloaded` where there are too many."""
        if self._held + size > self.limits.bodies:
            raise Overloaded("too many bodies are being read; try again in a moment")
        self._held += size


class Body:
    """One request's body: *raw* as it was sent."""

    def __init__(self, bodies: Bodies, request: web.Request) -> None:
        self._bodies = bodies
        self._request = request
        self.held = 0
        self.raw = b""

    async def load(self, limit: int) -> None:
        """Read all of it, within the bounds."""
        length = self._request.content_length
        if length is not None and length > limit:
            raise _too_large(limit)
        if not self._request.can_read_body:
            return
        content = self._request.content
        if content.is_eof():  # most are short, and there as soon as their head is
            self.raw = content.read_nowait()
            self._hold(len(self.raw))
            if len(self.raw) > limit:
                raise _too_large(limit)
            return
        seconds = self._bodies.limits.body_seconds
        try:
            async with asyncio.timeout(seconds):
                await self._read(limit)
        except TimeoutError as error:
            raise SlowBody(f"the body did not come in {seconds:g} seconds") from error
        except (web.RequestPayloadError, HttpProcessingError) as error:
            raise BadInput("the body is broken off or wrongly framed") from error

    async def _read(self, limit: int) -> None:
        pieces = list[bytes]()
        content = self._request.content
        while piece := await content.readany():
            self._hold(len(piece))
            if self.held > limit:
                raise _too_large(limit)
            pieces.append(piece)
        self.raw = pieces[0] if len(pieces) == 1 else b"".join(pieces)

    async def expanded(self) -> bytes:
        """Undo the content encoding; raises `TooLarge`, `BadInput`."""
        encoding = self._request.headers.get("Content-Encoding", "").strip().lower()
        if encoding in {"", "identity"}:
            return self.raw
        if encoding not in _WINDOWS:
            raise BadInput("the content encoding is none of gzip, deflate and identity")
        limit = self._bodies.limits.expanded
        # In a thread: a bomb takes its time to be found out.
        whole = await asyncio.to_thread(_inflated, self.raw, _WINDOWS[encoding], limit)
        self._hold(len(whole))
        return whole

    def _hold(self, size: int) -> None:
        self._bodies.reserve(size)
        self.held += size


def _inflated(body: bytes, window: int, limit: int) -> bytes:
    """Decompress piece by piece, so that a bomb never goes off."""
    engine = zlib.decompressobj(window)
    out, rest = bytearray(), body
    try:
        while rest and not engine.eof:
            out += engine.decompress(rest, _PIECE)
            if len(out) > limit:
                raise TooLarge(f"the body is over {_mib(limit)} once expanded")
            rest = engine.unconsumed_tail
    except zlib.error as error:
        raise BadInput("the body is not compressed as its head says") from error
    if not engine.eof or engine.unused_data:
        raise BadInput("the compressed body is not whole")
    return bytes(out)


def _too_large(limit: int) -> TooLarge:
    return TooLarge(f"the body is over {_mib(limit)}")


def _mib(size: int) -> str:
    return f"{size / (1 << 20):g} MiB"
