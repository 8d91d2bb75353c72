"""What is written of incidents, within the transaction that ends an event."""

import apsw

from triage.store.values import Sighting

_COUNT = (
    "INSERT INTO incidents (id, repo, kind, function, message, count, first_seen,"
    " last_seen) VALUES (?1, ?2, ?3, ?4, ?5, 1, ?6, ?6) ON CONFLICT (id) DO UPDATE SET"
    " count = count + 1, first_seen = min(first_seen, excluded.first_seen),"
    " message = CASE WHEN excluded.last_seen >= last_seen THEN excluded.message"
    " ELSE message END,"
    " last_seen = max(last_seen, excluded.last_seen)"
)
_NOTE_COMMIT = (
    "INSERT INTO commits VALUES (?1, ?2, ?3) ON CONFLICT DO UPDATE SET"
    " last_seen = max(last_seen, excluded.last_seen)"
)


def count(db: apsw.Connection, sighting: Sighting) -> None:
    """Count one crash in its incident, which is made where it is the first."""
    told = sighting
    crash = (told.repo, told.kind, told.function, told.message, told.seen_at)
    db.execute(_COUNT, (told.fingerprint, *crash))
    if told.commit is not None:
        db.execute(_NOTE_COMMIT, (told.fingerprint, told.commit, told.seen_at))


def keep_context(db: apsw.Connection, sighting: Sighting) -> int:
    """Keep a context, unless one that says the same is there; returns its number."""
    db.execute(
        "INSERT INTO contexts (digest, value) VALUES (?, ?) ON CONFLICT DO NOTHING",
        (sighting.digest, sighting.context),
    )
    number: int = db.execute(
        "SELECT id FROM contexts WHERE digest = ?", (sighting.digest,)
    ).get
    return number
