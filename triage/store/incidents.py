"""What is written of incidents, within the transaction that ends an event."""

import apsw

from triage.store.values import Sighting

_COUNT = (
    "INSERT INTO incidents (id, repo, kind, function, message, count, first_seen,"
    " last_seen) VALUES (?1, ?2, ?3, ?4, ?5, 1, ?6, ?6) ON CONFLICT (id) DO UPDATE SET"
    " count = count + 1, first_seen = min(first_seen, excluded.first_seen),"
    " message = CASE WHEN excluded.last_seen >= last_seen THEN excluded.message"
    " ELSE message END,"
    " last_seen = max(last_seen, excluded.last_seen) RETURNING count"
)
_NOTE_COMMIT = (
    "INSERT INTO commits VALUES (?1, ?2, ?3) ON CONFLICT DO UPDATE SET"
    " last_seen = max(last_seen, excluded.last_seen)"
)


_IS_NEW = (
    'SELECT NOT EXISTS (SELECT 1 FROM commits WHERE incident = ? AND "commit" = ?)'
)
_MARKS = frozenset(10**power for power in range(10))
"""Counts that are worth a word: the first, the tenth, the hundredth ..."""


def count(db: apsw.Connection, sighting: Sighting) -> bool:
    """Count one crash in its incident, which is made where it is the first.

    Tells whether that is news: the incident or the commit is new, or many more came.
    """
    told = sighting
    crash = (told.repo, told.kind, told.function, told.message, told.seen_at)
    number: int = db.execute(_COUNT, (told.fingerprint, *crash)).get
    news = number in _MARKS
    if told.commit is not None:
        news = news or bool(db.execute(_IS_NEW, (told.fingerprint, told.commit)).get)
        db.execute(_NOTE_COMMIT, (told.fingerprint, told.commit, told.seen_at))
    return news


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
