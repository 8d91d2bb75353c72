import pytest

from tests.core.applied import TYPES, rules, shop, told
from triage.core.picks import Near, Part

MAKERS = """
type User struct {
	Friend *User //: field *User
	Name string
}

func New() *User { return nil } //: result 0 *User

func Value() (int, User) { return 1, User{} } //: result 1 User

func Many() []*User { return nil } //: result 0 []User

func (u *User) Get() *User { return u.Friend }
//: result 0 *User; return 0: field User.Friend

func (u *User) Same() *User { return u }
//: result 0 *User; return 0: receiver; return 0: nil; return 0: -

func (u *User) Copy() *User { return &User{} }
//: result 0 *User; return 0: literal User; return 1: field User.Friend

func (u *User) Run() {
	crash() //: mark crash
}
"""


def test_constructors():
    """What returns the type or a pointer to it makes it; a getter hands it out."""
    picks = rules(shop(MAKERS))
    made = {name: p.reason for name, p in picks.items() if p.near == Near.CONSTRUCTOR}
    assert made == dict.fromkeys(("New", "Value", "User.Copy"), "constructor of User")
    assert {picks[name].part for name in made} == {Part.CONSTRUCTOR}
    assert set(picks) - set(made) == {"User"}


@pytest.mark.parametrize(
    ("depth", "near"),
    [
        (1, Near.FIELD_CONSTRUCTOR),
        (2, Near.DEEP_CONSTRUCTOR),
        (3, Near.DEEP_CONSTRUCTOR),
    ],
)
def test_constructors_of_deeper_types(depth, near):
    """The deeper a type lies, the further off is what makes it."""
    name = ("User", "Account", "Bank", "City")[depth]
    source = f"{TYPES}\nfunc make{name}() {name} {{ return {name}{{}} }} //: result 0 {name}\n"
    pick = rules(shop(source), depth=3)[f"make{name}"]
    assert (pick.near, pick.depth, pick.reason) == (
        near,
        depth,
        f"constructor of {name}",
    )


def built(literal: str, fault: str, owner: str = "User") -> tuple[Near, str] | None:
    """Return what becomes of a function with a literal, on a crash with *fault*."""
    found = told(f"""
type User struct {{
	Friend *User
	Name string
}}

type List []int

func build() {{
	x() //: literal {literal}
}}

func (u *{owner}) Run() {{
	crash() //: mark crash; {fault}
}}
""")
    return found.get("build")


HANGS = "fault nil-deref `u.Friend`: field User.Friend:User <- receiver:User"
BOTH = f"{HANGS}; fault nil-deref `u.Name`: field User.Name <- receiver:User"
NOWHERE = "use User implicit"


@pytest.mark.parametrize(
    ("literal", "fault", "want"),
    [
        ("User {Friend}", HANGS, (Near.WRITER, "builds User")),
        ("User {Friend=nil}", HANGS, (Near.WRITER, "builds User")),
        ("User {Name}", HANGS, (Near.OMITTER, "builds User and leaves out Friend")),
        ("User {}", BOTH, (Near.OMITTER, "builds User and leaves out Friend and Name")),
        ("User new", HANGS, (Near.OMITTER, "builds User and leaves out Friend")),
        ("User zero", HANGS, (Near.OMITTER, "builds User and leaves out Friend")),
        ("User {} positional", HANGS, (Near.WRITER, "builds User")),
        ("User {Name}", NOWHERE, (Near.CONSTRUCTOR, "builds User")),
        ("User zero", NOWHERE, (Near.CONSTRUCTOR, "builds User")),
    ],
)
def test_builders(literal, fault, want):
    """A literal counts most where it leaves out what the line hangs on."""
    assert want == built(literal, fault)


def test_zero_value_of_what_is_no_struct():
    """The zero value of a slice is in every declaration and says nothing."""
    assert built("List zero", NOWHERE, "List") is None
    assert built("List {}", NOWHERE, "List") == (Near.CONSTRUCTOR, "builds List")


def test_builder_shows_the_literal():
    """A cut of a builder keeps the line of the literal."""
    picks = rules(
        shop("""
type User struct{}

func build() {
	first()
	x() //: literal User {}
}

func (u *User) Run() {
	crash() //: mark crash
}
""")
    )
    assert (picks["build"].lines, picks["build"].part) == ((7,), Part.CONSTRUCTOR)


def test_builders_of_deeper_types():
    """Literals of types that are merely behind fields say nothing of the fault."""
    source = f"{TYPES}\nfunc build() {{\n\tx() //: literal Bank {{}}\n}}\n"
    assert "build" not in told(source)


def test_origins():
    """The function whose result faulted is taken, with the type that it returns."""
    found = told("""
type User struct{}

type Finder interface {
	Find() *User
}

func find() *User { return nil } //: result 0 *User; param 0 Finder

func Run() {
	x := find()
	//: use find call
	x.Name() //: mark crash; fault nil-deref `x`: local x <- (call find | call Finder .Find)
}
""")
    assert found == {
        "find": (Near.ORIGIN, "its result is what line 13 of Run hangs on"),
        "User": (Near.CHAIN_TYPE, "what find returns"),
    }


def test_origins_of_a_variable():
    """A variable that faulted leads to what initialises it."""
    found = told("""
type User struct{}

var lazy = wrap(load) //: use wrap call; use load value; use other read; use User type

var other = 1

func wrap() {}

func load() *User { return nil } //: result 0 *User

func Run() {
	x() //: mark crash; fault nil-deref `lazy`: var lazy
}
""")
    assert found == {
        "wrap": (Near.ORIGIN, "initialises lazy"),
        "load": (Near.ORIGIN, "initialises lazy"),
        "User": (Near.CHAIN_TYPE, "what load returns"),
    }
