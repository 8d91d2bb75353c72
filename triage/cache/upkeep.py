"""Keep `cache.db` within its bounds, and tell what is in it."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import apsw

from triage.cache.schema import KINDS
from triage.database import transaction

COMMIT_DIGITS: Final = 20
"""Bytes of a commit's key, with which the keys of its trees begin."""
_KEEP: Final = 0.8
"""Of the bound is left when pruning is done, so that it is not done all the time."""
_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class Usage:
    """What one table holds."""

    name: str
    rows: int
    bytes: int


def usage(db: apsw.Connection) -> tuple[Usage, ...]:
    """Count the rows of each table, and the bytes of their values."""
    values = [("paths", "length(path)"), ("ast_nodes", "length(edges || neighbours)")]
    counted = [*((name, "length(value)") for name in KINDS), *values]
    return tuple(
        Usage(
            name,
            *db.execute(
                f"SELECT count(*), coalesce(sum({size}), 0) FROM {name}"  # noqa: S608 - our own names
            ).get,
        )
        for name, size in counted
    )


def size_of(db: apsw.Connection) -> int:
    """Return the bytes that are in use; pages that were freed are not."""
    pages: int = db.pragma("page_count") - db.pragma("freelist_count")
    return pages * int(db.pragma("page_size"))


def prune(db: apsw.Connection, limit: int) -> int:
    """Drop what was used least until *limit* bytes hold; returns how many rows went."""
    excess = size_of(db) - limit
    if excess <= 0:
        return 0
    excess += int(limit * (1 - _KEEP))
    dropped = 0
    for name, ids in _least_used(db, excess).items():
        dropped += len(ids)
        for start in range(0, len(ids), _AT_ONCE):
            with transaction(db):
                _drop(db, name, ids[start : start + _AT_ONCE])
    with transaction(db):
        _drop_orphans(db)
    _shrink(db)
    return dropped


def clear(db: apsw.Connection) -> None:
    """Drop everything. Processes that use the file go on, with nothing in it."""
    with transaction(db):
        for name in (*KINDS, "paths", "ast_nodes"):
            db.execute(f"DELETE FROM {name}")  # noqa: S608 - our own names
    _shrink(db)


def _least_used(db: apsw.Connection, excess: int) -> dict[str, list[int]]:
    """Choose rows of about *excess* bytes, those not used for longest."""
    chosen: dict[str, list[int]] = {name: [] for name in KINDS}
    for _, name, number, size in sorted(_sizes(db)):
        if excess <= 0:
            break
        excess -= size
        chosen[name].append(number)
    return chosen


def _sizes(db: apsw.Connection) -> Iterator[tuple[int, str, int, int]]:
    """Give when each row was used, its table, its number and its size."""
    nodes = dict(
        db.execute(
            "SELECT pkg, sum(length(edges) + length(neighbours) + 100) "
            "FROM ast_nodes GROUP BY pkg"
        )
    )
    for name in KINDS:
        for used, number, size in db.execute(
            f"SELECT used, id, length(value) FROM {name}"  # noqa: S608 - our own names
        ):
            extra = nodes.get(number, 0) if name == "tables" else 0
            yield used, name, number, size + extra


def _drop(db: apsw.Connection, name: str, ids: list[int]) -> None:
    db.executemany(
        f"DELETE FROM {name} WHERE id = ?",  # noqa: S608 - our own names
        [(number,) for number in ids],
    )
    if name == "tables":
        db.executemany("DELETE FROM ast_nodes WHERE pkg = ?", [(n,) for n in ids])


def _drop_orphans(db: apsw.Connection) -> None:
    """Drop the paths of commits of which nothing else is left."""
    db.execute(
        'DELETE FROM paths WHERE "commit" NOT IN (SELECT substr(key, 1, ?) FROM trees)',
        (COMMIT_DIGITS,),
    )


def _shrink(db: apsw.Connection) -> None:
    """Give freed pages back to the disk."""
    for _ in db.execute("PRAGMA incremental_vacuum"):
        pass
