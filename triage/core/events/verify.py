"""Who sent a webhook: signatures over the raw bytes, compared in constant time."""

import hashlib
import hmac
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from triage.core.events.values import Head
from triage.errors import BadInput, BadSignature

_OLDEST: Final = 300.0
"""Seconds after which a signed moment is not believed any more."""
_LONGEST_DELIVERY: Final = 200


@dataclass(frozen=True, slots=True)
class Secrets:
    """The keys by sender; two of one sender's while they are rotated."""

    panic: tuple[str, ...] = field(default=(), repr=False)
    github: tuple[str, ...] = field(default=(), repr=False)
    sentry: tuple[str, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class _Signed:
    header: str
    prefix: str
    variable: str
    timestamp: str | None = None


_SIGNED: Final[Mapping[str, _Signed]] = {
    "panic": _Signed(
        "x-triage-signature-256",
        "sha256=",
        "TRIAGE_WEBHOOK_SECRET",
        "x-triage-timestamp",
    ),
    "github": _Signed("x-hub-signature-256", "sha256=", "TRIAGE_GITHUB_WEBHOOK_SECRET"),
    "sentry": _Signed("sentry-hook-signature", "", "TRIAGE_SENTRY_SECRET"),
}
_KINDS: Final = {"github": "x-github-event", "sentry": "sentry-hook-resource"}
_DELIVERIES: Final = {
    "panic": "x-triage-delivery",
    "github": "x-github-delivery",
    "sentry": "request-id",
}


def verify(
    headers: Mapping[str, str],
    body: bytes,
    secrets: Secrets,
    *,
    sender: str,
    now: float,
) -> None:
    """Raise `BadSignature` unless one of the sender's secrets signed *body*.

    *headers* have their names in lower case, *now* is in seconds since the epoch.
    """
    signed = _SIGNED[sender]
    keys: tuple[str, ...] = getattr(secrets, sender)
    if not keys:
        raise BadSignature(f"no secret is set for this route; set {signed.variable}")
    given = headers.get(signed.header, "")
    text = _dated(headers, signed, body, now)
    if not _matches(given, signed.prefix, text, keys):
        raise BadSignature(
            f"{signed.header} is not this body's; sign the raw bytes with"
            f" {signed.variable}"
        )


def is_signed(headers: Mapping[str, str], sender: str) -> bool:
    """Tell whether a signature of *sender*'s kind is there, good or bad."""
    return _SIGNED[sender].header in headers


def receive(
    sender: str, headers: Mapping[str, str], query: Iterable[tuple[str, str]]
) -> Head:
    """Keep what is needed of a delivery's head; names are in lower case."""
    delivery = headers.get(_DELIVERIES.get(sender, ""), "") or None
    if delivery is not None and len(delivery) > _LONGEST_DELIVERY:
        raise BadInput(f"the delivery's id is over {_LONGEST_DELIVERY} characters")
    return Head(
        sender=sender,
        content_type=headers.get("content-type", "").partition(";")[0].strip().lower(),
        kind=headers.get(_KINDS.get(sender, ""), ""),
        delivery=delivery,
        query=tuple(query),
    )


def _dated(
    headers: Mapping[str, str], signed: _Signed, body: bytes, now: float
) -> bytes:
    """Return what was signed: the body, after the moment where one is told."""
    moment = headers.get(signed.timestamp) if signed.timestamp else None
    if moment is None:
        return body
    if not (moment.isascii() and moment.isdigit() and len(moment) <= 12):  # noqa: PLR2004 - seconds of the next thousands of years
        raise BadSignature(f"{signed.timestamp} is no number of seconds")
    if abs(now - int(moment)) > _OLDEST:
        raise BadSignature(f"{signed.timestamp} is over 5 minutes away; sign anew")
    return b"%b.%b" % (moment.encode(), body)


def _matches(given: str, prefix: str, text: bytes, keys: Iterable[str]) -> bool:
    """Compare with each key's signature; all of them, so that none shows in time."""
    wanted = given.encode("utf-8", "replace")
    found = False
    for key in keys:
        digest = hmac.new(key.encode(), text, hashlib.sha256).hexdigest()
        found |= hmac.compare_digest(wanted, f"{prefix}{digest}".encode())
    return found
