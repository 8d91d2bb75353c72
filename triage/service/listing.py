"""What has been taken in, and what came of it: events and incidents."""

from datetime import datetime
from typing import Annotated, Final, TypeVar

import msgspec
from aiohttp import web

from triage.errors import BadInput, Unknown
from triage.service.answers import (
    State,
    event_answer,
    event_page,
    incident_detail,
    incident_page,
    json_answer,
)
from triage.service.keys import INBOX
from triage.store import Filter

S = TypeVar("S", bound=msgspec.Struct)

_Name = Annotated[str, msgspec.Meta(max_length=1_000)]
_Cursor = Annotated[str, msgspec.Meta(max_length=200)]
_Limit = Annotated[int, msgspec.Meta(ge=1, le=200)]
_LONGEST_ID: Final = 64


class EventsQuery(msgspec.Struct, forbid_unknown_fields=True):
    """Which events are listed."""

    status: State | None = None
    cursor: _Cursor | None = None
    limit: _Limit = 50


class IncidentsQuery(msgspec.Struct, forbid_unknown_fields=True):
    """Which incidents are listed."""

    repo: _Name | None = None
    kind: _Name | None = None
    function: _Name | None = None
    since: datetime | None = None
    """Last seen then or later; with an offset, such as `2026-12-01T00:00:00Z`."""
    until: datetime | None = None
    """First seen then or before."""
    cursor: _Cursor | None = None
    limit: _Limit = 50


async def list_events(request: web.Request) -> web.Response:
    """List events without their contexts."""
    query = _query(request, EventsQuery)
    page = await request.app[INBOX].events(query.status, query.cursor, query.limit)
    return json_answer(event_page(page))


async def show_event(request: web.Request) -> web.Response:
    """Show one event."""
    event = await request.app[INBOX].event(_id(request))
    if event is None:
        raise Unknown("there is no event of that id")
    return json_answer(event_answer(event))


async def list_incidents(request: web.Request) -> web.Response:
    """List incidents."""
    query = _query(request, IncidentsQuery)
    wanted = Filter(
        repo=query.repo,
        kind=query.kind,
        function=query.function,
        since=_seconds(query.since, "since"),
        until=_seconds(query.until, "until"),
    )
    page = await request.app[INBOX].incidents(wanted, query.cursor, query.limit)
    return json_answer(incident_page(page))


async def show_incident(request: web.Request) -> web.Response:
    """Show one incident with its contexts."""
    incident = await request.app[INBOX].incident(_id(request))
    if incident is None:
        raise Unknown("there is no incident of that id")
    return json_answer(incident_detail(incident))


def _id(request: web.Request) -> str:
    """Return the id; what can be none is not looked for."""
    name = request.match_info["id"]
    return (
        name if len(name) <= _LONGEST_ID and name.isalnum() and name.isascii() else ""
    )


def _query(request: web.Request, kind: type[S]) -> S:
    """Read the query by the type that documents it; raises `BadInput`."""
    given = request.query
    doubled = next((name for name in given if len(given.getall(name)) > 1), None)
    if doubled is not None:
        raise BadInput(f"{doubled} is given more than once")
    try:
        return msgspec.convert(dict(given), kind, strict=False)
    except msgspec.ValidationError as error:
        raise BadInput(f"the query is not as it should be: {error}") from error


def _seconds(moment: datetime | None, name: str) -> float | None:
    if moment is None:
        return None
    if moment.tzinfo is None:
        raise BadInput(f"{name} has no offset; write it as 2026-12-01T00:00:00Z")
    return moment.timestamp()
