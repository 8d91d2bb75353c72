"""What is written of events; each function is one write of the writer's."""

import os
import secrets
from collections.abc import Sequence
from typing import Any, Final

import apsw

from triage.store import outbox
from triage.store.incidents import count, keep_context
from triage.store.values import Arrival, Job, Receipt, Sighting
from triage.store.writer import Write

LONGEST_MESSAGE: Final = 2_000
_INSERT = (
    "INSERT INTO events (id, sender, delivery, head, received_at)"
    " VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"
)
_FORGET = (
    "UPDATE events SET delivery = NULL"
    " WHERE sender = ? AND delivery = ? AND received_at < ?"
)
_FIND = "SELECT id FROM events WHERE sender = ? AND delivery = ?"
_PUT_BODY = "INSERT INTO bodies (seq, body) VALUES (?, ?)"
_TAKE = (
    "UPDATE events SET state = 'working', attempts = attempts + 1, retry_at = NULL,"
    " owner = ? WHERE seq = ? RETURNING seq, id, attempts, head,"
    " (SELECT body FROM bodies WHERE bodies.seq = events.seq AND report IS NULL),"
    " report, received_at"
)
_DUE = (
    "SELECT seq FROM events WHERE state = 'waiting'"
    " AND (retry_at <= ?1 OR retry_at > ?1 + ?2) ORDER BY retry_at LIMIT ?3"
)
_LONGEST_WAIT: Final = 2 * 86_400
"""Seconds; nothing waits longer but after a clock that was ahead has been put right."""
_NEW = "SELECT seq FROM events WHERE state = 'received' ORDER BY seq LIMIT ?"
_LAST_CHILD = "SELECT max(position) FROM events WHERE parent = ? HAVING max(position)"
_INSERT_CHILD = (
    "INSERT INTO events (id, sender, head, report, parent, position, received_at)"
    " SELECT ?, sender, head, ?, id, ?, ? FROM events WHERE seq = ?"
)
_OWN = " WHERE seq = ? AND state = 'working' AND attempts = ?"
"""Only for the attempt that was taken: nothing is done twice."""


def receive(arrivals: Sequence[Arrival], now: float) -> Write[list[Receipt]]:
    """Take deliveries; one that has come before gives the event that it became."""

    def write(db: apsw.Connection) -> list[Receipt]:
        return [_receive(db, arrival, now) for arrival in arrivals]

    return write


def _receive(db: apsw.Connection, arrival: Arrival, now: float) -> Receipt:
    name = secrets.token_hex(16)
    if arrival.window is not None:
        told = (arrival.sender, arrival.delivery, now - arrival.window)
        db.execute(_FORGET, told)
    db.execute(_INSERT, (name, arrival.sender, arrival.delivery, arrival.head, now))
    if not db.changes():
        known = db.execute(_FIND, (arrival.sender, arrival.delivery)).get
        return Receipt(known, new=False)
    db.execute(_PUT_BODY, (db.last_insert_rowid(), arrival.body))
    return Receipt(name, new=True)


def claim(limit: int, now: float) -> Write[list[Job]]:
    """Take up to *limit* events to work on: those whose time has come, then new ones."""

    def write(db: apsw.Connection) -> list[Job]:
        due = db.execute(_DUE, (now, _LONGEST_WAIT, limit)).fetchall()
        due += db.execute(_NEW, (limit - len(due),)).fetchall()
        rows = (db.execute(_TAKE, (os.getpid(), seq)).fetchone() for (seq,) in due)
        return [_job(row) for row in rows]

    return write


def _job(row: Any) -> Job:
    seq, name, attempt, head, body, report, received_at = row
    return Job(seq, name, attempt, head, body or b"", report, received_at)


def split(job: Job, reports: Sequence[bytes], now: float) -> Write[bool]:
    """Note the crashes that were found in a body: the first is the event's own.

    Each further one becomes an event with this one as its parent.
    """

    def write(db: apsw.Connection) -> bool:
        db.execute(f"UPDATE events SET report = ?{_OWN}", (reports[0], *_own(job)))
        if not db.changes():
            return False
        (last,) = db.execute(_LAST_CHILD, (job.id,)).fetchone() or (0,)
        for position, report in enumerate(reports[1:], last + 1):
            db.execute(
                _INSERT_CHILD, (secrets.token_hex(16), report, position, now, job.seq)
            )
        return True

    return write


def finish(
    job: Job, sighting: Sighting | None, now: float, sinks: Sequence[str] = ()
) -> Write[bool]:
    """End an event well, and count it in its incident, both or neither.

    What is news is noted for *sinks* in the same transaction.

    False where the attempt is not the event's any more. Without a *sighting* there was
    nothing to explain.
    """

    def write(db: apsw.Connection) -> bool:
        db.execute(
            "UPDATE events SET state = 'done', finished_at = ?, code = NULL,"
            f" message = NULL{_OWN}",
            (now, *_own(job)),
        )
        if not db.changes():
            return False
        if sighting is not None:
            if count(db, sighting):
                outbox.note(db, sighting.fingerprint, sinks, now)
            db.execute(
                "UPDATE events SET incident = ?, context = ? WHERE seq = ?",
                (sighting.fingerprint, keep_context(db, sighting), job.seq),
            )
        return True

    return write


def fail(job: Job, code: str, message: str, now: float) -> Write[bool]:
    """End an event with what was wrong."""

    def write(db: apsw.Connection) -> bool:
        db.execute(
            "UPDATE events SET state = 'failed', finished_at = ?, code = ?,"
            f" message = ?{_OWN}",
            (now, code, message[:LONGEST_MESSAGE], *_own(job)),
        )
        return bool(db.changes())

    return write


def wait(job: Job, retry_at: float, code: str, message: str) -> Write[bool]:
    """Let an event wait until *retry_at*, with what keeps it."""

    def write(db: apsw.Connection) -> bool:
        db.execute(
            "UPDATE events SET state = 'waiting', retry_at = ?, code = ?,"
            f" message = ?{_OWN}",
            (retry_at, code, message[:LONGEST_MESSAGE], *_own(job)),
        )
        return bool(db.changes())

    return write


def put_back(jobs: Sequence[Job]) -> Write[None]:
    """Give events back that were taken and not worked on: it was no attempt."""

    def write(db: apsw.Connection) -> None:
        for job in jobs:
            db.execute(
                f"UPDATE events SET state = 'received', attempts = attempts - 1{_OWN}",
                _own(job),
            )

    return write


def recover(most_attempts: int, owner: int | None, now: float) -> Write[int]:
    """Put back what was being worked on when its process ended; returns how many.

    *owner* is the process; None means that all are gone. What has ended processes
    *most_attempts* times is not tried again.
    """
    lost = "state = 'working' AND (?1 IS NULL OR owner = ?1)"

    def write(db: apsw.Connection) -> int:
        db.execute(
            "UPDATE events SET state = 'failed', finished_at = ?2, code = 'internal',"
            " message = 'Triage ended each time that it worked on this'"
            f" WHERE {lost} AND attempts >= ?3",
            (owner, now, most_attempts),
        )
        db.execute(f"UPDATE events SET state = 'received' WHERE {lost}", (owner,))
        recovered = db.changes()
        outbox.recover(db, owner, now)
        return recovered

    return write


def retry(names: Sequence[str], now: float) -> Write[int]:
    """Try failed events again, all of them where none is named; returns how many.

    An event counts as new: its attempts and its age begin again.
    """
    again = (
        "UPDATE events SET state = 'received', attempts = 0, finished_at = NULL,"
        " received_at = ?, code = NULL, message = NULL WHERE state = 'failed'"
        " AND (report IS NOT NULL OR seq IN (SELECT seq FROM bodies))"
    )

    def write(db: apsw.Connection) -> int:
        if not names:
            db.execute(again, (now,))
            return db.changes()
        done = 0
        for name in names:
            db.execute(f"{again} AND id = ?", (now, name))
            done += db.changes()
        return done

    return write


def _own(job: Job) -> tuple[int, int]:
    return job.seq, job.attempt
