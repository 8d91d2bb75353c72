"""The bodies of answers: the types that are written are the types that are documented."""

from datetime import UTC, datetime
from typing import Annotated, Literal

import msgspec
from aiohttp import web

from triage.store import Event, Incident, Page

Context = Annotated[
    msgspec.Raw, msgspec.Meta(extra_json_schema={"$ref": "#/components/schemas/Result"})
]
State = Literal["received", "working", "waiting", "done", "failed"]


class Accepted(msgspec.Struct):
    """What a delivery became; the same one again gives the same ids."""

    events: list[str]


class EventError(msgspec.Struct):
    """What was wrong, or what an event waits for."""

    code: str
    message: str


class EventAnswer(msgspec.Struct):
    """One event."""

    id: str
    status: State
    sender: str
    received_at: datetime
    attempts: int
    retry_at: datetime | None
    """When it is tried again, for one that waits."""
    parent: str | None
    """The event of the same delivery that told of the first crash."""
    incident: str | None
    error: EventError | None
    context: Context | None
    """The result; null in lists."""


class EventPage(msgspec.Struct):
    """Some events, the newest first."""

    events: list[EventAnswer]
    next: str | None
    """The `cursor` of the next page; null on the last."""


class IncidentAnswer(msgspec.Struct):
    """Crashes of one fingerprint."""

    id: str
    repo: str
    kind: str | None
    function: str
    message: str
    count: int
    first_seen: datetime
    last_seen: datetime
    commits: list[str]
    """Up to a hundred, the last seen first, as with `events`."""
    events: list[str]


class IncidentDetail(IncidentAnswer):
    """One incident with what explains it."""

    contexts: list[Context]
    """Up to ten different results, the newest first."""


class IncidentPage(msgspec.Struct):
    """Some incidents, the last seen first."""

    incidents: list[IncidentAnswer]
    next: str | None
    """The `cursor` of the next page; null on the last."""


class CheckAnswer(msgspec.Struct):
    """One thing that was looked at."""

    name: str
    fine: bool
    text: str


class Readiness(msgspec.Struct):
    """Whether the service can do its work."""

    ready: bool
    checks: list[CheckAnswer]


class Health(msgspec.Struct):
    """That the service is there."""

    status: Literal["ok"]
    version: str


class Problem(msgspec.Struct):
    """An error; `code` is stable."""

    type: str
    title: str
    status: int
    code: str
    detail: str
    request_id: str


_encoder = msgspec.json.Encoder()


def json_answer(body: msgspec.Struct, *, status: int = 200) -> web.Response:
    """Write an answer."""
    return web.Response(
        body=_encoder.encode(body), status=status, content_type="application/json"
    )


def event_answer(event: Event) -> EventAnswer:
    """Show an event."""
    error = EventError(event.code, event.message or "") if event.code else None
    return EventAnswer(
        id=event.id,
        status=event.state,
        sender=event.sender,
        received_at=_moment(event.received_at),
        attempts=event.attempts,
        retry_at=None if event.retry_at is None else _moment(event.retry_at),
        parent=event.parent,
        incident=event.incident,
        error=error,
        context=None if event.context is None else msgspec.Raw(event.context),
    )


def event_page(page: Page[Event]) -> EventPage:
    """Show a page of events."""
    return EventPage([event_answer(event) for event in page.items], page.next)


def incident_answer(incident: Incident) -> IncidentAnswer:
    """Show an incident in a list."""
    return IncidentAnswer(
        id=incident.id,
        repo=incident.repo,
        kind=incident.kind or None,
        function=incident.function,
        message=incident.message,
        count=incident.count,
        first_seen=_moment(incident.first_seen),
        last_seen=_moment(incident.last_seen),
        commits=list(incident.commits),
        events=list(incident.events),
    )


def incident_detail(incident: Incident) -> IncidentDetail:
    """Show an incident with its contexts."""
    plain = msgspec.structs.asdict(incident_answer(incident))
    return IncidentDetail(**plain, contexts=[msgspec.Raw(c) for c in incident.contexts])


def incident_page(page: Page[Incident]) -> IncidentPage:
    """Show a page of incidents."""
    return IncidentPage([incident_answer(one) for one in page.items], page.next)


def _moment(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)
