"""What has been taken in, and what came of it: events and incidents."""

from datetime import datetime
from typing import Annotated, Final, TypeVar

import msgspec
from aiohttp import web
from msgspec import UNSET, UnsetType

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
from triage.store import EVENT_CURSOR, INCIDENT_CURSOR, Filter

S = TypeVar("S", bound=msgspec.Struct)
T = TypeVar("T")

_Name = Annotated[str, msgspec.Meta(max_length=1_000)]
_EventCursor = Annotated[str, msgspec.Meta(pattern=f"^{EVENT_CURSOR.pattern}$")]
_IncidentCursor = Annotated[str, msgspec.Meta(pattern=f"^{INCIDENT_CURSOR.pattern}$")]
_Moment = Annotated[
    str,
    msgspec.Meta(
        pattern=(
            r"^[1-9]\d{3}-((0[13578]|1[02])-(0[1-9]|[12]\d|3[01])"
            r"|(0[469]|11)-(0[1-9]|[12]\d|30)|02-(0[1-9]|[12]\d))"
            r"T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,6})?"
            r"(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$"
        ),
        extra_json_schema={"format": "date-time"},
    ),
]
"""With an offset, such as `2026-12-01T00:00:00Z`."""
_Limit = Annotated[int, msgspec.Meta(ge=1, le=200)]
_LONGEST_ID: Final = 64
_MAY_BE_EMPTY: Final = frozenset({"repo", "kind", "function"})


class EventsQuery(msgspec.Struct, forbid_unknown_fields=True):
    """Which events are listed."""

    status: State | UnsetType = UNSET
    cursor: _EventCursor | UnsetType = UNSET
    limit: _Limit = 50


class IncidentsQuery(msgspec.Struct, forbid_unknown_fields=True):
    """Which incidents are listed."""

    repo: _Name | UnsetType = UNSET
    kind: _Name | UnsetType = UNSET
    function: _Name | UnsetType = UNSET
    since: _Moment | UnsetType = UNSET
    """Last seen then or later."""
    until: _Moment | UnsetType = UNSET
    """First seen then or before."""
    cursor: _IncidentCursor | UnsetType = UNSET
    limit: _Limit = 50


async def list_events(request: web.Request) -> web.Response:
    """List events without their contexts."""
    page = await request.app[INBOX].events(*event_filter(request))
    return json_answer(event_page(page))


async def show_event(request: web.Request) -> web.Response:
    """Show one event."""
    event = await request.app[INBOX].event(id_of(request))
    if event is None:
        raise Unknown("there is no event of that id")
    return json_answer(event_answer(event))


async def list_incidents(request: web.Request) -> web.Response:
    """List incidents."""
    page = await request.app[INBOX].incidents(*incident_filter(request))
    return json_answer(incident_page(page))


async def show_incident(request: web.Request) -> web.Response:
    """Show one incident with its contexts."""
    incident = await request.app[INBOX].incident(id_of(request))
    if incident is None:
        raise Unknown("there is no incident of that id")
    return json_answer(incident_detail(incident))


def event_filter(request: web.Request) -> tuple[State | None, str | None, int]:
    """Read which events are wanted: state, cursor, how many; raises `BadInput`."""
    query = _query(request, EventsQuery)
    return _given(query.status), _given(query.cursor), query.limit


def incident_filter(request: web.Request) -> tuple[Filter, str | None, int]:
    """Read which incidents are wanted, from where on, how many; raises `BadInput`."""
    query = _query(request, IncidentsQuery)
    wanted = Filter(
        repo=_given(query.repo),
        kind=_given(query.kind),
        function=_given(query.function),
        since=_seconds(_given(query.since), "since"),
        until=_seconds(_given(query.until), "until"),
    )
    return wanted, _given(query.cursor), query.limit


def id_of(request: web.Request) -> str:
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
    # A form sends its fields also where nothing was filled in.
    kept = {n: v for n, v in given.items() if v or n not in _MAY_BE_EMPTY}
    try:
        return msgspec.convert(kept, kind, strict=False)
    except msgspec.ValidationError as error:
        raise BadInput(f"the query is not as it should be: {error}") from error


def _given(value: T | UnsetType) -> T | None:
    return None if value is UNSET else value


def _seconds(moment: str | None, name: str) -> float | None:
    if moment is None:
        return None
    try:
        return datetime.fromisoformat(moment).timestamp()
    except ValueError as error:  # the 29th of a February that has none
        raise BadInput(f"{name} is a day that there is not") from error
