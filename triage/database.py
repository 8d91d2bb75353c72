"""What everything that keeps SQLite files shares."""

from collections.abc import Iterator
from contextlib import contextmanager

import apsw


@contextmanager
def transaction(db: apsw.Connection) -> Iterator[None]:
    """Write all of the block or nothing; it alone writes meanwhile."""
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:  # a full disk has rolled back already
            db.execute("ROLLBACK")
        raise
