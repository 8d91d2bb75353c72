import pytest

from tests.core.applied import TYPES, rules, shop, told
from triage.core.picks import Near


def test_what_the_crash_uses():
    """Functions, variables and constants are taken where they are named, and how."""
    found = told("""
const limit = 1

var rate, other = 2, 3

func a() {}

func b() {}

func c() {}

func d() {}

func unused() {}

func Run() {
	a() //: use a call
	defer b() //: use b call defer
	go c() //: use c call go
	x := d //: use d value
	Run() //: use Run call
	_ = rate + limit //: mark crash; use rate read; use limit read; use a call
}
""")
    assert found == {
        "a": (Near.LINE, "called on line 23 of Run"),
        "b": (Near.CALLEE, "deferred on line 19 of Run"),
        "c": (Near.CALLEE, "started on line 20 of Run"),
        "d": (Near.CALLEE, "used as a value on line 21 of Run"),
        "rate": (Near.LINE, "used on line 23 of Run"),
        "limit": (Near.LINE, "used on line 23 of Run"),
    }


def test_values_away_from_the_line():
    """A variable of another line is used, but not as near."""
    found = told("""
var rate = 1

func Run() {
	_ = rate //: use rate read
	crash() //: mark crash
}
""")
    assert found == {"rate": (Near.USED, "used on line 6 of Run")}


def test_variables_that_helpers_read():
    """What a called function reads or writes is taken, what it calls is not."""
    found = told("""
var read, written, typed = 1, 2, 3

func deep() {}

func help() {
	deep(read)
	//: use read read; use written write; use deep call; use typed type
}

func Run() {
	help() //: mark crash; use help call
}
""")
    assert found == {
        "help": (Near.LINE, "called on line 12 of Run"),
        "read": (Near.CALLEE_VALUE, "read by help, which Run calls"),
        "written": (Near.CALLEE_VALUE, "read by help, which Run calls"),
    }


def test_types_in_use():
    """The receiver, the types of the signature and those named are taken."""
    found = told(TYPES, depth=0)
    assert found == {
        "User": (Near.RECEIVER, "receiver of (*User).Run"),
        "Order": (Near.USED, "type of a parameter of (*User).Run"),
        "Receipt": (Near.USED, "type of a result of (*User).Run"),
        "Local": (Near.USED, "used on line 48 of (*User).Run"),
        "Unrelated": (Near.LINE, "used on line 49 of (*User).Run"),
    }


def test_receiver_that_is_an_alias():
    """A method that is declared on an alias shows the alias as well as the type."""
    found = told("""
type User struct{}

type Customer = User //: under User

func (c Customer) Run() {
	crash() //: mark crash; use User implicit
}
""")
    assert found == {
        "User": (Near.RECEIVER, "receiver of Customer.Run"),
        "Customer": (Near.RECEIVER, "receiver of Customer.Run"),
    }


def test_types_behind_fields():
    """Fields, elements, function types and constraints lead on, methods do not."""
    found = told(TYPES, depth=1)
    behind = {name: why for name, (near, why) in found.items() if near == 30}
    assert behind == {
        "Account": "type of field User.Account",
        "Tool": "type of field User.Tools",
        "Event": "type of field User.Hook",
        "Item": "Order is made of it",
        "Priced": "constraint of Receipt",
    }


def test_types_to_the_depth_that_is_asked():
    """What lies deeper is further off, and deeper still is left out."""
    found = rules(shop(TYPES), depth=2)
    assert (found["Bank"].near, found["Bank"].depth) == (Near.DEEP_TYPE, 2)
    assert (found["Named"].near, found["Named"].reason) == (
        Near.DEEP_TYPE,
        "type of field Priced.Named",
    )
    assert "City" not in found
    assert "City" in rules(shop(TYPES), depth=3)


@pytest.mark.parametrize("depth", range(4))
def test_depth_only_adds(depth):
    """What is found at one depth is found, as near, at the next."""
    less, more = told(TYPES, depth=depth), told(TYPES, depth=depth + 1)
    assert less.items() <= more.items()


def test_circles_of_types_end():
    """Types that hold each other are taken once each."""
    found = told("""
type Node struct {
	Next *Node //: field *Node
	List *List //: field *List
}

type List struct {
	Head *Node //: field *Node
}

func (n *Node) Run() {
	crash() //: mark crash
}
""")
    assert set(found) == {"Node", "List"}


def test_fields_on_the_chain_at_any_depth():
    """What the crash expression goes through is taken however deep it lies."""
    found = told(
        TYPES.replace(
            "mark crash;",
            "mark crash; fault nil-deref `u.Account.Bank.City.Land`: "
            "field City.Land:Land <- field Bank.City:City <- field Account.Bank:Bank "
            "<- field User.Account:Account <- receiver:User;",
        ),
        "nil-deref",
        depth=0,
    )
    assert {name for name, (near, _) in found.items() if near == Near.CHAIN_TYPE} == {
        "Land",
        "City",
        "Bank",
        "Account",
    }


def test_owner_of_a_field_without_a_type():
    """Where a value's type is not known, the owner of its field still is."""
    found = told("""
type User struct {
	Hook func()
}

func Run(u any) {
	u.Hook() //: mark crash; fault nil-func `u.Hook`: field User.Hook <- param 0
}
""")
    assert found["User"] == (Near.CHAIN_TYPE, "holds Hook, which the line hangs on")


@pytest.mark.parametrize(
    ("fact", "place"),
    [
        ("param 0 Thing", "a parameter"),
        ("result 0 Thing", "a result"),
        ("constraint 0 Thing", "a type parameter"),
    ],
)
def test_place_in_the_signature(fact, place):
    """A type says where in the signature it stands."""
    found = told(f"""
type Thing struct{{}}

func Run() {{
	crash() //: mark crash; {fact}
}}
""")
    assert found == {"Thing": (Near.USED, f"type of {place} of Run")}


def test_line_in_a_type():
    """Where the line is a field's, its type says so, and no fault is looked for."""
    found = told("""
type User struct {
	Friend *Thing //: field *Thing; mark crash
}

type Thing struct{}

func other(u User) {} //: param 0 User
""")
    assert found == {"Thing": (Near.USED, "type of a field of User")}


def test_crash_in_an_initialiser():
    """A variable's own type and what its value names are taken; nobody calls it."""
    found = told("""
type Table map[string]int

var limits = Table{} //: value Table; use build call; mark crash

func build() {}

func other() {
	_ = limits //: use limits read
}
""")
    assert found == {
        "Table": (Near.USED, "type of its value of limits"),
        "build": (Near.LINE, "called on line 5 of limits"),
    }
