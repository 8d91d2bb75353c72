"""What is read of the inbox, beside the writer and without waiting for it."""

import base64
import json
from dataclasses import dataclass
from typing import Any, Final

import apsw

from triage.errors import BadInput
from triage.store.values import Event, Incident, Page, State

_LISTED: Final = 100
"""Commits and events that an incident names: the latest."""
_CONTEXTS: Final = 10
_EVENT = (
    "SELECT id, sender, state, received_at, attempts, retry_at, parent, incident,"
    " code, message"
)
_INCIDENT = (
    "SELECT seq, id, repo, kind, function, message, count, first_seen, last_seen"
    " FROM incidents"
)


@dataclass(frozen=True, slots=True)
class Filter:
    """Which incidents are asked for; None is any."""

    repo: str | None = None
    kind: str | None = None
    function: str | None = None
    since: float | None = None
    """Seen at that moment or later, in seconds since the epoch."""
    until: float | None = None


def event(db: apsw.Connection, name: str) -> Event | None:
    """Read one event with its context."""
    row = db.execute(
        f"{_EVENT}, (SELECT value FROM contexts WHERE contexts.id = events.context)"
        " FROM events WHERE id = ?",
        (name,),
    ).get
    return None if row is None else Event(*row)


def events(
    db: apsw.Connection, state: State | None, cursor: str | None, limit: int
) -> Page[Event]:
    """List events without contexts, the newest first."""
    (before,) = _unpack(cursor, 1) if cursor else (1 << 62,)
    which = "state = ? AND" if state else ""
    rows: list[Any] = db.execute(
        f"{_EVENT}, NULL, seq FROM events WHERE {which} seq < ?"
        " ORDER BY seq DESC LIMIT ?",
        (*([state] if state else []), before, limit + 1),
    ).fetchall()
    more = _pack(rows[limit - 1][-1]) if len(rows) > limit else None
    return Page(tuple(Event(*row[:-1]) for row in rows[:limit]), more)


def incident(db: apsw.Connection, name: str) -> Incident | None:
    """Read one incident, with its contexts."""
    row = db.execute(f"{_INCIDENT} WHERE id = ?", (name,)).get
    if row is None:
        return None
    contexts = db.execute(
        "SELECT value FROM contexts WHERE id IN (SELECT context FROM events"
        " WHERE incident = ? ORDER BY seq DESC LIMIT ?) ORDER BY id DESC LIMIT ?",
        (name, _LISTED, _CONTEXTS),
    )
    return _incident(db, row, tuple(value for (value,) in contexts))


def incidents(
    db: apsw.Connection, wanted: Filter, cursor: str | None, limit: int
) -> Page[Incident]:
    """List incidents without contexts, the last seen first."""
    clauses, values = _conditions(wanted)
    if cursor:
        clauses.append("(last_seen, seq) < (?, ?)")
        values += _unpack(cursor, 2)
    where = f" WHERE {' AND '.join(clauses)}" if clauses else ""
    rows: list[Any] = db.execute(
        f"{_INCIDENT}{where} ORDER BY last_seen DESC, seq DESC LIMIT ?",
        (*values, limit + 1),
    ).fetchall()
    last = rows[limit - 1] if len(rows) > limit else None
    more = _pack(last[8], last[0]) if last else None
    return Page(tuple(_incident(db, row) for row in rows[:limit]), more)


def depth(db: apsw.Connection) -> dict[str, int]:
    """Count the events that are not done, by state."""
    rows = db.execute(
        "SELECT state, count(*) FROM events"
        " WHERE state IN ('received', 'working', 'waiting') GROUP BY state"
    )
    return {"received": 0, "working": 0, "waiting": 0} | dict(rows)


def _conditions(wanted: Filter) -> tuple[list[str], list[Any]]:
    given = (
        ("repo = ? COLLATE NOCASE", wanted.repo),
        ("kind = ?", wanted.kind),
        ("function = ?", wanted.function),
        ("last_seen >= ?", wanted.since),
        ("first_seen <= ?", wanted.until),
    )
    asked = [(clause, value) for clause, value in given if value is not None]
    return [clause for clause, _ in asked], [value for _, value in asked]


def _incident(
    db: apsw.Connection, row: Any, contexts: tuple[bytes, ...] = ()
) -> Incident:
    name = row[1]
    commits = db.execute(
        'SELECT "commit" FROM commits WHERE incident = ?'
        ' ORDER BY last_seen DESC, "commit" LIMIT ?',
        (name, _LISTED),
    )
    members = db.execute(
        "SELECT id FROM events WHERE incident = ? ORDER BY seq DESC LIMIT ?",
        (name, _LISTED),
    )
    whole: Any = (
        *row[1:],
        tuple(commit for (commit,) in commits),
        tuple(event for (event,) in members),
        contexts,
    )
    return Incident(*whole)


def _pack(*parts: float) -> str:
    return base64.urlsafe_b64encode(json.dumps(parts).encode()).decode().rstrip("=")


def _unpack(cursor: str, count: int) -> list[float]:
    """Read a cursor; raises `BadInput` for what is none of ours."""
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        parts = json.loads(base64.urlsafe_b64decode(padded.encode("ascii")))
    except (ValueError, RecursionError) as error:
        raise _bad_cursor() from error
    if not isinstance(parts, list) or len(parts) != count:
        raise _bad_cursor()
    if not all(type(p) in {int, float} and abs(p) < 1 << 62 for p in parts):
        raise _bad_cursor()
    return parts


def _bad_cursor() -> BadInput:
    return BadInput("the cursor is none that was given; leave it out to start anew")
