"""The picture of a context: what hangs on what, and where it stands."""

from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from triage.core.picture import HEIGHT, WIDTH, label, picture


@dataclass(frozen=True)
class Symbol:
    """What is drawn of a symbol."""

    name: str
    reason: str = "crashed here"
    receiver: str | None = None
    section: str = "functions"


CRASH = Symbol("Add", receiver="Cart", section="crash")


def parents(*symbols: Symbol) -> list[str | None]:
    """Name what each symbol hangs on, read from the lines of the picture."""
    drawn = picture(symbols)
    right = {(box.x + WIDTH, box.y + HEIGHT // 2): box.label for box in drawn.boxes}
    above = {(one.x2, one.y2): right[one.x1, one.y1] for one in drawn.links}
    return [above.get((box.x, box.y + HEIGHT // 2)) for box in drawn.boxes]


def test_names():
    """A method is named with its type."""
    assert (label(CRASH), label(Symbol("New"))) == ("Cart.Add", "New")


def test_what_hangs_on_what():
    """On the declaration that the reason names, with its receiver; else on the crash."""
    assert parents(
        CRASH,
        Symbol("Cart", "receiver of (*Cart).Add"),
        Symbol("New", "constructor of Cart"),
        Symbol("main", "frame 2 of the trace"),
        Symbol("fill", "calls New"),
    ) == [None, "Cart.Add", "Cart", "Cart.Add", "New"]


def test_two_that_name_each_other():
    """There is no circle: the later one gives way to the crash."""
    one, two = Symbol("one", "calls two"), Symbol("two", "calls one")
    assert parents(CRASH, one, two) == [None, "two", "Cart.Add"]


def test_where_they_stand():
    """Columns go right from the crash, and no two boxes share a place."""
    drawn = picture([CRASH, Symbol("Cart", "of Cart.Add"), Symbol("New", "of Cart")])
    assert [box.x for box in drawn.boxes] == sorted({box.x for box in drawn.boxes})
    assert len({box.y for box in drawn.boxes}) == 1
    assert drawn.width >= drawn.boxes[-1].x + WIDTH
    assert drawn.links[0].bend == (drawn.links[0].x1 + drawn.links[0].x2) // 2


def test_long_names_and_many():
    """A name is cut to its box; what there is no room for is counted."""
    many = [CRASH, *(Symbol(f"step{number}" * 9) for number in range(60))]
    drawn = picture(many)
    assert all(len(box.label) <= 28 for box in drawn.boxes)
    assert (len(drawn.boxes), drawn.left_out) == (40, 21)


def test_nothing():
    """No symbols make an empty picture."""
    assert picture([]).boxes == ()


_NAMES = st.sampled_from(["a", "b", "c", "T", "T.m"])


@given(st.lists(st.builds(Symbol, _NAMES, _NAMES, st.none() | _NAMES), max_size=12))
def test_whatever_they_name(symbols):
    """Each symbol has its own place within the picture, crash or none."""
    drawn = picture(symbols)
    places = {(box.x, box.y) for box in drawn.boxes}
    assert len(places) == len(symbols)
    assert all(x + WIDTH <= drawn.width for x, _ in places)
    assert all(y + HEIGHT <= drawn.height for _, y in places)
