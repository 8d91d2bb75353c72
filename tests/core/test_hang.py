import pytest

from tests.core.tables import Sketch, sketch
from triage.core.hang import RECEIVER, Call, Hang, accessed_on_line, hang, walk
from triage.core.site import FaultSite
from triage.core.table import NONE, Fault


def hanging(node: str, index: str = "") -> tuple[Sketch, Hang]:
    """Return what a crash line hangs on whose operand is *node*."""
    at = f" at {index}" if index else ""
    shop = sketch(f"""
package shop

type User struct {{
	Friend *User
	Book Book
}}

type Book struct {{
	Names map[string]string
}}

type Finder interface {{
	Find() *User
}}

var shared *User

func find() *User {{ return nil }}

func (u *User) Run(a int, b *User) {{
	crash() //: mark crash; fault nil-deref `x`: {node}{at}
}}
""")
    return shop, hang(shop.view, shop.site().faults)


def test_chain_of_fields():
    """The chain is followed to the receiver; all its fields and types are noted."""
    shop, found = hanging(
        "field Book.Names <- field User.Book:Book <- field User.Friend:User "
        "<- receiver:User"
    )
    fields = [f"{shop.view.field_name(field)}" for field in found.fields]
    assert fields == ["Names", "Book", "Friend"]
    number = shop.rows.number
    assert found.types == (number("Book"), number("User"))
    assert found.parameters == (RECEIVER,)


@pytest.mark.parametrize(
    ("node", "want"),
    [
        ("param 1", frozenset({1})),
        ("receiver", frozenset({RECEIVER})),
        ("local x <- param 0", frozenset({0})),
        ("field User.Friend <- param 1", frozenset()),
        ("local x <- (param 1 | field User.Friend <- receiver)", frozenset({1})),
    ],
)
def test_direct_parameters(node, want):
    """What a caller passed is direct where no field of it was taken on the way."""
    assert want == hanging(node)[1].direct


def test_parameter_that_is_both():
    """A value that came in, or out of a field of what came in, is direct as well."""
    both = "local x <- (field User.Friend <- [1] param 1 | [1])"
    found = hanging(both)[1]
    assert (found.direct, found.parameters) == (frozenset({1}), (1,))


def test_walk_stops_at_a_call():
    """A call is noted with its function; what went into it is not followed."""
    shop, found = hanging("local x <- call find <- field User.Friend <- receiver")
    assert found == Hang(calls=(Call(shop.rows.number("find"), ""),))


def test_call_through_an_interface():
    """A method called on an interface is noted with the interface and its name."""
    shop, found = hanging("call Finder .Find:User")
    number = shop.rows.number
    assert found.calls == (Call(number("Finder"), "Find"),)
    assert found.types == (number("User"),)


def test_call_of_a_function_value():
    """The result of a called value hangs on that value."""
    shop, found = hanging("call -:User <- field User.Friend <- receiver")
    assert found.calls == ()
    assert found.fields == (shop.rows.field("User.Friend"),)
    assert found.types == (shop.rows.number("User"),)


def test_variables_and_packages():
    """Package variables and names of other packages are ends of the chain."""
    shop, found = hanging("local x <- (var shared:User | external <io>.EOF)")
    assert found.variables == (shop.rows.number("shared"),)
    assert [shop.view.external(n) for n in found.externals] == [("io", "EOF", ())]


@pytest.mark.parametrize(
    ("node", "direct"),
    [
        ("local x <- var shared:User", True),
        ("field User.Friend <- var shared:User", False),
    ],
)
def test_direct_variables(node, direct):
    """A variable is direct where its very value faulted, not a field of it."""
    shop, found = hanging(node)
    shared = shop.rows.number("shared")
    assert found.variables == (shared,)
    assert found.direct_variables == (frozenset({shared}) if direct else frozenset())


@pytest.mark.parametrize("node", ["nil", "other", "literal User", "local x", "field -"])
def test_ends_without_a_name(node):
    """A constant, a literal or a field of a local type leads nowhere."""
    assert hanging(node)[1] == Hang()


def test_index_counts_as_well():
    """What an index hangs on bears on the fault as the operand does."""
    shop, found = hanging("field Book.Names <- receiver", "local i <- param 0")
    assert [shop.view.field_name(field) for field in found.fields] == ["Names"]
    assert found.parameters == (0, RECEIVER)


def test_circle_of_values():
    """A loop variable that is taken out of itself ends the walk, once."""
    shop, found = hanging(
        "[1] local n:User <- (param 1 | field User.Friend:User <- [1])"
    )
    assert [shop.view.field_name(field) for field in found.fields] == ["Friend"]
    assert found.direct == frozenset({1})


def test_nearest_first():
    """Fields come in the order in which the walk reaches them, level by level."""
    shop, found = hanging(
        "local x <- (field Book.Names <- field User.Book <- receiver "
        "| field User.Friend <- receiver)"
    )
    fields = [shop.view.field_name(field) for field in found.fields]
    assert fields == ["Names", "Friend", "Book"]


def test_site_without_a_value():
    """A fault whose operand is no value hangs on nothing."""
    shop, _ = hanging("nil")
    assert hang(shop.view, [FaultSite(Fault.DIVIDE, NONE, NONE, "0")]) == Hang()
    assert walk(shop.view, []) == Hang()


def test_fields_on_a_line():
    """The fields that a line touches are listed once each, in order."""
    shop = sketch("""
package shop

type User struct {
	Name string
	Age int
}

func (u *User) Run() {
	u.Age += len(u.Name) + u.Age
	//: access User.Age update; access User.Name read; access User.Age read
	u.Name = "" //: access User.Name assign
}
""")
    run, field = shop.decl("User.Run"), shop.rows.field
    both = (field("User.Age"), field("User.Name"))
    assert accessed_on_line(shop.view, run, 9) == both
    assert accessed_on_line(shop.view, run, 10) == both[1:]
    assert accessed_on_line(shop.view, run, 11) == ()
