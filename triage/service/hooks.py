"""Webhooks: verified over the raw bytes, on disk before they are acknowledged."""

import asyncio
import hashlib
from collections.abc import Awaitable, Callable
from typing import Final

import msgspec
from aiohttp import web

from triage.core.events import Head, Secrets, receive
from triage.errors import BadInput
from triage.service.answers import Accepted, json_answer
from triage.service.bodies import Body
from triage.service.keys import BODIES, GATE, INBOX, LIMITS, WORKERS
from triage.store import Arrival

SIGNED: Final = frozenset(field for field in Secrets.__dataclass_fields__)
"""Senders that sign; others show the token."""
_LONG: Final = 1 << 20
_REPEATING: Final = frozenset({"logs", "alertmanager"})
_REPEATED: Final = 3_600.0
"""Seconds for which the same body is one delivery."""
_USED: Final = {
    "github": frozenset({"workflow_job"}),
    "sentry": frozenset({"event_alert", "error", "issue"}),
}
"""What of a sender's events may tell of a crash; the rest is taken and dropped."""


def hook(sender: str) -> Callable[[web.Request], Awaitable[web.Response]]:
    """Make the handler of one sender's deliveries."""

    async def take(request: web.Request) -> web.Response:
        app = request.app
        async with app[BODIES].read(request, app[LIMITS].hook_body) as body:
            await _admit(request, body, sender)
            text = await body.expanded()
            head = _head(request, sender)
            if head.kind and head.kind not in _USED.get(sender, {head.kind}):
                return json_answer(Accepted([]), status=202)
            _refuse_malformed(head, text)
            (receipt,) = await app[INBOX].receive([await arrival(head, text)])
        app[WORKERS].wake()
        status = 202 if receipt.new else 200
        return json_answer(Accepted([receipt.id]), status=status)

    return take


async def arrival(head: Head, text: bytes) -> Arrival:
    """Make what the inbox takes.

    Who repeats what went wrong, and names no delivery, is known by the body: it says
    when things happened, so that it is the same only where it is sent again.
    """
    delivery, window = head.delivery, None
    if head.sender in _REPEATING:
        delivery, window = await _digest(head, text), _REPEATED
    kept = msgspec.json.encode(head)
    return Arrival(head.sender, delivery, kept, text, window)


async def _digest(head: Head, text: bytes) -> str:
    """Name a body by what it says; a long one is hashed in a thread."""

    def digest() -> str:
        return hashlib.sha256(
            b"%b\n%b" % (head.content_type.encode(), text)
        ).hexdigest()

    return digest() if len(text) < _LONG else await asyncio.to_thread(digest)


async def _admit(request: web.Request, body: Body, sender: str) -> None:
    """Let only those pass who may deliver; a long body is hashed in a thread."""
    app = request.app
    gate, now = app[GATE], app[INBOX].now()
    if sender not in SIGNED:
        gate.check(request)
    elif len(body.raw) < _LONG:
        gate.check_hook(request, body.raw, sender=sender, now=now)
    else:
        await asyncio.to_thread(
            gate.check_hook, request, body.raw, sender=sender, now=now
        )


def _head(request: web.Request, sender: str) -> Head:
    headers = {name.lower(): value for name, value in request.headers.items()}
    head = receive(sender, headers, request.query.items())
    try:
        msgspec.json.encode(head).decode()
    except UnicodeEncodeError as error:
        raise BadInput("a header or the query is not UTF-8") from error
    return head


class _Object(msgspec.Struct):
    """Any JSON object."""


def _refuse_malformed(head: Head, text: bytes) -> None:
    """Refuse at once what says to be JSON and is no object."""
    raw = head.sender == "panic" and head.content_type != "application/json"
    if raw and not head.content_type.endswith("+json"):
        return
    try:
        msgspec.json.decode(text, type=_Object)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise BadInput(f"the body is no JSON object: {error}") from error
    except RecursionError as error:
        raise BadInput("the body's JSON is too deep") from error
