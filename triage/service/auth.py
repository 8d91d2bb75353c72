"""Who may ask: bearers of the token; without one, only this machine's own programs."""

import hmac
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from aiohttp import web

from triage.core.events import Secrets, verify
from triage.core.events.verify import is_signed
from triage.core.loopback import is_loopback
from triage.errors import BadSignature, NotAuthenticated

_HOST: Final = re.compile(
    r"(?:(?P<name>[\w.-]+)|\[(?P<number>[0-9a-fA-F:.]+)\])(?::\d{1,5})?", re.ASCII
)


class Gate:
    """Lets requests pass or raises `NotAuthenticated`, `BadSignature`.

    Two *tokens* are both good, while they are rotated; none: loopback's rules hold.
    """

    def __init__(self, tokens: Sequence[str], secrets: Secrets) -> None:
        self._tokens = [token.encode() for token in tokens]
        self._secrets = secrets

    @property
    def wants_token(self) -> bool:
        """Tell whether there is a token to show."""
        return bool(self._tokens)

    def check(self, request: web.Request) -> None:
        """Let bearers of the token pass, or who asks from this machine."""
        self.check_place(request)
        if self._tokens and not self.bears_token(request):
            raise NotAuthenticated("show the token: Authorization: Bearer TOKEN")

    def check_place(self, request: web.Request) -> None:
        """Without a token, refuse what a web page of elsewhere may have sent.

        A name that was bent to lead to this machine shows in Host, a page in Origin.
        """
        if self._tokens:
            return
        # Not request.host: without the header that looks this machine's name up.
        host = request.headers.get("Host", "")
        if not _is_local(host):
            raise NotAuthenticated(
                "without TRIAGE_TOKEN the service is asked as localhost alone"
            )
        origin = request.headers.get("Origin")
        if origin is not None and origin.partition("://")[2] != host:
            raise NotAuthenticated("without TRIAGE_TOKEN no other site may ask")

    def check_hook(
        self, request: web.Request, body: bytes, *, sender: str, now: float
    ) -> None:
        """Let a delivery pass that is signed over its raw *body*.

        Our own sender may show the token in place of a signature; a signature that is
        there has to be right.
        """
        headers = {name.lower(): value for name, value in request.headers.items()}
        if sender == "panic" and not is_signed(headers, sender):
            if self._tokens and self.bears_token(request):
                return
            if not self._secrets.panic:
                raise BadSignature(
                    "neither TRIAGE_WEBHOOK_SECRET nor TRIAGE_TOKEN is set"
                    if not self._tokens
                    else "show the token, or set TRIAGE_WEBHOOK_SECRET and sign"
                )
        verify(headers, body, self._secrets, sender=sender, now=now)

    def bears_token(self, request: web.Request) -> bool:
        """Compare with every token, in constant time."""
        scheme, _, given = request.headers.get("Authorization", "").partition(" ")
        if scheme.lower() != "bearer":
            return False
        shown, found = given.strip().encode("utf-8", "replace"), False
        for token in self._tokens:
            found |= hmac.compare_digest(shown, token)
        return found


@lru_cache(maxsize=64)
def _is_local(host: str) -> bool:
    """Tell whether a Host header names this machine; asked for every request."""
    found = _HOST.fullmatch(host)
    return found is not None and is_loopback(found["name"] or found["number"])
