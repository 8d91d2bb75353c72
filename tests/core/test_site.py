import pytest

from tests.core.tables import Sketch, sketch
from triage.core.panics.kinds import panic_kind
from triage.core.site import (
    FAMILIES,
    FaultSite,
    crash_declaration,
    enclosing,
    expressions,
    fault_sites,
    first_error,
    title,
)
from triage.core.table import NONE, Fault
from triage.errors import LineOutside

SHOP = sketch("""
package shop

// User is a customer.
type User struct {
	Name string
}

func (u *User) Save() {
	u.Name = ""
}

func (u User) Show() string { return u.Name }; var shown = func() int { return 1 }()

func a() {}; func bb() { a() }; func c() {}

var (
	first = 1

	second = make(
		[]int,
	)
)
""")


def found(line: int, function: str | None = None) -> str | None:
    """Return the name of what holds a line of the shop."""
    decl = enclosing(SHOP.view, 0, line, function=function)
    return decl.name if decl else None


@pytest.mark.parametrize(
    ("line", "want"),
    [
        (1, None),
        (3, None),  # a doc comment is not the declaration
        (4, "User"),
        (6, "User"),
        (7, None),
        (8, "Save"),
        (9, "Save"),
        (10, "Save"),
        (12, "Show"),  # a function rather than a value
        (14, "a"),
        (16, None),  # the group's own brackets
        (17, "first"),
        (18, None),
        (20, "second"),
        (21, "second"),
        (22, None),
    ],
)
def test_declaration_on_a_line(line, want):
    """A line belongs to the declaration whose first to last line holds it."""
    assert want == found(line)


@pytest.mark.parametrize("function", ["a", "bb", "c"])
def test_several_functions_on_a_line(function):
    """Of several functions on one line the one of that name is meant."""
    assert function == found(14, function)


def test_no_file_of_that_number():
    """A file without declarations holds none on any line."""
    assert enclosing(SHOP.view, 7, 3) is None


def test_crash_declaration():
    """Where a declaration holds the line, it is the crash's."""
    assert crash_declaration(SHOP.view, 0, 9) == SHOP.decl("User.Save")


def refused(shop: Sketch, line: int) -> str:
    """Return the message for a line that no declaration holds."""
    with pytest.raises(LineOutside) as caught:
        crash_declaration(shop.view, 0, line)
    return str(caught.value)


@pytest.mark.parametrize(
    ("line", "near"),
    [
        (1, "; nearest: User (lines 4-6)"),
        (7, "; nearest: User (lines 4-6), (*User).Save (lines 8-10)"),
        (11, "; nearest: (*User).Save (lines 8-10), User.Show (lines 12-12)"),
        (22, "; nearest: second (lines 19-21)"),
    ],
)
def test_line_between_declarations(line, near):
    """The declarations before and behind the line are named."""
    assert refused(SHOP, line) == (
        f"line {line} of shop/shop.go lies in no declaration{near}"
    )


def test_line_of_an_empty_file():
    """Where there is no declaration none is named."""
    want = "line 1 of shop/shop.go lies in no declaration"
    assert want == refused(sketch("package shop"), 1)


@pytest.mark.parametrize(
    ("source", "line", "lines"),
    [
        ("package shop\n\nfunc f() {}\n", 4, 3),
        ("package shop\n\nfunc f() {}", 4, 3),
        ("package shop\n\nfunc f() {}\n", 0, 3),
        ("package shop\n\nfunc f() {}\n", -1, 3),
    ],
)
def test_line_outside_the_file(source, line, lines):
    """A line that the file does not have is told with the number of those it has."""
    assert refused(sketch(source), line) == (
        f"shop/shop.go has {lines} lines, so line {line} is outside; "
        "check that the commit is the crashed one"
    )


def test_line_of_a_broken_file():
    """Where a syntax error may have swallowed the declaration, the error is told."""
    shop = sketch({"shop.go": "package shop //: broken\n\nfun f( {\n//: error 9 odd\n"})
    assert refused(shop, 3) == (
        "no declaration of shop/shop.go holds line 3: the file does not parse "
        "(line 3: odd); check that the commit is the crashed one"
    )


def test_line_of_an_unreadable_file():
    """A file without as much as a package clause says so, whatever the helper told."""
    shop = sketch({"shop.go": "what is this //: unreadable\n"})
    assert refused(shop, 1) == (
        "no declaration of shop/shop.go holds line 1: the file does not parse "
        "(no error told); check that the commit is the crashed one"
    )


def test_line_outside_a_broken_file():
    """A line past the end is outside, however broken the file is."""
    shop = sketch({"shop.go": "package shop //: broken\n\nfun f( {\n"})
    assert refused(shop, 9) == (
        "shop/shop.go has 3 lines, so line 9 is outside; "
        "check that the commit is the crashed one"
    )


def test_line_of_an_excluded_file():
    """Of a file that no target takes nothing is declared, and the constraint is told."""
    shop = sketch(
        {"shop.go": "package shop //: excluded linux && windows\n\nvar x = 1\n"}
    )
    assert refused(shop, 3) == (
        "no declaration of shop/shop.go is known: "
        "the file is excluded by its constraint (linux && windows)"
    )


def test_first_error():
    """Of a file's errors the first is told, not that of another file."""
    view = sketch(
        {
            "a.go": "package a //: broken\n//: error 1 one\n",
            "b.go": "package a //: broken\n//: error 2 two; error 3 three\n",
            "c.go": "package a //: broken\n",
        }
    ).view
    told = ["line 1: one", "line 1: two", "no error told"]
    assert told == [first_error(view, file) for file in range(3)]


@pytest.mark.parametrize(
    ("name", "want"),
    [
        ("User", "User"),
        ("first", "first"),
        ("a", "a"),
        ("User.Save", "(*User).Save"),
        ("User.Show", "User.Show"),
    ],
)
def test_title(name, want):
    """A declaration is called as Go writes it."""
    assert want == title(SHOP.decl(name))


FAULTS = sketch("""
package shop

type User struct {
	Friend *User
	Names map[string]string
	Tools []int
}

func (u *User) Run(i int, other *User) {
	u.Friend.Names["a"] = ""
	//: fault nil-deref `u`: receiver; fault nil-deref `u.Friend`: field User.Friend
	//: fault nil-map-write `u.Friend.Names`: field User.Names
	//: fault map-access `u.Friend.Names`: field User.Names
	call(u.Tools[i:],
	//: fault nil-deref `u` (11-13): receiver; fault slice `u.Tools` (11-13): field User.Tools at param 0
		func() { u.Tools[0]++ },
		//: fault index `u.Tools` (12-12): field User.Tools
		1/i)
		//: fault divide `i` (11-13): param 0
	delete(u.Names, "a")
	//: fault nil-deref `u`: receiver; fault map-access `u.Names`: field User.Names
	delete(names, "a") //: fault map-access `names`
	_ = other.Tools[0]
	//: fault nil-deref `other`: param 1; fault index `other.Tools`: field User.Tools
}
""")


def faults(line: int, kind: str | None) -> list[str]:
    """Return what can have faulted as `kind text`."""
    sites = fault_sites(FAULTS.view, FAULTS.decl("User.Run"), line, kind)
    return [f"{site.kind.name} {site.text}" for site in sites]


@pytest.mark.parametrize(
    ("line", "kind", "want"),
    [
        (10, "nil-deref", ["NIL_DEREF u", "NIL_DEREF u.Friend"]),
        (10, "nil-map", ["NIL_MAP_WRITE u.Friend.Names"]),
        (11, "slice-bounds", ["SLICE u.Tools"]),
        (12, "index-range", ["INDEX u.Tools"]),
        (13, "divide", ["DIVIDE i"]),
    ],
)
def test_kind_tells_what_faulted(line, kind, want):
    """On the line itself only what can give this kind of panic counts."""
    assert want == faults(line, kind)


@pytest.mark.parametrize("kind", ["fatal-concurrent-map", "data-race-of-tomorrow"])
def test_map_access_matters_to_concurrent_use_alone(kind):
    """A map that is only read faults where others write it at the same time."""
    shown = "MAP_ACCESS u.Friend.Names" in faults(10, kind)
    assert shown == (kind == "fatal-concurrent-map")


def test_statement_around_the_line():
    """Where the line holds nothing of the kind, its smallest statement is searched."""
    assert faults(13, "slice-bounds") == ["SLICE u.Tools"]
    assert faults(12, "slice-bounds") == ["INDEX u.Tools"]


def test_all_on_the_line_where_nothing_fits():
    """A kind that nothing on the line can give leaves everything there in question."""
    assert faults(11, "nil-map") == ["NIL_DEREF u", "SLICE u.Tools"]


def test_no_kind_means_any():
    """Without a trace each expression that can fault counts."""
    want = ["NIL_DEREF u", "NIL_DEREF u.Friend", "NIL_MAP_WRITE u.Friend.Names"]
    assert want == faults(10, None)
    assert faults(16, None) == ["NIL_DEREF other", "INDEX other.Tools"]


def test_no_kind_and_nothing_but_a_parameter():
    """Without a trace a map in use is likelier at fault than the receiver alone."""
    assert faults(14, None) == ["NIL_DEREF u", "MAP_ACCESS u.Names"]
    assert faults(15, None) == ["MAP_ACCESS names"]


def test_possible_faults_come_last():
    """An operand whose type is foreign counts less than one that is known to fault."""
    shop = sketch("""
package shop

func run(i, j int) {
	_ = lib.Tools[i] + own[j]
	//: fault index possible `lib.Tools`: param 0; fault index `own`: param 1
}
""")
    for kind in ("index-range", "nil-map", None):
        found = fault_sites(shop.view, shop.decl("run"), 4, kind)
        assert [site.text for site in found] == ["own", "lib.Tools"]


def test_line_without_faults():
    """A line on which nothing can fault has no fault sites."""
    assert faults(9, "nil-deref") == []
    assert faults(9, None) == []


def test_every_fault_explains_a_kind():
    """There is no way to fault that no kind of panic comes from."""
    assert frozenset().union(*FAMILIES.values()) == frozenset(Fault)


MESSAGES = [
    "runtime error: invalid memory address or nil pointer dereference",
    "assignment to entry in nil map",
    "runtime error: index out of range [3] with length 3",
    "runtime error: slice bounds out of range [:5] with capacity 4",
    "runtime error: cannot convert slice with length 2 to array or pointer to array",
    "runtime error: makeslice: len out of range",
    "runtime error: integer divide by zero",
    "interface conversion: interface {} is string, not int",
    "send on closed channel",
    "panic called with nil argument (use GODEBUG=panicnil=1 to disable)",
    "cart is empty",
]


def test_families_are_those_of_panics():
    """Each kind that a panic's message tells has its faults, and no other kind."""
    told = {panic_kind(message) for message in MESSAGES}
    assert told | {"fatal-concurrent-map"} == FAMILIES.keys()


def sites(*texts: str) -> list[FaultSite]:
    """Make fault sites that differ in their text alone."""
    return [FaultSite(Fault.NIL_DEREF, NONE, NONE, text) for text in texts]


@pytest.mark.parametrize(
    ("texts", "want"),
    [
        ([], ()),
        (["u", "u.Friend", "u.Friend.Friend"], ("u.Friend.Friend",)),
        (["u", "user"], ("u", "user")),
        (["a", "b.c.d", "e.f"], ("b.c.d", "e.f", "a")),
        (["m", "m[k]", "f", "f(x)"], ("m[k]", "f(x)")),
        (["x", "x", ""], ("x",)),
    ],
)
def test_expressions(texts, want):
    """The longest chains come first; what only leads to another is left out."""
    assert want == expressions(sites(*texts))


def test_enclosing_prefers_the_smallest():
    """Of several values on a line the smallest holds it."""
    shop = sketch("package shop\n\nvar x = 1; var y = []int{\n\t2,\n}\n")
    assert enclosing(shop.view, 0, 3) == shop.decl("x")
    assert enclosing(shop.view, 0, 4) == shop.decl("y")


def test_declarations_are_values():
    """What is found is a declaration of the table, equal to any other copy of it."""
    found = enclosing(SHOP.view, 0, 4)
    assert found is not None
    copy = SHOP.view.table.decl(found.id)
    assert copy is not found
    assert copy == found
