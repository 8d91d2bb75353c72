"""`triage inbox`: look at the events on disk, beside a service that may be running."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime

import orjson

from triage.config import Settings
from triage.core.notices import issue, webhook_body
from triage.core.printed import shown
from triage.core.visible import printable
from triage.errors import ConfigError, Unknown
from triage.service.courier import notice
from triage.store import INBOX, Event, Inbox, Parcel, State


async def listed(settings: Settings, status: State | None, limit: int) -> list[str]:
    """Return a line for each of the newest events."""
    async with _opened(settings) as inbox:
        page = await inbox.events(status, None, limit)
    return [_line(event) for event in page.items]


async def retried(settings: Settings, ids: Sequence[str]) -> int:
    """Let failed events be tried again; returns how many."""
    async with _opened(settings) as inbox:
        return await inbox.retry(ids)


async def previewed(settings: Settings, name: str) -> str:
    """Return what sinks would be told of an incident; nobody is told."""
    async with _opened(settings) as inbox:
        incident = await inbox.incident(name)
    if incident is None:
        raise Unknown(f"there is no incident {shown(printable(name))}; see the pages")
    told = notice(incident, Parcel(incident.id, "preview", 1, 1, None))
    made, body = (
        issue(told),
        orjson.dumps(orjson.loads(webhook_body(told)), option=orjson.OPT_INDENT_2),
    )
    return f"# {made.title}\n\n{made.body}\n{body.decode()}\n"


@asynccontextmanager
async def _opened(settings: Settings) -> AsyncIterator[Inbox]:
    path = settings.data_dir / INBOX
    if not path.exists():
        raise ConfigError(f"there is no {path}; name its directory with --data-dir")
    inbox = Inbox(path)
    inbox.open()
    try:
        yield inbox
    finally:
        await inbox.close()


def _line(event: Event) -> str:
    moment = datetime.fromtimestamp(event.received_at, UTC)
    when = moment.isoformat(sep=" ", timespec="seconds").removesuffix("+00:00")
    line = f"{event.id} {event.state:8} {event.attempts:3} {when} {event.sender}"
    return f"{line} {event.code}: {event.message}" if event.code else line
