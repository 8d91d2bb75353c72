"""Logins of people: a cookie that only the token's owner can have got.

It is signed with the token itself and holds over all processes and restarts, until it
expires or the token is rotated away. It opens pages alone: no other route takes it.
"""

import asyncio
import hashlib
import hmac
import re
from collections.abc import Sequence
from typing import Final

from aiohttp import web

COOKIE: Final = "triage_login"
LASTS: Final = 12 * 3600
"""Seconds that a login is good for."""
_LONGEST: Final = 200
_AT_ONCE: Final = 4
_PAUSE: Final = 0.5
_INSIDE = re.compile(
    r"/(?:(?:incidents|events)(?:/[0-9A-Za-z]{1,64})?)?(?:\?[\w.~&=%+:/*()!',-]*)?",
    re.ASCII,
)


def made(token: bytes, now: float) -> str:
    """Make the cookie of a login at *now*, in seconds since the epoch."""
    until = str(int(now) + LASTS)
    return f"{until}.{_seal(token, until)}"


def is_good(cookie: str, tokens: Sequence[bytes], now: float) -> bool:
    """Tell whether a cookie is one that *made* made and has not expired."""
    until, _, seal = cookie[:_LONGEST].partition(".")
    if not (until.isascii() and until.isdigit()):
        return False
    shown, found = seal.encode("utf-8", "replace"), False
    for token in tokens:
        found |= hmac.compare_digest(shown, _seal(token, until).encode())
    return found and now < int(until) <= now + LASTS + 1


def inside(path: str) -> str:
    """Return *path* where it is a page of ours, else the first one."""
    return path if _INSIDE.fullmatch(path) else "/"


class Tries:
    """Slows down who tries tokens: wrong ones wait, and few do so at once."""

    def __init__(self) -> None:
        self._waiting = 0

    def are_too_many(self) -> bool:
        """Tell whether as many wait as may."""
        return self._waiting >= _AT_ONCE

    async def wait(self) -> None:
        """Let a wrong token wait."""
        self._waiting += 1
        try:
            await asyncio.sleep(_PAUSE)
        finally:
            self._waiting -= 1


def is_over_tls(request: web.Request) -> bool:
    """Tell whether the browser speaks TLS, to us or to what stands before us.

    Whoever lies about it gets a cookie that only a connection over TLS sends back.
    """
    return request.secure or request.headers.get("X-Forwarded-Proto") == "https"


def _seal(token: bytes, until: str) -> str:
    return hmac.new(token, f"triage login {until}".encode(), hashlib.sha256).hexdigest()
