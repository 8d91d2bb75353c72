"""What goes once it has been kept long enough, so that the file does not grow for ever.

Of an event that ended so long ago its raw body goes. Where it led to no incident it goes
itself; else it stays while it is among the newest of its incident, and its context while
that is among the newest different ones. Incidents and their counts stay.
"""

from typing import Any

import apsw

from triage.store.reading import CONTEXTS, LISTED
from triage.store.writer import Write

_OVER = (
    "SELECT seq, incident FROM events WHERE finished_at < ? AND NOT pruned"
    " ORDER BY finished_at LIMIT ?"
)
_NEWEST = "SELECT seq, context FROM events WHERE incident = ? ORDER BY seq DESC LIMIT ?"
_PRUNED = "SELECT seq, context FROM events WHERE incident = ? AND pruned"
_DROP_COMMITS = (
    'DELETE FROM commits WHERE incident = ?1 AND "commit" NOT IN (SELECT "commit"'
    ' FROM commits WHERE incident = ?1 ORDER BY last_seen DESC, "commit" LIMIT ?2)'
)
_DROP_CONTEXT = (
    "DELETE FROM contexts WHERE id = ?1"
    " AND NOT EXISTS (SELECT 1 FROM events WHERE context = ?1)"
)


def prune(before: float, limit: int) -> Write[int]:
    """Drop what is left of up to *limit* events that ended before that moment.

    Returns how many there were.
    """

    def write(db: apsw.Connection) -> int:
        over: list[Any] = db.execute(_OVER, (before, limit)).fetchall()
        for seq, incident in over:
            db.execute("DELETE FROM bodies WHERE seq = ?", (seq,))
            if incident is None:
                db.execute("DELETE FROM events WHERE seq = ?", (seq,))
                continue
            mark = "UPDATE events SET pruned = 1, report = NULL WHERE seq = ?"
            db.execute(mark, (seq,))
        for incident in dict.fromkeys(name for _, name in over if name is not None):
            _trim(db, incident)
        for _ in db.execute("PRAGMA incremental_vacuum(1000)"):
            pass
        return len(over)

    return write


def _trim(db: apsw.Connection, incident: str) -> None:
    """Keep the newest of one incident, and all that is not pruned."""
    newest: list[Any] = db.execute(_NEWEST, (incident, LISTED)).fetchall()
    known = dict.fromkeys(context for _, context in newest if context is not None)
    kept, listed = set(list(known)[:CONTEXTS]), {seq for seq, _ in newest}
    for seq, context in db.execute(_PRUNED, (incident,)).fetchall():
        if seq not in listed:
            db.execute("DELETE FROM events WHERE seq = ?", (seq,))
        elif context is not None and context not in kept:
            db.execute("UPDATE events SET context = NULL WHERE seq = ?", (seq,))
        else:
            continue
        db.execute(_DROP_CONTEXT, (context,))
    db.execute(_DROP_COMMITS, (incident, LISTED))
