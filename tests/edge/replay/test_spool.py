"""Items put in order on disk."""

import pytest

from triage.core.model import Telemetry
from triage.core.replay import Failure, Item
from triage.errors import BadInput, OutputFailed
from triage.replay.reading import Read
from triage.replay.spool import Spool


@pytest.fixture
def spool():
    """Open one."""
    with Spool() as opened:
        yield opened


PLACED = (("1", "a"), ("2", "b"), ("3", "a"), ("4", "b"))


def item(id_: str, package: str = "a", *, at: float | None = None) -> Item:
    """Make an item in *package*."""
    told = Telemetry("acme/shop", "1", f"{package}/x.go", 1, tags=("t",))
    return Item(id_, told, at)


def ids(spool: Spool) -> list[list[str]]:
    """Tell what is handed out together."""
    return [[one.id for one in batch] for batch in spool.batches()]


def test_items_come_by_package(spool):
    """Those of one package come together, in their order."""
    spool.take(Read(item(id_, p)) for id_, p in PLACED)
    assert ids(spool) == [["1", "3"], ["2", "4"]]


def test_items_come_as_they_went_in(spool):
    """Nothing of them is lost."""
    failed = Item("2", failure=Failure("bad-request", "x"))
    traced = Item("3", Telemetry(".", trace="panic: \U0001f600\0"))
    given = [item("1", at=3.5), failed, traced]
    spool.take(map(Read, given))
    assert (
        sorted(
            (one for batch in spool.batches() for one in batch), key=lambda one: one.id
        )
        == given
    )


def test_a_large_package_comes_in_parts(spool):
    """What is handed out at once is bounded."""
    spool.take(Read(item(str(n))) for n in range(450))
    assert [len(batch) for batch in ids(spool)] == [200, 200, 50]


def test_an_id_that_repeats(spool):
    """It is refused by its name: which of two was meant nobody could tell."""
    with pytest.raises(BadInput, match="the id `x y` is there twice"):
        spool.take([Read(item("x\ny")), Read(item("x\ny"))])


def test_what_was_done_is_left_out(spool):
    """An item is ticked off once."""
    spool.take(map(Read, [item("1"), item("2")]))
    assert (spool.tick_off("1"), spool.tick_off("1"), spool.tick_off("9")) == (
        True,
        False,
        False,
    )
    assert spool.left() == 1
    assert ids(spool) == [["2"]]


def test_what_was_logged_counts_where_nothing_crashed(spool):
    """A text of logged stacks alone is a text of crashes."""
    assert spool.take([Read(item("1"), logged=True), Read(item("2"), logged=True)]) == 2
    assert spool.take([Read(item("3"), logged=True), Read(item("4"))]) == 1
    assert ids(spool) == [["1", "2", "4"]]


def test_no_more_than_asked_for(spool):
    """A real crash goes before what was merely logged."""
    logged = [Read(item(f"l{n}"), logged=True) for n in range(3)]
    assert spool.take(logged, most=2) == 2
    more = [Read(item(f"m{n}"), logged=True) for n in range(3)]
    assert spool.take([*more, Read(item("r1")), Read(item("r2"))], most=1) == 1
    assert ids(spool) == [["l0", "l1", "r1"]]


def test_when_an_item_crashed(spool):
    """It is known by the item's id."""
    spool.take(map(Read, [item("1", at=3.5), item("2")]))
    assert [spool.moment(id_) for id_ in ("1", "2", "9")] == [3.5, None, None]


def test_a_disk_without_room():
    """It is said what is missing and where."""
    trace = Telemetry(".", trace="x" * 1_000)
    with Spool() as spool:
        spool._db.execute("PRAGMA max_page_count = 20").fetchall()
        with pytest.raises(OutputFailed, match="TMPDIR"):
            spool.take(Read(Item(str(n), trace)) for n in range(1_000))
