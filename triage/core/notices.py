"""What other places are told of an incident: an outgoing webhook, an issue on GitHub.

Secrets have been masked before; what comes out of a crash is escaped for its reader.
"""

import hashlib
import hmac
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

import orjson

from triage.core.model import Result
from triage.core.render import headline, markdown
from triage.core.visible import printable

LABEL: Final = "triage"
_MARK: Final = "<!-- triage-fingerprint: {} -->"
_MARKED: Final = re.compile(
    r"<!-- triage-fingerprint: (?P<fingerprint>[0-9a-f]{8,64}) -->"
)
_LONGEST_BODY: Final = 60_000
"""Characters; GitHub takes 65,536."""
_LONGEST_TITLE: Final = 200
_COMMITS: Final = 10


@dataclass(frozen=True, slots=True)
class Notice:
    """The state of an incident, to be told."""

    key: str
    """The same however often it is told: whoever takes it can leave out a second one."""
    fingerprint: str
    repo: str
    kind: str
    function: str
    message: str
    count: int
    first_seen: float
    last_seen: float
    """Seconds since the epoch."""
    commits: tuple[str, ...] = ()
    context: Result | None = None
    """The latest, without its secrets."""
    reference: str | None = None
    """Where it was told before, as the place calls it: an issue's number."""


@dataclass(frozen=True, slots=True)
class Issue:
    """An issue as it is to be."""

    title: str
    body: str


def webhook_body(notice: Notice) -> bytes:
    """Write what the webhook is sent: `{"type", "id", "incident", "context"}`."""
    context = notice.context
    return orjson.dumps(
        {
            "type": "incident",
            "id": notice.key,
            "incident": {
                "id": notice.fingerprint,
                "repo": notice.repo,
                "kind": notice.kind,
                "function": notice.function,
                "message": notice.message,
                "count": notice.count,
                "first_seen": _moment(notice.first_seen),
                "last_seen": _moment(notice.last_seen),
                "commits": notice.commits,
            },
            "context": orjson.Fragment(context.to_json()) if context else None,
        }
    )


def webhook_headers(
    notice: Notice, body: bytes, secret: str, now: int
) -> dict[str, str]:
    """Sign a body as `/webhooks/panic` wants its own signed: `timestamp.body`."""
    signed = hmac.new(secret.encode(), f"{now}.".encode() + body, hashlib.sha256)
    return {
        "Content-Type": "application/json",
        "Idempotency-Key": notice.key,
        "X-Triage-Delivery": notice.key,
        "X-Triage-Timestamp": str(now),
        "X-Triage-Signature-256": f"sha256={signed.hexdigest()}",
    }


def issue(notice: Notice) -> Issue:
    """Write the issue of an incident; a hidden mark lets it be found again."""
    said = headline(notice.message) or notice.kind
    title = printable(f"{notice.function}: {said}")[:_LONGEST_TITLE]
    times = "once" if notice.count == 1 else f"{notice.count} times"
    first, last = _moment(notice.first_seen), _moment(notice.last_seen)
    lines = [
        _MARK.format(notice.fingerprint),
        f"Crashed {times}: first {first}, last {last}.",
    ]
    if notice.commits:
        lines.append(f"At {', '.join(map(_plain, notice.commits[:_COMMITS]))}.")
    text = markdown(notice.context) if notice.context else ""
    return Issue(title, "\n\n".join([*lines, _cut(text)]).rstrip() + "\n")


def is_issue_of(body: str | None, fingerprint: str) -> bool:
    """Tell whether an issue's text bears the mark of an incident, at its very start."""
    found = _MARKED.match(body or "")
    return found is not None and found["fingerprint"] == fingerprint


def _cut(text: str) -> str:
    """Cut Markdown at a line outside of a fence, where it is too long."""
    if len(text) <= _LONGEST_BODY:
        return text
    kept, size, fence, safe = list[str](), 0, "", 0
    for line in text.split("\n"):
        size += len(line) + 1
        if size > _LONGEST_BODY:
            break
        kept.append(line)
        mark = re.match(r"`{3,}", line)
        if mark and not fence:
            fence = mark[0]
        elif fence and line == fence:
            fence = ""
        safe = safe if fence else len(kept)
    return "\n".join([*kept[:safe], "", "The rest had no room here."])


def _moment(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _plain(commit: str) -> str:
    return re.sub(r"[^0-9A-Za-z._-]", "", commit)[:64]
