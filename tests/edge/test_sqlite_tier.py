"""The tier on disk: what is kept, and what happens to a file that is not well."""

import asyncio
import fcntl
import logging
import os
import stat
import threading

import apsw
import pytest

from triage.cache import schema, upkeep
from triage.cache.sqlite import SqliteTier
from triage.cache.writer import Writer

USER = "svc/h/user.go"


class Hands:
    """A monotonic clock that a test moves."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        """Tell the seconds."""
        return self.now


@pytest.fixture
def path(tmp_path):
    """Where the file lies, in a directory that does not exist yet."""
    return tmp_path / "data" / "cache.db"


@pytest.fixture
def hands():
    """Time that stands still."""
    return Hands()


@pytest.fixture
async def tier(path, hands):
    """One tier on the file, closed at the end."""
    tier = SqliteTier(path, now=hands)
    yield tier
    await tier.close()


async def settle(tier: SqliteTier) -> None:
    """Wait until what was put is written, or given up."""
    await asyncio.to_thread(tier._writer.drain)


async def fill(path, **contexts: bytes) -> None:
    """Write contexts and close."""
    tier = SqliteTier(path)
    tier.put("contexts", {key.encode(): data for key, data in contexts.items()})
    await tier.close()


async def held(path, *keys: str) -> dict[str, bytes]:
    """Read contexts with a tier of its own."""
    tier = SqliteTier(path)
    found = await tier.get("contexts", [key.encode() for key in keys])
    await tier.close()
    return {key.decode(): data for key, data in found.items()}


@pytest.mark.parametrize("kind", schema.KINDS)
async def test_what_is_put_outlives_the_process(path, kind):
    """Every kind comes back as it was, and a key that is not there does not."""
    tier = SqliteTier(path)
    tier.put(kind, {b"a": b"package shop\n" * 50, b"b": b""})
    await tier.close()
    again = SqliteTier(path)
    found = await again.get(kind, [b"a", b"b", b"c"])
    await again.close()
    assert found == {b"a": b"package shop\n" * 50, b"b": b""}


async def test_many_keys_are_asked_for_at_once(path):
    """More keys than one statement takes are no limit."""
    tier = SqliteTier(path)
    tier.put("trees", {b"%d" % n: b"x" for n in range(1200)})
    await tier.close()
    again = SqliteTier(path)
    assert len(await again.get("trees", [b"%d" % n for n in range(1300)])) == 1200
    await again.close()


async def test_a_file_is_found_by_both_of_its_paths(tier):
    """One look-up in an index answers for either form."""
    tier.put_paths(b"c1", {USER: USER, "h/user.go": USER})
    tier.put_paths(b"c1", {"h/user.go": "web/h/user.go"})
    await settle(tier)
    assert await tier.paths(b"c1", [USER]) == [USER]
    assert await tier.paths(b"c1", ["h/user.go"]) == [USER, "web/h/user.go"]
    assert await tier.paths(b"c2", ["h/user.go"]) == []


async def test_both_paths_are_one_indexed_look_up(tier, path):
    """SQLite's own plan says so: no scan, no sorting, one search of the primary key."""
    tier.put_paths(b"c1", {"h/user.go": USER})
    await settle(tier)
    db = apsw.Connection(str(path))
    for count in (1, 2):
        sql = schema.FIND_PATHS.format(marks=schema.marks(count))
        plan = db.execute(f"EXPLAIN QUERY PLAN {sql}", (b"c1", *["h/user.go"] * count))
        assert [row[3] for row in plan] == [
            "SEARCH paths USING PRIMARY KEY (commit=? AND form=?)"
        ]


async def test_before_anything_is_written_there_is_nothing(tier, path):
    """Reading makes no file."""
    assert await tier.get("contexts", [b"a"]) == {}
    assert not path.exists()


async def test_only_the_owner_may_read_it(tier, path):
    """It holds the sources of private repositories."""
    tier.put("contexts", {b"a": b"A"})
    await settle(tier)
    modes = {p.name: stat.S_IMODE(p.stat().st_mode) for p in path.parent.iterdir()}
    assert set(modes.values()) == {0o600}
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


async def test_noise_is_set_aside(path, caplog):
    """A file that is no database becomes another one, with one warning."""
    path.parent.mkdir()
    path.write_bytes(os.urandom(50_000))
    assert await held(path, "a") == {}
    await fill(path, a=b"A")
    assert await held(path, "a") == {"a": b"A"}
    assert path.with_name("cache.db.damaged").stat().st_size == 50_000
    assert [r.levelname for r in caplog.records] == ["WARNING"]


async def test_a_reader_has_the_file_set_aside_too(path, hands, caplog):
    """Damage inside that only a reader meets is mended as well."""
    await fill(path, **{f"k{n}": os.urandom(3000) for n in range(50)})
    db = apsw.Connection(str(path))
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    db.close()
    data = bytearray(path.read_bytes())
    data[8192:] = os.urandom(len(data) - 8192)
    path.write_bytes(data)
    tier = SqliteTier(path, now=hands)
    keys = [f"k{n}".encode() for n in range(50)]
    assert await tier.get("contexts", keys) == {}
    tier.put("contexts", {b"new": b"N"})
    await settle(tier)
    hands.now += 10
    assert await tier.get("contexts", [b"new"]) == {b"new": b"N"}
    await tier.close()
    assert [r.levelname for r in caplog.records] == ["WARNING"]


async def test_another_programs_database_is_left_whole(path, caplog):
    """It is set aside, not emptied."""
    path.parent.mkdir()
    db = apsw.Connection(str(path))
    db.execute("CREATE TABLE precious (x); INSERT INTO precious VALUES (1)")
    db.close()
    await fill(path, a=b"A")
    assert await held(path, "a") == {"a": b"A"}
    aside = apsw.Connection(str(path.with_name("cache.db.damaged")))
    assert aside.execute("SELECT * FROM precious").get == 1
    assert "other tables" in caplog.text


async def test_a_file_of_another_version_is_begun_anew(path):
    """Nothing of it is read, and it holds what comes now."""
    await fill(path, a=b"A")
    db = apsw.Connection(str(path))
    db.execute(f"PRAGMA user_version = {schema.VERSION + 1}")
    db.close()
    assert await held(path, "a") == {}
    await fill(path, b=b"B")
    assert await held(path, "a", "b") == {"b": b"B"}


async def test_a_damaged_row_is_a_miss(path):
    """A value that is not what was written is not there."""
    await fill(path, a=b"A" * 100, b=b"B")
    db = apsw.Connection(str(path))
    db.execute(
        "UPDATE contexts SET value = CAST('xx' || value AS BLOB) WHERE key = 'a'"
    )
    db.execute("UPDATE contexts SET value = CAST('xx' AS BLOB) WHERE key = ?", (b"a",))
    db.close()
    assert await held(path, "a", "b") == {"b": b"B"}


async def test_who_reads_waits_for_nobody(tier, path):
    """While another process writes, what was there is read all the same."""
    tier.put("contexts", {b"a": b"A"})
    await settle(tier)
    other = apsw.Connection(str(path))
    other.execute("BEGIN IMMEDIATE; DELETE FROM contexts")
    assert await tier.get("contexts", [b"a"]) == {b"a": b"A"}
    other.execute("ROLLBACK")


async def test_a_file_that_is_locked_is_a_miss(path, caplog):
    """Somebody who locks it all costs the cache, not the answer."""
    await fill(path, a=b"A")
    other = apsw.Connection(str(path))
    other.execute("PRAGMA locking_mode = EXCLUSIVE")
    other.execute("BEGIN IMMEDIATE; DELETE FROM contexts WHERE key = 'none'; COMMIT")
    tier = SqliteTier(path)
    assert await tier.get("contexts", [b"a"]) == {}
    tier.put("contexts", {b"b": b"B"})
    await tier.close()
    other.close()
    assert await held(path, "a", "b") == {"a": b"A"}
    assert [r.levelname for r in caplog.records] == ["WARNING"]


async def test_a_directory_that_cannot_be_made_is_told_once(tmp_path, hands, caplog):
    """Every request goes on, the log says it once, and later it is tried again."""
    (tmp_path / "file").write_text("in the way")
    tier = SqliteTier(tmp_path / "file" / "cache.db", now=hands)
    for _ in range(3):
        tier.put("contexts", {b"a": b"A"})
        await settle(tier)
        assert await tier.get("contexts", [b"a"]) == {}
    assert [r.levelname for r in caplog.records] == ["WARNING"]
    (tmp_path / "file").unlink()
    hands.now += 60
    tier.put("contexts", {b"a": b"A"})
    await settle(tier)
    assert await tier.get("contexts", [b"a"]) == {b"a": b"A"}
    await tier.close()
    assert len(caplog.records) == 1


async def test_a_file_that_was_taken_away_is_begun_anew(tier, path, hands):
    """Nothing is written into a file that no name leads to."""
    tier.put("contexts", {b"a": b"A"})
    await settle(tier)
    assert await tier.get("contexts", [b"a"]) == {b"a": b"A"}
    for name in ("cache.db", "cache.db-wal", "cache.db-shm"):
        path.with_name(name).unlink()
    tier.put("contexts", {b"b": b"B"})
    await settle(tier)
    hands.now += 10
    assert await tier.get("contexts", [b"a", b"b"]) == {b"b": b"B"}


async def test_one_process_sets_aside_for_all(path):
    """Who comes second finds the new file, and leaves it."""
    path.parent.mkdir()
    path.write_bytes(b"noise" * 1000)
    first, second = Writer(path, limit=1 << 20), Writer(path, limit=1 << 20)
    first._replace_file(apsw.NotADBError("x"))
    await fill(path, a=b"A")
    second._inode, second._db = 1, apsw.Connection(":memory:")
    second._replace_file(apsw.NotADBError("x"))
    assert await held(path, "a") == {"a": b"A"}


async def test_setting_aside_waits_for_its_turn(path):
    """Two processes do not rename at the same time."""
    path.parent.mkdir()
    path.write_bytes(b"noise" * 1000)
    with path.with_name("cache.db.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        tier = SqliteTier(path)
        tier.put("contexts", {b"a": b"A"})
        assert path.read_bytes()[:5] == b"noise"
        fcntl.flock(lock, fcntl.LOCK_UN)
        await tier.close()
    assert await held(path, "a") == {"a": b"A"}


async def test_what_was_used_least_is_dropped(path):
    """Within the bound, what was read lately outlives what was written lately."""
    tier = SqliteTier(path)
    for n in range(40):
        tier.put("contexts", {f"k{n}".encode(): os.urandom(40_000)})
    await tier.close()
    reading = SqliteTier(path)
    assert len(await reading.get("contexts", [b"k0"])) == 1
    await reading.close()
    small = SqliteTier(path, limit=800_000)
    small.put("contexts", {b"last": b"L"})
    await small.close()
    found = await held(path, *(f"k{n}" for n in range(40)), "last")
    assert {"k0", "k39", "last"} <= found.keys()
    assert not {"k1", "k2", "k3"} & found.keys()
    assert 10 <= len(found) <= 20
    db = apsw.Connection(str(path))
    assert upkeep.size_of(db) <= 800_000


async def test_paths_go_with_the_last_of_their_commit(path):
    """A commit of which no tree is left has no paths left."""
    tier = SqliteTier(path)
    for n in range(20):
        commit = b"%020d" % n
        tier.put("trees", {commit + b"x": os.urandom(40_000)})
        tier.put_paths(commit, {"a.go": USER})
    await tier.close()
    db = schema.open_writer(path, busy_ms=0)
    assert upkeep.prune(db, 400_000) > 0
    kept = {key[:20] for (key,) in db.execute("SELECT key FROM trees")}
    assert {c for (c,) in db.execute('SELECT "commit" FROM paths')} == kept
    assert upkeep.prune(db, 400_000) == 0


async def test_too_much_at_once_is_dropped(tmp_path):
    """What waits to be written is bounded: more is not kept."""
    gate, entered = threading.Event(), threading.Event()
    writer = Writer(tmp_path / "cache.db", limit=1 << 30)

    def wait(*_: object) -> None:
        entered.set()
        gate.wait(10)

    done = []
    writer.add(wait, 0)
    assert entered.wait(10)
    writer.add(lambda *_: done.append("fits"), 100 << 20)
    writer.add(lambda *_: done.append("does not"), 100 << 20)
    writer.add(lambda *_: done.append("small"), 1000)
    gate.set()
    writer.close()
    writer.add(lambda *_: done.append("late"), 0)
    assert done == ["fits", "small"]


def test_closing_what_never_wrote(tmp_path):
    """No thread was started and no file made."""
    Writer(tmp_path / "cache.db", limit=1).close()
    assert list(tmp_path.iterdir()) == []


async def test_used_keys_are_written_in_bulk(path, caplog):
    """Reading is noted now and then, not at each look-up."""
    caplog.set_level(logging.WARNING)
    await fill(path, **{f"k{n}": b"x" for n in range(1100)})
    db = apsw.Connection(str(path))
    count = "SELECT count(*) FROM contexts WHERE used > ?"
    before = db.execute("SELECT max(used) FROM contexts").get
    tier = SqliteTier(path)
    await tier.get("contexts", [b"k0"])
    await settle(tier)
    assert db.execute(count, (before,)).get == 0
    await tier.get("contexts", [f"k{n}".encode() for n in range(1100)])
    await settle(tier)
    assert db.execute(count, (before,)).get == 1100
    await tier.close()


def test_a_bug_in_a_write_costs_that_write_alone(tmp_path, caplog):
    """The thread goes on, the writes beside it are done, and one warning is given."""
    writer, done = Writer(tmp_path / "cache.db", limit=1 << 30), list[str]()

    def broken(*_):
        raise ValueError("a bug")

    writer.add(lambda *_: done.append("before"), 1)
    writer.add(broken, 1)
    writer.add(lambda *_: done.append("after"), 1)
    writer.drain()
    writer.add(broken, 1)
    writer.add(lambda *_: done.append("later"), 1)
    writer.close()

    assert {"before", "after", "later"} <= set(done)
    assert [text for text in caplog.messages if "a bug" in text] == [
        "some answers are not kept: ValueError: a bug; report this"
    ]
