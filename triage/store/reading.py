"""What is read of the inbox, beside the writer and without waiting for it."""

import re
import struct
from dataclasses import dataclass
from typing import Any, Final

import apsw

from triage.errors import BadInput
from triage.store.values import Event, Incident, Page, State

EVENT_CURSOR: Final = re.compile(r"[0-9]{1,18}")
INCIDENT_CURSOR: Final = re.compile(r"[0-9a-f]{16}-[0-9]{1,18}")
"""The bits of a moment, which no rounding changes, and a number."""
LISTED: Final = 100
"""Commits and events that an incident names: the latest."""
CONTEXTS: Final = 10
"""Different contexts that an incident is shown with: the latest."""
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
    if cursor and not EVENT_CURSOR.fullmatch(cursor):
        raise _bad_cursor()
    before = int(cursor) if cursor else 1 << 62
    which = "state = ? AND" if state else ""
    rows: list[Any] = db.execute(
        f"{_EVENT}, NULL, seq FROM events WHERE {which} seq < ?"
        " ORDER BY seq DESC LIMIT ?",
        (*([state] if state else []), before, limit + 1),
    ).fetchall()
    more = str(rows[limit - 1][-1]) if len(rows) > limit else None
    return Page(tuple(Event(*row[:-1]) for row in rows[:limit]), more)


def incident(db: apsw.Connection, name: str) -> Incident | None:
    """Read one incident, with its contexts."""
    row = db.execute(f"{_INCIDENT} WHERE id = ?", (name,)).get
    if row is None:
        return None
    contexts = db.execute(
        "SELECT value FROM contexts WHERE id IN (SELECT context FROM events"
        " WHERE incident = ? ORDER BY seq DESC LIMIT ?) ORDER BY id DESC LIMIT ?",
        (name, LISTED, CONTEXTS),
    )
    return _incident(db, row, tuple(value for (value,) in contexts))


def incidents(
    db: apsw.Connection, wanted: Filter, cursor: str | None, limit: int
) -> Page[Incident]:
    """List incidents without contexts, the last seen first."""
    clauses, values = _conditions(wanted)
    if cursor:
        clauses.append("(last_seen, seq) < (?, ?)")
        values += _moment_and_number(cursor)
    where = f" WHERE {' AND '.join(clauses)}" if clauses else ""
    rows: list[Any] = db.execute(
        f"{_INCIDENT}{where} ORDER BY last_seen DESC, seq DESC LIMIT ?",
        (*values, limit + 1),
    ).fetchall()
    last = rows[limit - 1] if len(rows) > limit else None
    more = f"{struct.pack('>d', last[8]).hex()}-{last[0]}" if last else None
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
        (name, LISTED),
    )
    members = db.execute(
        "SELECT id FROM events WHERE incident = ? ORDER BY seq DESC LIMIT ?",
        (name, LISTED),
    )
    whole: Any = (
        *row[1:],
        tuple(commit for (commit,) in commits),
        tuple(event for (event,) in members),
        contexts,
    )
    return Incident(*whole)


def _moment_and_number(cursor: str) -> list[float]:
    """Read where a page of incidents ended: a moment, and a number among its equals."""
    if not INCIDENT_CURSOR.fullmatch(cursor):
        raise _bad_cursor()
    moment, _, number = cursor.partition("-")
    return [*struct.unpack(">d", bytes.fromhex(moment)), int(number)]


def _bad_cursor() -> BadInput:
    return BadInput("the cursor is none that was given; leave it out to start anew")
