"""What is still to be told of incidents, and to whom; each function is one write.

A row is one incident at one sink. Its *version* grows whenever there is something new to
tell, in the transaction that counts it; *sent* is the version that was told last. What is
told is the state at that moment, so that many crashes make few messages.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import apsw

from triage.store.writer import Write

LEASE: Final = 120.0
"""Seconds after which what a process took is taken again, whatever became of it."""
_TELL: Final = (
    "INSERT INTO outbox (incident, sink, version, due_at) VALUES (?1, ?2, 1, ?3)"
    " ON CONFLICT DO UPDATE SET version = version + 1, attempts = 0,"
    " due_at = CASE WHEN owner IS NULL THEN min(due_at, ?3) ELSE due_at END"
)
_TAKE: Final = (
    "UPDATE outbox SET attempts = attempts + 1, due_at = ?1 + ?2, owner = ?3"
    " WHERE rowid IN (SELECT rowid FROM outbox WHERE sent < version AND due_at <= ?1"
    " ORDER BY due_at LIMIT ?4)"
    " RETURNING incident, sink, version, attempts, reference"
)
_OWN: Final = " WHERE incident = ? AND sink = ?"


@dataclass(frozen=True, slots=True)
class Parcel:
    """One thing to tell."""

    incident: str
    sink: str
    version: int
    attempt: int
    reference: str | None
    """What the sink said of it the last time."""


def note(db: apsw.Connection, incident: str, sinks: Sequence[str], now: float) -> None:
    """Note that there is something to tell of an incident."""
    for sink in sinks:
        db.execute(_TELL, (incident, sink, now))


def take(limit: int, now: float) -> Write[list[Parcel]]:
    """Take up to *limit* of what is due."""

    def write(db: apsw.Connection) -> list[Parcel]:
        rows: list[Any] = db.execute(_TAKE, (now, LEASE, os.getpid(), limit)).fetchall()
        return [Parcel(*row) for row in rows]

    return write


def told(parcel: Parcel, reference: str | None, now: float) -> Write[None]:
    """Note that a version was told; one that is newer by now is due at once."""

    def write(db: apsw.Connection) -> None:
        db.execute(
            "UPDATE outbox SET sent = max(sent, ?), reference = coalesce(?, reference),"
            f" owner = NULL, attempts = 0, due_at = ?, code = NULL, message = NULL{_OWN}",
            (parcel.version, reference, now, parcel.incident, parcel.sink),
        )

    return write


def later(parcel: Parcel, due_at: float, code: str, message: str) -> Write[None]:
    """Note why it could not be told, and when to try again."""

    def write(db: apsw.Connection) -> None:
        db.execute(
            f"UPDATE outbox SET owner = NULL, due_at = ?, code = ?, message = ?{_OWN}",
            (due_at, code, message[:2_000], parcel.incident, parcel.sink),
        )

    return write


def given_up(parcel: Parcel, code: str, message: str) -> Write[None]:
    """Note that this version will not be told, and why; the next one will be tried."""

    def write(db: apsw.Connection) -> None:
        db.execute(
            "UPDATE outbox SET sent = max(sent, ?), owner = NULL, attempts = 0,"
            f" code = ?, message = ?{_OWN}",
            (parcel.version, code, message[:2_000], parcel.incident, parcel.sink),
        )

    return write


def recover(db: apsw.Connection, owner: int | None, now: float) -> None:
    """Let be taken at once what a process had when it ended; None: all have."""
    db.execute(
        "UPDATE outbox SET owner = NULL, due_at = ?1"
        " WHERE owner IS NOT NULL AND (?2 IS NULL OR owner = ?2)",
        (now, owner),
    )
